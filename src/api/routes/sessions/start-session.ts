/** Starts browsers that clients attach to over CDP, and can also connect the client that requested the browser. */
import { capitalize } from '../../../base/text.ts';
import { addressJudge } from '../../../sessions/cdp/rules/addresses.ts';
import type { BrowserName } from '../../../browser/processes/catalog.ts';
import { rootsOf, withProfilePath } from '../../../browser/processes/profiles.ts';
import { withExtensions } from '../../../browser/processes/extensions/extensions.ts';
import { adBlocking } from '../../../browser/page/ads/block-everywhere.ts';
import { onEveryPage } from '../../../browser/cdp/every-page.ts';
import { focusOnceVisible } from '../../../browser/processes/page-target.ts';
import { emulateViewport, metricsOf } from '../../../browser/page/load/prepare.ts';
import type { ChildSetup } from '../../../browser/cdp/auto-attach.ts';
import { ServiceError } from '../../../base/errors.ts';
import { type Clock, orAborted } from '../../../base/runtime/deadline.ts';
import type { LaunchOptions } from '../../../base/schema/request/launch.ts';
import { BrowserSession } from '../../../sessions/lifecycle/browser-session.ts';
import { startTimes, noTraces, type SessionFacts, type Traces } from '../../../sessions/lifecycle/session.ts';
import type { SessionFiles } from '../../../sessions/lifecycle/session-files.ts';
import { publicUrl } from '../http/public-url.ts';
import type { Call } from '../pipeline/call.ts';
import { writeProfile } from '../pipeline/run-job.ts';
import { leaseOptions } from '../../../browser/processes/pool/lease.ts';
import type { ProxyOrder } from '../../../browser/network/order.ts';
import { exposureOf } from '../pipeline/proxied-call.ts';
import type { BrowserProfile } from '../../../sessions/profiles/state.ts';
import type { BrowserRequest, Connection, SocketRequest } from '../pipeline/route.ts';
import { openSession } from './open-session.ts';
import { fileSettingsOf } from './session-files.ts';

export interface SessionStart {
  browser: BrowserName;
  launch: LaunchOptions;
  proxy: ProxyOrder | undefined;
  trackingId: string | undefined;
  /** Public URL of the request, without its token. */
  initialConnectURL: string;
  routePath: string;
  /** The ttl of the session as shown by `/sessions`, in milliseconds. */
  limitMs: number;
  blockAds: boolean;
  /** The stored profile that the browser starts with. */
  profile: BrowserProfile | undefined;
  isolation: 'context' | 'process';
  /** False if the session has already been counted for SESSIONS_PER_SECOND. Default true. */
  begins?: boolean;
  /** False for another attempt at starting a browser whose first unit has already been charged. Default true. */
  pays?: boolean;
  /** The stored session that the browser belongs to, which has its own entry in the registry. */
  stored?: {
    id: string;
    dataDirectory: string;
    begun: Pick<SessionFacts, 'startedOn' | 'startedAt'>;
    keepAliveMs: number;
    files: SessionFiles;
    traces: Traces;
  };
}

/** Builds the input of `startSession` from a request. */
export function sessionStart(request: BrowserRequest, browser: BrowserName): SessionStart {
  const { call, query, launch, proxy, profile, limitMs } = request;
  return {
    browser,
    launch,
    proxy,
    trackingId: query.trackingId,
    initialConnectURL: publicUrl(call.base, call.url, launch),
    routePath: call.route,
    limitMs,
    blockAds: query.blockAds ?? false,
    profile,
    isolation: isolationOf(request),
  };
}

/** A virtual browser does not support every method that ALLOWED_CDP_METHODS may list. */
function isolationOf({ query, services: { config } }: BrowserRequest): SessionStart['isolation'] {
  if (config.ALLOWED_CDP_METHODS.length > 0) return 'process';
  return query.isolation ?? config.SESSION_ISOLATION;
}

