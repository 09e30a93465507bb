// Requests each feature by each method that the feature table lists, at each entry point where that method exists.
import { type Feature, features } from '../../../src/base/account/features.ts';
import type { Service } from '../service.ts';
import { handshake, rawClient, socketUrl } from './clients.ts';
import { send } from './http.ts';

export interface PlanClient {
  service: Service;
  token: string;
}

export const entryPointNames = ['bql', 'cdp', 'http', 'playwright'] as const;

interface FeatureRequest {
  door: (typeof entryPointNames)[number];
  /** As written in the feature table. */
  way: string;
  /** Returns the refusal for a plan without the feature; undefined when the response was something else. */
  ask(doors: PlanClient): Promise<string | undefined>;
}

/** Values for parameters; `true` for parameters that are not listed here. */
const values: Readonly<Record<string, string | number>> = {
  proxy: 'residential',
  proxyCity: 'berlin',
  proxyState: 'be',
  ttl: 1_000,
  profile: 'no-such-profile',
};
/** Parameters that apply to every request that starts a browser. */
const ofPages = ['proxy', 'proxyCity', 'proxyState', 'profile'];

const isRefusal = (text: string) => (text.includes('does not include') ? text : undefined);

interface Asked {
  /** Default POST. */
  method?: string;
  path: string;
  body: unknown;
  query?: Record<string, string>;
}

