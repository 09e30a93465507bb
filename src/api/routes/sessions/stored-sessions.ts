/**
 * `POST /session` and `DELETE /session/{id}`: create and end sessions that outlive their browsers
 * (compatibility.mdx#session-api).
 */
import { featuresOfSession, featuresOfSwitches } from '../../../base/account/requested-features.ts';
import { requireNoScreenCapture } from '../../../browser/processes/display/screen-capture.ts';
import { withExtensions } from '../../../browser/processes/extensions/extensions.ts';
import type { InferOutput } from 'valibot';
import type { BrowserProfile } from '../../../sessions/profiles/state.ts';
import { createScratchSpace } from '../../../browser/processes/directories.ts';
import { StoredSession } from '../../../sessions/lifecycle/stored-session.ts';
import { ServiceError } from '../../../base/errors.ts';
import { orAborted, orReleased } from '../../../base/runtime/deadline.ts';
import { json, noContent } from '../../../base/schema/response/responses.ts';
import { storedSession as storedSessionAnswer } from '../../../base/schema/response/sessions.ts';
import { ignoredFieldsIn } from '../../../base/schema/without-effect.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { checkLaunch } from '../../../base/schema/request/launch.ts';
import { proxyOrder } from '../pipeline/proxied-call.ts';
import { supportsSticky, sessionProxy } from '../../../browser/network/proxy.ts';
import { deleteSessionQuery, tokenQuery } from '../../../base/schema/request/query.ts';
import { readJsonBody } from '../http/body.ts';
import { jsonResponse } from '../http/json-response.ts';
import { requireMatch } from '../http/match.ts';
import { publicUrl, toSocketUrl } from '../http/public-url.ts';
import { maxReconnectTime, refuseWhileDraining } from '../pipeline/admission.ts';
import type { Call } from '../pipeline/call.ts';
import { directRoute } from '../pipeline/route.ts';
import { requireStealthAllowed } from '../pipeline/browser-choice.ts';
import type { Services } from '../pipeline/services.ts';
import { forwardSession } from '../pipeline/elsewhere.ts';
import { forwardToHolder } from '../cluster/others/pass-to-holder.ts';
import { authorizedSession } from './session-auth.ts';
import { defaultTtlMs, sessionBody } from './session-body.ts';
import { fileSettingsOf } from './session-files.ts';
import { checkStartUrl } from './start-url.ts';

export const createSession = directRoute('sessions', 'POST /session', {
  summary: 'Create a session',
  description:
    'Creates a session with its own data (cookies, storage) and a time to live. A browser starts when a client connects and closes when it disconnects; the data is kept until the session ends.',
  query: tokenQuery,
  ignoresUnknown: true,
  body: sessionBody,
  example: { ttl: 60_000 },
  answers: [json(storedSessionAnswer)],
  errors: [
    'browser-missing',
    'forbidden-destination',
    'too-many-sessions',
    'session-rate',
    'storage-full',
    'not-found',
    'vault-closed',
    'vault-damaged',
    'node-gone',
    'node-unreachable',
  ],
  async handle(call) {
    const { request, services } = call;
    refuseWhileDraining(services);
    // Any web page can send a form or text; for JSON its browser asks the server first (CORS preflight).
    requireMatch({ name: 'session', answers: ['application/json'] }, request);
    const sent = await readJsonBody(request, services.config.MAX_PAYLOAD_SIZE);
    const body = parseBody(sessionBody, sent);
    for (const feature of [...featuresOfSession(body), ...featuresOfSwitches(body.args ?? [])]) {
      call.account.require(feature);
    }
    const passed = await (body.profile === undefined
      ? forwardSession(call, sent)
      : forwardToHolder(call, body.profile, sent));
    if (passed) return passed;
    const profile = await storedProfile(body.profile, call);
    return jsonResponse(addressesOf(await makeSession(call, body, profile), call));
  },
});

/** @throws ServiceError `not-found`, `vault-closed`, `vault-damaged` */
async function storedProfile(name: string | undefined, call: Call): Promise<BrowserProfile | undefined> {
  if (name === undefined) return undefined;
  const owner = await orAborted(call.owner(), call.signal);
  return { name, state: await orAborted(call.services.sessions.profiles.use(owner, name), call.signal) };
}

