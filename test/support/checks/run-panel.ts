// Uses the panel that runs the documentation's samples, as a reader would.
import type { Page } from 'puppeteer-core';

/** Selector of the BrowserQL editor's text, which is in a shadow root. */
export const editor = '.bql-editor >>> .cm-content';

/** Console errors and uncaught errors of a page, from now on. */
export function problemsOf(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return problems;
}

/**
 * Opens the panel of the page's first sample, which runs immediately, and waits for its editor and the end of that run.
 */
export async function openRunner(page: Page): Promise<void> {
  await page.evaluate(`document.querySelector('[data-run]').click()`);
  await page.waitForSelector(editor);
  await page.waitForSelector('.run .run-button.primary');
}

export const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => element.textContent ?? '');

/** Waits until the panel's response contains a text. */
export async function answered(page: Page, text: string): Promise<void> {
  const holds = `document.querySelector('.run-answer')?.textContent.includes(${JSON.stringify(text)})`;
  await page.waitForFunction(holds).catch(async (error: unknown) => {
    const shown = await page.evaluate(`document.querySelector('.run-answer')?.textContent`);
    throw new Error(`the response is ${JSON.stringify(shown)}, not ${text}`, { cause: error });
  });
}

/** Presses a key with Ctrl. */
export async function press(page: Page, key: 'Enter' | 'a'): Promise<void> {
  await page.keyboard.down('Control');
  await page.keyboard.press(key);
  await page.keyboard.up('Control');
}

/** Replaces the document in the editor by typing a new one. */
export async function write(page: Page, text: string): Promise<void> {
  await page.focus(editor);
  await press(page, 'a');
  await page.keyboard.sendCharacter(text);
}

/** Clicks Close. */
export const closeRunner = (page: Page) =>
  page.evaluate(
    `[...document.querySelectorAll('.run-head button')].find((each) => each.textContent === 'Close').click()`,
  );
