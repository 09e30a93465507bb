/** Joins a client with a browser that runs: the last step of every CDP socket. */
import type { AttachableSession, Session } from '../../sessions/session.ts';
import { CdpClient, closeReasonOf } from '../../clients/cdp/client.ts';
import { ServiceError } from '../../errors.ts';
import type { CloseReason } from '../../runtime/http/socket-join.ts';
import { ownProxy } from '../../network/proxy.ts';
import { openProxy } from '../pipeline/proxied-call.ts';
import type { Call } from '../pipeline/call.ts';
import type { Connection, SocketRequest } from '../pipeline/route.ts';
import { toSocketUrl } from '../http/public-url.ts';

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
  const { endpoint } = session.process;
  if (!endpoint) throw new Error('the browser has no port for clients');
  const client = new CdpClient({
    session,
    contextProxy: contextProxies(call, session, session.process.gone),
    socketUrl: toSocketUrl(services.externalUrl()),
    maxReconnectMs: config.MAX_RECONNECT_TIME,
    pingEveryMs: config.PING_INTERVAL_MS,
    allowFiles: config.ALLOW_FILE_PROTOCOL,
    targetId,
    log: log.with({ session: session.facts.id }),
  });
  const path = targetId === undefined ? endpoint.path : `/devtools/page/${targetId}`;
  // Add the client before it is joined, so that the browser does not end in between.
  let ending: CloseReason | undefined;
  let cutOff: ServiceError | undefined;
  let close = () => {};
  const leave = session.connect({
    close: (error) => {
      cutOff = error;
      ending = closeReasonOf(error);
      close();
    },
  });
  try {
    const hooks = { ...client.hooks, onClientEnd: leave };
    const join = await upgrade.join({ port: endpoint.port, path }, hooks, call.signal);
    client.joined(join);
    close = () => ending && join.close(ending);
    close();
    return {
      session: session.facts.id,
      ended: join.ended.then(async () => {
        leave();
        // When the session has ended too, the connection ends for the same reason.
        return session.life.ending ? session.life.ended : cutOff;
      }),
    };
  } catch (cause) {
    leave();
    call.signal.throwIfAborted();
    throw new ServiceError('browser-crashed', 'The browser ended before the connection was made. Try again.', {
      cause,
    });
  }
}

/** Each proxy is a listener of the server: no honest client needs this many. */
const maxContextProxies = 100;

/**
 * Returns the function that opens the proxies that a client names for its contexts; they live as long as the session.
 * @param gone aborts when the browser of the session has ended
 */
export function contextProxies({ credential, services }: Call, session: Session, gone: AbortSignal) {
  let count = 0;
  return async (server: string, bypass: string | undefined, username?: string, password?: string): Promise<string> => {
    if (++count > maxContextProxies) {
      throw new ServiceError('bad-request', `A connection can make ${maxContextProxies} contexts with a proxy.`);
    }
    const choice = ownProxy({ server, bypass, username, password }, 'proxyServer');
    const lease = await openProxy({ choice, credential }, services, { session: session.facts.id }, gone);
    void session.gone.then(() => lease?.[Symbol.dispose]());
    return lease?.server ?? '';
  };
}
