/** `/session/connect/{id}`: connects a client to a session that was created before (compatibility.mdx#session-api). */
import { requireProcess } from '../pipeline/browser-choice.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { StoredSession } from '../../../sessions/lifecycle/stored-session.ts';
import type { Clock } from '../../../base/runtime/deadline.ts';
import { type LaunchOptions, parseLaunch } from '../../../base/schema/request/launch.ts';
import { stayLimit } from '../pipeline/admission.ts';
import type { Call } from '../pipeline/call.ts';
import { proxyOrder } from '../pipeline/proxied-call.ts';
import { attach } from './attach.ts';
import type { BrowserRequest, SocketRoute } from '../pipeline/route.ts';
import { startSession } from './start-session.ts';
import { checkSessionToken } from './session-auth.ts';
import { ownProfile, storedSessionOf } from './stored-sessions.ts';

export const sessionConnect: SocketRoute = {
  kind: 'socket',
  callKind: 'session',
  path: '/session/connect/:id',
  summary: 'A client for a session',
  description:
    'Connects to a session that POST /session made, any number of times until its time to live is over. A browser with the data of the session starts when none runs. The client may stay as long as the session lives, unless it sends a timeout. Asks for the token that Browserless.reconnect set for that browser, otherwise for that of the server.',
  auth: (call) => void storedSessionOf(call),
  async open(asked) {
    const { call, launch, query } = asked;
    const stored = storedSessionOf(call);
    const request = withReplayOf(stored, asked);
    requireNoOther(request, stored);
    requireProcess(query, 'a session of POST /session');
    const session = await browserOfStored(stored, launch, call);
    checkSessionToken(session, call);
    const connection = await attach(request, session);
    if (session.numbConnected === 1) session.startClock(stayLimit(query.timeout, call));
    return connection;
  },
};

/**
 * Refuses what a session cannot have besides its own: a proxy when it was created without one, a profile, and domains. A
 * session that has a proxy keeps it; the call names as ignored what asks for another.
 * @throws ServiceError `invalid-query`, `invalid-launch`
 */
export function requireNoOther({ call, launch, proxy, query }: BrowserRequest, stored: StoredSession): void {
  if (query.allowedDomains !== undefined) {
    throw new ServiceError(
      'invalid-query',
      '"allowedDomains" is not possible here: name the domains in the body of POST /session, when you create the session.',
      { issues: [{ path: 'allowedDomains', message: 'must be in the body of POST /session' }] },
    );
  }
  if (proxy?.choice && !stored.options.proxy) {
    throw new ServiceError(
      'invalid-query',
      'This session has no proxy: name it in the body of POST /session, or in its args, when you create the session.',
    );
  }
  if (proxy?.choice) {
    const choices = ['proxyCountry', 'proxyCity', 'proxyState'] as const;
    call.ignore([proxy.choice.field, ...choices.filter((name) => query[name] !== undefined)]);
  }
  // A stealth browser has a window where there is a display.
  if (stored.options.launchOptions['stealth'] === true && launch.headless !== undefined)
    call.ignore(['launch.headless']);
  if (launch.userDataDir !== undefined) throw ownProfile('launch.userDataDir');
  if (query.profile !== undefined && query.profile !== stored.options.profile?.name) {
    throw new ServiceError(
      'invalid-query',
      '"profile" must be that of the session, or left out: name it in the body of POST /session, when you create the session.',
      { issues: [{ path: 'profile', message: 'must be that of the session' }] },
    );
  }
}

/** A request that asks for a replay when its session does, and it says nothing of it. */
function withReplayOf<Request extends BrowserRequest>({ options }: StoredSession, request: Request): Request {
  const { query } = request;
  return { ...request, query: { ...query, replay: query.replay ?? options.replay } };
}

/**
 * The browser of a stored session, started on its profile when none runs.
 * @param launch options of this call: `headless` and `args` count, and only when a browser is started
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
        // Later browsers have the data of the session.
        profile: options.profile && { ...options.profile, ...(stored.hadBrowser ? { state: undefined } : {}) },
        isolation: 'process',
        // The call that made the session has counted its first browser.
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
  return call.waiting.for('the browser of the session', found);
}
