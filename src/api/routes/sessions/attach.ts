/** Connects a client to a running browser: the last step of every CDP socket. */
import type { AttachableSession, Session } from '../../../sessions/lifecycle/session.ts';
import type { RuleContext } from '../../../sessions/cdp/rules/verdict.ts';
import { errorTable, ServiceError } from '../../../base/errors.ts';
import { maxTimerMs, orAborted, orReleased } from '../../../base/runtime/deadline.ts';
import { closedBecause } from '../../../base/runtime/http/frames.ts';
import type { CloseReason } from '../../../base/runtime/http/socket-bridge.ts';
import { ownProxy, type ProxyNames } from '../../../browser/network/proxy.ts';
import { maxReconnectTime } from '../pipeline/admission.ts';
import { openProxy } from '../pipeline/proxied-call.ts';
import type { Call } from '../pipeline/call.ts';
import type { Connection, SocketRequest } from '../pipeline/route.ts';
import { liveUrl, sessionFileUrl, toSocketUrl } from '../http/public-url.ts';
import { recordFromStart, recorderOf } from './record.ts';

/** Maximum size of a client's message in bytes, all fragments together. */
const maxMessageBytes = 100 * 2 ** 20;
/** The server closes the connection of a client with more unread bytes than this when it has more to send. */
const maxUnreadBytes = 2 ** 26;

/**
 * @param targetId page to attach to; by default, the browser target
 * @throws ServiceError `browser-crashed` when the browser exits before the client is connected
 */
export async function attach(
  request: SocketRequest,
  session: AttachableSession,
  targetId?: string,
): Promise<Connection> {
  const { call, services, upgrade } = request;
  const sessionLog = services.log.with({ session: session.facts.id });
  const [{ CdpClient }, { ProfileKeeper }, { CaptchaWatch }] = await Promise.all([
    import('../../../sessions/cdp/client.ts'),
    import('../../../sessions/profiles/storage/profile-keeper.ts'),
    import('./captchas.ts'),
  ]);
  let ending: CloseReason | undefined;
  let cutOff: ServiceError | undefined;
  let close = () => {};
  let busy = () => true;
  requireNotHidden(session);
  session.traces.driven = true;
  using held = new DisposableStack();
  // Register the client before it is connected, so that the browser is not closed in between.
  held.defer(
    session.connect({
      close: (error) => {
        cutOff = error;
        ending = closeReasonOf(error);
        close();
      },
      busy: () => busy(),
    }),
  );
  await orAborted(recordFromStart(request, session), call.signal);
  try {
    const opening = CdpClient.open({
      session,
      rules: rulesOf(call, session),
      targetId,
      socketUrl: toSocketUrl(call.base),
      fileUrl: (name) => sessionFileUrl(call.base, session.facts.id, name),
      live: services.sessions.live,
      liveUrl: (id) => liveUrl(call.base, id),
      slowMoMs: Math.min(Math.max(0, request.launch.slowMo ?? 0), maxTimerMs),
      maxReconnectMs: maxReconnectTime(call),
      plan: call.account,
      shield: session.facts.launchOptions['stealth'] === true && request.query.shield !== false,
      signsDocuments: services.network.signer !== undefined,
      captchas: (tell) =>
        new CaptchaWatch({
          session,
          page: targetId,
          help: services.browsers.captchas.helpFor(call.payer, sessionLog),
          automatic: request.query.solveCaptchas ?? false,
          tell,
          log: sessionLog,
        }),
      recorder: recorderOf(request, session),
      keeper: new ProfileKeeper({
        profiles: services.sessions.profiles,
        policy: services.network.policy,
        owner: () => call.owner(),
        connection: session.process.connection,
        mayRead: (address) => session.targets.mayDriveAddress(address),
        defaultName: session.profile,
      }),
      refused: (method, why) => services.telemetry.metrics.commandRefused(method, why),
      log: sessionLog,
    });
    const client = held.use(await orReleased(opening, call.signal, (late) => late[Symbol.dispose]()));
    const socket = upgrade.accept([], {
      messageBytes: maxMessageBytes,
      unreadBytes: maxUnreadBytes,
      onPing: () => client.heartbeat(),
    });
    // The time that opening took does not count as idle time of the client.
    session.life.recordActivity();
    close = () => ending && client.close(ending);
    busy = () => client.busy;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    socket.closed.addEventListener('abort', () => resolve(), { once: true });
    client.start(socket);
    close();
    const used = held.move();
    return {
      session: session.facts.id,
      ended: closed.then(async () => {
        used.dispose();
        // If the session has also ended, the connection ends for the same reason.
        return session.life.ending ? session.life.ended : cutOff;
      }),
    };
  } catch (cause) {
    throw notConnected(call, cutOff, cause);
  }
}

