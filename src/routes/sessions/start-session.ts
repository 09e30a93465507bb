/** Starts a browser that clients attach to: a slot, the browser, its entry in the registry. */
import { BrowserSession } from '../../sessions/browser-session.ts';
import type { SessionFacts } from '../../sessions/session.ts';
import type { BrowserName } from '../../browsers/catalog.ts';
import type { BrowserProcess } from '../../browsers/process.ts';
import { withProfilePath } from '../../browsers/profiles.ts';
import { ServiceError } from '../../errors.ts';
import { blockAdsEverywhere } from '../../page/ads/block-everywhere.ts';
import { type Clock, orAborted } from '../../runtime/deadline.ts';
import type { LaunchOptions } from '../../schema/request/launch.ts';
import { publicUrl } from '../http/public-url.ts';
import { takeSlot } from '../pipeline/admission.ts';
import type { Call } from '../pipeline/call.ts';
import { openProxy, type ProxyRequest } from '../pipeline/proxied-call.ts';
import type { BrowserRequest } from '../pipeline/route.ts';
import type { Services } from '../pipeline/services.ts';

export interface SessionStart {
  browser: BrowserName;
  launch: LaunchOptions;
  proxy: ProxyRequest | undefined;
  trackingId: string | undefined;
  /** Public URL of the request, without its token. */
  initialConnectURL: string;
  routePath: string;
  /** What `/sessions` shows as the session's ttl, in milliseconds. */
  limitMs: number;
  blockAds: boolean;
  /** The id and the profile of a session that was created before and is its own entry of the registry. */
  stored?: { id: string; dataDirectory: string; startedOn: number; keepAliveMs: number };
}

/** A session that starts for a call on a browser of its own. */
export function sessionStart(request: BrowserRequest, browser: BrowserName): SessionStart {
  const { call, services, query, launch, proxy, limitMs } = request;
  return {
    browser,
    launch,
    proxy,
    trackingId: query.trackingId,
    initialConnectURL: publicUrl(services.externalUrl(), call.url, launch),
    routePath: call.route,
    limitMs,
    blockAds: query.blockAds ?? false,
  };
}

/**
 * @param clock the limit of the call, or one that also ends with something else, until the session is there
 * @throws ServiceError `queue-full`, `unhealthy`, `stopping`, `invalid-tracking-id`, `browser-missing`, `launch-failed`,
 *   `proxy-failed`, `forbidden-destination`
 */
export async function startSession(
  start: SessionStart,
  call: Call,
  clock: Clock = call.clock,
): Promise<BrowserSession> {
  const { services } = call;
  const { pool, sessions, config, stopping } = services;
  const { signal } = clock;
  await orAborted(services.catalog.require(start.browser), signal);
  const launch = await orAborted(withProfilePath(start.launch, config), signal);
  sessions.checkTrackingId(start.trackingId);
  using held = new DisposableStack();
  held.use(await takeSlot(call, clock));
  const { stored } = start;
  const whose = stored ? { session: stored.id } : { id: call.id };
  // What the browser leaves by stays until it is gone; the slot is free when its end begins.
  using used = new DisposableStack();
  const proxy = used.use(await openProxy(start.proxy, services, whose, signal));
  const browser = await pool.takeForClient(
    {
      browser: start.browser,
      headless: launch.headless === 'new' ? true : launch.headless,
      args: launch.acceptInsecureCerts ? [...launch.args, '--ignore-certificate-errors'] : launch.args,
      ignoreDefaultArgs: launch.ignoreDefaultArgs ?? false,
      userDataDirectory: stored?.dataDirectory ?? launch.userDataDir,
      proxyServer: proxy?.server,
      startLimitMs: launch.timeout === undefined || launch.timeout <= 0 ? undefined : launch.timeout,
    },
    signal,
  );
  used.defer(pool.watchMemory(browser));
  const facts: SessionFacts = {
    id: stored?.id ?? browser.id,
    browser: `${start.browser[0]?.toUpperCase()}${start.browser.slice(1)}CDP`,
    trackingId: start.trackingId,
    initialConnectURL: start.initialConnectURL,
    routePath: [start.routePath],
    launchOptions: { ...launch },
    startedOn: stored?.startedOn ?? Date.now(),
    ttl: start.limitMs,
  };
  const kept = held.move();
  const session = new BrowserSession(facts, browser, () => kept.dispose(), stored?.keepAliveMs);
  const usedUp = used.move();
  void session.gone.then(() => usedUp.dispose());
  const stop = () => session.end(toStopping(stopping.reason));
  stopping.addEventListener('abort', stop, { once: true });
  kept.defer(() => stopping.removeEventListener('abort', stop));
  try {
    if (!stored) {
      sessions.add(session);
      kept.defer(() => sessions.remove(session));
    }
    // In force before the client's first command: the browser takes commands in the order in which they come.
    if (!config.ALLOW_FILE_PROTOCOL) session.guardFiles();
    if (start.blockAds) await orAborted(blockAds(browser, services), signal);
    signal.throwIfAborted();
    return session;
  } catch (error) {
    session.end(new ServiceError('internal', 'The session could not be started', { cause: error }));
    if (signal.aborted) throw signal.reason;
    throw error;
  }
}

async function blockAds({ connection }: BrowserProcess, { ads }: Services): Promise<void> {
  await blockAdsEverywhere(connection.root, await ads.blocker());
}

function toStopping(reason: unknown): ServiceError {
  return reason instanceof ServiceError ? reason : new ServiceError('stopping', 'The server was stopped.');
}
