/** `POST /profile/upload` and `POST /profile/refresh`: stores a client's cookies and storage. */
import { orAborted } from '../../../base/runtime/deadline.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import type { ProfileEntry } from '../../../sessions/profiles/profiles.ts';
import type { ProfileState } from '../../../sessions/profiles/state.ts';
import { readJsonBody } from '../http/body.ts';
import { jsonResponse } from '../http/json-response.ts';
import { requireMatch } from '../http/match.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { forwardToHolder } from '../cluster/others/pass-to-holder.ts';
import { savedResponses, stateBody } from './fields.ts';
import { ownerOf } from './profiles.ts';

const common = {
  query: tokenQuery,
  body: stateBody,
  answers: savedResponses,
  example: {
    name: 'shop',
    state: {
      cookies: [{ name: 'session', value: 'abc', domain: 'shop.example.com', path: '/', secure: true }],
      origins: [{ origin: 'https://shop.example.com', localStorage: [{ name: 'theme', value: 'dark' }] }],
    },
  },
} as const;

export const uploadProfile = directRoute('profiles', 'POST /profile/upload', {
  ...common,
  summary: 'Store a profile',
  description: 'Creates a stored profile from Playwright’s storageState.',
  errors: ['storage-full', 'vault-closed', 'vault-damaged', 'node-gone', 'node-unreachable'],
  handle: (call) => save(call, (owner, name, state) => call.services.sessions.profiles.create(owner, name, state)),
});

export const refreshProfile = directRoute('profiles', 'POST /profile/refresh', {
  ...common,
  summary: 'Replace a stored profile',
  description: 'Replaces the content of a stored profile.',
  errors: ['not-found', 'storage-full', 'vault-closed', 'vault-damaged', 'node-gone', 'node-unreachable'],
  handle: (call) => save(call, (owner, name, state) => call.services.sessions.profiles.refresh(owner, name, state)),
});

async function save(call: Call, store: (owner: string, name: string, state: ProfileState) => Promise<ProfileEntry>) {
  const { request, services, signal } = call;
  // Any web page can send a form or text; for JSON its browser asks the server first (CORS preflight).
  requireMatch({ name: 'profile', answers: ['application/json'] }, request);
  await orAborted(services.sessions.profiles.open(), signal);
  const sent = await readJsonBody(request, services.config.MAX_PAYLOAD_SIZE);
  const { name, state: given } = parseBody(stateBody, sent);
  const passed = await forwardToHolder(call, name, sent);
  if (passed) return passed;
  const { readState } = await orAborted(import('../../../sessions/profiles/state.ts'), signal);
  const { state, leftOut } = readState(given, services.network.policy);
  return jsonResponse({ ...(await orAborted(store(await ownerOf(call), name, state), signal)), ...leftOut });
}
