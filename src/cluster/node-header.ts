/**
 * The header by which servers of a cluster know each other's requests: `X-Browserd-Node: <time> <client> <HMAC>`, with
 * CLUSTER_SECRET over the time, the client's address, and the method, path and query of the request. It says that a
 * server has passed the request on, so that nobody passes it on again, and for whom.
 */
import { hmacOf, isHmacOf } from '../runtime/crypto/hmac.ts';

export const nodeHeader = 'x-browserd-node';

/** How far the clocks of two servers may differ, in milliseconds. */
const skewMs = 60_000;
/** Stands for a client whose address is not known. */
const unknown = '-';

const signedText = (method: string, target: string, time: string, client: string) =>
  `${time}\n${client}\n${method}\n${target}`;

/**
 * @param target path and query
 * @param client IP address of who has sent the request to this server
 */
export function signNode(secret: string, method: string, target: string, client: string | undefined): string {
  const [time, from] = [String(Date.now()), client ?? unknown];
  return `${time} ${from} ${hmacOf(secret, signedText(method, target, time, from))}`;
}

/** What a server of the cluster says of a request that it has sent. */
export interface Sender {
  /** IP address of the client that the request comes from; undefined when it is not known. */
  readonly client: string | undefined;
}

/** Undefined for a request that no server of the cluster has sent now. */
export function senderOf(secret: string, request: Request): Sender | undefined {
  const header = request.headers.get(nodeHeader);
  const [, time = '', client = '', hmac = ''] = /^(\d{13}) (\S{1,64}) ([\da-f]{64})$/.exec(header ?? '') ?? [];
  if (hmac === '' || Math.abs(Date.now() - Number(time)) > skewMs) return undefined;
  const { pathname, search } = new URL(request.url);
  if (!isHmacOf(secret, signedText(request.method, `${pathname}${search}`, time, client), hmac)) return undefined;
  return { client: client === unknown ? undefined : client };
}
