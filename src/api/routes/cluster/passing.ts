/**
 * Determines which other cluster node, if any, a request must be forwarded to because it holds the requested resource.
 */
import type { Cluster, ForwardedRequest } from '../../../control/cluster/cluster.ts';
import { holdsPath, namePath, nodeGone } from '../../../control/cluster/nodes.ts';
import type { Sender } from '../../../control/cluster/node-header.ts';
import { resourceOf } from '../../../control/cluster/subject.ts';
import { dashboardPlace } from '../dashboard/guard.ts';
import { docsPlace } from '../docs/readers.ts';
import { nodeOf, nodeOfKey } from '../../../base/runtime/ids.ts';
import { Call } from '../pipeline/call.ts';
import type { Services } from '../pipeline/services.ts';
import { reservedPageId } from '../sessions/devtools.ts';
import { signInCookie } from '../sign-in/sign-in.ts';
import { holdsSubject } from './questions.ts';

/** A request before it is routed. */
export interface ForwardableRequest extends ForwardedRequest {
  cluster: Cluster;
  /** The path as the router decodes it. */
  path: string;
  url: URL;
  /** The cluster node that forwarded the request. */
  sender: Sender | undefined;
  /** Whether the request is for a page or a file of the documentation. */
  isDocs: boolean;
}

/** Paths of live views and recordings, including everything their pages request: the id in them is the key. */
const keyPaths = /^\/(?:live|player)(?:\/|$)/;
/**
 * The name of the node to forward a request to; undefined if this node handles it itself.
 * @throws ServiceError `node-gone` for a request that another node forwarded to the wrong node; the abort reason of the
 *   request's signal
 */
export async function nodeFor(asked: ForwardableRequest, services: Services): Promise<string | undefined> {
  const { cluster, path, url, sender, request } = asked;
  // Never forward queries between nodes: forwarding would sign a client's request.
  if (path === namePath || path === holdsPath) return undefined;
  const { id, node } = idInPath(path, url) ?? {};
  const arrival = { request, url, address: asked.client, parameter: () => '' };
  if (cluster.isOther(node)) {
    if (sender) throw nodeGone();
    // Anyone with the link of a live view or a recording has access.
    if (keyPaths.test(path)) return node;
    const signedIn = await signInNode(asked);
    if (signedIn !== undefined) return signedIn;
    using call = new Call({ route: 'cluster', counted: false }, arrival, services);
    if (hasToken(call)) return node;
    // Only the node of a kept browser knows the browser's token. Other clients are refused here.
    return call.credential === undefined || id === undefined
      ? undefined
      : cluster.guestHolderOf({ kind: 'session', name: id }, asked, node);
  }
  if (node !== undefined || sender) return undefined;
  const signedIn = await signInNode(asked);
  if (signedIn !== undefined) return signedIn;
  const subject = resourceOf(path, url.searchParams);
  if (!subject || (subject.kind === 'page' && reservedPageId.test(subject.name))) return undefined;
  using call = new Call({ route: 'cluster', counted: false }, arrival, services);
  if (await holdsSubject(call, subject)) return undefined;
  if (hasToken(call)) return cluster.holderOf(subject, asked);
  // The token of a kept browser gives access to its pages; only the node of the browser knows that token.
  return subject.kind === 'page' && call.credential !== undefined ? cluster.guestHolderOf(subject, asked) : undefined;
}

/** The first id in a path, and the name of the node that generated it. */
function idInPath(path: string, { searchParams }: URL): { id: string; node: string } | undefined {
  const segments = path.split('/');
  const keys = keyPaths.test(path) ? [...segments, ...searchParams.getAll('i')] : [];
  const ids = [...segments.map((id) => ({ id, node: nodeOf(id) })), ...keys.map((id) => ({ id, node: nodeOfKey(id) }))];
  return ids.flatMap(({ id, node }) => (node === undefined ? [] : [{ id, node }]))[0];
}

/** True if the client has a valid token. Other clients must not cause queries between nodes: this node refuses them. */
function hasToken({
  credential,
  services: {
    control: { accounts },
  },
}: Call): boolean {
  return !accounts.requiresToken || accounts.accepts(credential);
}

/** The node where the reader of a page signed in; undefined if it no longer exists, so that people sign in again. */
async function signInNode({ cluster, path, request, isDocs }: ForwardableRequest): Promise<string | undefined> {
  const place = /^\/dashboard(?:\/|$)/.test(path) ? dashboardPlace : isDocs ? docsPlace : undefined;
  const id = place && signInCookie(request, place);
  const node = id === undefined ? undefined : nodeOfKey(id);
  return cluster.isOther(node) && (await cluster.isThere(node, request.signal)) ? node : undefined;
}
