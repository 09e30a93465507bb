// Endpoints for socket clients: Puppeteer, Playwright over CDP, Playwright's own protocol. Everything that a visit
// opens is closed when the visit ends, even if it is aborted.
import puppeteer from 'puppeteer-core';
import type { Page as PlaywrightPage } from 'playwright-core';
import { loadPlaywright } from '../../../../src/sessions/playwright/versions.ts';
import { type Query, socketUrl } from '../../../support/clients/clients.ts';
import { connectPlaywright, version } from '../../../support/clients/playwright.ts';
import type { Service } from '../../../support/service.ts';
import { handshakeError, type Visit } from './endpoint.ts';

const protocolLimitMs = 60_000;
/** How long the service keeps a browser alive without a client, in milliseconds. */
const keepMs = 30_000;

/** Returns the result of the work; rejects with the signal's reason if the signal aborts first. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Connects, uses the connection and closes it. A connection that opens after the signal aborts is closed as soon as it
 * opens.
 */
async function withConnection<B extends { close(): Promise<unknown> }>(
  connecting: Promise<B>,
  use: (browser: B) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let browser: B;
  try {
    browser = await orAborted(connecting, signal);
  } catch (error) {
    void connecting.then((late) => late.close()).catch(() => undefined);
    throw handshakeError(error);
  }
  try {
    await orAborted(use(browser), signal);
  } finally {
    await browser.close().catch(() => undefined);
  }
}

type PuppeteerLibrary = Pick<typeof puppeteer, 'connect'>;
type PuppeteerBrowser = Awaited<ReturnType<PuppeteerLibrary['connect']>>;

/** What both libraries' pages have in common. */
type AnyPage = Pick<PlaywrightPage, 'click' | 'type'> & {
  waitForSelector(selector: string): Promise<unknown>;
  goto(url: string): Promise<unknown>;
};

async function visitWith(page: AnyPage, { url, selector, type }: Visit): Promise<void> {
  await page.goto(url);
  await page.waitForSelector(selector);
  if (type === undefined) return;
  await page.click('#go');
  await page.type('#in', type);
  await page.waitForSelector('#sent');
}

function connectPuppeteer(library: PuppeteerLibrary, address: string, ownViewport: boolean): Promise<PuppeteerBrowser> {
  return library.connect({
    browserWSEndpoint: address,
    protocolTimeout: protocolLimitMs,
    ...(ownViewport ? { defaultViewport: null } : {}),
  });
}

/** Visits with Puppeteer through this URL. `ownViewport` keeps the window's size instead of Puppeteer's. */
export function visitWithPuppeteer(
  address: string,
  visit: Visit,
  { library = puppeteer, ownViewport = true }: { library?: PuppeteerLibrary; ownViewport?: boolean } = {},
): Promise<void> {
  const use = async (browser: PuppeteerBrowser) => visitWith((await browser.newPage()) as AnyPage, visit);
  return withConnection(connectPuppeteer(library, address, ownViewport), use, visit.signal);
}

/** Loads an installed version of Puppeteer by its package name. */
export async function loadPuppeteer(packageName: string): Promise<PuppeteerLibrary> {
  // The package name is dynamic, so the newest version's types are used for all versions.
  const library: { default: PuppeteerLibrary } = await import(packageName);
  return library.default;
}

/** Puppeteer's session: its types do not include the service's commands. */
interface AnySession {
  send(method: string, params: object): Promise<{ browserWSEndpoint: string }>;
}

/** Tells the service to keep a socket's browser alive, disconnects, and visits by connecting to the URL it received. */
export async function visitAfterReconnect(service: Service, path: string, visit: Visit): Promise<void> {
  const address = socketUrl(service, path);
  const leaveAndReturn = async (browser: PuppeteerBrowser) => {
    const page = await browser.newPage();
    const session = (await page.createCDPSession()) as unknown as AnySession;
    const kept = await session.send('Browserless.reconnect', { timeout: keepMs });
    await browser.disconnect();
    const again = new URL(kept.browserWSEndpoint);
    again.search = new URL(address).search;
    await visitWithPuppeteer(again.href, visit);
  };
  try {
    await withConnection(connectPuppeteer(puppeteer, address, true), leaveAndReturn, visit.signal);
  } finally {
    // A browser that is kept alive outlives its clients.
    await service.get('/kill/all');
  }
}

/** Visits with the connectOverCDP of an installed Playwright minor version such as `1.57`. */
export async function visitOverCdp(service: Service, path: string, minor: string, visit: Visit): Promise<void> {
  const { chromium } = await loadPlaywright(version(minor));
  const connecting = chromium.connectOverCDP(socketUrl(service, path), { timeout: protocolLimitMs });
  await withConnection(
    connecting,
    async (browser) => {
      const [context] = browser.contexts();
      if (context === undefined) throw new Error('there is no default context');
      await visitWith(await context.newPage(), visit);
    },
    visit.signal,
  );
}

/** Visits through Playwright's own protocol; the window determines the viewport size. */
export function visitWithPlaywright(service: Service, minor: string, query: Query, visit: Visit): Promise<void> {
  return withConnection(
    connectPlaywright(service, '/chromium/playwright', query, version(minor)),
    async (browser) => {
      const context = await browser.newContext({ viewport: null });
      await visitWith(await context.newPage(), visit);
    },
    visit.signal,
  );
}
