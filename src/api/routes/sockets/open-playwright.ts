/** Connects a Playwright client to a browser; loaded with the first such client. */
import { requireNoExtensions } from '../../../browser/processes/extensions/extensions.ts';
import { requireProcess } from '../pipeline/browser-choice.ts';
import type { PlaywrightBrowserName } from '../../../sessions/playwright/plan.ts';
import { keepsDownloads } from '../../../sessions/playwright/cdp-commands.ts';
import { fileSettingsOf } from '../sessions/session-files.ts';
import { fileAccessOf } from '../../../sessions/playwright/file-access.ts';
import { PlaywrightGuard, type Verdict } from '../../../sessions/playwright/guard.ts';
import { PlaywrightSession } from '../../../sessions/playwright/session.ts';
import { minorOf, type PlaywrightVersion, versionForClient } from '../../../sessions/playwright/versions.ts';
import type { BrowserProfile } from '../../../sessions/profiles/state.ts';
import { judge } from '../../../sessions/cdp/rules/judge.ts';
import type { RuleContext } from '../../../sessions/cdp/rules/verdict.ts';
import { ServiceError } from '../../../base/errors.ts';
import { isLong, orAborted } from '../../../base/runtime/deadline.ts';
import { urlCharacters } from '../../../base/limits.ts';
import { closedBecause } from '../../../base/runtime/http/frames.ts';
import {
  type BridgeHooks,
  type CloseReason,
  openSocket,
  SocketBridge,
} from '../../../base/runtime/http/socket-bridge.ts';
import { openSession } from '../sessions/open-session.ts';
import { closeReasonOf, contextProxies, notConnected } from '../sessions/attach.ts';
import type { Connection, SocketRequest } from '../pipeline/route.ts';
import { factsOf } from '../pipeline/run-job.ts';

/** Maximum size of a client's message, in bytes: Playwright sends at most 50 MB of files in one message, as base64. */
const maxMessageBytes = 80 * 2 ** 20;
/** A client with more unread bytes than this is too slow when it is sent another message. */
const maxUnreadBytes = 2 ** 24;
/** How long to wait for the reason why a browser has exited after its socket has closed, in milliseconds. */
const exitReasonLimitMs = 500;

/** @param title browser name shown in lists of sessions */
export async function openPlaywright(
  request: SocketRequest,
  browser: PlaywrightBrowserName,
  title: string,
): Promise<Connection> {
  const { call, limitMs } = request;
  const session = await startSession(request, browser, title);
  const connection = await join(request, session, browser);
  // The time limit of the request started when it got its slot.
  session.life.startClock(call.remainingOf(limitMs));
  return connection;
}

async function startSession(
  request: SocketRequest,
  browser: PlaywrightBrowserName,
  title: string,
): Promise<PlaywrightSession> {
  const { call, services, launch, query } = request;
  requireProcess(query, "a client of Playwright's own protocol");
  if (launch.userDataDir !== undefined) {
    throw new ServiceError(
      'invalid-launch',
      '"launch.userDataDir" has no effect on Playwright sockets, because each context has its own profile: leave it out, or connect with connectOverCDP() to /chromium, where it works.',
      { issues: [{ path: 'launch.userDataDir', message: 'has no effect on Playwright sockets' }] },
    );
  }
  requireNoExtensions(
    launch,
    "contexts of Playwright's own protocol have none; connect with connectOverCDP() to /chromium, and use its first context",
  );
  if (browser === 'firefox') {
    const { withoutEffectInFirefox } = await import('../../../sessions/playwright/options.ts');
    call.ignore(withoutEffectInFirefox(launch.args));
  }
  const version = versionForClient(call.request.headers.get('user-agent'), launch.stealth);
  requireStateFor(version, request.profile);
  const launcher = await orAborted(services.sessions.playwright.launcher(), call.signal);
  return openSession(call, {
    trackingId: query.trackingId,
    proxy: request.proxy,
    require: () => launcher.require(browser),
    start: (proxyServer, signal) =>
      launcher.start({ browser, version, launch, proxyServer, account: call.account.name }, signal),
    open(server, release) {
      const facts = factsOf(request, { id: server.id, browser: `${title}Playwright` });
      const opened = new PlaywrightSession(facts, server, release);
      opened.life.startIdleClock(services.config.SESSION_IDLE_MS);
      return opened;
    },
  });
}

/**
 * Playwright itself restores the state in contexts; before 1.51 it supported only cookies and localStorage.
 * @throws ServiceError `bad-request`
 */
function requireStateFor({ version }: PlaywrightVersion, profile: BrowserProfile | undefined): void {
  if (minorOf(version) !== '1.50' || !profile?.state?.origins.some(({ indexedDB }) => indexedDB.length > 0)) return;
  throw new ServiceError(
    'bad-request',
    'This profile has IndexedDB data, which Playwright 1.50 cannot restore. Use 1.51 or newer, or connect with connectOverCDP() to /chromium.',
  );
}