/**
 * Creates a session and registers it; its browser starts with its first client.
 * @param profile the profile that `body.profile` specifies, or the name to save its state under
 * @throws ServiceError `invalid-body`, `invalid-launch`, `browser-missing`, `forbidden-destination`,
 *   `too-many-sessions`, `session-rate`, `storage-full`
 */
export async function makeSession(
  call: Call,
  body: InferOutput<typeof sessionBody>,
  profile: BrowserProfile | undefined,
): Promise<StoredSession> {
  const { url, signal, services } = call;
  const { config } = services;
  const { registry: sessions } = services.sessions;
  const ttl = body.ttl ?? Math.min(defaultTtlMs, config.MAX_SESSION_TTL || Infinity);
  requireAtMost(ttl, 'ttl', config.MAX_SESSION_TTL, 'MAX_SESSION_TTL');
  requireAtMost(body.processKeepAlive ?? 0, 'processKeepAlive', maxReconnectTime(call), 'MAX_RECONNECT_TIME');
  const { processKeepAlive = 0, headless, args = [] } = body;
  const stealth = body.stealth === true || body.browser === 'stealth';
  if (stealth) requireStealthAllowed(config);
  const browser = body.browser === 'chrome' ? 'chrome' : 'chromium';
  const extensions = body.extensions ?? [];
  const named = extensions.length === 0 ? [] : [`--load-extension=${extensions.join(',')}`];
  const checked = checkLaunch(
    { args: [...args, ...named], ...(stealth ? { stealth } : headless === false ? { headless } : {}) },
    config.ALLOWED_LAUNCH_ARGS,
  );
  requireNoScreenCapture(call.account, checked.launch);
  const extended = await orAborted(withExtensions(checked.launch, config.EXTENSIONS_DIR), signal);
  const asked = { ...checked, launch: extended };
  if (asked.launch.userDataDir !== undefined) throw ownProfile('args');
  const { proxy, launch } = sessionProxy(body.proxy, asked.launch, services.network.residential);
  const order = proxyOrder(call, proxy, body.allowedDomains);
  const startUrl =
    body.url === undefined
      ? undefined
      : await checkStartUrl(body.url, {
          policy: services.network.policy,
          hasProxy: proxy !== undefined,
          domains: order?.domains,
          signal,
        });
  const { catalog } = services.browsers;
  const mode = launch.headless === 'new' ? true : launch.headless;
  await orAborted(stealth ? catalog.forStealth(browser) : catalog.forRoute(browser, mode), signal);
  const owner = ownerOf(call);
  requireRoom(owner, services);
  services.control.sessionRate.begin(call.account);
  const making = createScratchSpace(config.DATA_DIR, config.SCRATCH_DIR, undefined);
  const space = await orReleased(making, signal, (late) => void late.remove());
  try {
    // Other requests may have created sessions in the meantime.
    requireRoom(owner, services);
  } catch (error) {
    await space.remove();
    throw error;
  }
  const id = services.ids.make();
  const session = new StoredSession(
    id,
    {
      browser,
      launchOptions: launch,
      ttlMs: ttl,
      keepAliveMs: processKeepAlive,
      blockAds: body.blockAds ?? false,
      replay: body.replay ?? false,
      profile,
      proxy,
      payer: call.accountPayer,
      allowedDomains: body.allowedDomains,
      startUrl,
      initialConnectURL: publicUrl(call.base, url, launch),
      account: call.account.name,
      owner,
      fileSettings: fileSettingsOf(config),
    },
    space,
  );
  sessions.add(session);
  const stickyInVain = body.proxy?.sticky !== undefined && !supportsSticky(services.network.residential);
  call.ignore([
    ...asked.ignored,
    ...ignoredFieldsIn(sessionBody, body),
    ...(stealth && headless !== undefined ? ['headless'] : []),
    ...(stickyInVain ? ['proxy.sticky'] : []),
  ]);
  return session;
}

