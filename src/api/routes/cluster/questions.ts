/** Serves the routes that cluster nodes use to query each other: their names, and what they hold. */
import * as v from 'valibot';
import { holdsPath, namePath, type ResourceRef, resourceKinds } from '../../../control/cluster/nodes.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { parseQuery } from '../../../base/schema/parse.ts';
import type { Call } from '../pipeline/call.ts';
import { uiRoute } from '../pipeline/route.ts';
import { queryForPage, sessionWithPage } from '../sessions/devtools.ts';
import { authorizedSession } from '../sessions/session-auth.ts';
import { trackedSession } from '../sessions/list.ts';
import { storedRecording } from '../recordings/recordings.ts';

const nameQuery = v.object({ nonce: v.pipe(v.string(), v.uuid()) });
const holdsQuery = v.object({ kind: v.picklist(resourceKinds), name: v.string() });

export const clusterRoutes = [
  uiRoute(`GET ${namePath}`, {
    auth: requireServer,
    handle({ services, url }) {
      const { nonce } = parseQuery(nameQuery, url.searchParams);
      return Response.json(services.control.cluster?.introduce(nonce));
    },
  }),
  uiRoute(`GET ${holdsPath}`, {
    auth: requireServer,
    async handle(call) {
      const subject = parseQuery(holdsQuery, call.url.searchParams);
      const holds = (await holdsSubject(call, subject)) || (await hasNewPage(call, subject));
      return Response.json({ node: call.services.control.cluster?.node, holds });
    },
  }),
];

/** @throws ServiceError `forbidden-caller` unless the request is from a cluster node */
function requireServer({ request, services }: Call): void {
  if (services.control.cluster?.senderOf(request)) return;
  throw new ServiceError(
    'forbidden-caller',
    'Only servers of this cluster may use this route. X-Browserd-Node is missing, or its time differs from the clock of this server by more than a minute, or it is signed with a different CLUSTER_SECRET.',
  );
}

/** Whether a browser of the account has a page that is too new to have been reported. */
async function hasNewPage(call: Call, { kind, name }: ResourceRef): Promise<boolean> {
  if (kind !== 'page' || !call.services.control.accounts.accepts(call.credential)) return false;
  call.authenticate();
  return (await queryForPage(call, name)) !== undefined;
}

/** Whether the token of a request gives access to a session or a browser on this node. */
function mayUseSession(call: Call, id: string): boolean {
  try {
    return authorizedSession(call.services.sessions.registry.find(id), call) !== undefined;
  } catch {
    return false;
  }
}

/** Whether this node holds the resource of a request, and the client may know about it. */
export async function holdsSubject(call: Call, { kind, name }: ResourceRef): Promise<boolean> {
  // Knowing the id of a page or a recording reveals no more here than the request itself would.
  if (kind === 'session') return mayUseSession(call, name);
  if (kind === 'page') return sessionWithPage(call, name) !== undefined;
  if (kind === 'recording') return (await storedRecording(call, name)) !== undefined;
  try {
    call.authenticate();
    if (kind === 'tracking-id') return trackedSession(name, call) !== undefined;
    const owner = await call.owner();
    if (kind === 'secret') return (await call.services.sessions.secrets.find(owner, name)) !== undefined;
    return (await call.services.sessions.profiles.find(owner, name)) !== undefined;
  } catch (error) {
    const { code } = toServiceError(error);
    // The vault may be closed: the request itself reports that.
    if (['not-found', 'unauthorized', 'not-in-plan', 'quota', 'vault-closed'].includes(code)) return false;
    throw error;
  }
}
