// Inspects a stealth browser through each kind of entry point, as a page on the test site sees it.
import * as assert from 'uvu/assert';
import { succeeded } from '../checks/expect.ts';
import type { CallOptions, Service } from '../service.ts';
import type { Site } from '../site/site.ts';
import { connect } from './clients.ts';

/** What a page finds out about its browser; runs in the page. */
export const look = `JSON.stringify({
  agent: navigator.userAgent,
  webdriver: navigator.webdriver,
  plugins: navigator.plugins.length,
  windowIsLarger: outerHeight > innerHeight && outerWidth >= innerWidth,
  screenIsLarger: screen.width > outerWidth && screen.availHeight < screen.height,
  size: innerWidth + 'x' + innerHeight,
  scrollbar: (() => {
    const box = document.body.appendChild(document.createElement('div'));
    box.style.cssText = 'width: 100px; height: 100px; overflow: scroll';
    return box.offsetWidth - box.clientWidth;
  })(),
  focused: document.hasFocus(),
  pointer: matchMedia('(pointer: fine)').matches && matchMedia('(hover: hover)').matches,
  languages: navigator.languages.join(),
  locale: Intl.DateTimeFormat().resolvedOptions().locale,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})`;

export interface BrowserTraits {
  agent: string;
  webdriver: boolean;
  plugins: number;
  windowIsLarger: boolean;
  screenIsLarger: boolean;
  size: string;
  scrollbar: number;
  focused: boolean;
  pointer: boolean;
  languages: string;
  locale: string;
  timezone: string;
}

/** The query of a request for a stealth browser. */
export const stealth = (more: object = {}) => ({ query: { launch: JSON.stringify({ stealth: true, ...more }) } });

const parsed = (text: unknown) => JSON.parse(String(text)) as BrowserTraits; // The script is our own.

/** Inspects a browser over a socket. */
export async function bySocket(
  service: Service,
  site: Site,
  path: string,
  query: Record<string, string> = {},
): Promise<BrowserTraits> {
  const browser = await connect(service, path, query, { defaultViewport: null });
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  const seen = parsed(await page.evaluate(look));
  await browser.close();
  return seen;
}

/** Inspects a browser with a BrowserQL document. */
export async function byDocument(
  service: Service,
  site: Site,
  path: string,
  options: CallOptions = {},
): Promise<BrowserTraits> {
  const query = `mutation { goto(url: "${site.url}/small") { status } seen: evaluate(content: ${JSON.stringify(look)}) { value } }`;
  const reply = succeeded(await service.post(path, { query }, options));
  return parsed(reply.json<{ data: { seen: { value: string } } }>().data.seen.value);
}

/** Inspects a browser with the code of `/function`. */
export async function byFunction(service: Service, site: Site, options: CallOptions): Promise<BrowserTraits> {
  const code = `export default async ({ page, context }) => {
    await page.goto(context.url);
    return { data: await page.evaluate(context.look), type: 'text/plain' };
  }`;
  const body = { code, context: { url: `${site.url}/small`, look } };
  return parsed(succeeded(await service.post('/function', body, options)).text);
}

/** Inspects a browser with a script that `/scrape` adds. */
export async function byScrape(service: Service, site: Site, options: CallOptions): Promise<BrowserTraits> {
  const addScriptTag = [{ content: `document.title = ${look}` }];
  const body = { url: `${site.url}/small`, addScriptTag, elements: [{ selector: 'title' }] };
  const reply = succeeded(await service.post('/scrape', body, options));
  return parsed(reply.json<{ data: { results: { text: string }[] }[] }>().data[0]?.results[0]?.text);
}

/** Asserts that a page saw no sign of automation, and that its request headers agree with what it saw. */
export function assertHidden(seen: BrowserTraits, site: Site): void {
  assert.not.match(seen.agent, 'Headless');
  assert.is(seen.webdriver, false);
  assert.is(seen.plugins, 5);
  assert.ok(seen.windowIsLarger && seen.screenIsLarger, JSON.stringify(seen));
  assert.ok(!['800x600', '1280x720'].includes(seen.size), seen.size);
  assert.ok(seen.scrollbar > 0);
  assert.ok(seen.focused && seen.pointer, JSON.stringify(seen));
  const { headers } = site.requests.find(({ path }) => path === '/small') ?? {};
  assert.is(headers?.['user-agent'], seen.agent);
  assert.is(headers?.['accept-language']?.replace(/;q=[\d.]+/g, ''), seen.languages);
}
