/** Serves BrowserQL over WebSockets; each socket works on one page. */
import type { RunOperation } from '../../bql/socket-protocol.ts';
import { closeReasonOf } from '../sessions/attach.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { nextTurn, orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import { SerialQueue } from '../../../base/runtime/serial.ts';
import { connectionLimit } from '../pipeline/admission.ts';
import { graceMs } from '../pipeline/read-request.ts';
import { keptBrowser } from '../sessions/reconnect.ts';
import { recordFromStart } from '../sessions/record.ts';
import { storedSessionOf } from '../sessions/stored-sessions.ts';
import { type Connection, type SocketRequest, type SocketRoute, socketRoute } from '../pipeline/route.ts';
import { documentRunnerOf } from './document-runner.ts';
import { openStored } from './resume-document.ts';
import { bqlMounts, startOwn } from './run-document.ts';
import { optionsFor } from './bql-environment.ts';
import { reconnectableEnvironment, type OpenBrowser } from './run-on-session.ts';

/** If a client with more unread bytes than this causes still more output, the server closes its socket. */
const maxUnreadBytes = 2 ** 24;

const description =
  'GraphQL over a WebSocket (subprotocol graphql-transport-ws): documents run sequentially on one page, subscriptions report its console messages, requests, and responses.';

interface BqlSocket extends Pick<SocketRoute, 'path' | 'subject' | 'summary' | 'callKind' | 'auth' | 'stealth'> {
  /** True if the browser is started for this socket and has its time limit. */
  fresh: boolean;
  open(request: SocketRequest): OpenBrowser;
}

function bqlSocket({ open, fresh, path, ...route }: BqlSocket): SocketRoute {
  return socketRoute('browserql', path, {
    ...route,
    description,
    open: (request) => serveSocket(request, open(request), fresh),
  });
}

export const bqlSockets: readonly SocketRoute[] = [
  ...bqlMounts.flatMap(({ prefix, browser, stealth }) => [
    bqlSocket({
      path: `${prefix}/bql`,
      subject: undefined,
      summary: 'BrowserQL on a fresh page',
      callKind: 'bql',
      fresh: true,
      stealth,
      open: (request) => startOwn(request, browser),
    }),
    bqlSocket({
      path: `${prefix}/bql/:id`,
      subject: 'session',
      summary: 'BrowserQL on a kept-alive browser',
      callKind: 'bql-kept',
      auth: (call) => void keptBrowser(call),
      fresh: false,
      open({ call }) {
        const session = keptBrowser(call);
        return () => Promise.resolve(session);
      },
    }),
  ]),
  bqlSocket({
    path: '/session/bql/:id',
    subject: 'session',
    summary: 'BrowserQL on a session',
    callKind: 'bql-session',
    auth: (call) => void storedSessionOf(call),
    fresh: false,
    open: openStored,
  }),
];

/** @param fresh true if the time limit of the request is also that of the browser */
async function serveSocket(request: SocketRequest, open: OpenBrowser, fresh: boolean): Promise<Connection> {
  const { call, services, upgrade, query, launch, limitMs } = request;
  const [{ answerQuery, timedOutDocument }, { graphqlProtocol, serveGraphql: speakGraphql }, { subscribeTo }] =
    await Promise.all([
      import('../../bql/execute.ts'),
      import('../../bql/socket-protocol.ts'),
      import('../../bql/subscriptions.ts'),
    ]);
  const session = await open(call.clock);
  call.session = session.facts.id;
  let cutOff: ServiceError | undefined;
  let close = () => {};
  const timedOut = new AbortController();
  const running = new Set<Promise<unknown>>();
  const disconnect = session.connect({
    close: (error) => {
      cutOff = error;
      if (error?.code !== 'timeout') return close();
      // Running documents return their partial results before the socket closes.
      timedOut.abort(error);
      void Promise.allSettled(running)
        .then(nextTurn)
        .then(() => close());
    },
  });
  try {
    await orAborted(recordFromStart(request, session), call.signal);
    const socket = upgrade.accept([graphqlProtocol], {
      messageBytes: services.config.MAX_PAYLOAD_SIZE,
      unreadBytes: maxUnreadBytes,
    });
    close = () => {
      const { code, reason } = closeReasonOf(cutOff);
      socket.close(code, reason);
    };
    if (fresh) session.startClock(call.remainingOf(limitMs));
    else if (session.numbConnected === 1) session.startClock(connectionLimit(query.timeout, call));
    const runner = documentRunnerOf(session);
    const environment = reconnectableEnvironment(session, request);
    const documents = new SerialQueue();
    const operate: RunOperation = async (ready, signal) => {
      session.life.recordActivity();
      if (ready.kind === 'query') return answerQuery(ready, environment);
      const options = optionsFor(ready, query, launch);
      if (ready.kind === 'mutation') {
        using end = startDeadline(0, () => undefined, [signal, timedOut.signal]);
        // The next document waits until the client reads: at most two results are held in memory.
        const result = documents.run(() =>
          socket.drained().then(() => runner.run({ ready, environment, options }, end.signal)),
        );
        const ending = orAborted(result, end.signal, graceMs).catch((error: unknown) => {
          if (!timedOut.signal.aborted || signal.aborted) throw error;
          return timedOutDocument(ready, toServiceError(timedOut.signal.reason));
        });
        running.add(ending);
        try {
          return (await ending).answer;
        } finally {
          running.delete(ending);
        }
      }
      return subscribeTo(ready, await runner.open(environment, options, signal), signal);
    };
    // Messages arrive outside the span of the request that opened the socket.
    const run: RunOperation = (ready, signal) => call.span.within(() => operate(ready, signal));
    speakGraphql(socket, run, (error) => {
      cutOff = toServiceError(error);
      services.log.warn('bql.socket-failed', { session: session.facts.id, cause: error });
      close();
    });
    if (cutOff) close();
    const { promise, resolve } = Promise.withResolvers<void>();
    if (socket.closed.aborted) resolve();
    else socket.closed.addEventListener('abort', () => resolve(), { once: true });
    return {
      session: session.facts.id,
      ended: promise.then(async () => {
        disconnect();
        return session.life.ending ? session.life.ended : cutOff;
      }),
    };
  } catch (error) {
    disconnect();
    throw error;
  }
}
