// Sets up one site and one server for a test file, which start before its first test and stop after its last.
import { refused, succeeded } from './checks/expect.ts';
import type { Reply } from './clients/http.ts';
import {
  type ProcessOptions,
  type Service,
  type ServiceOptions,
  startProcess,
  startService,
  stopAll,
} from './service.ts';
import { type Site, startSite } from './site/site.ts';
import { type Suite, suite } from './suite.ts';

export interface Fixture<S extends Service = Service> {
  service: S;
  site: Site;
  /** Sends a POST that must succeed. */
  post(route: string, body: Record<string, unknown>, query?: Record<string, string>): Promise<Reply>;
  /** The HTML that /content returns for a page on the site, with additional body fields. */
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

/** Creates a suite with a shared site and a server that `start` starts. */
function suiteWith<S extends Service>(name: string, start: () => Promise<S>): { test: Suite; fixture: Fixture<S> } {
  const test = suite(name);
  const fixture = {
    async post(route, body, query = {}) {
      return succeeded(await fixture.service.post(route, body, { query }));
    },
    async read(path, fields = {}) {
      return (await fixture.post('/content', { url: `${fixture.site.url}${path}`, ...fields })).text;
    },
    async readHtml(html, fields = {}) {
      return (await fixture.post('/content', { html, ...fields })).text;
    },
    async refuse(route, body, status, ...mentions) {
      return refused(await fixture.service.post(route, body), status, ...mentions);
    },
  } as Fixture<S>; // `service` and `site` are set by the before hook, which fails the file when it cannot.
  test.before(async () => {
    fixture.site = await startSite();
    fixture.service = await start();
  });
  test.after(() => stopAll(fixture.service, fixture.site));
  test.before.each(() => fixture.site.clear());
  return { test, fixture };
}

/** Creates a suite with a shared site and server. */
export const fixtureSuite = (name: string, options: ServiceOptions = {}) =>
  suiteWith(name, () => startService(options));

/** Like `fixtureSuite`, with the server in a separate process. */
export const processSuite = (name: string, options: ProcessOptions = {}) =>
  suiteWith(name, () => startProcess(options));
