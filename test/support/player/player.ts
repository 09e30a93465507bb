// Opens the player in a browser, as a user with a link would, and inspects it.
import type { Frame, Page } from 'puppeteer-core';
import type { Reader } from '../checks/reader.ts';
import { succeeded } from '../checks/expect.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

interface OpenOptions {
  theme?: 'light' | 'dark';
  width?: number;
  /** Runs at the start of each document. */
  script?: string;
}

export interface Player {
  open(recording: string, options?: OpenOptions): Promise<Page>;
  /** The text of an element. */
  text(page: Page, selector: string): Promise<string>;
  attribute(page: Page, selector: string, name: string): Promise<string>;
  /** The clock below the recording. */
  now(page: Page): Promise<string>;
  /** The text of each element that matches a selector. */
  texts(page: Page, selector: string): Promise<string[]>;
  isSeen(page: Page, selector: string): Promise<boolean>;
  /** The kinds of the markers on the timeline. */
  marks(page: Page): Promise<string[]>;
  /** The document with an opaque origin in which the replayed page is built. */
  inner(page: Page): Promise<Frame>;
  /** Resolves when the replayed page has this text, apart from whitespace. */
  shows(inner: Frame, text: string): Promise<void>;
  /** Resolves when a condition on the replayed page's document, `built`, holds. */
  until(inner: Frame, condition: string): Promise<void>;
}

export function createPlayer(service: Service, reader: Reader): Player {
  return {
    async open(recording, { theme = 'light', width = 1_280, script = '' } = {}) {
      const { url } = succeeded(await service.post(`/recordings/${recording}/share`, {})).json<{ url: string }>();
      const page = await reader.open({ width, height: width < 640 ? 844 : 800 });
      await page.evaluateOnNewDocument(script);
      await page.goto(`${url}&theme=${theme}`, { waitUntil: 'load' });
      await page.waitForSelector('body:not([data-state=loading])');
      return page;
    },
    text: (page, selector) => asked(page, selector, 'textContent'),
    attribute: (page, selector, name) => asked(page, selector, `getAttribute('${name}')`),
    now: (page) => asked(page, '#now', 'textContent'),
    texts: async (page, selector) => {
      const found = await page.evaluate(
        `[...document.querySelectorAll('${selector}')].map((each) => each.textContent)`,
      );
      return Array.isArray(found) ? found.map(String) : [];
    },
    isSeen: async (page, selector) => (await asked(page, selector, 'checkVisibility()')) === 'true',
    marks: async (page) => {
      const found = await page.evaluate(
        `[...document.querySelectorAll('#marks i')].map(({ dataset }) => dataset.kind)`,
      );
      return Array.isArray(found) ? found.map(String) : [];
    },
    inner: (page) =>
      until('the document of the replay', () => page.frames().find((frame) => frame.url().startsWith('data:'))),
    shows(inner, text) {
      const words = `built.body?.innerText.replace(/\\s+/g, ' ').trim()`;
      return this.until(inner, `${words} === ${JSON.stringify(text)}`);
    },
    async until(inner, condition) {
      const whole = `((built) => Boolean(built && (${condition})))(document.querySelector('iframe')?.contentDocument)`;
      await until(condition, () => inner.evaluate(whole), 8_000);
    },
  };
}

async function asked(page: Page, selector: string, what: string): Promise<string> {
  return String(await page.evaluate(`document.querySelector('${selector}').${what}`));
}
