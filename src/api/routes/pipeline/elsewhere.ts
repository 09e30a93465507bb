/** Has the server of the cluster with most room answer a call, and another one when there is no room here. */
import type { Cluster } from '../../../control/cluster/cluster.ts';
import { nodeGone } from '../../../control/cluster/nodes.ts';
import type { Claim } from '../../../control/cluster/registry/leases.ts';
import { toServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import type { ClientUpgrade } from '../../../base/runtime/http/upgrade.ts';
import type { Call } from './call.ts';
import { graceMs } from './read-request.ts';
import { claimSlot } from './cluster-claims.ts';

/** Servers that are tried for one call. */
const mostTries = 3;

/**
 * Has the server answer that has most room.
 * @param sent the body
 * @param isLocal true when this server has what the call needs
 * @returns undefined when this server is to answer
 * @throws ServiceError as `claimSlot`
 */
export async function answerElsewhere(call: Call, sent: unknown, isLocal: boolean): Promise<Response | undefined> {
  const response = await tryServers(call, isLocal, (_cluster, { node, id }) => passOn(call, sent, node, id));
  if (response) call.record(undefined, response.status);
  return response;
}

/**
 * Asks the servers with most room, one after the other, until one answers that has it.
 * @param ask asks one of them, which has the claimed slot
 * @returns undefined when it is this server that has most room, and when none of them has it
 * @throws ServiceError as `claimSlot`, and what `ask` throws
 */
async function tryServers<Joined>(
  call: Call,
  isLocal: boolean,
  ask: (cluster: Cluster, claim: Claim) => Promise<Response | Joined>,
): Promise<Response | Joined | undefined> {
  const { cluster, clusterRegistry: registry } = call.services.control;
  if (!cluster || !registry || call.sender) return undefined;
  const without: string[] = [];
  while (without.length < mostTries) {
    const claim = await claimSlot(call, isLocal, without);
    if (claim === undefined || claim.node === cluster.node) {
      call.claim = claim?.id;
      return undefined;
    }
    const answered = await orAborted(ask(cluster, claim), call.signal, graceMs).catch((error: unknown) => {
      void registry.giveBack(claim);
      return undefinedIfGone(error);
    });
    without.push(claim.node);
    if (!(answered instanceof Response)) {
      if (answered !== undefined) return answered;
      continue;
    }
    // It may have refused the call before it knew of the claim.
    if (!answered.ok) void registry.giveBack(claim);
    if (!hasNoRoom(answered)) return answered;
    void answered.body?.cancel();
  }
  return undefined;
}

/** A server may have less room than it had told. A call that had begun is not made twice. */
function hasNoRoom({ status, headers }: Response): boolean {
  return [429, 503].includes(status) && !headers.has('x-browser-ms-used');
}

/**
 * Has another server answer a call for which there is no room here.
 * @param isLocal true when this server has what the call needs
 * @throws the error when there is none either
 */
export async function answerOverflow(call: Call, sent: unknown, isLocal: boolean, error: unknown): Promise<Response> {
  const { cluster, clusterRegistry: registry } = call.services.control;
  const isFull = toServiceError(error).code === 'queue-full';
  if (!cluster || !registry || call.sender || isLocal || !isFull) throw error;
  const node = await orAborted(registry.other(), call.signal);
  if (node === undefined) throw error;
  const response = await passOn(call, sent, node).catch(undefinedIfGone);
  if (!response) throw error;
  call.record(undefined, response.status);
  return response;
}

/**
 * Has the server with the fewest sessions make one, which takes a slot when its first client comes.
 * @param sent the body
 * @returns undefined when this server is to make it
 */
export async function makeElsewhere(call: Call, sent: unknown): Promise<Response | undefined> {
  const { cluster, clusterRegistry: registry } = call.services.control;
  if (!cluster || !registry || call.sender) return undefined;
  const node = await orAborted(registry.roomiest(), call.signal);
  return cluster.isOther(node) ? passOn(call, sent, node).catch(undefinedIfGone) : undefined;
}

/**
 * Has another server answer a call whose body was read.
 * @param sent the body
 * @throws ServiceError `node-gone`, `node-unreachable`; the signal's reason
 */
export async function passOn(call: Call, sent: unknown, node: string, claim?: string): Promise<Response> {
  const { request, address: client, services } = call;
  const headers = new Headers(request.headers);
  // Those of the body as it came.
  for (const each of ['content-length', 'content-encoding', 'transfer-encoding']) headers.delete(each);
  headers.set('content-type', 'application/json');
  const { method, url } = request;
  const again = new Request(url, { method, headers, body: JSON.stringify(sent), signal: request.signal });
  const response = await services.control.cluster?.passOn(node, { request: again, client, claim });
  if (!response) throw nodeGone();
  return response;
}

/**
 * Joins the client with a browser of the server that has most room.
 * @param isLocal true when this server has what the call needs
 * @returns undefined when this server is to start the browser itself
 * @throws ServiceError as `claimSlot`
 */
export async function joinElsewhere(
  call: Call,
  upgrade: ClientUpgrade,
  isLocal: boolean,
): Promise<Response | undefined> {
  const { request, address: client } = call;
  const joined = await tryServers(call, isLocal, (cluster, { node, id }) =>
    cluster.passUpgradeOn(node, { request, client, claim: id }, upgrade),
  );
  if (joined === undefined || joined instanceof Response) return joined;
  void joined.ended.then(() => call.record(undefined, 101));
  return new Response(null);
}

/** Another server takes the call when one has gone. @throws every other error */
function undefinedIfGone(error: unknown): undefined {
  const { code } = toServiceError(error);
  if (!['node-gone', 'node-unreachable'].includes(code)) throw error;
}
