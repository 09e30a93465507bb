/**
 * `POST /profile`: creates a session to log in, whose browser is then saved as a profile (compatibility.mdx#profiles).
 */
import { featuresOfSession, featuresOfSwitches } from '../../../base/account/requested-features.ts';
import { displayAvailable } from '../../../browser/processes/display/display.ts';
import { profileLimits } from '../../../base/limits.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { json } from '../../../base/schema/response/responses.ts';
import { profileLogin } from '../../../base/schema/response/profiles.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { tokenQuery } from '../../../base/schema/request/query.ts';
import { readJsonBody } from '../http/body.ts';
import { jsonResponse } from '../http/json-response.ts';
import { requireMatch } from '../http/match.ts';
import { maxReconnectTime, refuseWhileDraining } from '../pipeline/admission.ts';
import { directRoute } from '../pipeline/route.ts';
import { forwardToHolder } from '../cluster/others/pass-to-holder.ts';
import { addressesOf, makeSession } from '../sessions/stored-sessions.ts';
import { loginBody } from './fields.ts';
import { ownerOf } from './profiles.ts';

export const loginForProfile = directRoute('profiles', 'POST /profile', {
  summary: 'Create a session to log in',
  description: 'Creates a 10-minute session for a person to log in; Browserless.saveProfile then saves the profile.',
  query: tokenQuery,
  body: loginBody,
  example: { name: 'shop' },
  answers: [json(profileLogin)],
  errors: [
    'browser-missing',
    'too-many-sessions',
    'session-rate',
    'storage-full',
    'vault-closed',
    'vault-damaged',
    'node-gone',
    'node-unreachable',
  ],
  async handle(call) {
    const { request, services, signal } = call;
    const { config } = services;
    const { profiles } = services.sessions;
    refuseWhileDraining(services);
    requireMatch({ name: 'profile', answers: ['application/json'] }, request);
    await orAborted(profiles.open(), signal);
    const sent = await readJsonBody(request, config.MAX_PAYLOAD_SIZE);
    const { name, ...asked } = parseBody(loginBody, sent);
    const passed = await forwardToHolder(call, name, sent);
    if (passed) return passed;
    for (const feature of [...featuresOfSession(asked), ...featuresOfSwitches(asked.args ?? [])]) {
      call.account.require(feature);
    }
    await orAborted(profiles.requireFree(await ownerOf(call), name), signal);
    const stealth = asked.stealth === true || asked.browser === 'stealth';
    const hasWindow = !stealth && (await orAborted(displayAvailable(), signal));
    const session = await makeSession(
      call,
      {
        ...asked,
        ttl: atMost(config.MAX_SESSION_TTL),
        processKeepAlive: atMost(maxReconnectTime(call)),
        ...(hasWindow ? { headless: false } : {}),
      },
      { name, state: undefined },
    );
    const { id, connect, stop } = addressesOf(session, call);
    return jsonResponse({ id, name, connect, stop });
  },
});

/** The time to log in, capped by a limit in milliseconds; 0 for no limit. */
function atMost(limitMs: number): number {
  return Math.min(profileLimits.loginMs, limitMs || Infinity);
}
