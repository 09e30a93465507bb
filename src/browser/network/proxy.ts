// Finds the proxy that a request specifies: `externalProxyServer`, `proxy=residential`, the switch --proxy-server or
// the launch option `proxy` (compatibility.mdx#proxies).

import { ServiceError, truncate } from '../../base/errors.ts';
import { cityLimits } from '../../base/limits.ts';
import type { LaunchOptions } from '../../base/schema/request/launch.ts';
import { credentialsOf, parseProxyUrl, maskedProxy } from '../../base/config/proxy-url.ts';
import { fillTemplate, missingValue, type ProxyValues, hasPlaceholder } from '../../base/config/proxy-template.ts';
import { languageOf, timezoneOf } from '../../base/config/places/country.ts';
import { countriesWith, type ProxyCities, underscored } from '../../base/config/places/cities.ts';
import type { BrowserQuery } from '../../base/schema/request/query.ts';

export interface ProxyChoice {
  /**
   * Name of the parameter that selects the proxy, as the client's route spells it, for messages: `externalProxyServer`,
   * `proxy(server:)`.
   */
  readonly field: string;
  /** True for the operator's provider: its traffic costs units, and clients do not learn its address. */
  readonly residential: boolean;
  /**
   * Returns the URL with username and password, which is secret. Called for each connection, because its session may
   * change.
   */
  readonly url: () => URL;
  /** Hosts that are reached without the proxy, in Chromium's notation for --proxy-bypass-list. */
  readonly bypass: string | undefined;
}

/** The operator's proxy provider. */
export interface Residential {
  /** RESIDENTIAL_PROXY_URL */
  readonly template: string;
  /** RESIDENTIAL_PROXY_CITIES; undefined when none are listed: then any city is passed to the provider. */
  readonly cities: ProxyCities | undefined;
}

/** Options of `proxy=residential` and of the `proxy` field of a session. */
export interface ResidentialRequest {
  country?: string | undefined;
  city?: string | undefined;
  state?: string | undefined;
  /** Keep the exit address; the default. */
  sticky?: boolean | undefined;
}

/**
 * Returns the proxy of a request, and the launch options without its credentials, with the language and time zone of
 * its country when `proxyLocaleMatch` requests that.
 * @param provider undefined when this server has no provider
 * @throws ServiceError `invalid-query`, `invalid-launch`: two proxies at the same time, an invalid proxy, a residential
 *   proxy that this server does not have or whose provider does not offer the choice
 */
export function resolveProxy(
  query: BrowserQuery,
  launch: LaunchOptions,
  provider: Residential | undefined,
): { proxy: ProxyChoice | undefined; launch: LaunchOptions } {
  const name =
    query.proxy !== undefined ? 'proxy' : query.externalProxyServer !== undefined ? 'externalProxyServer' : '';
  const isSecond = launch.proxy !== undefined || (query.proxy !== undefined && query.externalProxyServer !== undefined);
  if (name !== '' && isSecond) throw refuse(inQuery, name, `"${name}" ${conflictMessage}`);
  const proxy = launch.proxy
    ? ownProxy(launch.proxy, launch.proxy.isSwitch === true ? ofSwitch : ofLaunch)
    : ofQuery(query, provider);
  for (const field of ['proxyCountry', 'proxyCity', 'proxyState'] as const) {
    // With the client's own proxy, the country is still used for proxyLocaleMatch.
    const used = proxy?.residential === true || (field === 'proxyCountry' && proxy !== undefined);
    if (query[field] === undefined || used) continue;
    throw refuse(inQuery, field, `"${field}" has no effect without proxy=residential; add it, or leave "${field}" out`);
  }
  const shown = withoutCredentials(launch, proxy);
  return { proxy, launch: query.proxyLocaleMatch === true ? withLanguage(shown, query.proxyCountry) : shown };
}

/** Returns the options of a query that have no effect on its proxy, if it has one. */
export function ignoredProxyOptions(
  { proxyCountry, proxyLocaleMatch, proxySticky }: BrowserQuery,
  proxy: ProxyChoice | undefined,
  provider: Residential | undefined,
): string[] {
  const residential = proxy?.residential === true;
  const keeps = residential && supportsSticky(provider);
  return [
    ...(proxySticky === undefined || keeps ? [] : ['proxySticky']),
    ...(proxyCountry === undefined || residential || proxyLocaleMatch === true ? [] : ['proxyCountry']),
  ];
}

/** Whether `sticky` has an effect: the provider can tell which connections belong together. */
export function supportsSticky(provider: Residential | undefined): boolean {
  return provider !== undefined && hasPlaceholder(provider.template, 'session');
}

