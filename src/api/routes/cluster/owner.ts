/**
 * Finds the cluster node that must answer a request because it has what the request names, and forwards the request
 * there.
 */
import type { Cluster } from '../../../control/cluster/cluster.ts';
import { nodeGone } from '../../../control/cluster/nodes.ts';
import { nodeOf, nodeOfKey } from '../../../base/runtime/ids.ts';
import type { Outlet } from '../../../base/runtime/http/outlets.ts';
import type { ClientUpgrade } from '../../../base/runtime/http/upgrade.ts';
import { refuseWhileDraining } from '../pipeline/admission.ts';
import { Call, type IncomingRequest } from '../pipeline/call.ts';
import { acceptFrom } from '../pipeline/elsewhere.ts';
import type { Endpoint } from '../pipeline/handle-call.ts';
import type { Subject } from '../pipeline/route.ts';
import type { Services } from '../pipeline/services.ts';
import { reservedPageId } from '../sessions/devtools.ts';
import { signInCookie } from '../sign-in/sign-in.ts';
import { holdsSubject } from './questions.ts';

/** A request, and how it is answered. */
type Arrival = IncomingRequest<Outlet | ClientUpgrade>;

interface Named {
  kind: Subject;
  name: string;
}

/**
 * Forwards a request to the node that has what it names, and answers it.
 * @returns undefined if this node answers the request itself
 * @throws ServiceError `stopping`, `node-gone`, `node-unreachable`; the abort reason of the request's signal
 */
export async function answerAtOwner(
  endpoint: Endpoint<never>,
  arrival: Arrival,
  cluster: Cluster,
  services: Services,
): Promise<Response | undefined> {
  const node = await ownerOf(endpoint, arrival, cluster, services);
  if (node === undefined) return undefined;
  refuseWhileDraining(services);
  const { request, address: client, output } = arrival;
  if (!('accept' in output)) return cluster.forward(node, { request, client });
  const passed = await cluster.forwardUpgrade(node, { request, client }, (opened) =>
    acceptFrom(opened, output, services),
  );
  return passed instanceof Response ? passed : new Response(null);
}

/** The name of another node that must answer a request; undefined if this node answers it. */
async function ownerOf(
  endpoint: Endpoint<never>,
  arrival: Arrival,
  cluster: Cluster,
  services: Services,
): Promise<string | undefined> {
  const { request, sender, address: client } = arrival;
  const named = namedBy(endpoint, arrival);
  const node = named && nodeIn(named);
  const isElsewhere = cluster.isOther(node);
  if (sender && isElsewhere) throw nodeGone();
  if (sender || (node !== undefined && !isElsewhere)) return undefined;
  // Anyone with the link of a live view or a recording has access.
  if (named?.kind === 'link') return node;
  const signedIn = await signInNode(endpoint, request, cluster);
  if (signedIn !== undefined) return signedIn;
  if (!named) return undefined;
  const { kind, name } = named;
  using call = new Call({ route: 'cluster', counted: false }, arrival, services);
  if (node !== undefined) {
    if (hasToken(call)) return node;
    // Only the node of a kept browser knows the browser's token. Other clients are refused here.
    if (call.credential === undefined) return undefined;
    return cluster.guestHolderOf({ kind: 'session', name }, { request, client }, node);
  }
  if (kind === 'session' || (await holdsSubject(call, { kind, name }))) return undefined;
  if (hasToken(call)) return cluster.holderOf({ kind, name }, { request, client });
  // The token of a kept browser gives access to its pages; only the node of the browser knows that token.
  if (kind !== 'page' || call.credential === undefined) return undefined;
  return cluster.guestHolderOf({ kind, name }, { request, client });
}

/** What a request names; undefined for a request that any node can answer. */
function namedBy(
  { route, subject, usesProfile }: Endpoint<never>,
  { parameter, url: { searchParams: query } }: Arrival,
): Named | undefined {
  const inPath = /:(\w+)/.exec(route)?.[1];
  const name = inPath === undefined ? query.get('i') : parameter(inPath);
  if (subject === 'page' && reservedPageId.test(name ?? '')) return undefined;
  if (subject === 'tracking-id' && name === 'all') return undefined;
  if (subject !== undefined && name !== null) return { kind: subject, name };
  const profile = usesProfile ? query.get('profile') : null;
  return profile ? { kind: 'profile', name: profile } : undefined;
}

/** The name of the node that created the id or key in a request. People choose the names of profiles and secrets. */
function nodeIn({ kind, name }: Named): string | undefined {
  if (kind === 'link') return nodeOfKey(name);
  return kind === 'profile' || kind === 'secret' ? undefined : nodeOf(name);
}

/** True if the client has a valid token. Other clients must not cause queries between nodes: this node refuses them. */
function hasToken({ credential, services }: Call): boolean {
  const { accounts } = services.control;
  return !accounts.requiresToken || accounts.accepts(credential);
}

/** The node where the reader of a page signed in; undefined if it no longer exists, so that people sign in again. */
async function signInNode(
  { signIn }: Endpoint<never>,
  request: Request,
  cluster: Cluster,
): Promise<string | undefined> {
  const id = signIn && signInCookie(request, signIn);
  const node = id === undefined ? undefined : nodeOfKey(id);
  return cluster.isOther(node) && (await cluster.isThere(node, request.signal)) ? node : undefined;
}