/** Why a client was not connected. @param cutOff the error with which the session ended, if it has */
export function notConnected({ signal }: Call, cutOff: ServiceError | undefined, cause: unknown): unknown {
  if (signal.aborted) return signal.reason;
  const message = 'The browser exited before the client was connected. Try again.';
  return cutOff ?? new ServiceError('browser-crashed', message, { cause });
}

/** @throws ServiceError `bad-request` for a browser in which a secret was filled in */
export function requireNotHidden({ hidden }: AttachableSession): void {
  if (!hidden) return;
  throw new ServiceError(
    'bad-request',
    'loadSecret has filled in a secret in this browser, so clients can no longer attach to it.',
  );
}

/** RFC 6455 section 7.4.1. */
const normalClosure = 1000;

/** The close code and reason for a client whose session ends; without an error the browser was closed normally. */
export function closeReasonOf(error: ServiceError | undefined): CloseReason {
  return error
    ? { code: errorTable[error.code].closeCode, reason: closedBecause('browser', error.message) }
    : { code: normalClosure, reason: 'The browser has been closed' };
}

/** What the rules for client commands need to know about the session. */
function rulesOf(call: Call, session: AttachableSession): RuleContext {
  const { config } = call.services;
  const { policy } = call.services.network;
  return {
    scope: session.process.shared ? 'virtual' : 'browser',
    full: session.process.mode !== 'shell',
    allowsUrl: (text) => URL.canParse(text) && policy.allowsScheme(new URL(text)),
    files: session.files,
    openProxy: contextProxies(call, session, {
      names: { server: 'proxyServer', username: 'proxyServer' },
      gone: session.process.gone,
    }),
    allowedMethods: new Set(config.ALLOWED_CDP_METHODS),
  };
}

/**
 * Maximum number of proxies per session: each one is a listener on the server, and no legitimate client needs this
 * many.
 */
const maxContextProxies = 100;

/** Options of `contextProxies`. */
interface ContextProxies {
  /** How the client specifies a proxy. */
  names: ProxyNames;
  /** Aborted when the session's browser has exited. */
  gone: AbortSignal;
}

/** The proxies of each session, by the requested proxy: all connections of a session share them. */
const proxiesOf = new WeakMap<Session, Map<string, Promise<string>>>();

/**
 * Returns the function that opens the proxies that a client specifies for its contexts. The proxies live as long as the
 * session; contexts with the same proxy share it.
 */
export function contextProxies({ payer, services }: Call, session: Session, { names, gone }: ContextProxies) {
  const opened = proxiesOf.get(session) ?? new Map<string, Promise<string>>();
  proxiesOf.set(session, opened);
  const open = async (key: string, choice: ReturnType<typeof ownProxy>): Promise<string> => {
    const { id, allowedDomains: domains } = session.facts;
    try {
      const lease = await openProxy({ choice, domains, payer }, services, { session: id }, gone);
      void session.gone.then(() => lease?.[Symbol.dispose]());
      return lease?.server ?? '';
    } catch (error) {
      opened.delete(key);
      throw error;
    }
  };
  return async (server: string, bypass: string | undefined, username?: string, password?: string): Promise<string> => {
    const choice = ownProxy({ server, bypass, username, password }, names);
    const key = JSON.stringify([server, bypass, username, password]);
    const known = opened.get(key);
    if (known) return known;
    if (opened.size >= maxContextProxies) {
      throw new ServiceError('bad-request', `A session can have at most ${maxContextProxies} different proxies.`);
    }
    const opening = open(key, choice);
    opened.set(key, opening);
    return opening;
  };
}