/**
 * Like `takeProxy`, for the body of `POST /session`, whose `args` may name a proxy as well.
 * @param request the `proxy` field of the body; the country is `us` by default
 * @throws ServiceError `invalid-body`, `invalid-launch`
 */
export function sessionProxy(
  request: ResidentialRequest | undefined,
  launch: LaunchOptions,
  provider: Residential | undefined,
): { proxy: ProxyChoice | undefined; launch: LaunchOptions } {
  if (request && launch.proxy !== undefined) throw refuse(inBody, 'proxy', `"proxy" ${conflictMessage}`);
  // When the provider offers no choice of country, the default would be refused.
  const country =
    request?.country ?? (provider !== undefined && hasPlaceholder(provider.template, 'country') ? 'us' : undefined);
  const fields = { source: inBody, kind: 'proxy', country: 'proxy.country', city: 'proxy.city', state: 'proxy.state' };
  const proxy = request
    ? residentialProxy({ ...request, country }, provider, fields)
    : launch.proxy && ownProxy(launch.proxy, { ...ofSwitch, path: 'args' });
  return { proxy, launch: withoutCredentials(launch, proxy) };
}

/**
 * A proxy from the operator's provider.
 * @param fields the names of the fields of `request` as the client wrote them, for messages; `sticky` only where the
 *   response cannot report it as ignored: then it is refused when the provider cannot keep an address
 */
export function residentialProxy(
  request: ResidentialRequest,
  provider: Residential | undefined,
  fields: Readonly<Record<'kind' | 'country' | 'city' | 'state', string>> & {
    readonly source: RequestSource;
    readonly sticky?: string;
  },
): ProxyChoice {
  if (provider === undefined) {
    const fix = `Use your own proxy with ${fields.source.own}, or leave "${fields.kind}" out`;
    throw refuse(
      fields.source,
      fields.kind,
      `"${fields.kind}" is not available: no provider is configured on this server. ${fix}`,
    );
  }
  const { template, cities } = provider;
  for (const name of ['country', 'city', 'state'] as const) {
    if (request[name] === undefined || hasPlaceholder(template, name)) continue;
    throw refuse(
      fields.source,
      fields[name],
      `"${fields[name]}" is not available: this server's provider does not offer it`,
    );
  }
  if (fields.sticky !== undefined && request.sticky !== undefined && !supportsSticky(provider)) {
    throw refuse(
      fields.source,
      fields.sticky,
      `"${fields.sticky}" is not available: this server's provider does not support sticky addresses. Leave it out`,
    );
  }
  const problem = cities && problemOfCity(request, cities, fields);
  if (problem !== undefined) throw refuse(fields.source, fields.city, problem);
  const sticky = request.sticky ?? true;
  const fixed = crypto.randomUUID().slice(0, 8);
  const values = (): ProxyValues => ({
    country: request.country?.toLowerCase(),
    COUNTRY: request.country?.toUpperCase(),
    city: request.city && underscored(request.city),
    state: request.state && underscored(request.state),
    session: sticky ? fixed : undefined,
  });
  const missing = missingValue(template, { ...values(), session: fixed });
  if (missing !== undefined && missing !== 'session') {
    const name = missing === 'COUNTRY' ? 'country' : missing;
    throw refuse(fields.source, fields[name], `"${fields[name]}" is required by this server's provider`);
  }
  const url = () => {
    // Not sticky: a provider whose template requires a session gets a new one for each connection.
    const session = sticky ? fixed : crypto.randomUUID().slice(0, 8);
    const filled = values();
    return new URL(fillTemplate(template, missingValue(template, filled) ? { ...filled, session } : filled));
  };
  if (credentialsOf(url()) === undefined) {
    const given = (['state', 'city', 'country'] as const).find((name) => request[name] !== undefined) ?? 'kind';
    throw refuse(
      fields.source,
      fields[given],
      `"${fields[given]}" contains characters that cannot be sent to the proxy`,
    );
  }
  return { field: fields.kind, residential: true, url, bypass: undefined };
}

/** Returns why a request must not use its city; undefined when it specifies none, or one from the list. */
function problemOfCity(
  { country, city }: ResidentialRequest,
  cities: ProxyCities,
  fields: Readonly<Record<'country' | 'city', string>>,
): string | undefined {
  if (city === undefined) return undefined;
  const countries = countriesWith(cities, city);
  const requestedCountry = country?.toUpperCase();
  if (requestedCountry === undefined ? countries.length > 0 : countries.includes(requestedCountry)) return undefined;
  const shown = `"${fields.city}" is ${JSON.stringify(truncate(city, cityLimits.nameCharacters))}`;
  const countryList =
    countries.length > cityLimits.listedCountries ? `${countries.length} countries` : countries.join(', ');
  return countries.length === 0
    ? `${shown}, which this server's provider does not offer. GET /proxy/cities lists its cities`
    : `${shown}, which is in ${countryList} and not in ${requestedCountry}. Set "${fields.country}" to a country that has it, or choose another city; GET /proxy/cities lists them`;
}

