/** Joins a client with a browser that runs: the last step of every CDP socket. */
import type { AttachableSession, Session } from '../../../sessions/lifecycle/session.ts';
import type { RuleContext } from '../../../sessions/cdp/rules/verdict.ts';
import { closeCodeOf, ServiceError } from '../../../base/errors.ts';
import { maxTimerMs, orAborted, orGivenBack } from '../../../base/runtime/deadline.ts';
import { closedBecause } from '../../../base/runtime/http/frames.ts';
import type { CloseReason } from '../../../base/runtime/http/socket-join.ts';
import { ownProxy, type ProxyNames } from '../../../browser/network/proxy.ts';
import { longestKeep } from '../pipeline/admission.ts';
import { openProxy } from '../pipeline/proxied-call.ts';
import type { Call } from '../pipeline/call.ts';
import type { Connection, SocketRequest } from '../pipeline/route.ts';
import { liveUrl, sessionFileUrl, toSocketUrl } from '../http/public-url.ts';
import { recordFromStart, recorderOf } from './record.ts';

/** Longest message of a client in bytes, its fragments together. */
const maxMessageBytes = 100 * 2 ** 20;
/** The server closes the connection of a client that has more unread bytes than this and gets still more. */
const maxUnreadBytes = 2 ** 26;

/**
 * @param targetId a page to attach to; the browser target when left out
 * @throws ServiceError `browser-crashed` when the browser ends before the client is joined
 */
export async function attach(
  request: SocketRequest,
  session: AttachableSession,
  targetId?: string,
): Promise<Connection> {
  const { call, services, upgrade } = request;
  const { config, log } = services;
  const sessionLog = log.with({ session: session.facts.id });
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
  // Add the client before it is joined, so that the browser does not end in between.
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
      maxReconnectMs: longestKeep(call),
      plan: call.account,
      shield: session.facts.launchOptions['stealth'] === true && request.query.shield !== false,
      signsDocuments: services.network.signer !== undefined,
      captchas: (tell) =>
        new CaptchaWatch({
          session,
          page: targetId,
          help: services.browsers.captchas.helpFor(call.payer, sessionLog),
          byItself: request.query.solveCaptchas ?? false,
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
        usualName: session.profile,
      }),
      refused: (method, why) => services.telemetry.metrics.commandRefused(method, why),
      log: sessionLog,
    });
    const client = held.use(await orGivenBack(opening, call.signal, (late) => late[Symbol.dispose]()));
    const socket = upgrade.accept([], {
      messageBytes: maxMessageBytes,
      unreadBytes: maxUnreadBytes,
      standstillMs: config.SEND_TIMEOUT_MS,
      unread: services.web.unread,
      pingEveryMs: config.PING_INTERVAL_MS,
      onPing: () => client.heartbeat(),
    });
    // What opening took is not the client's silence.
    session.life.heard();
    close = () => ending && client.close(ending);
    busy = () => client.busy;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    socket.closed.addEventListener('abort', () => resolve(), { once: true });
    client.speak(socket);
    close();
    const used = held.move();
    return {
      session: session.facts.id,
      ended: closed.then(async () => {
        used.dispose();
        // When the session has ended too, the connection ends for the same reason.
        return session.life.ending ? session.life.ended : cutOff;
      }),
    };
  } catch (cause) {
    call.signal.throwIfAborted();
    if (cutOff) throw cutOff;
    throw new ServiceError('browser-crashed', 'The browser ended before the connection was made. Try again.', {
      cause,
    });
  }
}

/** @throws ServiceError `bad-request` for a browser in which a secret was filled in */
function requireNotHidden({ hidden }: AttachableSession): void {
  if (!hidden) return;
  throw new ServiceError(
    'bad-request',
    'loadSecret has filled a secret into this browser: clients cannot attach to it any more.',
  );
}

/** RFC 6455 section 7.4.1. */
const normalClosure = 1000;

/** The close code and reason for a client whose session ends; without an error the browser was closed normally. */
export function closeReasonOf(error: ServiceError | undefined): CloseReason {
  return error
    ? { code: closeCodeOf(error), reason: closedBecause('browser', error.message) }
    : { code: normalClosure, reason: 'The browser has been closed' };
}

/** What the rules for commands of a client know of its session. */
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

/** Each proxy is a listener of the server: no honest client needs this many. */
const maxContextProxies = 100;

/** What `contextProxies` knows of the clients of a session. */
interface ContextProxies {
  /** How the client names a proxy. */
  names: ProxyNames;
  /** Aborts when the browser of the session has ended. */
  gone: AbortSignal;
}

/** The proxies of each session, by what its clients have asked for: all of its connections use them together. */
const proxiesOf = new WeakMap<Session, Map<string, Promise<string>>>();

/**
 * Returns the function that opens the proxies that a client names for its contexts. They live as long as the session;
 * contexts with the same proxy share it.
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
      throw new ServiceError(
        'bad-request',
        `The contexts of a session can have ${maxContextProxies} different proxies.`,
      );
    }
    const opening = open(key, choice);
    opened.set(key, opening);
    return opening;
  };
}
