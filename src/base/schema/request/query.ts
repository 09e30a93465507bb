// Defines the query parameters. Every browser route accepts all of these names (compatibility.mdx#query-parameters);
// sockets and BrowserQL accept any others as well. effects.ts defines which have an effect where. launch.ts extracts
// `launch` and its legacy forms first.

import * as v from 'valibot';
import { ServiceError } from '../../errors.ts';
import { listLimits, recordingLimits } from '../../limits.ts';
import { countryCode, domainList, field, ignoredField, listOf, placeName } from './primitives.ts';

const reservedTrackingId = 'all';
const maxTrackingIdCharacters = 32;

/**
 * Checks a client-chosen id for a session. The session registry checks that no live session has the same id.
 * @throws ServiceError `invalid-tracking-id` with a message for each rule (compatibility.mdx#tracking-ids)
 */
function parseTrackingId(id: string): string {
  const refuse = (message: string) => new ServiceError('invalid-tracking-id', message);
  if (id.length > maxTrackingIdCharacters) {
    throw refuse(`TrackingId "${id.slice(0, 200)}" must be less than ${maxTrackingIdCharacters} characters`);
  }
  if (!/^[\w-]+$/.test(id)) throw refuse('trackingId contains invalid characters');
  if (id === reservedTrackingId) throw refuse(`trackingId cannot be the reserved word "${reservedTrackingId}"`);
  return id;
}

/** `true`, `false`, `1` or `0`; true without a value. */
const looseFlag = v.pipe(
  v.union([v.boolean(), v.picklist(['0', '1'])]),
  v.transform((value) => value === true || value === '1'),
);

const textList = v.pipe(
  v.union([listOf(v.string(), listLimits.names), v.string()]),
  v.transform((value) =>
    (typeof value === 'string' ? value.split(',') : value).map((item) => item.trim()).filter(Boolean),
  ),
);

const token = field(v.pipe(v.string(), v.metadata({ secret: true })), 'Token, if the server requires one.');

const timeout = field(
  v.pipe(
    v.number(),
    v.transform((ms) => Math.max(0, ms)),
  ),
  'Time limit of the request in milliseconds from its start, instead of TIMEOUT; 0 for none.',
);

export const browserQuery = v.strictObject({
  token,
  timeout,
  launch: field(v.string(), 'Launch options: a JSON object, or base64 of it.'),
  debug: field(v.boolean(), 'Include the console output of the code in the error when it fails.'),
  blockAds: field(v.boolean(), 'Block advertisements and trackers.'),
  isolation: field(
    v.picklist(['context', 'process'], 'must be "context" or "process"'),
    'What the request runs in, overriding ISOLATION, or SESSION_ISOLATION for a CDP client: its own context in a shared browser, or its own process.',
  ),
  blockAdsInclude: ignoredField(textList, "the server's filter lists always apply in full"),
  trackingId: field(
    v.pipe(v.string(), v.transform(parseTrackingId)),
    'Custom id of the session: at most 32 letters, digits, - and _.',
  ),
  profile: field(
    v.pipe(v.string(), v.nonEmpty()),
    'Stored profile whose cookies, localStorage and IndexedDB are loaded into the browser.',
  ),
  proxy: field(
    v.picklist(['residential'], 'must be "residential"; use externalProxyServer for your own proxy'),
    'Use a proxy of the provider in RESIDENTIAL_PROXY_URL.',
  ),
  proxyCountry: field(countryCode, 'Two-letter country code of the proxy.'),
  proxyCity: field(
    placeName,
    'City of the proxy, one of GET /proxy/cities if the operator lists cities; spaces and hyphens become underscores.',
  ),
  proxyState: field(placeName, 'State of the proxy; spaces and hyphens become underscores.'),
  proxySticky: field(looseFlag, 'Keep the same proxy IP address for the whole request; the default.'),
  proxyLocaleMatch: field(
    looseFlag,
    'Set the language of the browser to match the country of the proxy, and the time zone of a stealth browser.',
  ),
  proxyPreset: ignoredField(v.string(), 'the provider is chosen by the operator'),
  externalProxyServer: field(
    v.pipe(v.string(), v.metadata({ secret: true })),
    'Your own proxy: [user:password@]host:port after http://, https:// or socks5://.',
  ),
  allowedDomains: field(
    v.pipe(
      textList,
      v.check((all) => all.length <= listLimits.domains, `may contain at most ${listLimits.domains} domains`),
      domainList,
    ),
    'Domains that the browser may reach, separated by commas: `example.com` with its subdomains, `*.example.com`, or an IP address.',
  ),
  record: field(
    v.pipe(
      v.union([v.boolean(), v.picklist(['0', '1', 'all'])], 'must be true, false or "all"'),
      v.transform((value) => (value === 'all' ? value : value === true || value === '1')),
    ),
    'Allow Browserless.startRecording; "all" records all pages as videos from the start.',
  ),
  replay: field(v.boolean(), 'Record the pages of the session as a replay, from the start.'),
  solveCaptchas: field(v.boolean(), 'Solve captchas on all pages, and report each one with an event.'),
  humanlike: field(v.boolean(), 'Move the mouse and type like a person.'),
  blockConsentModals: field(v.boolean(), 'Reject consent dialogs automatically.'),
  integrations: ignoredField(textList, 'not supported'),
  acceptInsecureCerts: field(v.boolean(), 'Accept certificates that cannot be verified; same as in launch.'),
  shield: field(
    v.boolean(),
    'False allows Runtime.enable in a stealth browser: pages can detect it, and clients receive page errors and console arguments as objects.',
  ),
  force: ignoredField(v.boolean(), 'only for DELETE /session/<id>'),
  browserId: ignoredField(v.string(), 'the path identifies the browser'),
  ttl: field(
    v.number(),
    'How long the browser waits for a reconnection after its last client has disconnected, in milliseconds, like Browserless.reconnect.',
  ),
  keepalive: ignoredField(v.number(), 'use ttl or Browserless.reconnect'),
});