function ofQuery(query: BrowserQuery, provider: Residential | undefined): ProxyChoice | undefined {
  const { externalProxyServer, proxy } = query;
  if (externalProxyServer !== undefined) {
    const url = parseProxyUrl(externalProxyServer);
    if (!url) throw refuse(inQuery, 'externalProxyServer', `"externalProxyServer" ${mustBeProxy}`);
    return { field: 'externalProxyServer', residential: false, url: () => url, bypass: undefined };
  }
  if (proxy === undefined) return undefined;
  const request = {
    country: query.proxyCountry,
    city: query.proxyCity,
    state: query.proxyState,
    sticky: query.proxySticky,
  };
  const fields = { source: inQuery, kind: 'proxy', country: 'proxyCountry', city: 'proxyCity', state: 'proxyState' };
  return residentialProxy(request, provider, fields);
}

const credentialRules =
  'username and password must not contain control characters and are limited to 255 bytes each for SOCKS, 4,096 for HTTP; the username for an HTTP proxy must not contain a colon';

const mustBeProxy =
  'must be a proxy such as http://user:password@host:8080 or socks5://host:1080; percent-encode special characters in username and password, and do not use control characters';

/** The names of the parts of a proxy on the client's route, for messages. */
export interface ProxyNames {
  server: string;
  username: string;
  /** The field that contains the proxy; default `server`. */
  path?: string;
}

const ofSwitch: ProxyNames = { server: '--proxy-server', username: '--proxy-server' };
const ofLaunch: ProxyNames = { server: 'launch.proxy.server', username: 'launch.proxy.username' };

/**
 * The client's own proxy.
 * @throws ServiceError `invalid-launch`
 */
export function ownProxy(
  { server, bypass, username, password }: NonNullable<LaunchOptions['proxy']>,
  names: ProxyNames,
): ProxyChoice {
  const url = parseProxyUrl(server);
  if (!url) {
    throw new ServiceError(
      'invalid-launch',
      `"${names.server}" ${mustBeProxy}. Leave it out to connect without a proxy.`,
      { issues: [{ path: names.path ?? names.server, message: 'must be a proxy' }] },
    );
  }
  if (username !== undefined) url.username = encodeURIComponent(username);
  if (password !== undefined) url.password = encodeURIComponent(password);
  if (credentialsOf(url) === undefined) {
    throw new ServiceError('invalid-launch', `"${names.username}" cannot be sent to this proxy: ${credentialRules}.`, {
      issues: [{ path: names.path ?? names.username, message: 'cannot be sent to this proxy' }],
    });
  }
  return { field: names.server, residential: false, url: () => url, bypass };
}

function withoutCredentials(launch: LaunchOptions, proxy: ProxyChoice | undefined): LaunchOptions {
  if (!proxy) return launch;
  return { ...launch, proxy: { server: proxy.residential ? 'residential' : maskedProxy(proxy.url()) } };
}

/** Sets the language and, for a stealth browser, the time zone, unless the client did. */
function withLanguage(launch: LaunchOptions, country: string | undefined): LaunchOptions {
  if (country === undefined) {
    throw refuse(
      inQuery,
      'proxyLocaleMatch',
      '"proxyLocaleMatch" needs "proxyCountry": it sets that country\'s language',
    );
  }
  const timezone = launch.stealth === true ? (launch.timezone ?? timezoneOf(country)) : undefined;
  const there = timezone === undefined ? launch : { ...launch, timezone };
  if (launch.args.some((arg) => /^--(lang|accept-lang)=/.test(arg))) return there;
  const tag = languageOf(country);
  const languages = [tag, tag.split('-')[0] ?? tag];
  return { ...there, args: [...launch.args, `--lang=${tag}`, `--accept-lang=${languages.join(',')}`] };
}

interface RequestSource {
  readonly code: 'invalid-query' | 'invalid-body';
  readonly prefix: string;
  /** Where a client can specify its own proxy. */
  readonly own: string;
}

const inQuery: RequestSource = {
  code: 'invalid-query',
  prefix: 'Query-parameter validation failed: ',
  own: 'externalProxyServer',
};
const inBody: RequestSource = {
  code: 'invalid-body',
  prefix: 'POST Body validation failed: ',
  own: '--proxy-server in "args"',
};
const conflictMessage = 'cannot be used together with another proxy; leave one of them out';

function refuse({ code, prefix }: RequestSource, path: string, message: string): ServiceError {
  return new ServiceError(code, `${prefix}${message}`, { issues: [{ path, message }] });
}
