// Declares the responses of /json/version, /json/protocol, /meta, /config, /pressure, /metrics and /openapi.json.

import * as v from 'valibot';
import { listOf, member, named, namedObject, openObject, timestamp } from './members.ts';

export const versionResponse = namedObject('BrowserVersion', {
  Browser: member(v.string(), 'Name and version.'),
  'Protocol-Version': v.string(),
  'User-Agent': v.string(),
  'V8-Version': v.string(),
  'WebKit-Version': v.string(),
  'Debugger-Version': v.string(),
  webSocketDebuggerUrl: member(v.string(), 'WebSocket URL for CDP clients.'),
});

/** Commands, events and types have the form of Chromium's own protocol description. */
const anyList = listOf(v.unknown());

export const protocolResponse = namedObject('Protocol', {
  version: v.object({ major: v.string(), minor: v.string() }),
  domains: listOf(
    v.object({
      domain: v.string(),
      description: v.optional(v.string()),
      experimental: v.optional(v.boolean()),
      deprecated: v.optional(v.boolean()),
      dependencies: v.optional(listOf(v.string())),
      types: v.optional(anyList),
      commands: anyList,
      events: v.optional(anyList),
    }),
  ),
});

const version = (text: string) => member(v.nullable(v.string()), text);

const versions = {
  version: member(v.string(), 'Version of the service.'),
  chromium: version('Null when not installed.'),
  chromiumHeadlessShell: version('Null when not installed.'),
  chrome: version('Null when not installed.'),
  chromeServedBy: v.picklist(['chrome', 'chromium']),
  edge: version('Null when not installed.'),
  firefox: version('Null when not installed.'),
  webkit: version('Null when not installed.'),
  playwright: member(listOf(v.string()), 'Supported Playwright versions, newest first.'),
  puppeteer: listOf(v.string()),
};

export const metaResponse = named('Versions', v.object(versions));

export const factsResponse = namedObject('Facts', {
  ...versions,
  token: member(
    v.picklist(['not needed', 'missing', 'accepted', 'wrong']),
    'Whether the server requires a token, and whether the token in this request is valid.',
  ),
  timeout: member(v.number(), 'Default time limit of a request in milliseconds; 0 for no limit.'),
  concurrent: member(v.number(), 'Maximum number of requests that run at the same time.'),
  queued: member(v.number(), 'Maximum number of waiting requests.'),
  maxPayloadSize: member(v.number(), 'Maximum size of a request body in bytes.'),
});

const text = v.nullable(v.string());

export const configResponse = namedObject('Configuration', {
  allowCORS: v.boolean(),
  allowFileProtocol: v.boolean(),
  allowGetCalls: v.boolean(),
  concurrent: v.number(),
  data: text,
  debug: member(v.picklist(['debug', 'info', 'warn', 'error']), 'Log level.'),
  errorAlertURL: text,
  healthFailureURL: text,
  host: text,
  maxCPU: v.number(),
  maxMemory: v.number(),
  metricsJSONPath: text,
  port: v.number(),
  queued: v.number(),
  queuedAlertURL: text,
  rejectAlertURL: text,
  retries: v.number(),
  timeout: member(v.number(), 'In milliseconds; 0 for none.'),
  timeoutAlertURL: text,
  token: member(v.nullable(v.literal('***')), 'Masked; null when there is none.'),
});

const share = (what: string) => member(v.nullable(v.number()), `${what} from 0 to 1; null while unknown.`);

export const pressureResponse = namedObject('Pressure', {
  pressure: v.object({
    cpu: share('CPU load'),
    memory: share('Memory use'),
    date: timestamp('Current time'),
    isAvailable: member(v.boolean(), 'True when a request would be served now.'),
    maxConcurrent: v.number(),
    maxQueued: v.number(),
    queued: v.number(),
    running: v.number(),
    recentlyRejected: member(v.number(), 'Requests refused in the current metrics period.'),
    reason: member(
      v.picklist(['', 'full', 'slots', 'cpu', 'memory', 'disk', 'browser', 'stopping']),
      'Why a request would not be served; empty when it would.',
    ),
    message: v.string(),
  }),
});

