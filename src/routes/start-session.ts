/** Starts a browser that clients attach to: a slot, the browser, its entry in the registry. */
import { BrowserSession, type SessionFacts } from '../browsers/browser-session.ts';
import type { BrowserName } from '../browsers/catalog.ts';
import { withProfilePath } from '../browsers/profiles.ts';
import { ServiceError } from '../errors.ts';
import { blockAdsEverywhere } from '../page/ads/block-everywhere.ts';
import { orAborted } from '../runtime/deadline.ts';
import type { LaunchOptions } from '../schema/launch.ts';
import { type Progress, takeSlot } from './admission.ts';
import { openProxy, type ProxyRequest } from './proxied-call.ts';
import type { Services } from './services.ts';

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

/**
 * @param signal the client's leaving, the limit of the call and the server's stop, until the session is there
 * @param progress its queue time and the begin of its run are noted
 * @throws ServiceError `queue-full`, `unhealthy`, `stopping`, `invalid-tracking-id`, `browser-missing`, `launch-failed`,
 *   `proxy-failed`, `forbidden-destination`
 */
export async function startSession(
  start: SessionStart,
  signal: AbortSignal,
  services: Services,
  progress: Progress,
): Promise<BrowserSession> {
  const { pool, sessions, config, stopping } = services;
  await services.catalog.require(start.browser);
  const launch = await orAborted(withProfilePath(start.launch, config), signal);
  sessions.checkTrackingId(start.trackingId);
  using held = new DisposableStack();
  held.use(await takeSlot(signal, services, progress));
  const { stored } = start;
  const whose = stored ? { session: stored.id } : { id: progress.id };
  const proxy = held.use(await openProxy(start.proxy, services, whose, signal));
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
  held.defer(pool.watchMemory(browser));
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
    if (start.blockAds) await blockAdsEverywhere(browser.connection.root, await services.ads.blocker());
    signal.throwIfAborted();
    return session;
  } catch (error) {
    session.end(new ServiceError('internal', 'The session could not be started', { cause: error }));
    if (signal.aborted) throw signal.reason;
    throw error;
  }
}

function toStopping(reason: unknown): ServiceError {
  return reason instanceof ServiceError ? reason : new ServiceError('stopping', 'The server was stopped.');
}