/** The place of a proxy, as BrowserQL names its parts. */
export const proxyPlace = v.object({
  city: browserQuery.entries.proxyCity,
  state: browserQuery.entries.proxyState,
});

export type BrowserQuery = v.InferOutput<typeof browserQuery>;

const scope = field(
  v.picklist(['node', 'cluster']),
  'Whether the request concerns only the server that receives it (`node`, the default) or all servers of its cluster.',
);

/** `/sessions` accepts any text as a filter, even one that cannot be the id of a session. */
export const sessionsQuery = v.strictObject({
  token,
  scope,
  trackingId: field(v.string(), 'Only sessions with this tracking id.'),
});

/** `/kill/<id>`: only the id in the path is used; these ids are accepted and ignored. */
export const killQuery = v.strictObject({
  token,
  scope,
  browserId: ignoredField(v.string(), 'the path identifies the session'),
  trackingId: ignoredField(v.string(), 'the path identifies the session'),
});

/** `/pressure` and `/metrics`. */
export const scopeQuery = v.strictObject({ token, scope });

/** `POST /session`: everything else is in the body. */
export const tokenQuery = v.strictObject({ token });

/** `GET /proxy/cities`. */
export const citiesQuery = v.strictObject({
  token,
  country: field(countryCode, 'Only cities in this country (two-letter code).'),
});

/** `PUT /session-files/<id>/<name>`. */
export const uploadQuery = v.strictObject({ token, timeout });

/** The number of entries that a list returns. */
export const entriesLimit = (most: number, byDefault: number) =>
  v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most), v.description('Maximum number of entries.')),
    byDefault,
  );

/** `GET /recordings`. */
export const recordingsQuery = v.strictObject({
  token,
  trackingId: field(v.string(), 'Only recordings of sessions with this tracking id.'),
  session: field(v.string(), 'Only recordings of the session with this id.'),
  cursor: field(v.string(), 'Cursor of the page to return: `next` of the previous page.'),
  limit: entriesLimit(recordingLimits.listed, recordingLimits.listed),
});

const tab = v.optional(
  v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(recordingLimits.tabs), v.description('Number of the tab.')),
  1,
);

/** `GET /recordings/<id>/video.mp4`, `video.webm` and `events`. */
export const tabQuery = v.strictObject({ token, tab });

/** Like `tabQuery`, for a player link, which needs no token. */
export const sharedQuery = v.strictObject({ tab });

/** `DELETE /session/<id>`. */
export const deleteSessionQuery = v.strictObject({
  token,
  force: v.optional(v.pipe(v.boolean(), v.description('End the session even if clients are connected.')), false),
});