/** The error for a request that specifies a profile: a session has its own profile, which is deleted with it. */
export function ownProfile(field: string): ServiceError {
  const message = 'must not set a profile directory: a session has its own';
  return new ServiceError(
    'invalid-launch',
    `"${field}" ${message}. To keep one, use launch.userDataDir without a session.`,
    {
      issues: [{ path: field, message }],
    },
  );
}

/**
 * @param longest the limit of the setting, or of the client's plan; 0 for no limit
 * @throws ServiceError `invalid-body` for a longer time
 */
function requireAtMost(ms: number, field: string, longest: number, name: string): void {
  if (longest === 0 || ms <= longest) return;
  const message = `"${field}" may be at most ${longest} milliseconds on this server (${name}), got ${ms}`;
  throw new ServiceError('invalid-body', message, { issues: [{ path: field, message }] });
}

/** The owner that MAX_SESSIONS counts a session for: an account, or each token of the operator. */
function ownerOf({ account, credential, services }: Call): string {
  if (!account.isOperator) return `account ${account.name}`;
  return services.config.TOKEN.length > 0 ? `token ${credential ?? ''}` : '';
}

/** @throws ServiceError `too-many-sessions` when a token has as many sessions as MAX_SESSIONS allows */
function requireRoom(owner: string, { config, sessions: { registry: sessions } }: Services): void {
  if (config.MAX_SESSIONS === 0) return;
  const own = sessions.list().filter((session) => session instanceof StoredSession && session.options.owner === owner);
  if (own.length < config.MAX_SESSIONS) return;
  throw new ServiceError(
    'too-many-sessions',
    `There are already ${own.length} sessions, the maximum that MAX_SESSIONS allows. End one with DELETE /session/<id>, or wait until one expires.`,
  );
}

/** The five fields of the response. `stop` always has a query, because clients append parameters to it. */
export function addressesOf({ facts: { id, ttl } }: StoredSession, { base, credential: token, services }: Call) {
  const socket = toSocketUrl(base);
  const query =
    services.control.accounts.requiresToken && token !== undefined ? `?token=${encodeURIComponent(token)}` : '';
  return {
    id,
    connect: `${socket}/session/connect/${id}${query}`,
    ttl,
    stop: `${base}/session/${id}${query || '?force=false'}`,
    browserQL: `${base}/session/bql/${id}${query}`,
  };
}

/** @throws ServiceError `session-not-found` */
function storedSession(id: string, { account, services }: Call): StoredSession {
  const session = services.sessions.registry.find(id);
  if (!(session instanceof StoredSession) || !account.mayUse(session.facts.owner)) {
    throw new ServiceError('session-not-found', `Couldn't locate session "${id}": it has ended, or never existed.`);
  }
  return session;
}

/**
 * The session that the path of the request identifies. Checks the token first: the one that a client has set for the
 * running browser, or else that of the server.
 * @throws ServiceError `unauthorized`, `session-not-found`
 */
export function storedSessionOf(call: Call): StoredSession {
  const id = call.parameter('id');
  const found = call.services.sessions.registry.find(id);
  if (found instanceof StoredSession) authorizedSession(found, call);
  else call.authenticate();
  return storedSession(id, call);
}

export const deleteSession = directRoute('sessions', 'DELETE /session/:id', {
  subject: 'session',
  summary: 'End a session',
  description:
    'Ends the session and removes its data. Refused with 409 while a client is connected, unless `force=true` disconnects it.',
  query: deleteSessionQuery,
  ignoresUnknown: true,
  answers: [noContent],
  errors: ['session-not-found', 'session-in-use'],
  async handle(call, { force }) {
    const { parameter, signal } = call;
    const session = storedSession(parameter('id'), call);
    if (!force && session.numbConnected > 0) {
      throw new ServiceError(
        'session-in-use',
        `The session has ${session.numbConnected} client(s). Disconnect them, or send force=true.`,
      );
    }
    session.life.end(new ServiceError('session-ended', 'The session was deleted.'));
    await orAborted(session.gone, signal);
    return new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain' } });
  },
});
