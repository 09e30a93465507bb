// Sets up a real browser, the egress proxy and blank pages for tests of the page driver, as the server does, but
// without its HTTP side.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { BrowserCatalog } from '../../src/browser/processes/catalog.ts';
import { startEgress } from '../../src/browser/network/egress.ts';
import { Endings } from '../../src/browser/processes/endings.ts';
import { StartAttempts } from '../../src/browser/processes/start-attempts.ts';
import { NetworkPolicy } from '../../src/browser/network/policy.ts';
import { startRoutes } from '../../src/browser/network/upstream/routes.ts';
import { createPageTarget } from '../../src/browser/processes/page-target.ts';
import { BrowserProcess } from '../../src/browser/processes/process.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { Ids } from '../../src/base/runtime/ids.ts';
import { Metrics } from '../../src/base/telemetry/metrics.ts';
import type { NavigateOptions } from '../../src/browser/page/load/navigate.ts';
import { openPage, type Page } from '../../src/browser/page/page.ts';
import { preparePage, type PrepareOptions, unchanged } from '../../src/browser/page/load/prepare.ts';
import { type Site, startSite } from './site/site.ts';
import { type Suite, suite, type SuiteSettings } from './suite.ts';

export interface PageBrowser extends AsyncDisposable {
  process: BrowserProcess;
  egress: Awaited<ReturnType<typeof startEgress>>;
  /** Runs the body with a blank page in its own browser context, and disposes both. */
  withPage<T>(body: (page: Page) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/**
 * Starts the browser that requests use by default; `headless: true` selects full Chromium.
 * @param proxyServer proxy for its pages, instead of the egress proxy
 */
export async function startPageBrowser(
  headless?: boolean,
  args: string[] = [],
  proxyServer?: string,
): Promise<PageBrowser> {
  const root = mkdtempSync(join(tmpdir(), 'browserd-pages-'));
  const policy = new NetworkPolicy({ blockPrivateNetwork: false, allowFileProtocol: false, ownAddresses: () => [] });
  const egress = await startEgress(policy);
  const env = process.env;
  const catalog = new BrowserCatalog({
    CHROMIUM_PATH: env['CHROMIUM_PATH'],
    SHELL_PATH: env['SHELL_PATH'],
    CHROME_PATH: undefined,
    EDGE_PATH: undefined,
    CACHE_DIR: env['CACHE_DIR'] ?? join(tmpdir(), 'browserd-cache'),
  });
  const { executable, mode } = await catalog.forRoute('chromium', headless);
  const host = {
    dataRoot: join(root, 'data'),
    scratchRoot: join(root, 'scratch'),
    extensionsRoot: undefined,
    egressPort: egress.port,
    niceness: 0,
    policy,
    openRoutes: () => startRoutes(policy, egress),
    signer: undefined,
    attempts: new StartAttempts(0),
    endings: new Endings(1),
    log: createLog({ level: 'error', write: (line) => console.error(line) }),
    metrics: new Metrics(),
    ids: new Ids(undefined),
  };
  const browser = await BrowserProcess.start({ executable, mode, args, ignoreDefaultArgs: false }, host);
  return {
    process: browser,
    egress,
    async withPage(body, signal = new AbortController().signal) {
      const target = await createPageTarget(browser, { ownContext: true, proxyServer });
      try {
        using page = openPage(target, { signal });
        return await body(page);
      } finally {
        const { contextId } = target;
        if (contextId !== undefined && !browser.gone.aborted) {
          await browser.connection.root.send('Target.disposeBrowserContext', { browserContextId: contextId });
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await egress[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The options that the schema produces for a request without gotoOptions. */
export const gotoDefaults: NavigateOptions = { timeout: 30_000, waitUntil: ['load'], bestAttempt: false };

/** Prepares a page with the options that a test is about, and defaults for the rest. */
export function prepare(page: Page, options: Partial<PrepareOptions>): Promise<void> {
  return preparePage(page, {
    ...unchanged,
    allowsUrl: (url) => /^(https?|data|about|blob):/.test(url),
    ...options,
  });
}

export interface PageFixture {
  site: Site;
  browser: PageBrowser;
}

/** Creates a suite with a site and a browser, which start before the first test and stop after the last. */
export function pageSuite(name: string, options?: SuiteSettings): { test: Suite; fixture: PageFixture } {
  const test = suite(name, options);
  // The before hook sets its properties before the first test runs.
  const fixture = {} as PageFixture;
  test.before(async () => {
    [fixture.site, fixture.browser] = await Promise.all([startSite(), startPageBrowser()]);
  });
  test.after(async () => {
    await fixture.browser?.[Symbol.asyncDispose]();
    await fixture.site?.close();
  });
  return { test, fixture };
}
