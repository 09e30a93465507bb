/**
 * `/secrets` and `/secret/{name}`: stores the secrets that BrowserQL types with `loadSecret`
 * (compatibility.mdx#profiles).
 */
import * as v from 'valibot';
import { profileLimits } from '../../../base/limits.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { json, noContent } from '../../../base/schema/response/responses.ts';
import { secret, secretList } from '../../../base/schema/response/profiles.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { listOf } from '../../../base/schema/request/primitives.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import { ServiceError } from '../../../base/errors.ts';
import { readJsonBody } from '../http/body.ts';
import { jsonResponse } from '../http/json-response.ts';
import { requireMatch } from '../http/match.ts';
import { directRoute } from '../pipeline/route.ts';
import { ownerOf } from './profiles.ts';
import { originOf } from '../../../sessions/profiles/state.ts';

const origin = v.pipe(
  v.string(),
  v.check(
    (text) => originOf(text) !== undefined,
    'must be an http or https origin without a path, such as https://shop.example.com',
  ),
  v.transform((text) => originOf(text)?.origin ?? text),
);

const secretBody = v.strictObject({
  value: v.pipe(
    v.string(),
    v.nonEmpty(),
    v.maxLength(profileLimits.secretCharacters),
    v.check((text) => text.isWellFormed(), 'must be well-formed Unicode'),
    v.metadata({ secret: true }),
    v.description('The text to type.'),
  ),
  origins: v.pipe(
    listOf(origin, profileLimits.secretOrigins),
    v.minLength(1, 'must name at least one origin'),
    v.description('Origins whose pages may receive the secret, such as https://shop.example.com.'),
  ),
});

const vaultErrors = ['vault-closed', 'vault-damaged'] as const;

export const listSecrets = directRoute('profiles', 'GET /secrets', {
  summary: 'Stored secrets',
  description: 'Lists the stored secrets of the token, without their values.',
  query: tokenQuery,
  answers: [json(secretList)],
  errors: vaultErrors,
  async handle(call) {
    return jsonResponse(await orAborted(call.services.sessions.secrets.list(await ownerOf(call)), call.signal));
  },
});

export const putSecret = directRoute('profiles', 'PUT /secret/:name', {
  subject: 'secret',
  summary: 'Store a secret',
  description: 'Stores a secret that loadSecret can type.',
  query: tokenQuery,
  body: secretBody,
  example: { value: 'correct horse battery staple', origins: ['https://shop.example.com'] },
  answers: [json(secret)],
  errors: ['storage-full', ...vaultErrors],
  async handle(call) {
    const { request, services } = call;
    requireMatch({ name: 'secret', answers: ['application/json'] }, request);
    const name = call.parameter('name');
    requireName(name);
    const body = parseBody(secretBody, await readJsonBody(request, services.config.MAX_PAYLOAD_SIZE));
    return jsonResponse(await orAborted(services.sessions.secrets.put(await ownerOf(call), name, body), call.signal));
  },
});

export const deleteSecret = directRoute('profiles', 'DELETE /secret/:name', {
  subject: 'secret',
  summary: 'Remove a secret',
  description: 'Removes a stored secret of the token.',
  query: tokenQuery,
  answers: [noContent],
  errors: ['not-found', ...vaultErrors],
  async handle(call) {
    await orAborted(call.services.sessions.secrets.remove(await ownerOf(call), call.parameter('name')), call.signal);
    return new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain' } });
  },
});

/** Names may be references to other vaults, such as op://Vault/Item/field. @throws ServiceError `bad-request` */
function requireName(name: string): void {
  const { nameCharacters } = profileLimits;
  // oxlint-disable-next-line eslint/no-control-regex -- characters that a name must not have
  if (name !== '' && name.length <= nameCharacters && !/[\0-\x1f\x7f]/.test(name)) return;
  throw new ServiceError(
    'bad-request',
    `The name of a secret must have 1 to ${nameCharacters} characters, without control characters.`,
  );
}
