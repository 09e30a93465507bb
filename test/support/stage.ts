// Sets up one site and one server for a test file, which start before its first test and stop after its last.
import { refused, succeeded } from './checks/expect.ts';
import type { Reply } from './clients/http.ts';
import { type Service, type ServiceOptions, startService, stopAll } from './service.ts';
import { type Site, startSite } from './site/site.ts';
import { type Suite, suite } from './suite.ts';

export interface Stage {
  service: Service;
  site: Site;
  /** Sends a POST that must succeed. */
  post(route: string, body: Record<string, unknown>, query?: Record<string, string>): Promise<Reply>;
  /** The HTML that /content returns for a page of the site, with additional body fields. */
  read(path: string, fields?: Record<string, unknown>): Promise<string>;
  /** The HTML that /content returns for inline markup, with additional body fields. */
  readHtml(html: string, fields?: Record<string, unknown>): Promise<string>;
  /** Sends a POST that the server must reject with this status and a message that contains each of the strings. */
  refuse(
    route: string,
    body: Record<string, unknown>,
    status: number,
    ...mentions: (string | RegExp)[]
  ): Promise<Reply>;
}

/** Creates a suite with a shared site and server. */
export function stagedSuite(name: string, options: ServiceOptions = {}): { test: Suite; stage: Stage } {
  const test = suite(name);
  const stage = {
    async post(route, body, query = {}) {
      return succeeded(await stage.service.post(route, body, { query }));
    },
    async read(path, fields = {}) {
      return (await stage.post('/content', { url: `${stage.site.url}${path}`, ...fields })).text;
    },
    async readHtml(html, fields = {}) {
      return (await stage.post('/content', { html, ...fields })).text;
    },
    async refuse(route, body, status, ...mentions) {
      return refused(await stage.service.post(route, body), status, ...mentions);
    },
  } as Stage; // `service` and `site` are set by the before hook, which fails the file when it cannot.
  test.before(async () => {
    stage.site = await startSite();
    stage.service = await startService(options);
  });
  test.after(() => stopAll(stage.service, stage.site));
  test.before.each(() => stage.site.clear());
  return { test, stage };
}
