/**
 * `/profiles` and `/profile/{name}`: lists, shows, renames, and removes stored profiles (compatibility.mdx#profiles).
 */
import { orAborted } from '../../../base/runtime/deadline.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { removedProfile } from '../../../base/schema/response/profiles.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import { readJsonBody } from '../http/body.ts';
import { jsonResponse } from '../http/json-response.ts';
import { requireMatch } from '../http/match.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { listAnswers, listQuery, profileAnswers, renameBody } from './fields.ts';

const vaultErrors = ['vault-closed', 'vault-damaged'] as const;

export const listProfiles = directRoute('profiles', 'GET /profiles', {
  summary: 'Stored profiles',
  description: 'Lists the stored profiles of the token.',
  query: listQuery,
  answers: listAnswers,
  errors: ['invalid-query', ...vaultErrors],
  async handle(call, { limit, offset }) {
    const all = await orAborted(call.services.sessions.profiles.list(await ownerOf(call)), call.signal);
    return jsonResponse(all.slice(offset, offset + limit));
  },
});

export const getProfile = directRoute('profiles', 'GET /profile/:name', {
  subject: 'profile',
  summary: 'A stored profile',
  description: 'Describes a stored profile of the token.',
  query: tokenQuery,
  answers: profileAnswers,
  errors: ['not-found', ...vaultErrors],
  async handle(call) {
    const finding = call.services.sessions.profiles.find(await ownerOf(call), call.parameter('name'));
    return jsonResponse(await orAborted(finding, call.signal));
  },
});

export const renameProfile = directRoute('profiles', 'PUT /profile/:name', {
  subject: 'profile',
  summary: 'Rename a stored profile',
  description: 'Renames a stored profile of the token.',
  query: tokenQuery,
  body: renameBody,
  example: { name: 'shop-2' },
  answers: profileAnswers,
  errors: ['not-found', 'storage-full', ...vaultErrors],
  async handle(call) {
    const { request, services } = call;
    requireMatch({ name: 'profile', answers: ['application/json'] }, request);
    const { name } = parseBody(renameBody, await readJsonBody(request, services.config.MAX_PAYLOAD_SIZE));
    const renaming = services.sessions.profiles.rename(await ownerOf(call), call.parameter('name'), name);
    return jsonResponse(await orAborted(renaming, call.signal));
  },
});

export const deleteProfile = directRoute('profiles', 'DELETE /profile/:name', {
  subject: 'profile',
  summary: 'Remove a stored profile',
  description: 'Removes a stored profile of the token.',
  query: tokenQuery,
  answers: [json(removedProfile)],
  errors: ['not-found', ...vaultErrors],
  async handle(call) {
    const name = call.parameter('name');
    await orAborted(call.services.sessions.profiles.remove(await ownerOf(call), name), call.signal);
    return jsonResponse({ success: true, message: 'The profile was removed.', name });
  },
});

/** @throws ServiceError `unauthorized` */
export function ownerOf(call: Call): Promise<string> {
  return orAborted(call.owner(), call.signal);
}
