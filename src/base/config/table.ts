// Defines every setting: environment names, command-line option, default, meaning. Validation, `--help`, `/config` and
// the documentation are derived from this table. The file is long because it is one table.

import {
  addressRanges,
  attributes,
  choice,
  contact,
  decimal,
  directories,
  directoryOrigin,
  durationMs,
  ed25519Jwk,
  ed25519Public,
  flag,
  frameAncestors,
  headers,
  hostNames,
  type SettingType,
  limitMs,
  list,
  nodeName,
  nodeUrl,
  nodeUrls,
  secretText,
  path,
  type HostDirectories,
  protocolMethods,
  proxyCities,
  proxyTemplate,
  roundCount,
  text,
  url,
  urls,
  integer,
  valkeyUrl,
} from './setting-types.ts';
import { capsolverUrl } from './captcha-solver.ts';
import { privateNetworks } from '../schema/request/addresses.ts';

/** The table of the documentation that a setting is in. */
type SettingGroup =
  | 'server'
  | 'cluster'
  | 'key'
  | 'limits'
  | 'browsers'
  | 'safety'
  | 'health'
  | 'alerts'
  | 'captchas'
  | 'cors'
  | 'files'
  | 'log'
  | 'telemetry'
  | 'docs';

interface SettingEntry<D, Public extends string> {
  /** Environment names; the first one that is set wins. Default: the key in the table. */
  readonly names?: readonly string[];
  /** An environment name that still works, with a warning. */
  readonly oldName?: string;
  /** Not set without one. */
  readonly byDefault?: D;
  /** The default in words, when its value does not say enough or depends on the machine. */
  readonly defaultText?: string;
  readonly description: string;
  readonly unit?: string;
  /** The value is never shown. */
  readonly secret?: boolean;
  /** Name in the response of `/config`, which omits settings without one. */
  readonly publicName?: Public;
}

export interface Setting<T = unknown, D = unknown, Public extends string = string> extends SettingEntry<D, Public> {
  readonly group: SettingGroup;
  readonly kind: SettingType<T>;
}

/** Infers the type of a setting: its value has the type of its kind, or of its default (`undefined` for "not set"). */
const setting = <
  T,
  const D extends T | undefined | ((place: HostDirectories) => T) = undefined,
  const Public extends string = never,
>(
  group: SettingGroup,
  kind: SettingType<T>,
  entry: SettingEntry<D, Public>,
): Setting<T, D, Public> => ({ group, kind, ...entry });

const inTemporary = (name: string) => (place: HostDirectories) =>
  `${place.tmpdir.replace(/(?<![/\\])[/\\]+$/, '')}/${name}`;
const alert = <const Public extends string>(description: string, publicName: Public) =>
  setting('alerts', url, {
    description: `URL that is called with GET when ${description}.`,
    publicName,
  });
const browserPath = (what: string) =>
  setting('browsers', path, {
    description: `Path of the ${what} executable; searched for in the usual locations when not set.`,
  });