const countMembers = {
  successful: v.number(),
  error: v.number(),
  timedout: v.number(),
  queued: v.number(),
  rejected: v.number(),
  unhealthy: v.number(),
  maxConcurrent: v.number(),
  sessionTimes: member(listOf(v.number()), 'The latest session durations, in milliseconds.'),
  maxTime: v.number(),
  minTime: v.number(),
  totalTime: v.number(),
  units: member(
    v.number(),
    'One for every 30 seconds or part thereof of each session, plus the units of proxies and captchas.',
  ),
  proxies: v.optional(
    member(
      v.record(v.string(), v.object({ bytes: v.number(), units: v.number() })),
      'Traffic through proxies, by client label.',
    ),
  ),
};

export const periodsResponse = named(
  'Metrics',
  listOf(
    v.object({
      ...countMembers,
      date: timestamp('End of the period'),
      unauthorized: v.number(),
      running: v.number(),
      meanTime: v.number(),
      cpu: share('CPU load'),
      memory: share('Memory use'),
    }),
  ),
);

export const totalResponse = namedObject('MetricsTotal', {
  ...countMembers,
  meanTime: member(v.nullable(v.number()), 'Null when no session ended.'),
  estimatedMonthlyUnits: member(
    v.nullable(v.number()),
    'Units extrapolated to 30 days at the same rate; null if there is no period.',
  ),
  minutesOfMetricsAvailable: v.number(),
});

export const openApiResponse = named(
  'OpenApi',
  openObject({
    openapi: v.string(),
    info: openObject({ title: v.string(), version: v.string() }),
    paths: v.record(v.string(), v.unknown()),
  }),
);

const limit = (meaning: string) => member(v.nullable(v.number()), meaning);

export const accountResponse = namedObject('Account', {
  name: member(v.nullable(v.string()), 'Name of the token in TOKENS_FILE; null for the operator.'),
  plan: v.string(),
  features: member(listOf(v.string()), 'Features that the plan includes.'),
  routes: member(v.nullable(listOf(v.string())), 'Routes that the token may use; null for all.'),
  allowedDomains: member(v.nullable(listOf(v.string())), 'Domains that its browsers may reach; null for all.'),
  concurrent: member(v.number(), 'Maximum number of requests that run at the same time.'),
  queued: member(v.number(), 'Maximum number of waiting requests.'),
  perMinute: limit('Requests that may start in any minute; null for no limit.'),
  maxTimeoutMs: limit('Maximum time limit of a request, in milliseconds; null for none.'),
  maxReconnectMs: limit('Maximum wait for a reconnection, in milliseconds; null for none.'),
  weight: member(
    v.number(),
    'Slots that the account gets for each slot of another account while both have waiting requests.',
  ),
  running: member(v.number(), 'Requests running now.'),
  waiting: member(v.number(), 'Requests waiting now.'),
  units: v.object({
    used: limit('Units used this month (UTC); null for the operator, whose units are not counted here.'),
    budget: limit('Units available per month; null for no limit.'),
    resetsAt: member(v.string(), 'When the next month begins.'),
  }),
  expires: member(v.nullable(v.string()), 'When the token expires; null for never.'),
});

export const citiesResponse = named(
  'ProxyCities',
  v.pipe(
    v.object({
      countries: listOf(
        v.object({
          code: member(v.string(), 'Two uppercase letters.'),
          cities: member(listOf(v.string()), 'Names that proxyCity accepts.'),
        }),
      ),
      totalCountries: v.number(),
      totalCities: v.number(),
      filters: member(v.object({ country: v.optional(v.string()) }), 'The filters of the request, unchanged.'),
    }),
    v.examples([
      {
        countries: [{ code: 'DE', cities: ['Berlin', 'Hamburg'] }],
        totalCountries: 1,
        totalCities: 2,
        filters: { country: 'de' },
      },
    ]),
  ),
);
