// Creates a suite that gives what the server returned to its fields, to Puppeteer and to Playwright, and prints how many
// values were refused or altered.
import { type Browser as RemoteBrowser, chromium } from 'playwright-core';
import type { Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { succeeded } from '../../support/checks/expect.ts';
import { connect, endAll, type Query, socketUrl } from '../../support/clients/clients.ts';
import type { Reply } from '../../support/clients/http.ts';
import { profilesKey } from '../../support/clients/profiles.ts';
import { fixtureSuite } from '../../support/fixture.ts';
import { figure } from '../../support/suite.ts';
import { startWalk } from './walk.ts';

/** The document or route determines the shape of what it returns. */
export type Data = Record<string, any>;

export const insecure = { acceptInsecureCerts: 'true' };
export const pageRoutes = ['/content', '/screenshot', '/pdf', '/scrape', '/export', '/markdown'];
export const elements = [{ selector: 'body' }];
/** The body of a request for a page route. */
export const bodyFor = (route: string, fields: object) => ({ ...fields, ...(route === '/scrape' ? { elements } : {}) });

export function fedBackSuite(name: string) {
  const { test, service, site } = fixtureSuite(`${name} of answers as input`, {
    timeoutMs: 120_000,
    env: { PROFILES_KEY: profilesKey },
  });
  const walk = startWalk();
  test.after.each(() => endAll(service));
  test.after(() => figure(`${name}: ${walk.values} values fed back, ${walk.refused.length} refused`));

  async function post(route: string, body: object, query: Query = insecure): Promise<Reply> {
    return succeeded(await service.post(route, body, { query }));
  }

  /** Runs with a browser of Puppeteer. */
  async function withPuppeteer<Result>(work: (browser: Browser) => Promise<Result>, query: Query = insecure) {
    const browser = await connect(service, '/', query);
    try {
      return await work(browser);
    } finally {
      await browser.close();
    }
  }

  return {
    test,
    service,
    site,
    walk,
    post,
    /** The data of a BrowserQL document, which must have no errors. */
    async run(document: string, variables: object = {}, query: Query = insecure): Promise<Data> {
      const reply = await post('/chromium/bql', { query: document, variables }, query);
      const { data, errors } = reply.json<{ data: Data; errors?: unknown }>();
      assert.is(errors, undefined, JSON.stringify(errors));
      return data;
    },
    /** What code in /function returns. */
    async ran(code: string): Promise<any> {
      const reply = await post('/function', { code: `export default async ({ page }) => { ${code} }` });
      return reply.json();
    },
    withPuppeteer,
    /** The launch options that /sessions lists for a session with these. */
    optionsOf(launch: object): Promise<Data> {
      const query = { trackingId: 'fed-back' };
      return withPuppeteer(
        async () => succeeded(await service.get('/sessions', { query })).json<Data[]>()[0]?.['launchOptions'],
        { ...query, launch: JSON.stringify(launch) },
      );
    },
    /** Runs with a browser of Playwright. */
    async withPlaywright<Result>(
      work: (browser: RemoteBrowser) => Promise<Result>,
      query: Query = insecure,
    ): Promise<Result> {
      const browser = await chromium.connectOverCDP(socketUrl(service, '/', query));
      try {
        return await work(browser);
      } finally {
        await browser.close();
      }
    },
    /** Fails with what this test has added to the refused values. */
    async walked(work: () => Promise<void>): Promise<void> {
      const before = walk.refused.length;
      await work();
      assert.equal(walk.refused.slice(before), []);
    },
  };
}
