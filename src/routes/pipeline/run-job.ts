/** The job of a call that has its slot: on a page of the pool, or on a browser of its own. */
import type { BrowserName } from '../../browsers/catalog.ts';
import { browserCrashed } from '../../browsers/last-words.ts';
import type { LeaseRequest } from '../../browsers/pool/lease-request.ts';
import type { Lease } from '../../browsers/pool/pool.ts';
import type { BrowserProcess } from '../../browsers/process.ts';
import type { Session } from '../../sessions/session.ts';
import type { ProxyLease } from '../../network/upstream-proxy.ts';
import { ServiceError } from '../../errors.ts';
import { openPage, type Page } from '../../page/page.ts';
import { orAborted } from '../../runtime/deadline.ts';
import type { LaunchOptions } from '../../schema/request/launch.ts';
import type { BrowserQuery } from '../../schema/request/query.ts';
import { credentialOf } from '../http/auth.ts';
import type { Answer, BrowserRoute, PageRoute } from './route.ts';
import type { Services } from './services.ts';

/** What a handler has, once its time is over, to say what it was waiting for, in milliseconds. */
export const graceMs = 200;

/** A job that has a browser for itself; the browser ends with it. */
export async function runOnBrowser(
  route: BrowserRoute,
  browserName: BrowserName,
  body: unknown,
  launch: LaunchOptions,
  proxy: ProxyLease | undefined,
  session: Session,
  services: Services,
  signal: AbortSignal,
  held: DisposableStack,
): Promise<Answer> {
  const asked = leaseRequest(browserName, launch, proxy);
  // Nobody sets it on a page of ours here.
  const args = launch.acceptInsecureCerts ? [...asked.args, '--ignore-certificate-errors'] : asked.args;
  const browser = await services.pool.takeForClient({ ...asked, args }, signal);
  held.defer(() => void browser.close());
  held.defer(services.pool.watchMemory(browser));
  showOwnBrowser(session, browser);
  try {
    const log = services.log.with({ session: session.id });
    const answering = route.handleBrowser({ body, browser, services, log, limitMs: session.ttl, signal });
    return await orAborted(answering, signal, graceMs);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!browser.gone.aborted) throw error;
    throw browserCrashed(browser.connection.fatal, '', error);
  }
}

function leaseRequest(browser: BrowserName, launch: LaunchOptions, proxy: ProxyLease | undefined): LeaseRequest {
  return {
    browser,
    headless: launch.headless === 'new' ? true : launch.headless,
    args: launch.args,
    ignoreDefaultArgs: launch.ignoreDefaultArgs ?? false,
    userDataDirectory: launch.userDataDir,
    proxyServer: proxy?.server,
  };
}

function showOwnBrowser(session: Session, { space }: BrowserProcess): void {
  session.userDataDir = space.dataDirectory;
  session.isTempDataDir = space.dataIsTemporary;
  session.scratchDir = space.scratchDirectory;
}

/** Why a call ended early; a route that was waiting for something may know more of its timeout. */
function reasonOf(signal: AbortSignal, thrown: unknown): unknown {
  const late = (error: unknown) => error instanceof ServiceError && error.code === 'timeout';
  return late(signal.reason) && late(thrown) ? thrown : signal.reason;
}

/** The job itself; once more elsewhere when the browser, not the page, broke before anything was answered. */
export async function runOnPage(
  route: PageRoute,
  browser: BrowserName,
  body: unknown,
  query: BrowserQuery,
  launch: LaunchOptions,
  proxy: ProxyLease | undefined,
  session: Session,
  request: Request,
  services: Services,
  signal: AbortSignal,
  held: DisposableStack,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    using attemptHeld = new DisposableStack();
    let lease: Lease | undefined;
    let page: Page | undefined;
    try {
      const pool = route.readsCode ? services.codeHosts : services.pool;
      lease = attemptHeld.use(await pool.lease(leaseRequest(browser, launch, proxy), signal));
      if (lease.ownBrowser) showOwnBrowser(session, lease.browser);
      page = attemptHeld.use(openPage(lease.target, { signal }));
      const answering = route.handle({
        body,
        page,
        query,
        launch,
        credential: credentialOf(request.headers.get('authorization'), new URL(request.url).searchParams),
        accept: request.headers.get('accept'),
        services,
        wayOut: proxy ?? services.egress,
        log: services.log.with({ session: session.id }),
      });
      // Whatever it waits for, a file too, holds nothing up: what it began is undone with its page.
      const answer = await orAborted(answering, signal, graceMs);
      held.use(attemptHeld.move());
      return answer;
    } catch (error) {
      if (signal.aborted) throw reasonOf(signal, error);
      // Code that ran may have acted already: it is never run twice.
      if (route.readsCode && page) throw error;
      // A page that crashed while it was still blank was not brought down by what the request put into it.
      const blank = page !== undefined && page.failure.aborted && page.life.documents === 0;
      if (!lease?.browser.gone.aborted && !blank) throw error;
      if (attempt === 2) {
        throw browserCrashed(
          lease?.browser.connection.fatal,
          ', twice',
          error,
          'Try again; if it happens with this page only, the page exhausts the browser.',
        );
      }
      services.log.warn('request.retried', { session: session.id, cause: error });
    }
  }
}
