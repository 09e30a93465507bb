/** `/session/connect/{id}`: connects a client to an existing session (compatibility.mdx#session-api). */
import { requireProcess } from '../pipeline/browser-choice.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { StoredSession } from '../../../sessions/lifecycle/stored-session.ts';
import type { Clock } from '../../../base/runtime/deadline.ts';
import { type LaunchOptions, parseLaunch } from '../../../base/schema/request/launch.ts';
import { connectionLimit } from '../pipeline/admission.ts';
import type { Call } from '../pipeline/call.ts';
import { proxyOrder } from '../pipeline/proxied-call.ts';
import { attach } from './attach.ts';
import { type BrowserRequest, socketRoute } from '../pipeline/route.ts';
import { startSession } from './start-session.ts';
import { checkSessionToken } from './session-auth.ts';
import { ownProfile, storedSessionOf } from './stored-sessions.ts';

export const sessionConnect = socketRoute('sockets', '/session/connect/:id', {
  callKind: 'session',
  subject: 'session',
  summary: 'A client for a session',
  description:
    'Connects to a session that POST /session created, any number of times until it ends. A browser with the data of the session starts if none is running. The client may stay connected as long as the session lives, unless it sends a timeout. Requires the token that Browserless.reconnect set for that browser, or a server token if none was set.',
  auth: (call) => void storedSessionOf(call),
  async open(asked) {
    const { call, launch, query } = asked;
    const stored = storedSessionOf(call);
    const request = withReplayOf(stored, asked);
    requireNoOverrides(request, stored);
    requireProcess(query, 'a session created with POST /session');
    const session = await browserOfStored(stored, launch, call);
    checkSessionToken(session, call);
    const connection = await attach(request, session);
    if (session.numbConnected === 1) session.startClock(connectionLimit(query.timeout, call));
    return connection;
  },
});

/**
 * Refuses options that cannot be added to an existing session: a proxy if it was created without one, a profile, and
 * domains. A session with a proxy keeps it; parameters that request a different one are reported as ignored.
 * @throws ServiceError `invalid-query`, `invalid-launch`
 */
export function requireNoOverrides({ call, launch, proxy, query }: BrowserRequest, stored: StoredSession): void {
  if (query.allowedDomains !== undefined) {
    throw new ServiceError(
      'invalid-query',
      '"allowedDomains" is not supported here: set the domains in the body of POST /session, when you create the session.',
      { issues: [{ path: 'allowedDomains', message: 'must be in the body of POST /session' }] },
    );
  }
  if (proxy?.choice && !stored.options.proxy) {
    throw new ServiceError(
      'invalid-query',
      'This session has no proxy: set one in the body of POST /session, or in its args, when you create the session.',
    );
  }
  if (proxy?.choice) {
    const choices = ['proxyCountry', 'proxyCity', 'proxyState'] as const;
    call.ignore([proxy.choice.field, ...choices.filter((name) => query[name] !== undefined)]);
  }
  // A stealth browser always has a window if there is a display.
  if (stored.options.launchOptions['stealth'] === true && launch.headless !== undefined)
    call.ignore(['launch.headless']);
  if (launch.userDataDir !== undefined) throw ownProfile('launch.userDataDir');
  if (query.profile !== undefined && query.profile !== stored.options.profile?.name) {
    throw new ServiceError(
      'invalid-query',
      '"profile" must be that of the session, or left out: set it in the body of POST /session, when you create the session.',
      { issues: [{ path: 'profile', message: 'must be that of the session' }] },
    );
  }
}

/** Applies the session's `replay` option to a request that does not set its own. */
function withReplayOf<Request extends BrowserRequest>({ options }: StoredSession, request: Request): Request {
  const { query } = request;
  return { ...request, query: { ...query, replay: query.replay ?? options.replay } };
}

/**
 * The browser of a stored session, started with the session's data if none is running.
 * @param launch launch options of this request: only `headless` and `args` have an effect, and only if a browser is
 *   started
 */
export function browserOfStored(
  stored: StoredSession,
  launch: LaunchOptions | undefined,
  call: Call,
  clock: Clock = call.clock,
): Promise<AttachableSession> {
  const { options } = stored;
  const found = stored.browserFor(clock.signal, () => {
    const account = call.services.control.accounts.owner(options.account);
    const created = parseLaunch(options.launchOptions, call.services.config.ALLOWED_LAUNCH_ARGS);
    return startSession(
      {
        browser: options.browser,
        launch: {
          ...created,
          ...(launch?.headless === undefined ? {} : { headless: launch.headless }),
          args: [...new Set([...created.args, ...(launch?.args ?? [])])],
        },
        proxy: proxyOrder({ account, payer: options.payer }, options.proxy, options.allowedDomains),
        trackingId: undefined,
        initialConnectURL: options.initialConnectURL,
        routePath: '/session',
        limitMs: options.ttlMs,
        blockAds: options.blockAds,
        // Later browsers use the data of the session instead.
        profile: options.profile && { ...options.profile, ...(stored.hadBrowser ? { state: undefined } : {}) },
        isolation: 'process',
        // Creating the session has already counted its first browser.
        begins: stored.hadBrowser,
        stored: {
          id: stored.facts.id,
          dataDirectory: stored.dataDirectory,
          begun: { startedOn: stored.facts.startedOn, startedAt: stored.facts.startedAt },
          keepAliveMs: options.keepAliveMs,
          files: stored.files,
          traces: stored.traces,
        },
      },
      call,
      clock,
    );
  });
  return call.waiting.for("the session's browser", found);
}