export const settings = {
  HOST: setting('server', text, {
    byDefault: 'localhost',
    description: 'Address to listen on; 0.0.0.0 for all interfaces.',
    publicName: 'host',
  }),
  PORT: setting('server', integer(0, 65_535), {
    byDefault: 3000,
    description: 'Port to listen on; 0 for any free one.',
    publicName: 'port',
  }),
  EXTERNAL: setting('server', url, {
    names: ['PROXY_URL', 'EXTERNAL'],
    description: 'Public base URL of the links that the server creates; when not set, the host of the request is used.',
  }),
  TRUSTED_PROXIES: setting('server', addressRanges, {
    byDefault: (): string[] => [...privateNetworks],
    defaultText: 'loopback and private networks',
    description:
      'IP addresses of proxies whose X-Forwarded-Proto and X-Forwarded-Host headers determine the scheme and host of links when EXTERNAL is not set.',
  }),
  TOKEN: setting('server', list, {
    byDefault: (): string[] => [],
    defaultText: 'none, access is open',
    description: 'Token that clients must send, or several separated by commas.',
    secret: true,
    publicName: 'token',
  }),
  TOKEN_FILE: setting('server', path, {
    description: 'File with tokens in addition to those in TOKEN, one per line.',
  }),
  TOKENS_FILE: setting('server', path, {
    description:
      'JSON file with the tokens of other users, their plans and their limits; reloaded when it changes. Tokens in TOKEN belong to the operator and have full access.',
  }),
  UNITS_FILE: setting('server', path, {
    byDefault: inTemporary('browserd-units.jsonl'),
    description: 'File that stores the units that the tokens of TOKENS_FILE have used this month.',
  }),
  NODE_URL: setting('cluster', nodeUrl, {
    defaultText: 'none, the server is not part of a cluster',
    description: 'URL at which the other servers in the cluster reach this one.',
  }),
  NODE_NAME: setting('cluster', nodeName, {
    defaultText: 'none, the whole name is random',
    description:
      'Two characters (a-z, 2-7) that the ids of this server always start with, so that a load balancer can route a request by the id in it; must be unique per server.',
  }),
  CLUSTER_NODES: setting('cluster', nodeUrls, {
    byDefault: (): string[] => [],
    description: 'URLs of the servers in the cluster; this server may be included.',
  }),
  CLUSTER_URL: setting('cluster', valkeyUrl, {
    defaultText: 'none, CLUSTER_NODES lists the servers',
    description:
      'URL of a Valkey (or Redis 7 and later) server through which the servers in the cluster find each other and share slots, the queue and token limits.',
    secret: true,
  }),
  CLUSTER_STRICT: setting('cluster', flag, {
    byDefault: false,
    description:
      'While Valkey does not respond: true refuses requests that need it with 503 (sockets that start browsers, `/unblock` and requests whose token has `concurrent`); false admits them within the limits of this server.',
  }),
  CLUSTER_SECRET: setting('cluster', secretText, {
    description:
      'Secret shared by the servers in the cluster, at least 16 characters: it authenticates the requests that they forward to each other.',
    secret: true,
  }),
  KEY_PUBLIC: setting('key', ed25519Public, {
    defaultText: 'none, no software key is needed',
    description:
      'Public key of the vendor that distributes this server: it then runs only with a software key, and stops when that key expires.',
  }),
  KEY: setting('key', text, {
    description: 'The software key, a JSON Web Token that KEY_PUBLIC verifies. Without KEY_PUBLIC it has no effect.',
    secret: true,
  }),
  KEY_FILE: setting('key', path, {
    description: 'File that contains the software key, instead of KEY; a new key in it takes effect immediately.',
  }),
  ALLOWED_HOSTS: setting('server', hostNames, {
    byDefault: (): string[] => [],
    description:
      'Additional hostnames of a server without TOKEN, such as *.default for Kubernetes; IP addresses, names without a dot and names in internal networks need no entry.',
  }),
  ALLOWED_CLIENTS: setting('server', addressRanges, {
    byDefault: (): string[] => [],
    description: 'Client IP addresses outside private networks that a server without TOKEN serves.',
  }),
  CONCURRENT: setting('limits', integer(0), {
    oldName: 'MAX_CONCURRENT_SESSIONS',
    byDefault: 10,
    description: 'Maximum number of requests that run at the same time.',
    publicName: 'concurrent',
  }),
  QUEUED: setting('limits', integer(0), {
    names: ['QUEUE_LENGTH', 'QUEUED'],
    byDefault: 10,
    description: 'Maximum number of requests waiting for a slot; more are refused with 429.',
    publicName: 'queued',
  }),
  PERFORMANCE_CONCURRENT: setting('limits', integer(0), {
    byDefault: 2,
    description:
      'Maximum number of Lighthouse audits that run at the same time; on few CPUs they slow each other down.',
  }),
  PERFORMANCE_QUEUED: setting('limits', integer(0), {
    byDefault: 10,
    description: 'Maximum number of audits waiting for a slot; more are refused with 429.',
  }),
  TIMEOUT: setting('limits', limitMs, {
    oldName: 'CONNECTION_TIMEOUT',
    byDefault: 30_000,
    description: 'Time limit of a request that sets no timeout; -1 or 0 for none.',
    unit: 'ms',
    publicName: 'timeout',
  }),
  BQL_TIMEOUT: setting('limits', limitMs, {
    byDefault: 60_000,
    defaultText: 'TIMEOUT when that is set, otherwise 60000',
    description: 'Time limit of a BrowserQL request that sets no timeout; -1 or 0 for none.',
    unit: 'ms',
  }),
  MAX_TIMEOUT: setting('limits', limitMs, {
    byDefault: 0,
    defaultText: 'none',
    description:
      'Maximum time limit that a request may set, and the time limit of requests that have none; a client of a session may stay connected that long.',
    unit: 'ms',
  }),
  RETRIES: setting('limits', integer(0, 100), {
    byDefault: 5,
    description:
      'Retries, with increasing delays, when a browser exits during startup, before it has created a page, or before its client is connected to it.',
    publicName: 'retries',
  }),
  MAX_RECONNECT_TIME: setting('limits', limitMs, {
    byDefault: 0,
    defaultText: 'none',
    description:
      'Maximum time that a browser is kept without clients, with Browserless.reconnect, BrowserQL or processKeepAlive of a session.',
    unit: 'ms',
  }),
  MAX_SESSIONS: setting('limits', integer(0), {
    byDefault: 100,
    description:
      'Maximum number of POST /session sessions that one token may have at a time; more are refused with 429. 0 for no limit.',
  }),
  MAX_SESSION_TTL: setting('limits', limitMs, {
    byDefault: 0,
    defaultText: 'none',
    description: 'Maximum time to live that POST /session may request.',
    unit: 'ms',
  }),
  SESSION_IDLE_MS: setting('limits', limitMs, {
    byDefault: 0,
    defaultText: 'none',
    description:
      'Time without a command after which a session with connected clients (CDP, Playwright, BrowserQL) ends. A running BrowserQL document counts as activity.',
    unit: 'ms',
  }),
  SESSIONS_PER_SECOND: setting('limits', integer(0), {
    byDefault: 0,
    description:
      'Maximum number of sessions that may start per second for one token of TOKENS_FILE, or for all other clients together: sockets that start a browser, POST /session, and BrowserQL that keeps its browser. More are refused with 429; 0 for no limit.',
  }),
  PING_INTERVAL_MS: setting('limits', integer(100, 3_600_000), {
    byDefault: 30_000,
    description: 'Interval of WebSocket pings and of Browserless.heartbeat events.',
    unit: 'ms',
  }),
  DATA_DIR: setting('files', path, {
    oldName: 'DEFAULT_USER_DATA_DIR',
    byDefault: inTemporary('browserless-data-dirs'),
    description: 'Directory of browser profiles.',
    publicName: 'data',
  }),
  DOWNLOAD_DIR: setting('files', path, {
    byDefault: inTemporary('browserless-download-dirs'),
    description: 'Directory of downloads.',
  }),
  SCRATCH_DIR: setting('files', path, {
    byDefault: inTemporary('browserless-scratch-dirs'),
    description:
      'Directory for temporary files of browsers. Its path may have at most 49 bytes (macOS: 45), because browsers create sockets in it; when the default is longer, /tmp/browserless-scratch-dirs is used.',
  }),
  PROFILES_DIR: setting('files', path, {
    byDefault: inTemporary('browserless-profiles'),
    description: 'Directory of stored profiles and secrets, which are encrypted.',
  }),
  PROFILES_KEY: setting('files', secretText, {
    defaultText: 'none, profiles and secrets are refused',
    description:
      'Key that encrypts stored profiles and secrets, at least 16 characters: anyone who has it and PROFILES_DIR can read them. Keep a copy: without it they are lost.',
    secret: true,
  }),
  RECORDINGS_DIR: setting('files', path, {
    byDefault: inTemporary('browserless-recordings'),
    description: 'Directory of recordings, which are kept when their sessions end.',
  }),
  RECORDINGS_BYTES: setting('files', integer(0), {
    byDefault: 10_737_418_240,
    description:
      'Maximum total size of all recordings: beyond it, the oldest are deleted and running recordings are stopped. 0 for no limit.',
    unit: 'bytes',
  }),
  RECORDINGS_DAYS: setting('files', integer(0, 36_500), {
    byDefault: 7,
    description: 'Age at which a recording is deleted; 0 to keep recordings.',
    unit: 'days',
  }),
  REPLAY_MASK: setting('files', choice(['all', 'password', 'none']), {
    byDefault: 'all',
    description: 'Which form fields a session replay shows as asterisks: all, only password fields, or none.',
  }),
  CACHE_DIR: setting('files', path, {
    byDefault: (place: HostDirectories) => `${place.homedir}/.cache/browserd`,
    description:
      'Directory for the unpacked embedded browser and compiled filter lists; the single binary also unpacks Playwright and Lighthouse there.',
  }),
  METRICS_JSON_PATH: setting('files', path, {
    byDefault: inTemporary('browserless-metrics.json'),
    description: 'File that stores the metrics.',
    publicName: 'metricsJSONPath',
  }),
  MAX_PAYLOAD_SIZE: setting('limits', integer(1), {
    byDefault: 10_485_760,
    description: 'Maximum size of a request body, both before and after decompression.',
    unit: 'bytes',
  }),
  SEND_TIMEOUT_MS: setting('limits', integer(100, 3_600_000), {
    byDefault: 30_000,
    description: 'Time after which a client that does not read its response is disconnected.',
    unit: 'ms',
  }),
  MAX_ANSWER_MB: setting('limits', integer(0, 500), {
    byDefault: 100,
    description:
      'Maximum size of responses that are built in memory: HTML, images, BrowserQL results. PDFs, files, archives and results of code are streamed, regardless of their size. 0 for no limit.',
    unit: 'MB',
  }),
  MAX_UNREAD_MB: setting('limits', integer(1), {
    byDefault: 512,
    description:
      'Maximum memory for responses that clients have not read yet; beyond it, requests are refused with 429.',
    unit: 'MB',
  }),
  ALLOW_GET: setting('server', flag, {
    oldName: 'ENABLE_API_GET',
    byDefault: false,
    description: 'Accept GET requests with the JSON body in the body query parameter.',
    publicName: 'allowGetCalls',
  }),
  ALLOW_FILE_PROTOCOL: setting('safety', flag, {
    byDefault: false,
    description: 'Allow pages to be loaded from file: URLs.',
    publicName: 'allowFileProtocol',
  }),
  ALLOW_STEALTH: setting('safety', flag, {
    byDefault: true,
    description: 'Allow clients to use stealth browsers, which hide that they are automated.',
  }),
  WEB_BOT_AUTH_KEY: setting('safety', ed25519Jwk, {
    defaultText: 'none, requests are not signed',
    description:
      'Private key that signs requests for documents (Web Bot Auth); needs WEB_BOT_AUTH_DIRECTORY, and cannot be combined with stealth.',
    secret: true,
  }),
  WEB_BOT_AUTH_DIRECTORY: setting('safety', directoryOrigin, {
    defaultText: 'none',
    description: 'Origin at which sites find the public key of WEB_BOT_AUTH_KEY.',
  }),
  ALLOWED_CDP_METHODS: setting('safety', protocolMethods, {
    byDefault: (): string[] => [],
    description:
      "Chrome DevTools Protocol methods that clients with a dedicated browser may send regardless of the server's rules, such as SystemInfo.getInfo or DeviceAccess.*.",
  }),
  BLOCK_PRIVATE_NETWORK: setting('safety', flag, {
    byDefault: false,
    defaultText: 'false; true without TOKEN when HOST or EXTERNAL is a public address',
    description:
      'Block access from pages to loopback and private addresses. Link-local and cloud metadata addresses are always blocked.',
  }),
  ALLOWED_LAUNCH_ARGS: setting('safety', list, {
    byDefault: (): string[] => [],
    defaultText: 'only those in the table of launch switches',
    description:
      'Additional browser switches that clients may use, by name without dashes; * for all except those that start programs, name files or bypass the network filter.',
  }),
  USER_DATA_DIRS: setting('files', list, {
    byDefault: (): string[] => [],
    defaultText: 'only DATA_DIR',
    description: 'Directories, besides DATA_DIR, under which clients may select profiles by path.',
  }),
  AD_BLOCK_LISTS: setting('safety', list, {
    byDefault: (): string[] => [],
    defaultText: 'the EasyList and EasyPrivacy lists shipped with the server',
    description: 'Files with filter lists that blockAds uses instead; reloaded when they change.',
  }),
  RESIDENTIAL_PROXY_URL: setting('server', proxyTemplate, {
    defaultText: 'none, proxy=residential is refused',
    description:
      'Proxy URL of the provider behind proxy=residential, with {country}, {city}, {state} and {session} where the provider expects them; [a part in brackets] is omitted when the request does not set its placeholder.',
    secret: true,
  }),
  RESIDENTIAL_PROXY_CITIES: setting('server', proxyCities, {
    byDefault: (): string[] => [],
    defaultText: 'none, any city is passed on',
    description:
      'Cities that the provider of RESIDENTIAL_PROXY_URL offers; needs {city} in that URL. GET /proxy/cities lists them, and requests for a different city are refused.',
  }),
  CAPTCHA_SOLVER_URL: setting('captchas', url, {
    defaultText: `none; ${capsolverUrl} with CAPSOLVER_API_KEY`,
    description:
      'Base URL of a captcha solver with the createTask and getTaskResult API: 2Captcha, Anti-Captcha, CapSolver and others. It may be in a private network. Needs CAPTCHA_SOLVER_KEY.',
  }),
  CAPTCHA_SOLVER_KEY: setting('captchas', text, {
    names: ['CAPTCHA_SOLVER_KEY', 'CAPSOLVER_API_KEY'],
    defaultText: 'none, no captcha is sent to a solver',
    description:
      'API key for that solver. Without one, captchas are detected, but solved only where a click on the checkbox is enough.',
    secret: true,
  }),
  CAPTCHA_SOLVER_LIMIT_MS: setting('captchas', integer(100, 600_000), {
    byDefault: 120_000,
    description: 'Time limit of the solver for one captcha.',
    unit: 'ms',
  }),
  CAPTCHA_SOLVER_MAX_PER_HOUR: setting('captchas', integer(0), {
    byDefault: 100,
    description: 'Maximum number of captchas per token that are sent to the solver in an hour; 0 for no limit.',
  }),
  CHROMIUM_PATH: browserPath('Chromium'),
  SHELL_PATH: browserPath('the Chromium headless shell'),
  CHROME_PATH: browserPath('Google Chrome'),
  EDGE_PATH: browserPath('Microsoft Edge'),
  FIREFOX_PATH: browserPath('Firefox'),
  WEBKIT_PATH: browserPath("Playwright's WebKit (pw_run.sh)"),
  ISOLATION: setting('browsers', choice(['context', 'process']), {
    byDefault: 'context',
    description: 'What a request runs in: its own context in a shared browser, or its own browser process.',
  }),
  SESSION_ISOLATION: setting('browsers', choice(['context', 'process']), {
    byDefault: 'context',
    description:
      'What a CDP client runs in when its options allow a choice: a virtual browser, which is a context in a shared browser, or its own browser process. The isolation query parameter overrides it. With ALLOWED_CDP_METHODS, every client has its own process.',
  }),
  SHARED_PROCESSES: setting('browsers', choice(['tenant', 'server']), {
    byDefault: 'tenant',
    description:
      'Which requests and clients share browser processes: those of the same TOKENS_FILE token, or all of them, which takes less memory but separates tenants only by contexts.',
  }),
  SPARES: setting('browsers', integer(0, 100), {
    byDefault: 2,
    description:
      'Number of contexts (or browsers, with ISOLATION=process) prepared in advance. For socket clients, as many browsers are kept ready as were requested concurrently in the last minute, up to this number.',
  }),
  RECYCLE_JOBS: setting('browsers', integer(1), {
    byDefault: 500,
    description: 'Number of requests after which a shared browser is replaced.',
  }),
  RECYCLE_AGE_MS: setting('browsers', integer(1), {
    byDefault: 1_800_000,
    description: 'Age at which a shared browser is replaced.',
    unit: 'ms',
  }),
  RECYCLE_MEMORY_MB: setting('browsers', integer(1), {
    byDefault: 1500,
    description: 'Memory use at which a shared browser is replaced.',
    unit: 'MB',
  }),
  PAGE_MEMORY_MB: setting('browsers', integer(0), {
    byDefault: 2048,
    description:
      "Memory limit of one page, beyond which its renderer is killed; also of the data that a browser's pages store, beyond which the browser is killed, and of a process that runs Playwright's servers; 0 for no limit.",
    unit: 'MB',
  }),
  PAGE_BUSY_MS: setting('browsers', integer(0), {
    byDefault: 120_000,
    description:
      'CPU time that a page of a virtual browser may use without a pause: after one twentieth of it the renderer gets the lowest priority, after all of it the renderer is killed; 0 for no limit.',
    unit: 'ms',
  }),
  MAX_DOWNLOAD_MB: setting('files', integer(0), {
    byDefault: 1024,
    description: 'Maximum total size of the files that one /download request may fetch; 0 for no limit.',
    unit: 'MB',
  }),
  LIVE_MAX_VIEWERS: setting('limits', integer(1), {
    byDefault: 5,
    description: 'Maximum number of people who may watch one live view at a time; more are refused with 429.',
  }),
  LIVE_FRAME_ANCESTORS: setting('limits', frameAncestors, {
    byDefault: '*',
    description:
      "Pages that may embed a live view or a recording in a frame: sources as in the frame-ancestors directive, such as https://app.example.com, 'self', 'none' or *.",
  }),
  LIVE_UPLOAD_BYTES: setting('limits', integer(1), {
    byDefault: 52_428_800,
    description: 'Maximum total size of the files that a live-view user may upload to a page at a time.',
    unit: 'bytes',
  }),
  MAX_SESSION_FILES_MB: setting('files', integer(0), {
    byDefault: 1024,
    description:
      'Maximum total size of the files in one session: downloads of its pages and uploads of its clients; 0 for no limit.',
    unit: 'MB',
  }),
  EXTENSIONS_DIR: setting('files', path, {
    defaultText: 'none, clients cannot load extensions',
    description:
      'Directory of unpacked extensions, one subdirectory each, whose name clients use to load the extension.',
  }),
  SHARED_FILE_DIRS: setting('files', directories, {
    byDefault: (): string[] => [],
    description:
      'Directories that the server shares with CDP clients, such as a volume mounted in both containers: pages may read files under them, and downloads may be saved there.',
  }),
  DRAIN_TIMEOUT_MS: setting('limits', durationMs, {
    byDefault: 8_000,
    description:
      'Time for running requests to finish when the server stops; 0 ends them immediately. The process exits at most two seconds later: raise this together with the grace period of Docker (10 seconds) or Kubernetes (30 seconds).',
    unit: 'ms',
  }),
  SHUTDOWN_DELAY_MS: setting('limits', durationMs, {
    byDefault: 0,
    description:
      'Time at the start of DRAIN_TIMEOUT_MS during which a stopping server still accepts requests while `/ready` returns 503, so that a load balancer stops sending requests before the server is gone. Set it above the health-check interval.',
    unit: 'ms',
  }),
  SOCKET_DRAIN_MS: setting('limits', durationMs, {
    byDefault: 5_000,
    description:
      'Time that active sockets stay open when the server stops, at most DRAIN_TIMEOUT_MS; 0 closes them immediately. Idle sockets and kept sessions are always closed immediately.',
    unit: 'ms',
  }),
  HEALTH: setting('health', flag, {
    oldName: 'PRE_REQUEST_HEALTH_CHECK',
    byDefault: false,
    description: 'Refuse requests with 429 while the machine is short of CPU or memory.',
  }),
  MAX_CPU_PERCENT: setting('health', decimal(0, 100), {
    byDefault: 99,
    description: 'CPU load above which the machine is considered overloaded.',
    unit: '%',
    publicName: 'maxCPU',
  }),
  MAX_MEMORY_PERCENT: setting('health', decimal(0, 100), {
    byDefault: 99,
    description: 'Memory use above which the machine is considered overloaded.',
    unit: '%',
    publicName: 'maxMemory',
  }),
  MACHINE_STATS_SOURCE: setting('health', choice(['auto', 'host', 'cgroup']), {
    byDefault: 'auto',
    description: "Whose load is measured: the host's or the container's (cgroup).",
  }),
  CPU_SAMPLE_INTERVAL_MS: setting('health', integer(50, 3_600_000), {
    byDefault: 1000,
    description: 'Interval between samples of the CPU load.',
    unit: 'ms',
  }),
  CPU_EMA_ALPHA: setting('health', decimal(0.01, 1), {
    byDefault: 0.3,
    description: 'Weight of the newest sample in the smoothed CPU load.',
  }),
  CPU_OVERLOAD_HYSTERESIS: setting('health', decimal(0, 100), {
    byDefault: 10,
    description: 'How far the load must fall below its maximum before an overload ends.',
    unit: '%',
  }),
  FAILED_HEALTH_URL: alert('a request is refused because the machine is short of CPU or memory', 'healthFailureURL'),
  QUEUE_ALERT_URL: alert('a request is queued', 'queuedAlertURL'),
  REJECT_ALERT_URL: alert('a request is refused because the queue is full', 'rejectAlertURL'),
  TIMEOUT_ALERT_URL: alert('a request times out', 'timeoutAlertURL'),
  ERROR_ALERT_URL: alert('a request fails', 'errorAlertURL'),
  CORS: setting('cors', flag, {
    oldName: 'ENABLE_CORS',
    byDefault: false,
    description: 'Allow cross-origin requests (CORS).',
    publicName: 'allowCORS',
  }),
  CORS_ALLOW_ORIGIN: setting('cors', text, {
    byDefault: '*',
    description: 'Allowed origins; * and (a|b) are supported.',
  }),
  CORS_ALLOW_METHODS: setting('cors', text, {
    byDefault: 'OPTIONS, POST, GET',
    description: 'Allowed methods.',
  }),
  CORS_ALLOW_HEADERS: setting('cors', text, { byDefault: '*', description: 'Allowed request headers.' }),
  CORS_EXPOSE_HEADERS: setting('cors', text, {
    byDefault: '*',
    description: 'Response headers exposed to pages.',
  }),
  CORS_ALLOW_CREDENTIALS: setting('cors', flag, {
    byDefault: true,
    description: 'Whether credentials are allowed.',
  }),
  CORS_MAX_AGE: setting('cors', integer(0), {
    byDefault: 2_592_000,
    description: 'How long browsers may cache a preflight response.',
    unit: 's',
  }),
  ENABLE_DASHBOARD: setting('server', flag, {
    byDefault: true,
    description: 'Serve the /dashboard page, where people can watch and end sessions; 404 otherwise.',
  }),
  ENABLE_DEBUGGER: setting('server', flag, {
    byDefault: true,
    description: 'Serve the DevTools front end under /devtools/, and /debugger; both return 404 otherwise.',
  }),
  DOCS: setting('docs', choice(['open', 'token', 'off']), {
    byDefault: 'open',
    description:
      'Who can read the documentation: everyone, holders of the token (who sign in with it in the browser and receive a cookie), or nobody.',
  }),
  DOCS_NOINDEX: setting('docs', flag, {
    byDefault: false,
    description: 'Ask search engines not to index the documentation.',
  }),
  DOCS_ANNOUNCEMENT: setting('docs', text, {
    description: 'Announcement at the top of every documentation page.',
  }),
  DOCS_SUPPORT_URL: setting('docs', contact, {
    description: 'Support contact that the documentation shows to readers with a paid subscription.',
  }),
  DOCS_REPOSITORY_URL: setting('docs', url, {
    description: 'Target of the repository link; the page about this project when not set.',
  }),
  DOCS_STARS: setting('docs', roundCount, {
    byDefault: '12K',
    description: 'Number of stars shown next to the repository link.',
  }),
  DOCS_SIGN_UP_URL: setting('docs', url, {
    description: 'Target of Sign Up; the token box when not set.',
  }),
  DOCS_BLOG_URL: setting('docs', url, {
    description: 'URL of a blog, linked in the footer of each page; no link when not set.',
  }),
  DOCS_SOCIAL_URLS: setting('docs', urls, {
    description: 'Social media pages, linked in the footer of each page; no links when not set.',
  }),
  DOCS_ANALYTICS_URL: setting('docs', url, {
    description: 'URL that receives the title and URL of each page view, by POST; nothing is sent when not set.',
  }),
  DOCS_ASK_URL: setting('docs', url, {
    defaultText: 'none, Ask AI answers with passages from the documentation',
    description:
      'Base URL of a language model that answers Ask AI questions: a chat completions API as offered by OpenAI, vLLM, Ollama and others, such as http://localhost:11434/v1. It may be in a private network. Needs DOCS_ASK_MODEL.',
  }),
  DOCS_ASK_MODEL: setting('docs', text, {
    description: 'Name of that model.',
  }),
  DOCS_ASK_KEY: setting('docs', text, {
    description: 'API key for that model, sent as a bearer token to DOCS_ASK_URL only.',
    secret: true,
  }),
  LOG_LEVEL: setting('log', choice(['debug', 'info', 'warn', 'error']), {
    byDefault: 'info',
    description: 'Minimum level of logged events.',
    publicName: 'debug',
  }),
  OTEL_ENABLED: setting('telemetry', flag, {
    byDefault: false,
    defaultText: 'true when OTEL_EXPORTER_OTLP_ENDPOINT is set',
    description: 'Export traces, metrics and logs to an OpenTelemetry receiver.',
  }),
  OTEL_TRACES_ENABLED: setting('telemetry', flag, {
    byDefault: true,
    description: 'With OTEL_ENABLED: export traces.',
  }),
  OTEL_METRICS_ENABLED: setting('telemetry', flag, {
    byDefault: true,
    description: 'With OTEL_ENABLED: export the metrics that /metrics exposes to Prometheus.',
  }),
  OTEL_LOGS_ENABLED: setting('telemetry', flag, {
    byDefault: false,
    description: 'With OTEL_ENABLED: export the log lines as well.',
  }),
  OTEL_SERVICE_NAME: setting('telemetry', text, {
    defaultText: 'service.name in OTEL_RESOURCE_ATTRIBUTES, or browserd',
    description: 'Name of this service in exported data.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: setting('telemetry', attributes, {
    byDefault: (): Record<string, string> => ({}),
    description: 'Additional attributes of this service.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting('telemetry', url, {
    byDefault: 'http://localhost:4318',
    description:
      'Base URL of the receiver, which must accept OTLP over HTTP at /v1/traces, /v1/metrics and /v1/logs under it. It may be in a private network.',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting('telemetry', choice(['http/protobuf']), {
    byDefault: 'http/protobuf',
    description: 'Export protocol; this server supports only one.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting('telemetry', headers, {
    byDefault: (): Record<string, string> => ({}),
    description: 'Headers that the receiver requires, such as an API key.',
    secret: true,
  }),
  OTEL_METRIC_EXPORT_INTERVAL: setting('telemetry', integer(100, 86_400_000), {
    byDefault: 60_000,
    description: 'Interval of metric exports.',
    unit: 'ms',
  }),
} as const;

export type SettingName = keyof typeof settings;
