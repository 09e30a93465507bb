/**
 * Defines the header by which the servers in a cluster recognize each other's requests: `X-Browserd-Node: <time>
 * <client> <claim> <HMAC>`. The HMAC with CLUSTER_SECRET covers the time, the client's address, the id of the claim on
 * a slot, and the method, path and query of the request. The header says that a server has forwarded the request, so
 * that no server forwards it again, and for which client.
 */
import { hmacOf, isHmacOf } from '../../base/runtime/crypto/hashes.ts';

export const nodeHeader = 'x-browserd-node';

/** How far the clocks of two servers may differ, in milliseconds. */
const skewMs = 60_000;
/** Placeholder for an unknown address and for a missing claim. */
const none = '-';

const signedText = (method: string, target: string, told: string) => `${told}\n${method}\n${target}`;

/** @param target the path and query */
export function signNode(secret: string, method: string, target: string, { client, claim }: Sender): string {
  const told = `${Date.now()} ${client ?? none} ${claim ?? none}`;
  return `${told} ${hmacOf(secret, signedText(method, target, told))}`;
}

/** The information that a server in the cluster sends along with a request. */
export interface Sender {
  /** IP address of the client that the request comes from; undefined when it is not known. */
  readonly client: string | undefined;
  /** Id of the claim on a slot of this server; undefined if there is none. */
  readonly claim: string | undefined;
}

/** Returns undefined for a request that a server in the cluster did not just send. */
export function senderOf(secret: string, request: Request): Sender | undefined {
  const header = request.headers.get(nodeHeader);
  const [, told = '', time = '', client = '', claim = '', hmac = ''] =
    /^((\d{13}) (\S{1,64}) (-|[\da-f-]{36})) ([\da-f]{64})$/.exec(header ?? '') ?? [];
  if (hmac === '' || Math.abs(Date.now() - Number(time)) > skewMs) return undefined;
  const { pathname, search } = new URL(request.url);
  if (!isHmacOf(secret, signedText(request.method, `${pathname}${search}`, told), hmac)) return undefined;
  const given = (text: string) => (text === none ? undefined : text);
  return { client: given(client), claim: given(claim) };
}
