// REST endpoints: open the page with /content, with code in /function, or with /unblock.
import { type Endpoint, requireSuccess } from './endpoint.ts';

type Row = Pick<Endpoint, 'name' | 'title' | 'stealth'>;
type Launch = Record<string, unknown>;

const queryOf = (launch: Launch | undefined): Record<string, string> =>
  launch === undefined ? {} : { launch: JSON.stringify(launch) };

/** How long the service may wait for the element, in milliseconds. */
const waitMs = 30_000;

/** /content waits for the element. @param fields additional body fields */
export function contentEndpoint(row: Row, launch?: Launch, fields: Record<string, unknown> = {}): Endpoint {
  return {
    ...row,
    async visit(service, { url, selector, signal }) {
      const body = { url, waitForSelector: { selector, timeout: waitMs }, ...fields };
      requireSuccess(await service.post('/content', body, { query: queryOf(launch), signal }));
    },
  };
}

const code = `export default async function ({ page, context }) {
  await page.goto(context.url);
  await page.waitForSelector(context.selector, { timeout: ${waitMs} });
  return { data: 'done', type: 'text/plain' };
}`;

/** Code in /function drives the page with Puppeteer. */
export function functionEndpoint(row: Row, launch?: Launch): Endpoint {
  return {
    ...row,
    async visit(service, { url, selector, signal }) {
      const body = { code, context: { url, selector } };
      requireSuccess(await service.post('/function', body, { query: queryOf(launch), signal }));
    },
  };
}

/** /unblock decides when the page is ready, and waits for the element. */
export function unblockEndpoint(row: Row): Endpoint {
  return {
    ...row,
    async visit(service, { url, selector, signal }) {
      const waitForSelector = { selector, timeout: waitMs };
      const body = { url, content: true, cookies: false, screenshot: false, waitForSelector };
      requireSuccess(await service.post('/unblock', body, { signal }));
    },
  };
}
