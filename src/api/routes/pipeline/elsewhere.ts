/** Forwards requests to the cluster node with the most free capacity, or to another node when this one is full. */
import type { Cluster } from '../../../control/cluster/cluster.ts';
import { nodeGone } from '../../../control/cluster/nodes.ts';
import type { Claim } from '../../../control/cluster/registry/leases.ts';
import { toServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import type { OpenedSocket } from '../../../base/runtime/http/socket-bridge.ts';
import type { TextSocket } from '../../../base/runtime/http/text-socket.ts';
import type { ClientUpgrade } from '../../../base/runtime/http/upgrade.ts';
import type { Call } from './call.ts';
import type { Services } from './services.ts';
import { graceMs } from './read-request.ts';
import { claimSlot } from './cluster-claims.ts';

/** Maximum number of nodes to try for one request. */
const maxTries = 3;
/** Longest message from a client whose socket another node has; that node may have a lower limit. */
const maxMessageBytes = 100 * 2 ** 20;
/** A client with more unread bytes than this is too slow when it is sent another message. */
const maxUnreadBytes = 2 ** 24;

/**
 * Forwards a request to the node with the most free capacity.
 * @param body the parsed body
 * @param isLocal true if only this node has what the request needs
 * @returns undefined if this node should handle the request
 * @throws the errors documented for `claimSlot`
 */
export async function forwardJob(call: Call, body: unknown, isLocal: boolean): Promise<Response | undefined> {
  const response = await tryNodes(call, isLocal, (_cluster, { node, id }) => forwardRequest(call, body, node, id));
  if (response) call.record(undefined, response.status);
  return response;
}

/**
 * Tries the nodes with the most free capacity, one at a time, until one with a free slot responds.
 * @param send sends the request to a node, using the claimed slot
 * @returns undefined if this node has the most free capacity, or if none of the nodes tried had any
 * @throws the errors documented for `claimSlot`, and those that `ask` throws
 */
async function tryNodes<Joined>(
  call: Call,
  isLocal: boolean,
  send: (cluster: Cluster, claim: Claim) => Promise<Response | Joined>,
): Promise<Response | Joined | undefined> {
  const { cluster, clusterRegistry: registry } = call.services.control;
  if (!cluster || !registry || call.sender) return undefined;
  const triedNodes: string[] = [];
  while (triedNodes.length < maxTries) {
    const claim = await claimSlot(call, isLocal, triedNodes);
    if (claim === undefined || claim.node === cluster.node) {
      call.claim = claim?.id;
      return undefined;
    }
    const outcome = await orAborted(send(cluster, claim), call.signal, graceMs).catch((error: unknown) => {
      void registry.leases.release(claim);
      return ignoreLostNode(error);
    });
    triedNodes.push(claim.node);
    if (!(outcome instanceof Response)) {
      if (outcome !== undefined) return outcome;
      continue;
    }
    // The node may have refused the request before it knew about the claim.
    if (!outcome.ok) void registry.leases.release(claim);
    if (!isAtCapacity(outcome)) return outcome;
    void outcome.body?.cancel();
  }
  return undefined;
}

/** True if a node has less free capacity than it reported. A request that has already started is not retried. */
function isAtCapacity({ status, headers }: Response): boolean {
  return [429, 503].includes(status) && !headers.has('x-browser-ms-used');
}

/**
 * Forwards a request to another node because this one is full.
 * @param isLocal true if only this node has what the request needs
 * @throws the error if no other node has capacity either
 */
export async function forwardOverflow(call: Call, body: unknown, isLocal: boolean, error: unknown): Promise<Response> {
  const { cluster, clusterRegistry: registry } = call.services.control;
  const isFull = toServiceError(error).code === 'queue-full';
  if (!cluster || !registry || call.sender || isLocal || !isFull) throw error;
  const node = await orAborted(registry.other(), call.signal);
  if (node === undefined) throw error;
  const response = await forwardRequest(call, body, node).catch(ignoreLostNode);
  if (!response) throw error;
  call.record(undefined, response.status);
  return response;
}

/**
 * Has the node with the fewest sessions create a session, which takes a slot when its first client connects.
 * @param body the parsed body
 * @returns undefined if this node should create it
 */
export async function forwardSession(call: Call, body: unknown): Promise<Response | undefined> {
  const { cluster, clusterRegistry: registry } = call.services.control;
  if (!cluster || !registry || call.sender) return undefined;
  const node = await orAborted(registry.leastLoaded(), call.signal);
  return cluster.isOther(node) ? forwardRequest(call, body, node).catch(ignoreLostNode) : undefined;
}

/**
 * Forwards a request whose body has already been read to another node.
 * @param body the parsed body
 * @throws ServiceError `node-gone`, `node-unreachable`; the abort reason of the request's signal
 */
export async function forwardRequest(call: Call, body: unknown, node: string, claim?: string): Promise<Response> {
  const { request, address: client, services } = call;
  const headers = new Headers(request.headers);
  // These headers describe the body as it was received.
  for (const each of ['content-length', 'content-encoding', 'transfer-encoding']) headers.delete(each);
  headers.set('content-type', 'application/json');
  const { method, url } = request;
  const forwarded = new Request(url, { method, headers, body: JSON.stringify(body), signal: request.signal });
  const response = await services.control.cluster?.forward(node, { request: forwarded, client, claim });
  if (!response) throw nodeGone();
  return response;
}

/**
 * Connects the client to a browser on the node with the most free capacity.
 * @param isLocal true if only this node has what the request needs
 * @returns undefined if this node should start the browser itself
 * @throws the errors documented for `claimSlot`
 */
export async function forwardSocket(
  call: Call,
  upgrade: ClientUpgrade,
  isLocal: boolean,
): Promise<Response | undefined> {
  const { request, address: client } = call;
  const joined = await tryNodes(call, isLocal, (cluster, { node, id }) =>
    cluster.forwardUpgrade(node, { request, client, claim: id }, (opened) =>
      acceptFrom(opened, upgrade, call.services),
    ),
  );
  if (joined === undefined || joined instanceof Response) return joined;
  void joined.ended.then(() => call.record(undefined, 101));
  return new Response(null);
}

/** Headers of a 101 response that this server writes itself. */
const ownOf101 = new Set(['upgrade', 'connection', 'sec-websocket-accept', 'sec-websocket-protocol']);

/**
 * Opens the socket of a client whose handshake another node has answered with these headers.
 * @throws Error when the client has disconnected
 */
export function acceptFrom(
  { protocol, headers }: OpenedSocket,
  upgrade: ClientUpgrade,
  { config }: Services,
): TextSocket {
  const own = Object.entries(headers).filter(([name]) => !ownOf101.has(name));
  upgrade.headers = () => Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
  return upgrade.accept(protocol === undefined ? [] : [protocol], {
    messageBytes: Math.max(maxMessageBytes, config.MAX_PAYLOAD_SIZE),
    unreadBytes: maxUnreadBytes,
  });
}

/** Ignores the loss of a node, so that another one is tried. @throws every other error */
function ignoreLostNode(error: unknown): undefined {
  const { code } = toServiceError(error);
  if (!['node-gone', 'node-unreachable'].includes(code)) throw error;
}