/** @throws the errors documented for `openSession` */
export function startSession(start: SessionStart, call: Call, clock: Clock = call.clock): Promise<BrowserSession> {
  const { config } = call.services;
  const { catalog, pool, ads } = call.services.browsers;
  const { policy } = call.services.network;
  const { stored } = start;
  let { launch } = start;
  return openSession(
    call,
    {
      trackingId: start.trackingId,
      proxy: start.proxy,
      stored: stored?.id,
      begins: start.begins ?? true,
      pays: start.pays ?? true,
      async require() {
        // oxlint-disable-next-line browserd/raced-await -- openSession races
        await catalog.require(start.browser);
        // oxlint-disable-next-line browserd/raced-await -- openSession races
        launch = await withExtensions(launch, config.EXTENSIONS_DIR);
        // oxlint-disable-next-line browserd/raced-await -- openSession races
        launch = await withProfilePath(launch, rootsOf(call.account.name, config));
      },
      start: (proxyServer, signal) =>
        pool.takeForClient(
          {
            group: pool.groupOf(call.account),
            browser: start.browser,
            ...leaseOptions(launch),
            args: launch.acceptInsecureCerts ? [...launch.args, '--ignore-certificate-errors'] : launch.args,
            userDataDirectory: stored?.dataDirectory ?? launch.userDataDir,
            downloadDirectory: stored?.files.directory,
            proxyServer,
            isolation: start.isolation,
            startLimitMs: launch.timeout === undefined || launch.timeout <= 0 ? undefined : launch.timeout,
          },
          signal,
        ),
      open(browser, release, way) {
        const facts = {
          id: stored?.id ?? browser.id,
          browser: `${capitalize(start.browser)}CDP`,
          trackingId: start.trackingId,
          owner: call.account.name,
          allowedDomains: start.proxy?.domains,
          initialConnectURL: start.initialConnectURL,
          routePath: [start.routePath],
          launchOptions: { ...launch },
          ...(stored?.begun ?? startTimes()),
          ttl: start.limitMs,
        };
        const addresses = addressJudge((text) => URL.canParse(text) && policy.allowsScheme(new URL(text)));
        const exposure = exposureOf(launch, start.proxy);
        const traces = stored?.traces ?? noTraces();
        traces.exposed ||= (exposure.ownProxy && exposure.insecure) || exposure.refusal !== undefined;
        return new BrowserSession(facts, browser, {
          release,
          staysMs: stored?.keepAliveMs ?? 0,
          idleMs: config.SESSION_IDLE_MS,
          addresses,
          files: stored?.files ?? fileSettingsOf(config),
          profile: start.profile?.name,
          traces,
          exposure,
          outcomes: way,
        });
      },
      async prepare({ process, files, viewports }) {
        // Virtual browsers do not download files until a client enables it; full browsers download by default.
        // oxlint-disable-next-line browserd/raced-await -- openSession races
        if (!process.shared) await files.open();
        const { defaultViewport } = launch;
        const setups: ChildSetup[] = [];
        if (process.mode === 'headful')
          setups.push(({ session, type }) => (type === 'page' ? [focusOnceVisible(session)] : []));
        if (defaultViewport) {
          viewports.defaultMetrics = metricsOf(defaultViewport);
          setups.push(({ session, type }) => (type === 'page' ? emulateViewport(session, defaultViewport) : []));
        }
        // oxlint-disable-next-line browserd/raced-await -- openSession races
        if (start.blockAds) setups.push(adBlocking(await ads.blocker()));
        // oxlint-disable-next-line browserd/raced-await -- openSession races
        if (setups.length > 0) await onEveryPage(process.connection.root, setups);
        if (start.profile?.state)
          await writeProfile(start.profile.state, process.connection, { call, signal: clock.signal });
      },
    },
    clock,
  );
}

/**
 * Starts a browser for a socket and connects the client to it. Tries another browser if the first exits before the
 * client is connected: another client's page may crash the process of a virtual browser.
 * @param join attaches the client to the session; if it throws, nothing has been sent to the client
 * @throws the errors documented for `startSession`, and those that `join` throws; ServiceError `browser-crashed` after
 *   RETRIES more attempts
 */
export async function joinNewBrowser(
  request: SocketRequest,
  browser: BrowserName,
  join: (session: BrowserSession) => Promise<Connection>,
): Promise<Connection> {
  const { call, limitMs, services } = request;
  const { attempts } = services.browsers.host;
  for (let attempt = 1; ; attempt++) {
    const session = await startSession(
      { ...sessionStart(request, browser), begins: attempt === 1, pays: attempt === 1 },
      call,
    );
    try {
      // oxlint-disable-next-line browserd/raced-await -- `join` races
      const connection = await join(session);
      // The time limit of the request started when it got its slot.
      session.startClock(call.remainingOf(limitMs));
      return connection;
    } catch (error) {
      const crashed = error instanceof ServiceError && error.code === 'browser-crashed';
      if (!crashed || attempt > attempts.retries) throw error;
      services.log.warn('request.retried', { session: session.facts.id, cause: error });
      // Frees its slot, tracking id, and profile for the next attempt.
      session.life.end(error);
      await orAborted(session.gone, call.signal);
      await attempts.pauseBefore(attempt, call.signal);
    }
  }
}
