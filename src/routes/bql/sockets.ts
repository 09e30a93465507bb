/** BrowserQL over WebSockets: one socket is one page. Contract browserql.md 4.5. */
import { answerQuery, readDocument } from '../../bql/execute.ts';
import { graphqlProtocol, type RunOperation, speakGraphql } from '../../bql/socket-protocol.ts';
import { subscribeTo } from '../../bql/subscriptions.ts';
import type { AttachableSession } from '../../sessions/session.ts';
import { closeReasonOf } from '../../clients/cdp/client.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import { type Clock, orAborted } from '../../runtime/deadline.ts';
import { now } from '../../runtime/machine.ts';
import { stayLimit } from '../pipeline/admission.ts';
import { checkToken, credentialOf } from '../http/auth.ts';
import { keptBrowser } from '../sessions/reconnect.ts';
import type { Connection, SocketCall, SocketRoute } from '../pipeline/socket-route.ts';
import { attachedTo } from './document-runner.ts';
import { openStored } from './resume-document.ts';
import { bqlMounts, startOwn } from './run-document.ts';
import { optionsFor } from './bql-environment.ts';
import { attachedHost } from './run-attached.ts';

/** A client that has more than this to read, and causes still more, is closed. */
const maxUnreadBytes = 2 ** 24;

type Open = (call: SocketCall) => (clock: Clock) => Promise<AttachableSession>;

const description =
  'Speaks GraphQL over a WebSocket (subprotocol graphql-transport-ws): documents run one after another on one page, subscriptions tell of its console, requests and responses.';

function bqlSocket(path: string, auth: SocketRoute['auth'], summary: string, open: Open, fresh: boolean): SocketRoute {
  return { path, summary, description, auth, open: (call) => speak(call, open(call), fresh) };
}

export const bqlSockets: readonly SocketRoute[] = [
  ...bqlMounts.flatMap(({ prefix, browser, fullBrowser }) => [
    bqlSocket(
      `${prefix}/bql`,
      'token',
      'BrowserQL on a fresh page',
      (call) => {
        const launch =
          fullBrowser && call.launch.headless === undefined ? { ...call.launch, headless: true } : call.launch;
        return startOwn({ ...call, launch, browser });
      },
      true,
    ),
    bqlSocket(
      `${prefix}/bql/:id`,
      'own',
      'BrowserQL on a kept browser',
      (call) => {
        const session = keptBrowser(call.parameter('id'), call.request, call.url, call.services);
        return () => Promise.resolve(session);
      },
      false,
    ),
  ]),
  bqlSocket(
    '/session/bql/:id',
    'own',
    'BrowserQL on a session',
    (call) => {
      const { request, url, services } = call;
      checkToken(credentialOf(request.headers.get('authorization'), url.searchParams), services.config.TOKEN);
      return openStored(call.parameter('id'), call);
    },
    false,
  ),
];

/** @param fresh true when the call's limit is that of the browser */
async function speak(
  call: SocketCall,
  open: (clock: Clock) => Promise<AttachableSession>,
  fresh: boolean,
): Promise<Connection> {
  const { services, upgrade, query, launch, limitMs, progress } = call;
  const session = await open(call.clock);
  progress.session = session.id;
  let cutOff: ServiceError | undefined;
  let close = () => {};
  const leave = session.connect({
    close: (error) => {
      cutOff = error;
      close();
    },
  });
  try {
    const socket = await upgrade.accept([graphqlProtocol], {
      messageBytes: services.config.MAX_PAYLOAD_SIZE,
      unreadBytes: maxUnreadBytes,
      standstillMs: services.config.SEND_TIMEOUT_MS,
      unread: services.unread,
    });
    close = () => {
      const { code, reason } = closeReasonOf(cutOff);
      socket.close(code, reason);
    };
    if (fresh && limitMs > 0) session.startClock(Math.max(1, limitMs - (now() - (progress.runningSince ?? now()))));
    if (!fresh && session.numbConnected === 1) session.startClock(stayLimit(query.timeout, services.config));
    const attached = attachedTo(session);
    const host = attachedHost(session, call);
    let turn: Promise<unknown> = Promise.resolve();
    const run: RunOperation = async (request, signal) => {
      const ready = await readDocument(request);
      if (ready.kind === 'query') return answerQuery(ready, host);
      const options = optionsFor(ready, query, launch);
      if (ready.kind === 'mutation') {
        // The next document waits until the client reads: at most two answers lie in memory.
        const mine = turn.then(() => socket.drained()).then(() => attached.run(ready, host, options, signal));
        turn = mine.catch(() => undefined);
        return orAborted(mine, signal);
      }
      return subscribeTo(ready, await attached.open(host, options, signal), signal);
    };
    speakGraphql(socket, run, (error) => {
      cutOff = toServiceError(error);
      services.log.warn('bql.socket-failed', { session: session.id, cause: error });
      close();
    });
    if (cutOff) close();
    const { promise, resolve } = Promise.withResolvers<void>();
    if (socket.closed.aborted) resolve();
    else socket.closed.addEventListener('abort', () => resolve(), { once: true });
    return {
      session: session.id,
      ended: promise.then(async () => {
        leave();
        return session.ending ? session.ended : cutOff;
      }),
    };
  } catch (error) {
    leave();
    throw error;
  }
}
