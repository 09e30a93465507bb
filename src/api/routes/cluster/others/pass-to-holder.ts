/** Forwards a request whose body names a stored profile to the cluster node that holds the profile. */
import { toServiceError } from '../../../../base/errors.ts';
import { orAborted } from '../../../../base/runtime/deadline.ts';
import type { Call } from '../../pipeline/call.ts';
import { forwardRequest } from '../../pipeline/elsewhere.ts';

/**
 * @param name name of the profile
 * @param body the parsed JSON body
 * @returns undefined if this node should handle the request: it holds the profile itself, or no node does
 * @throws ServiceError `unauthorized`, `vault-closed`, `vault-damaged`, `node-gone`, `node-unreachable`
 */
export async function forwardToHolder(call: Call, name: string, body: unknown): Promise<Response | undefined> {
  const { request, services, address: client } = call;
  const { cluster } = services.control;
  const { profiles } = services.sessions;
  if (!cluster || call.sender) return undefined;
  const finding = profiles.find(await orAborted(call.owner(), call.signal), name);
  const isHere = finding.then(() => true, falseIfMissing);
  if (await orAborted(isHere, call.signal)) return undefined;
  const node = await cluster.holderOf({ kind: 'profile', name }, { request, client });
  if (node === undefined) return undefined;
  return forwardRequest(call, body, node);
}

function falseIfMissing(error: unknown): false {
  if (toServiceError(error).code === 'not-found') return false;
  throw error;
}
