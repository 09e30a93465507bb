// Sets up one site and one server for a test file, which start before its first test and stop after its last.
import { refused, succeeded } from './checks/expect.ts';
import type { Reply } from './clients/http.ts';
import { type TokenRow, type TokensFile, tokensFile } from './clients/tokens.ts';
import {
  type ProcessOptions,
  type Service,
  type ServiceOptions,
  startProcess,
  startService,
  stopAll,
} from './service.ts';
import { type Site, startSite } from './site/site.ts';
import { type Suite, suite, type SuiteSettings } from './suite.ts';

interface ServerSuiteSettings extends SuiteSettings {
  /** The settings; a function runs once the site has started, to start what they name. */
  env?: ServiceOptions['env'] | (() => ServiceOptions['env'] | Promise<ServiceOptions['env']>);
  /** Rows of its TOKENS_FILE; the TOKEN is then `operator-token`. */
  tokens?: readonly TokenRow[];
  /** Plans of its TOKENS_FILE. */
  plans?: Record<string, unknown>;
}

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

/** What `fixtureSuite` and `processSuite` return. All but `test` have no members until the suite has started. */
interface WithServer<S extends Service> {
  test: Suite;
  service: S;
  site: Site;
  /** The TOKENS_FILE, for a suite with `tokens`. */
  file: TokensFile;
  fixture: Fixture<S>;
}

/** Creates a suite with a shared site and a server that `start` starts. */
function suiteWith<S extends Service>(
  name: string,
  { env, tokens, plans, ...settings }: ServerSuiteSettings,
  start: (options: Required<ServiceOptions>) => Promise<S>,
): WithServer<S> {
  const test = suite(name, settings);
  // Files take them out of the result when nothing has started yet; the before hook adds the members or fails the file.
  const service = {} as S;
  const site = {} as Site;
  const file = {} as TokensFile;
  const started: (S | Site)[] = [];
  const fixture: Fixture<S> = {
    service,
    site,
    async post(route, body, query = {}) {
      return succeeded(await service.post(route, body, { query }));
    },
    async read(path, fields = {}) {
      return (await fixture.post('/content', { url: `${site.url}${path}`, ...fields })).text;
    },
    async readHtml(html, fields = {}) {
      return (await fixture.post('/content', { html, ...fields })).text;
    },
    async refuse(route, body, status, ...mentions) {
      return refused(await service.post(route, body), status, ...mentions);
    },
  };
  test.before(async () => {
    started.unshift(Object.assign(site, await startSite()));
    if (tokens) Object.assign(file, tokensFile(tokens, plans));
    const ofFile = tokens ? { TOKENS_FILE: file.path, TOKEN: 'operator-token' } : {};
    const given = typeof env === 'function' ? await env() : env;
    started.unshift(Object.assign(service, await start({ env: { ...ofFile, ...given } })));
  });
  test.after(() => stopAll(...started));
  test.before.each(() => site.clear());
  return { test, service, site, file, fixture };
}

/** Creates a suite with a shared site and server. */
export const fixtureSuite = (name: string, options: ServerSuiteSettings = {}) => suiteWith(name, options, startService);

/** Like `fixtureSuite`, with the server in a separate process. */
export const processSuite = (name: string, options: ServerSuiteSettings & Omit<ProcessOptions, 'env'> = {}) =>
  suiteWith(name, options, (settings) => startProcess({ ...options, ...settings }));