/** Sends a request that has no effect: it is rejected because of the plan, or later because it is incomplete. */
async function request(
  { service, token }: PlanClient,
  { method = 'POST', path, body, query = {} }: Asked,
): Promise<string | undefined> {
  const search = new URLSearchParams({ ...query, token });
  const headers = { 'content-type': method === 'PUT' ? 'application/octet-stream' : 'application/json' };
  const reply = await send(`${service.url}${path}?${search}`, {
    method,
    headers: { ...headers, accept: '*/*, application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  const refusal = isRefusal(reply.text);
  if (refusal === undefined) return undefined;
  const { code, error } = reply.json<{ code: string; error: string }>();
  if (reply.status !== 401 || code !== 'not-in-plan') throw new Error(`${reply.status} ${code}: ${refusal}`);
  return error;
}

async function shake(doors: PlanClient, path: string, query: Record<string, string>): Promise<string | undefined> {
  const { status, text } = await handshake(doors.service, path, { ...query, token: doors.token });
  const refusal = isRefusal(text);
  if (refusal !== undefined && status !== 401) throw new Error(`${status}: ${refusal}`);
  return refusal;
}

async function command({ service, token }: PlanClient, method: string): Promise<string | undefined> {
  const client = await rawClient(socketUrl(service, '/', { token }));
  try {
    const params = method === 'Browserless.solveCaptcha' ? { appearTimeout: 1 } : {};
    const named = ['Browserless.saveProfile', 'Browserless.refreshProfile'].includes(method) ? { name: 'a' } : params;
    const more = method === 'Browserless.setDownloadEnabled' ? { enabled: true } : named;
    const { result, error } = await client.send(method, more);
    return isRefusal(JSON.stringify(result?.['error'] ?? error ?? '').replaceAll('\\"', '"'));
  } finally {
    client.socket.close();
    await client.closed;
  }
}

/** Mutations that do not need a page. */
const mutations: Readonly<Record<string, string>> = {
  reconnect: 'reconnect(timeout: 10) { browserWSEndpoint }',
  liveURL: 'liveURL(timeout: 1000) { liveURL }',
  solve: 'solve(timeout: 10) { found }',
  solveImageCaptcha: 'solveImageCaptcha(captchaSelector: "img", inputSelector: "input", timeout: 10) { found }',
  verify: 'verify(type: cloudflare, timeout: 10) { found }',
  loadSecret: 'loadSecret(ref: "a", selector: "input", timeout: 100) { ok }',
  'proxy!server': 'proxy(url: "*") { time }',
  'proxy.city': 'proxy(url: "*", country: DE, city: "berlin") { time }',
  'proxy.state': 'proxy(url: "*", country: DE, state: "be") { time }',
};

async function mutation(doors: PlanClient, name: string): Promise<string | undefined> {
  const { service, token } = doors;
  const call = mutations[name];
  if (call === undefined) throw new Error(`no document for ${name}`);
  const reply = await service.post(
    '/chromium/bql',
    { query: `mutation { ${call} }` },
    { query: { token, timeout: 20_000 } },
  );
  const { errors = [] } = reply.json<{ errors?: { message: string; extensions?: { code: string } }[] }>();
  const [first] = errors.filter(({ message }) => isRefusal(message) !== undefined);
  if (first && first.extensions?.code !== 'NOT_IN_PLAN') throw new Error(`code ${first.extensions?.code}`);
  return first?.message;
}

/** Returns a path for a route, with parameters that do not refer to anything that exists. */
const pathOf = (route: string) => route.replace(/^[A-Z]+ /, '').replaceAll(/:(\w+)/g, 'no-such-$1');

function routeWays(way: string): FeatureRequest[] {
  const [, method = 'POST'] = /^([A-Z]+) /.exec(way) ?? [];
  const path = pathOf(way);
  if (way === '/stealth') return [{ door: 'cdp', way, ask: (doors) => shake(doors, path, {}) }];
  if (way === '/stealth/bql') {
    return [
      {
        door: 'bql',
        way,
        ask: (doors) => request(doors, { method, path, body: { query: 'mutation { title { title } }' } }),
      },
    ];
  }
  // The body is invalid for the route, so nothing runs.
  return [{ door: 'http', way, ask: (doors) => request(doors, { method, path, body: { wrong: true } }) }];
}

function parameterWays(way: string): FeatureRequest[] {
  const query = {
    [way]: String(values[way] ?? true),
    // Only the residential provider offers a choice of city and state.
    ...(['proxyCity', 'proxyState'].includes(way) ? { proxy: 'residential' } : {}),
  };
  const isOfPages = ofPages.includes(way);
  const document = { query: 'mutation { title { title } }' };
  const ways: (FeatureRequest | false)[] = [
    { door: 'cdp', way, ask: (doors) => shake(doors, '/', query) },
    isOfPages && { door: 'http', way, ask: (doors) => request(doors, { path: '/content', body: { html: '' }, query }) },
    isOfPages && { door: 'playwright', way, ask: (doors) => shake(doors, '/playwright/chromium', query) },
    (isOfPages || way === 'replay') && {
      door: 'bql',
      way,
      ask: (doors) => request(doors, { path: '/chromium/bql', body: document, query }),
    },
  ];
  return ways.filter((one) => one !== false);
}

function launchWays(way: string): FeatureRequest[] {
  const query = { launch: JSON.stringify({ [way]: true }) };
  return [
    { door: 'cdp', way, ask: (doors) => shake(doors, '/', query) },
    { door: 'http', way, ask: (doors) => request(doors, { path: '/content', body: { html: '' }, query }) },
    { door: 'playwright', way, ask: (doors) => shake(doors, '/playwright/chromium', query) },
  ];
}

function switchWays(way: string): FeatureRequest[] {
  const query = { launch: JSON.stringify({ args: [`--${way}=no-such-extension`] }) };
  const body = { ttl: 1, args: [`--${way}=no-such-extension`] };
  return [
    { door: 'cdp', way, ask: (doors) => shake(doors, '/', query) },
    { door: 'http', way, ask: (doors) => request(doors, { path: '/content', body: { html: '' }, query }) },
    { door: 'http', way, ask: (doors) => request(doors, { path: '/session', body }) },
    { door: 'playwright', way, ask: (doors) => shake(doors, '/playwright/chromium', query) },
  ];
}

function sessionWays(way: string): FeatureRequest[] {
  const [path = '', value] = way.split('=');
  const [outer = '', inner] = path.split('.');
  const amount = outer === 'processKeepAlive' ? 1_000 : true;
  const proxy = { type: 'residential', ...(inner === undefined ? {} : { [inner]: 'berlin' }) };
  const listed = outer === 'extensions' ? ['no-such-extension'] : (value ?? amount);
  const named = outer === 'profile' ? 'no-such-profile' : listed;
  const member = outer === 'proxy' ? proxy : named;
  // The last field is invalid, so no session is created.
  const body = { ttl: 1, [outer]: member };
  return [{ door: 'http', way, ask: (doors) => request(doors, { path: '/session', body }) }];
}

/** Every way to request a feature, at every entry point. */
export function requestsFor(feature: Feature): FeatureRequest[] {
  const row = features[feature];
  return [
    ...(row.routes ?? []).flatMap(routeWays),
    ...(row.parameters ?? []).flatMap(parameterWays),
    ...(row.launch ?? []).flatMap(launchWays),
    ...(row.switches ?? []).flatMap(switchWays),
    ...(row.sessionFields ?? []).flatMap(sessionWays),
    ...(row.commands ?? []).map((way): FeatureRequest => ({ door: 'cdp', way, ask: (doors) => command(doors, way) })),
    ...(row.mutations ?? []).map((way): FeatureRequest => ({ door: 'bql', way, ask: (doors) => mutation(doors, way) })),
  ];
}
