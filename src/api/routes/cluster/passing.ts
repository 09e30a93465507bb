/** Finds out whether another server of the cluster has what a call is about, and passes the call on to it. */
import type { Cluster, Passed } from '../../../control/cluster/cluster.ts';
import { holdsPath, namePath, nodeGone } from '../../../control/cluster/nodes.ts';
import type { Sender } from '../../../control/cluster/node-header.ts';
import { subjectOf } from '../../../control/cluster/subject.ts';
import { dashboardPlace } from '../dashboard/guard.ts';
import { docsPlace } from '../docs/readers.ts';
import { nodeOf, nodeOfKey } from '../../../base/runtime/ids.ts';
import { Call } from '../pipeline/call.ts';
import type { Services } from '../pipeline/services.ts';
import { promisedPage } from '../sessions/devtools.ts';
import { signInCookie } from '../sign-in/sign-in.ts';
import { holdsSubject } from './questions.ts';

/** A call before it is routed. */
export interface PassedCall extends Passed {
  cluster: Cluster;
  /** As the router reads it. */
  path: string;
  url: URL;
  /** The server of the cluster that has passed it on. */
  sender: Sender | undefined;
  /** Whether it asks for a page or a file of the documentation. */
  isDocs: boolean;
}

/** Pages of live views and recordings, and all that they ask for: who knows their keys may. */
const keyPaths = /^\/(?:live|player)(?:\/|$)/;
/**
 * The name of the server that a call is passed on to; undefined for one that this server answers itself.
 * @throws ServiceError `node-gone` for a call that another server has passed on to the wrong one; the reason of the
 *   request's signal
 */
export async function nodeFor(asked: PassedCall, services: Services): Promise<string | undefined> {
  const { cluster, path, url, sender, request } = asked;
  // What servers ask each other is for the one that is asked: passed on, a caller's request would be signed.
  if (path === namePath || path === holdsPath) return undefined;
  const { id, node } = idInPath(path, url) ?? {};
  const arrival = { request, url, address: asked.client, parameter: () => '' };
  if (cluster.isOther(node)) {
    if (sender) throw nodeGone();
    // Who has the link of a live view or a recording may come.
    if (keyPaths.test(path)) return node;
    const signedIn = await signInNode(asked);
    if (signedIn !== undefined) return signedIn;
    using call = new Call({ route: 'cluster', counted: false }, arrival, services);
    if (hasToken(call)) return node;
    // The token of a browser that is kept is known to its server alone. Others are refused here.
    return call.credential === undefined || id === undefined
      ? undefined
      : cluster.guestHolderOf({ kind: 'session', name: id }, asked, node);
  }
  if (node !== undefined || sender) return undefined;
  const signedIn = await signInNode(asked);
  if (signedIn !== undefined) return signedIn;
  const subject = subjectOf(path, url.searchParams);
  if (!subject || (subject.kind === 'page' && promisedPage.test(subject.name))) return undefined;
  using call = new Call({ route: 'cluster', counted: false }, arrival, services);
  if (await holdsSubject(call, subject)) return undefined;
  if (hasToken(call)) return cluster.holderOf(subject, asked);
  // The token of a browser that is kept lets its holder come to its pages; only the server that has it knows that token.
  return subject.kind === 'page' && call.credential !== undefined ? cluster.guestHolderOf(subject, asked) : undefined;
}

/** The first id in a path, and the name of the server that has made it. */
function idInPath(path: string, { searchParams }: URL): { id: string; node: string } | undefined {
  const segments = path.split('/');
  const keys = keyPaths.test(path) ? [...segments, ...searchParams.getAll('i')] : [];
  const ids = [...segments.map((id) => ({ id, node: nodeOf(id) })), ...keys.map((id) => ({ id, node: nodeOfKey(id) }))];
  return ids.flatMap(({ id, node }) => (node === undefined ? [] : [{ id, node }]))[0];
}

/** Strangers must not have the servers ask each other: this server refuses them. */
function hasToken({
  credential,
  services: {
    control: { accounts },
  },
}: Call): boolean {
  return !accounts.asksForToken || accounts.accepts(credential);
}

/** The server where the reader of a page has signed in; undefined when it is gone: people sign in again. */
async function signInNode({ cluster, path, request, isDocs }: PassedCall): Promise<string | undefined> {
  const place = /^\/dashboard(?:\/|$)/.test(path) ? dashboardPlace : isDocs ? docsPlace : undefined;
  const id = place && signInCookie(request, place);
  const node = id === undefined ? undefined : nodeOfKey(id);
  return cluster.isOther(node) && (await cluster.isThere(node, request.signal)) ? node : undefined;
}