/** What the rules for CDPSession commands need to know about the session. */
function rulesOf(
  { call: { services } }: SocketRequest,
  { facts, server, life }: PlaywrightSession,
  openProxy: RuleContext['openProxy'],
): RuleContext {
  const { config } = services;
  const { policy } = services.network;
  return {
    scope: 'browser',
    full: server.full,
    allowsUrl: (text) => text.length <= urlCharacters && URL.canParse(text) && policy.allowsScheme(new URL(text)),
    files: fileAccessOf({
      id: facts.id,
      directory: server.downloadDirectory,
      ...fileSettingsOf(config),
      life,
    }),
    openProxy,
    allowedMethods: new Set(config.ALLOWED_CDP_METHODS),
  };
}

async function join(
  request: SocketRequest,
  session: PlaywrightSession,
  browser: PlaywrightBrowserName,
): Promise<Connection> {
  const { call, services, upgrade } = request;
  const { gone } = session.server;
  const proxiesNamed = (server: string, username: string) =>
    contextProxies(call, session, { names: { server, username }, gone });
  const open = proxiesNamed('proxy.server', 'proxy.username');
  // In Firefox and WebKit a context's proxy carries only a part of its traffic.
  const proxied = browser !== 'firefox' && browser !== 'webkit';
  const rules = rulesOf(request, session, proxiesNamed('proxyServer', 'proxyServer'));
  const guard = new PlaywrightGuard({
    policy: services.network.policy,
    openProxy: proxied
      ? ({ server, bypass, username, password }) => open(server, bypass, username, password)
      : undefined,
    judge: keepsDownloads((method, params) => judge(method, params, rules)),
    maxFileBytes: fileSettingsOf(services.config).maxBytes,
    storageState: request.profile?.state,
  });
  let bridge: SocketBridge | undefined;
  /** Number of client messages without a reply. */
  let unanswered = 0;
  /** True once the connection is being closed because a message could not be read. */
  let closed = false;
  const ending = () => closed || session.life.ending;
  /** Acts on a verdict. @param message the message itself */
  const follow = (verdict: Verdict, message: Buffer): void => {
    if (ending()) return;
    if (verdict.kind === 'pass') bridge?.sendToServer(message);
    if (verdict.kind === 'replace') bridge?.sendToServer(verdict.text);
    if (verdict.kind === 'end') session.life.end(verdict.reason);
    if (verdict.kind === 'close') {
      closed = true;
      bridge?.close({ code: verdict.code, reason: closedBecause('connection', verdict.reason) });
    }
    if (verdict.kind === 'answer') {
      unanswered--;
      bridge?.sendToClient(verdict.text);
    }
    if (verdict.kind === 'later') void verdict.verdict.then((later) => follow(later, message));
  };
  const hooks: BridgeHooks = {
    // Playwright closes with "going away" even when its browser has crashed.
    ignoreServerClose: true,
    onClientText(message) {
      if (ending()) return undefined;
      session.life.recordActivity();
      unanswered++;
      if (!isLong(message)) return follow(guard.fromClient(message.toString()), message);
      return guard.fromLongMessage(message).then((verdict) => follow(verdict, message));
    },
    onServerText(message) {
      const text = message.toString('latin1');
      if (text.startsWith('{"id":')) unanswered--;
      session.sawServerText(text);
      const scheme = guard.shownScheme(text);
      if (scheme === undefined) return true;
      session.life.end(new ServiceError('forbidden-destination', `Navigation to a ${scheme} address is not allowed`));
      return false;
    },
    async onServerEnd() {
      // The exit of the process is reported on another channel, slightly earlier or later.
      const { life } = session;
      // oxlint-disable-next-line browserd/raced-await -- an end that has begun has its own limits
      const exitReason = life.ending ? await life.ended : await Promise.race([life.ended, shortly()]);
      return closeReasonOf(exitReason);
    },
  };
  // Add the client before it is joined, so that it does not miss an exit that happens in between.
  let closing: CloseReason | undefined;
  let cutOff: ServiceError | undefined;
  const leave = session.connect({
    close: (error) => {
      cutOff = error;
      closing = closeReasonOf(error);
      bridge?.close(closing);
    },
    busy: () => bridge === undefined || unanswered > 0,
  });
  try {
    const { socket, path } = session.server.endpoint;
    const { headers } = call.request;
    const handshake = {
      address: new URL(path, 'ws://localhost'),
      protocols: null,
      headers: { 'User-Agent': headers.get('user-agent') ?? '' },
      through: socket,
    };
    const opened = await openSocket(handshake, call.signal);
    if ('refusal' in opened) {
      opened.refusal.destroy();
      throw new Error(`the Playwright server responded with ${opened.refusal.statusCode}`);
    }
    // Playwright has no subprotocol: the first that a client offers is as good as any.
    const offered =
      headers
        .get('sec-websocket-protocol')
        ?.split(',')
        .map((name) => name.trim()) ?? [];
    const accept = () =>
      upgrade.accept(offered, {
        messageBytes: maxMessageBytes,
        unreadBytes: maxUnreadBytes,
      });
    bridge = new SocketBridge(opened, accept, { ...hooks, onClientEnd: leave });
    // The time that the handshake took does not count as idle time of the client.
    session.life.recordActivity();
    if (closing) bridge.close(closing);
    return {
      session: session.facts.id,
      ended: bridge.ended.then(() => {
        leave();
        return session.life.ended;
      }),
    };
  } catch (cause) {
    leave();
    throw notConnected(call, cutOff, cause);
  }
}

function shortly(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), exitReasonLimitMs));
}
