/** Reads the query of a request that needs a browser: legacy spellings, schema, proxy, and time limit. */
import { ServiceError } from '../../../base/errors.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { requireNoScreenCapture } from '../../../browser/processes/display/screen-capture.ts';
import { ignoredProxyOptions, resolveProxy } from '../../../browser/network/proxy.ts';
import { parseQuery } from '../../../base/schema/parse.ts';
import {
  acceptsUnknownNames,
  actsOn,
  type CallKind,
  launchEffects,
  launchWithoutEffect,
  removeParametersWithoutEffect,
} from '../../../base/schema/request/effects.ts';
import { applyLegacyShim, type LaunchOptions } from '../../../base/schema/request/launch.ts';
import { removeUnknownParameters } from '../../../base/schema/without-effect.ts';
import { type BrowserQuery, browserQuery } from '../../../base/schema/request/query.ts';
import { timeLimit } from './admission.ts';
import type { Call } from './call.ts';
import { requireProcess, withStealth } from './browser-choice.ts';
import type { BrowserProfile } from '../../../sessions/profiles/state.ts';
import { proxyOrder } from './proxied-call.ts';
import type { BrowserRequest } from './route.ts';
import { featuresOfParameters, featuresOfSwitches } from '../../../base/account/requested-features.ts';

/** How long a job or a socket may take after its deadline to clean up and report why it ended, in milliseconds. */
export const graceMs = 200;

/** Kinds of requests whose default time limit is BQL_TIMEOUT. */
const bqlKinds: readonly CallKind[] = ['bql', 'bql-kept', 'bql-session'];

/**
 * @param route `stealth`: the request gets a stealth browser, regardless of what it asks for
 * @throws ServiceError `invalid-query`, `invalid-launch`, `invalid-tracking-id`, `not-in-plan`; for a profile
 *   `not-found`, `vault-closed`, `vault-damaged`
 */
export async function readBrowserRequest(
  call: Call,
  kind: CallKind,
  route: { stealth?: boolean | undefined },
): Promise<BrowserRequest> {
  const options = readBrowserOptions(call, kind, route);
  return { ...options, profile: await profileOf(call, kind, options.query) };
}

/**
 * Like `readBrowserRequest`, but does not read the profile, so the account need not be known yet.
 * @throws ServiceError `invalid-query`, `invalid-launch`, `invalid-tracking-id`, `not-in-plan`
 */
export function readBrowserOptions(
  call: Call,
  kind: CallKind,
  route: { stealth?: boolean | undefined },
): Omit<BrowserRequest, 'profile'> {
  const { config } = call.services;
  const { residential } = call.services.network;
  const { params, given, ...shimmed } = applyLegacyShim(call.url.searchParams, config.ALLOWED_LAUNCH_ARGS);
  call.ignore(shimmed.ignored);
  if (acceptsUnknownNames(kind)) call.ignore(removeUnknownParameters(browserQuery, params));
  const query: BrowserQuery = parseQuery(browserQuery, params);
  call.ignore(removeParametersWithoutEffect(kind, query, params));
  call.ignore(launchWithoutEffect(kind, given));
  call.trackingId = query.trackingId;
  const options = withStealth(shimmed.launch, { call, kind, given, always: route.stealth === true });
  if (options.stealth) requireProcess(query, 'a stealth browser');
  requireFeatures(call, { kind, query, launch: options });
  requireNoScreenCapture(call.account, options);
  rejectForRunningBrowser(kind, query);
  const { proxy, launch } = resolveProxy(query, options, residential);
  call.ignore(ignoredProxyOptions(query, proxy, residential));
  return {
    call,
    services: call.services,
    query,
    launch,
    proxy: proxyOrder(call, proxy, query.allowedDomains),
    limitMs: timeLimit(query.timeout, call, bqlKinds.includes(kind) ? 'BQL_TIMEOUT' : 'TIMEOUT'),
  };
}

/** @throws ServiceError `not-in-plan` if parameters or launch options that take effect are not in the plan */
function requireFeatures(
  { account }: Call,
  { kind, query, launch }: { kind: CallKind; query: BrowserQuery; launch: LaunchOptions },
): void {
  const acting = Object.entries(query).filter(([name]) => actsOn(kind, name));
  const options = [
    ...featuresOfParameters('parameters', Object.fromEntries(acting)),
    ...featuresOfParameters('launch', { ...launch }),
    ...(launchEffects.args.includes(kind) ? featuresOfSwitches(launch.args) : []),
  ];
  for (const feature of options) account.require(feature);
}

/** Requests to a running browser. */
const runningKinds: readonly CallKind[] = ['attach', 'bql-kept', 'code-running'];
/** Requests to a session, which has the profile that it was created with. */
const sessionKinds: readonly CallKind[] = ['session', 'bql-session'];

/** @throws ServiceError `invalid-query` for parameters that cannot be applied to a running browser */
function rejectForRunningBrowser(kind: CallKind, query: BrowserQuery): void {
  if (!runningKinds.includes(kind)) return;
  for (const [path, what] of [
    ['profile', 'the profile'],
    ['allowedDomains', 'the domains'],
  ] as const) {
    if (query[path] === undefined) continue;
    throw new ServiceError(
      'invalid-query',
      `"${path}" is not supported here: this browser is already running. Set ${what} when you start the browser.`,
      { issues: [{ path, message: 'must be left out: the browser is already running' }] },
    );
  }
}

/**
 * The profile that a browser of the request starts with.
 * @throws ServiceError `not-found`, `vault-closed`, `vault-damaged`
 */
async function profileOf(
  call: Call,
  kind: CallKind,
  { profile: name }: BrowserQuery,
): Promise<BrowserProfile | undefined> {
  if (name === undefined || sessionKinds.includes(kind)) return undefined;
  const owner = await orAborted(call.owner(), call.signal);
  return { name, state: await orAborted(call.services.sessions.profiles.use(owner, name), call.signal) };
}
