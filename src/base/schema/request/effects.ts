// Defines which query parameters and launch options have an effect on which kinds of requests. A parameter without
// effect is listed in X-Ignored-Parameters and in the log. The OpenAPI document and the documentation are derived from
// these tables (compatibility.mdx#parameters-without-effect).

import type { GivenLaunch, launchSchema } from './launch.ts';
import type { BrowserQuery } from './query.ts';

/** Kinds of requests, as far as they determine which parameters have an effect. */
export type CallKind =
  /** REST on a page: /content, /pdf and the like. */
  | 'page'
  /** /function and /download. */
  | 'code'
  /** /function/{id}, in a running browser. */
  | 'code-running'
  /** /performance. */
  | 'audit'
  /** BrowserQL in a new browser. */
  | 'bql'
  /** BrowserQL in a running, kept browser. */
  | 'bql-kept'
  /** BrowserQL in a session, whose browser it may start. */
  | 'bql-session'
  /** A CDP socket that starts a browser. */
  | 'cdp'
  /** A socket to a running browser or page. */
  | 'attach'
  /** A socket to a session, whose browser it may start. */
  | 'session'
  /** Playwright's own protocol. */
  | 'playwright'
  | 'playwright-firefox'
  | 'playwright-webkit';

type ParameterName = Exclude<keyof BrowserQuery, 'launch' | 'acceptInsecureCerts'>;
type LaunchName = Exclude<keyof typeof launchSchema.entries, 'ignoreHTTPSErrors'>;

const rest = ['page', 'code', 'audit'] as const;
const playwright = ['playwright', 'playwright-firefox', 'playwright-webkit'] as const;
const starting = [...rest, 'bql', 'cdp', ...playwright] as const;
const everywhere: readonly CallKind[] = [...starting, 'bql-kept', 'bql-session', 'attach', 'session', 'code-running'];

/** True for sockets that start their own browser. */
export const startsBrowser = (kind: CallKind): boolean => kind === 'cdp' || playwright.some((each) => each === kind);

/**
 * The kinds of requests on which each query parameter has an effect; none for parameters that are accepted only because
 * clients send them.
 */
export const parameterEffects: Readonly<Record<ParameterName, readonly CallKind[]>> = {
  token: everywhere,
  timeout: everywhere,
  debug: ['code'],
  blockAds: ['page', 'code', 'bql', 'cdp'],
  isolation: [...starting, 'session'],
  blockAdsInclude: [],
  trackingId: starting,
  // If a browser is already running, or a session has its own profile, a different profile is refused.
  profile: everywhere,
  allowedDomains: everywhere,
  proxy: [...starting, 'session'],
  proxyCountry: [...starting, 'session'],
  proxyCity: [...starting, 'session'],
  proxyState: [...starting, 'session'],
  proxySticky: starting,
  // WebKit uses the languages of the machine.
  proxyLocaleMatch: starting.filter((kind) => kind !== 'playwright-webkit'),
  proxyPreset: [],
  externalProxyServer: [...starting, 'session'],
  record: ['cdp', 'attach', 'session'],
  replay: ['cdp', 'attach', 'session', 'bql', 'bql-kept', 'bql-session'],
  solveCaptchas: ['cdp', 'attach', 'session'],
  humanlike: ['bql', 'bql-kept', 'bql-session'],
  blockConsentModals: ['page', 'bql', 'bql-kept', 'bql-session'],
  integrations: [],
  shield: ['cdp', 'attach', 'session'],
  force: [],
  browserId: [],
  ttl: ['cdp'],
  keepalive: [],
};

const chromiumStarts = [...rest, 'bql', 'cdp', 'playwright'] as const;

/** Like `parameterEffects`, for the fields of `launch`. */
export const launchEffects: Readonly<Record<LaunchName, readonly CallKind[]>> = {
  args: [...chromiumStarts, 'playwright-firefox', 'session', 'bql-session'],
  defaultViewport: ['page', 'code', 'bql', 'cdp'],
  devtools: [],
  dumpio: [],
  stealth: chromiumStarts,
  timezone: chromiumStarts,
  waitForInitialPage: [],
  acceptInsecureCerts: chromiumStarts,
  // Documents run in sessions with stealth, which have a window where a display is available.
  headless: [...starting, 'session'],
  ignoreDefaultArgs: chromiumStarts,
  slowMo: ['bql', 'bql-kept', 'bql-session', 'cdp', 'attach', 'session', ...playwright],
  timeout: ['cdp', ...playwright],
  userDataDir: [...rest, 'bql', 'cdp'],
  chromiumSandbox: [],
  downloadsPath: [],
  tracesDir: [],
  firefoxUserPrefs: ['playwright-firefox'],
  proxy: starting,
};

/** True when a query parameter has an effect on requests of a kind. */
export function actsOn(kind: CallKind, name: string): boolean {
  return effectsOf(parameterEffects, name).includes(kind);
}

/** True for kinds that accept query parameters of any name: vendors' clients add their own. */
export function acceptsUnknownNames(kind: CallKind): boolean {
  return !['page', 'code', 'audit'].includes(kind);
}

export const callKinds: readonly CallKind[] = everywhere;

/** The query parameters that have an effect on requests of a kind. */
export function parametersOf(kind: CallKind): string[] {
  const own = namesFor(parameterEffects, kind);
  const launch = namesFor(launchEffects, kind);
  return [
    ...own,
    ...(launch.length > 0 ? ['launch'] : []),
    ...(launch.includes('acceptInsecureCerts') ? ['acceptInsecureCerts'] : []),
  ];
}

function namesFor(effects: Readonly<Record<string, readonly CallKind[]>>, kind: CallKind): string[] {
  return Object.entries(effects).flatMap(([name, kinds]) => (kinds.includes(kind) ? [name] : []));
}

const effectsOf = (effects: Readonly<Record<string, readonly CallKind[]>>, name: string) =>
  Object.hasOwn(effects, name) ? (effects[name] ?? []) : [];

/**
 * Removes the parameters that have no effect on requests of this kind from a query.
 * @param params the parameters that the client sent
 * @returns their names
 */
export function removeParametersWithoutEffect(kind: CallKind, query: BrowserQuery, params: URLSearchParams): string[] {
  const names = [...new Set(params.keys())].filter((name) => !effectsOf(parameterEffects, name).includes(kind));
  for (const name of names) Reflect.deleteProperty(query, name);
  return names;
}

/**
 * The launch options that have no effect on requests of this kind, as the client wrote them, including unknown options.
 */
export function launchWithoutEffect(kind: CallKind, given: GivenLaunch): string[] {
  return [...given].flatMap(([name, written]) => (effectsOf(launchEffects, name).includes(kind) ? [] : written));
}
