// Defines every setting: environment names, command-line option, default, meaning. Validation, `--help`, `/config` and
// the documentation are derived from it. It is long because it is one table.

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
  type Kind,
  limitMs,
  list,
  longText,
  path,
  type Place,
  protocolMethods,
  proxyCities,
  proxyTemplate,
  roundCount,
  text,
  url,
  urls,
  whole,
} from './setting-types.ts';
import { capsolverUrl } from './captcha-solver.ts';
import { nodeName, nodeUrl, nodeUrls, valkeyUrl } from './node-addresses.ts';
import { privateNetworks } from '../schema/request/addresses.ts';

export interface Setting<T = unknown, D = unknown, Public extends string = string> {
  /** Environment names; the first that is set counts. Default: the key of the table. */
  readonly names?: readonly string[];
  readonly kind: Kind<T>;
  readonly byDefault: D;
  /** The default in words, where its value does not say enough or depends on the machine. */
  readonly defaultText?: string;
  readonly description: string;
  readonly unit?: string;
  /** The value is never shown. */
  readonly secret?: boolean;
  /** Its name in the response of `/config`, which leaves out settings without one. */
  readonly publicName?: Public;
}

/** Types a setting: its value is one of its kind, or its default (`undefined` for "not set"). */
const setting = <T, const D extends T | undefined | ((place: Place) => T), const Public extends string = never>(
  entry: Setting<T, D, Public>,
): Setting<T, D, Public> => entry;

const inTemporary = (name: string) => (place: Place) => `${place.tmpdir.replace(/(?<![/\\])[/\\]+$/, '')}/${name}`;
const alert = <const Public extends string>(description: string, publicName: Public) =>
  setting({ kind: url, byDefault: undefined, description: `Address called with GET when ${description}.`, publicName });
const browserPath = (what: string) =>
  setting({
    kind: path,
    byDefault: undefined,
    description: `Executable of ${what}; looked for in the usual places when not set.`,
  });

export const settings = {
  HOST: setting({
    kind: text,
    byDefault: 'localhost',
    description: 'Address to listen on; 0.0.0.0 for all.',
    publicName: 'host',
  }),
  PORT: setting({
    kind: whole(0, 65_535),
    byDefault: 3000,
    description: 'Port to listen on; 0 for any free one.',
    publicName: 'port',
  }),
  EXTERNAL: setting({
    names: ['PROXY_URL', 'EXTERNAL'],
    kind: url,
    byDefault: undefined,
    description:
      'Public base address of every link that the server makes; when not set, the host that the request names.',
  }),
  TRUSTED_PROXIES: setting({
    kind: addressRanges,
    byDefault: (): string[] => [...privateNetworks],
    defaultText: 'loopback and private networks',
    description:
      'Addresses of proxies whose X-Forwarded-Proto and X-Forwarded-Host tell scheme and host of the links while EXTERNAL is not set.',
  }),
  TOKEN: setting({
    kind: list,
    byDefault: (): string[] => [],
    defaultText: 'none, everything is open',
    description: 'Token that callers must send; several separated by commas.',
    secret: true,
    publicName: 'token',
  }),
  TOKEN_FILE: setting({
    kind: path,
    byDefault: undefined,
    description: 'File with tokens, one a line, besides those of TOKEN.',
  }),
  TOKENS_FILE: setting({
    kind: path,
    byDefault: undefined,
    description:
      'File (JSON) with the tokens of others, their plans and their limits; read again when it changes. Tokens of TOKEN are those of the operator, who may do everything.',
  }),
  UNITS_FILE: setting({
    kind: path,
    byDefault: inTemporary('browserd-units.jsonl'),
    description: 'File that keeps the units which the tokens of TOKENS_FILE have used, for the month.',
  }),
  NODE_URL: setting({
    kind: nodeUrl,
    byDefault: undefined,
    defaultText: 'none, the server is alone',
    description: 'Address at which the other servers of the cluster reach this one.',
  }),
  NODE_NAME: setting({
    kind: nodeName,
    byDefault: undefined,
    defaultText: 'none, all letters are random',
    description:
      'Two characters of a-z2-7 with which ids of this server begin at each start, so that a balancer knows from an id where to send it; each server has its own.',
  }),
  CLUSTER_NODES: setting({
    kind: nodeUrls,
    byDefault: (): string[] => [],
    defaultText: 'none',
    description: 'Addresses of the servers of the cluster, this one among them or not.',
  }),
  CLUSTER_URL: setting({
    kind: valkeyUrl,
    byDefault: undefined,
    defaultText: 'none, CLUSTER_NODES lists the servers',
    description:
      'Address of a Valkey, or of a Redis from version 7, through which the servers of the cluster know each other and share slots, queue and limits of tokens.',
    secret: true,
  }),
  CLUSTER_STRICT: setting({
    kind: flag,
    byDefault: false,
    description:
      'While Valkey does not answer: true refuses with 503 what needs it, sockets that start browsers, `/unblock` and calls of tokens with `concurrent`; false admits them by the limits of this server alone.',
  }),
  CLUSTER_SECRET: setting({
    kind: longText,
    byDefault: undefined,
    description:
      'Secret that the servers of the cluster share, at least 16 characters: by it they know requests that they pass on to each other.',
    secret: true,
  }),
  KEY_PUBLIC: setting({
    kind: ed25519Public,
    byDefault: undefined,
    defaultText: 'none, no software key is needed',
    description:
      'Public key of who hands this server out: it then runs with a software key alone, and stops when that expires.',
  }),
  KEY: setting({
    kind: text,
    byDefault: undefined,
    description: 'The software key, a JSON Web Token that KEY_PUBLIC verifies. Without KEY_PUBLIC it has no effect.',
    secret: true,
  }),
  KEY_FILE: setting({
    kind: path,
    byDefault: undefined,
    description: 'File that holds the software key, instead of KEY; a new one in it counts at once.',
  }),
  ALLOWED_HOSTS: setting({
    kind: hostNames,
    byDefault: (): string[] => [],
    defaultText: 'none',
    description:
      'Further names under which a server without TOKEN is called, such as *.default for Kubernetes; IP addresses, names without a dot and names of inner networks need no entry.',
  }),
  ALLOWED_CLIENTS: setting({
    kind: addressRanges,
    byDefault: (): string[] => [],
    defaultText: 'none',
    description: 'Addresses outside of private networks that a server without TOKEN serves.',
  }),
  CONCURRENT: setting({
    names: ['CONCURRENT', 'MAX_CONCURRENT_SESSIONS'],
    kind: whole(0),
    byDefault: 10,
    description: 'Calls that run at the same time.',
    publicName: 'concurrent',
  }),
  QUEUED: setting({
    names: ['QUEUE_LENGTH', 'QUEUED'],
    kind: whole(0),
    byDefault: 10,
    description: 'Calls that wait for a slot; more are refused with 429.',
    publicName: 'queued',
  }),
  PERFORMANCE_CONCURRENT: setting({
    kind: whole(0),
    byDefault: 2,
    description: 'Lighthouse audits that run at the same time; they disturb each other on few processors.',
  }),
  PERFORMANCE_QUEUED: setting({
    kind: whole(0),
    byDefault: 10,
    description: 'Audits that wait for one of these; more are refused with 429.',
  }),
  TIMEOUT: setting({
    names: ['TIMEOUT', 'CONNECTION_TIMEOUT'],
    kind: limitMs,
    byDefault: 30_000,
    description: 'Limit of a call without a timeout of its own; -1 or 0 for none.',
    unit: 'ms',
    publicName: 'timeout',
  }),
  BQL_TIMEOUT: setting({
    kind: limitMs,
    byDefault: 60_000,
    defaultText: 'TIMEOUT when that is set, otherwise 60000',
    description: 'Limit of a BrowserQL call without a timeout of its own; -1 or 0 for none.',
    unit: 'ms',
  }),
  MAX_TIMEOUT: setting({
    kind: limitMs,
    byDefault: 0,
    defaultText: 'none',
    description:
      'Ceiling of the limit that a call may ask for, and the limit of those that have none; a client of a session may stay as long.',
    unit: 'ms',
  }),
  RETRIES: setting({
    kind: whole(0, 100),
    byDefault: 5,
    description:
      'Further attempts, each after a longer pause, when a browser ends right at its start, before it has made a page, or before its client is joined.',
    publicName: 'retries',
  }),
  MAX_RECONNECT_TIME: setting({
    kind: limitMs,
    byDefault: 0,
    defaultText: 'none',
    description:
      'Ceiling of the time that a browser is kept without clients, by Browserless.reconnect, by BrowserQL and by processKeepAlive of a session.',
    unit: 'ms',
  }),
  MAX_SESSIONS: setting({
    kind: whole(0),
    byDefault: 100,
    description:
      'Sessions of POST /session that one token may have at a time; more are refused with 429. 0 for no limit.',
  }),
  MAX_SESSION_TTL: setting({
    kind: limitMs,
    byDefault: 0,
    defaultText: 'none',
    description: 'Ceiling of the time to live that POST /session may ask for.',
    unit: 'ms',
  }),
  SESSION_IDLE_MS: setting({
    kind: limitMs,
    byDefault: 0,
    defaultText: 'none',
    description:
      'Time without a command after which a session with connected clients ends: CDP, Playwright, BrowserQL. A document that runs counts as activity.',
    unit: 'ms',
  }),
  SESSIONS_PER_SECOND: setting({
    kind: whole(0),
    byDefault: 0,
    description:
      'Sessions of one token of TOKENS_FILE, or of all others together, that may begin per second: sockets that start a browser, POST /session, BrowserQL that keeps its browser. More are refused with 429; 0 for no limit.',
  }),
  PING_INTERVAL_MS: setting({
    kind: whole(100, 3_600_000),
    byDefault: 30_000,
    description: 'Time between two pings of a WebSocket, and between two Browserless.heartbeat events.',
    unit: 'ms',
  }),
  DATA_DIR: setting({
    names: ['DATA_DIR', 'DEFAULT_USER_DATA_DIR'],
    kind: path,
    byDefault: inTemporary('browserless-data-dirs'),
    defaultText: '<temporary directory>/browserless-data-dirs',
    description: 'Directory of browser profiles.',
    publicName: 'data',
  }),
  DOWNLOAD_DIR: setting({
    kind: path,
    byDefault: inTemporary('browserless-download-dirs'),
    defaultText: '<temporary directory>/browserless-download-dirs',
    description: 'Directory of downloads.',
  }),
  SCRATCH_DIR: setting({
    kind: path,
    byDefault: inTemporary('browserless-scratch-dirs'),
    defaultText: '<temporary directory>/browserless-scratch-dirs',
    description:
      'Directory of the temporary files of browsers. Its path may have 49 bytes (macOS: 45), because browsers make sockets below it; where the default is longer, it is /tmp/browserless-scratch-dirs.',
  }),
  PROFILES_DIR: setting({
    kind: path,
    byDefault: inTemporary('browserless-profiles'),
    defaultText: '<temporary directory>/browserless-profiles',
    description: 'Directory of stored profiles and secrets, which are encrypted there.',
  }),
  PROFILES_KEY: setting({
    kind: longText,
    byDefault: undefined,
    defaultText: 'none, profiles and secrets are refused',
    description:
      'Key that encrypts stored profiles and secrets, at least 16 characters: whoever has it and PROFILES_DIR can read them. Keep a copy: without it they are lost.',
    secret: true,
  }),
  RECORDINGS_DIR: setting({
    kind: path,
    byDefault: inTemporary('browserless-recordings'),
    defaultText: '<temporary directory>/browserless-recordings',
    description: 'Directory of recordings, which stay when their sessions end.',
  }),
  RECORDINGS_BYTES: setting({
    kind: whole(0),
    byDefault: 10_737_418_240,
    description:
      'Size of all recordings together: beyond it the oldest are removed, and what still runs is stopped. 0 for no limit.',
    unit: 'bytes',
  }),
  RECORDINGS_DAYS: setting({
    kind: whole(0, 36_500),
    byDefault: 7,
    description: 'Age at which a recording is removed; 0 to keep recordings.',
    unit: 'days',
  }),
  REPLAY_MASK: setting({
    kind: choice(['all', 'password', 'none']),
    byDefault: 'all',
    description: 'Which fields of forms a session replay shows as asterisks: all, those of passwords, or none.',
  }),
  CACHE_DIR: setting({
    kind: path,
    byDefault: (place: Place) => `${place.homedir}/.cache/browserd`,
    defaultText: '~/.cache/browserd',
    description:
      'Where the embedded browser is unpacked and compiled filter lists are kept; the single binary unpacks Playwright and Lighthouse there too.',
  }),
  METRICS_JSON_PATH: setting({
    kind: path,
    byDefault: inTemporary('browserless-metrics.json'),
    defaultText: '<temporary directory>/browserless-metrics.json',
    description: 'File in which metrics are kept.',
    publicName: 'metricsJSONPath',
  }),
  MAX_PAYLOAD_SIZE: setting({
    kind: whole(1),
    byDefault: 10_485_760,
    description: 'Largest request body, before and after it is decompressed.',
    unit: 'bytes',
  }),
  SEND_TIMEOUT_MS: setting({
    kind: whole(100, 3_600_000),
    byDefault: 30_000,
    description: 'Time after which a client that takes no byte of its answer is cut off.',
    unit: 'ms',
  }),
  MAX_ANSWER_MB: setting({
    kind: whole(0, 500),
    byDefault: 100,
    description:
      'Largest answer that is made in memory: HTML, images, what BrowserQL found. PDFs, files, archives and results of code are streamed, whatever their size. 0 for no limit.',
    unit: 'MB',
  }),
  MAX_UNREAD_MB: setting({
    kind: whole(1),
    byDefault: 512,
    description: 'Memory of answers that clients have yet to read, beyond which further calls are refused with 429.',
    unit: 'MB',
  }),
  ALLOW_GET: setting({
    names: ['ALLOW_GET', 'ENABLE_API_GET'],
    kind: flag,
    byDefault: false,
    description: 'Take GET requests with the JSON body in the parameter body.',
    publicName: 'allowGetCalls',
  }),
  ALLOW_FILE_PROTOCOL: setting({
    kind: flag,
    byDefault: false,
    description: 'Let pages be loaded from file: addresses.',
    publicName: 'allowFileProtocol',
  }),
  ALLOW_STEALTH: setting({
    kind: flag,
    byDefault: true,
    description: 'Let callers have browsers that hide that a program drives them.',
  }),
  WEB_BOT_AUTH_KEY: setting({
    kind: ed25519Jwk,
    byDefault: undefined,
    defaultText: 'none, requests are not signed',
    description:
      'Private key that signs the documents that browsers load (Web Bot Auth); needs WEB_BOT_AUTH_DIRECTORY, excludes stealth.',
    secret: true,
  }),
  WEB_BOT_AUTH_DIRECTORY: setting({
    kind: directoryOrigin,
    byDefault: undefined,
    defaultText: 'none',
    description: 'Address at which sites find the public key of WEB_BOT_AUTH_KEY.',
  }),
  ALLOWED_CDP_METHODS: setting({
    kind: protocolMethods,
    byDefault: (): string[] => [],
    defaultText: 'none',
    description:
      'Methods of the Chrome DevTools Protocol that clients with a browser of their own may send whatever the rules of the server say, such as SystemInfo.getInfo or DeviceAccess.*.',
  }),
  BLOCK_PRIVATE_NETWORK: setting({
    kind: flag,
    byDefault: false,
    defaultText: 'false; true without TOKEN when HOST or EXTERNAL is a public address',
    description:
      'Keep pages from loopback and private addresses. Link-local and cloud metadata addresses are always blocked.',
  }),
  ALLOWED_LAUNCH_ARGS: setting({
    kind: list,
    byDefault: (): string[] => [],
    defaultText: 'those of the table of launch switches',
    description:
      'Further switches that callers may give to browsers, by name without dashes; * for all but those that start programs, name files or lift the network filter.',
  }),
  USER_DATA_DIRS: setting({
    kind: list,
    byDefault: (): string[] => [],
    defaultText: 'none beside DATA_DIR',
    description: 'Directories below which callers may name profiles by path, beside DATA_DIR.',
  }),
  AD_BLOCK_LISTS: setting({
    kind: list,
    byDefault: (): string[] => [],
    defaultText: 'EasyList and EasyPrivacy as they come with the server',
    description: 'Files with filter lists that blockAds uses instead; read again when they change.',
  }),
  RESIDENTIAL_PROXY_URL: setting({
    kind: proxyTemplate,
    byDefault: undefined,
    defaultText: 'none, proxy=residential is refused',
    description:
      'Address of the proxy provider behind proxy=residential, with {country}, {city}, {state} and {session} where it wants them; [a part in brackets] is left out when the call does not say what stands in it.',
    secret: true,
  }),
  RESIDENTIAL_PROXY_CITIES: setting({
    kind: proxyCities,
    byDefault: (): string[] => [],
    defaultText: 'none, any city is passed on',
    description:
      'Cities of the provider of RESIDENTIAL_PROXY_URL, which needs {city} for them: GET /proxy/cities lists them, and calls that name another are refused.',
  }),
  CAPTCHA_SOLVER_URL: setting({
    kind: url,
    byDefault: undefined,
    defaultText: `none; ${capsolverUrl} with CAPSOLVER_API_KEY`,
    description:
      'Base address of a solver of captchas that speaks the protocol of createTask and getTaskResult: 2Captcha, Anti-Captcha, CapSolver and others. It may be in a private network. Needs CAPTCHA_SOLVER_KEY.',
  }),
  CAPTCHA_SOLVER_KEY: setting({
    names: ['CAPTCHA_SOLVER_KEY', 'CAPSOLVER_API_KEY'],
    kind: text,
    byDefault: undefined,
    defaultText: 'none, no captcha goes to a solver',
    description:
      'Key for that solver. Without one, captchas are found, and solved where a click on their checkbox is enough.',
    secret: true,
  }),
  CAPTCHA_SOLVER_LIMIT_MS: setting({
    kind: whole(100, 600_000),
    byDefault: 120_000,
    description: 'Time that the solver has for one captcha.',
    unit: 'ms',
  }),
  CAPTCHA_SOLVER_MAX_PER_HOUR: setting({
    kind: whole(0),
    byDefault: 100,
    description: 'Captchas of one token that the solver gets in an hour; 0 for no limit.',
  }),
  CHROMIUM_PATH: browserPath('Chromium'),
  SHELL_PATH: browserPath('the Chromium headless shell'),
  CHROME_PATH: browserPath('Google Chrome'),
  EDGE_PATH: browserPath('Microsoft Edge'),
  FIREFOX_PATH: browserPath('Firefox'),
  WEBKIT_PATH: browserPath("Playwright's WebKit (pw_run.sh)"),
  ISOLATION: setting({
    kind: choice(['context', 'process']),
    byDefault: 'context',
    description: 'What a call gets for itself: a context in a shared browser, or a browser process.',
  }),
  SESSION_ISOLATION: setting({
    kind: choice(['context', 'process']),
    byDefault: 'context',
    description:
      'What a client of a CDP socket gets for itself when its options allow a choice: a virtual browser, which is a context in a shared one, or a browser process. The query parameter isolation overrides it. With ALLOWED_CDP_METHODS, every client gets a process.',
  }),
  SHARED_PROCESSES: setting({
    kind: choice(['tenant', 'server']),
    byDefault: 'tenant',
    description:
      'Whose calls and clients share browser processes: those of one token of TOKENS_FILE, or all of the server, which takes less memory and keeps tenants apart by contexts alone.',
  }),
  SPARES: setting({
    kind: whole(0, 100),
    byDefault: 2,
    description:
      'Contexts, or browsers with ISOLATION=process, made ahead; at most so many browsers for clients of sockets, as many as the last minute asked for at once.',
  }),
  RECYCLE_JOBS: setting({
    kind: whole(1),
    byDefault: 500,
    description: 'Calls after which a shared browser is replaced.',
  }),
  RECYCLE_AGE_MS: setting({
    kind: whole(1),
    byDefault: 1_800_000,
    description: 'Age at which a shared browser is replaced.',
    unit: 'ms',
  }),
  RECYCLE_MEMORY_MB: setting({
    kind: whole(1),
    byDefault: 1500,
    description: 'Memory at which a shared browser is replaced.',
    unit: 'MB',
  }),
  PAGE_MEMORY_MB: setting({
    kind: whole(0),
    byDefault: 2048,
    description:
      "Memory of one page beyond which its renderer is ended, of what the pages of a browser store beyond which the browser is, and of a process with Playwright's servers; 0 for no limit.",
    unit: 'MB',
  }),
  PAGE_BUSY_MS: setting({
    kind: whole(0),
    byDefault: 120_000,
    description:
      'Processor time that a page of a virtual browser may use without a pause: its renderer gets the lowest priority after a twentieth of it, and is ended after the whole; 0 for no limit.',
    unit: 'ms',
  }),
  MAX_DOWNLOAD_MB: setting({
    kind: whole(0),
    byDefault: 1024,
    description: 'Size of what one call of /download may bring, all files together; 0 for no limit.',
    unit: 'MB',
  }),
  LIVE_MAX_VIEWERS: setting({
    kind: whole(1),
    byDefault: 5,
    description: 'People who may watch one live view at a time; more are refused with 429.',
  }),
  LIVE_FRAME_ANCESTORS: setting({
    kind: frameAncestors,
    byDefault: '*',
    description:
      "Pages that may show a live view or a recording in a frame: sources as in the directive frame-ancestors, such as https://app.example.com, 'self', 'none' or *.",
  }),
  LIVE_UPLOAD_BYTES: setting({
    kind: whole(1),
    byDefault: 52_428_800,
    description: 'Size of the files that a person in a live view may give a page at once, together.',
    unit: 'bytes',
  }),
  MAX_SESSION_FILES_MB: setting({
    kind: whole(0),
    byDefault: 1024,
    description:
      'Size of the files that one session may hold, what its pages download and what clients put there together; 0 for no limit.',
    unit: 'MB',
  }),
  EXTENSIONS_DIR: setting({
    kind: path,
    byDefault: undefined,
    defaultText: 'none, callers can load no extensions',
    description:
      'Directory of unpacked extensions, each in a directory of its own, by whose name callers have their browsers load it.',
  }),
  SHARED_FILE_DIRS: setting({
    kind: directories,
    byDefault: (): string[] => [],
    defaultText: 'none',
    description:
      'Directories that the server shares with CDP clients, such as a volume mounted in both containers: pages may get files below them, and downloads may land there.',
  }),
  DRAIN_TIMEOUT_MS: setting({
    kind: durationMs,
    byDefault: 8_000,
    description:
      'Time that running calls have to finish when the server stops; 0 ends them at once. The process has ended two seconds later at the latest: raise it together with the grace period of Docker (10 seconds) or Kubernetes (30 seconds).',
    unit: 'ms',
  }),
  SHUTDOWN_DELAY_MS: setting({
    kind: durationMs,
    byDefault: 0,
    description:
      'Time at the beginning of DRAIN_TIMEOUT_MS in which a server that is told to stop still takes calls, while `/ready` answers 503: a load balancer that asks it sends no call to a server that is gone. Set it above the time between two of its questions.',
    unit: 'ms',
  }),
  SOCKET_DRAIN_MS: setting({
    kind: durationMs,
    byDefault: 5_000,
    description:
      'Time that sockets in use stay open when the server stops, DRAIN_TIMEOUT_MS at most; 0 closes them at once. Idle sockets and kept sessions are closed at once in any case.',
    unit: 'ms',
  }),
  HEALTH: setting({
    names: ['HEALTH', 'PRE_REQUEST_HEALTH_CHECK'],
    kind: flag,
    byDefault: false,
    description: 'Refuse calls with 429 while the machine is short of CPU or memory.',
  }),
  MAX_CPU_PERCENT: setting({
    kind: decimal(0, 100),
    byDefault: 99,
    description: 'CPU load above which the machine is short of it.',
    unit: '%',
    publicName: 'maxCPU',
  }),
  MAX_MEMORY_PERCENT: setting({
    kind: decimal(0, 100),
    byDefault: 99,
    description: 'Memory in use above which the machine is short of it.',
    unit: '%',
    publicName: 'maxMemory',
  }),
  MACHINE_STATS_SOURCE: setting({
    kind: choice(['auto', 'host', 'cgroup']),
    byDefault: 'auto',
    description: 'Whose load counts: that of the machine or of the container.',
  }),
  CPU_SAMPLE_INTERVAL_MS: setting({
    kind: whole(50, 3_600_000),
    byDefault: 1000,
    description: 'Time between two samples of the CPU load.',
    unit: 'ms',
  }),
  CPU_EMA_ALPHA: setting({
    kind: decimal(0.01, 1),
    byDefault: 0.3,
    description: 'Weight of the newest sample in the smoothed CPU load.',
  }),
  CPU_OVERLOAD_HYSTERESIS: setting({
    kind: decimal(0, 100),
    byDefault: 10,
    description: 'How far the load must fall below its maximum to end an overload.',
    unit: '%',
  }),
  FAILED_HEALTH_URL: alert('a call is refused because the machine is short of something', 'healthFailureURL'),
  QUEUE_ALERT_URL: alert('a call is queued', 'queuedAlertURL'),
  REJECT_ALERT_URL: alert('a call is refused because the queue is full', 'rejectAlertURL'),
  TIMEOUT_ALERT_URL: alert('a call runs into its limit', 'timeoutAlertURL'),
  ERROR_ALERT_URL: alert('a call fails', 'errorAlertURL'),
  CORS: setting({
    names: ['CORS', 'ENABLE_CORS'],
    kind: flag,
    byDefault: false,
    description: 'Answer cross-origin requests.',
    publicName: 'allowCORS',
  }),
  CORS_ALLOW_ORIGIN: setting({
    kind: text,
    byDefault: '*',
    description: 'Origins that may call; * and (a|b) are understood.',
  }),
  CORS_ALLOW_METHODS: setting({
    kind: text,
    byDefault: 'OPTIONS, POST, GET',
    description: 'Methods that they may use.',
  }),
  CORS_ALLOW_HEADERS: setting({ kind: text, byDefault: '*', description: 'Request headers that they may send.' }),
  CORS_EXPOSE_HEADERS: setting({ kind: text, byDefault: '*', description: 'Response headers that they may read.' }),
  CORS_ALLOW_CREDENTIALS: setting({ kind: flag, byDefault: true, description: 'Whether they may send credentials.' }),
  CORS_MAX_AGE: setting({
    kind: whole(0),
    byDefault: 2_592_000,
    description: 'How long a preflight answer is kept.',
    unit: 's',
  }),
  ENABLE_DASHBOARD: setting({
    kind: flag,
    byDefault: true,
    description: 'Serve the page /dashboard, on which people watch sessions and end them; a 404 otherwise.',
  }),
  ENABLE_DEBUGGER: setting({
    kind: flag,
    byDefault: true,
    description: 'Serve the DevTools front-end below /devtools/, and /debugger; both are a 404 otherwise.',
  }),
  DOCS: setting({
    kind: choice(['open', 'token', 'off']),
    byDefault: 'open',
    description:
      'Who reads the documentation: everybody, holders of the token (browsers sign in with it and get a cookie), nobody.',
  }),
  DOCS_NOINDEX: setting({
    kind: flag,
    byDefault: false,
    description: 'Asks search engines to leave the documentation out.',
  }),
  DOCS_ANNOUNCEMENT: setting({
    kind: text,
    byDefault: undefined,
    description: 'A line on top of every page of the documentation.',
  }),
  DOCS_SUPPORT_URL: setting({
    kind: contact,
    byDefault: undefined,
    description: 'Where the documentation sends readers with a paid subscription.',
  }),
  DOCS_REPOSITORY_URL: setting({
    kind: url,
    byDefault: undefined,
    description: 'Where the link to the repository leads; to the page about this project when not set.',
  }),
  DOCS_STARS: setting({
    kind: roundCount,
    byDefault: '12K',
    description: 'The stars beside the link to the repository.',
  }),
  DOCS_SIGN_UP_URL: setting({
    kind: url,
    byDefault: undefined,
    description: 'Where Sign Up leads; to the box of the token when not set.',
  }),
  DOCS_BLOG_URL: setting({
    kind: url,
    byDefault: undefined,
    description: 'Address of a blog, for a link at the foot of each page; no link when not set.',
  }),
  DOCS_SOCIAL_URLS: setting({
    kind: urls,
    byDefault: undefined,
    description: 'Pages at social networks, for links at the foot of each page; no links when not set.',
  }),
  DOCS_ANALYTICS_URL: setting({
    kind: url,
    byDefault: undefined,
    description:
      'Address that gets title and address of each page that is read, by POST; nothing is sent when not set.',
  }),
  DOCS_ASK_URL: setting({
    kind: url,
    byDefault: undefined,
    defaultText: 'none, Ask AI answers with passages of the documentation',
    description:
      'Base address of a language model that answers the questions of Ask AI: an API of chat completions as OpenAI, vLLM, Ollama and others have it, such as http://localhost:11434/v1. It may be in a private network. Needs DOCS_ASK_MODEL.',
  }),
  DOCS_ASK_MODEL: setting({
    kind: text,
    byDefault: undefined,
    description: 'Name of that model.',
  }),
  DOCS_ASK_KEY: setting({
    kind: text,
    byDefault: undefined,
    description: 'Key for that model, which is sent to DOCS_ASK_URL as a bearer token and nowhere else.',
    secret: true,
  }),
  LOG_LEVEL: setting({
    kind: choice(['debug', 'info', 'warn', 'error']),
    byDefault: 'info',
    description: 'Least important events that are logged.',
    publicName: 'debug',
  }),
  OTEL_ENABLED: setting({
    kind: flag,
    byDefault: false,
    defaultText: 'true when OTEL_EXPORTER_OTLP_ENDPOINT is set',
    description: 'Send traces, metrics and logs to an OpenTelemetry receiver.',
  }),
  OTEL_TRACES_ENABLED: setting({ kind: flag, byDefault: true, description: 'With OTEL_ENABLED: send traces.' }),
  OTEL_METRICS_ENABLED: setting({
    kind: flag,
    byDefault: true,
    description: 'With OTEL_ENABLED: send the metrics that /metrics shows to Prometheus.',
  }),
  OTEL_LOGS_ENABLED: setting({
    kind: flag,
    byDefault: false,
    description: 'With OTEL_ENABLED: send the lines of the log as well.',
  }),
  OTEL_SERVICE_NAME: setting({
    kind: text,
    byDefault: undefined,
    defaultText: 'service.name of OTEL_RESOURCE_ATTRIBUTES, or browserd',
    description: 'Name of this service in what is sent.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: setting({
    kind: attributes,
    byDefault: (): Record<string, string> => ({}),
    defaultText: 'none',
    description: 'What else is told about this service.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting({
    kind: url,
    byDefault: 'http://localhost:4318',
    description:
      'Base address of the receiver, which takes OTLP over HTTP at /v1/traces, /v1/metrics and /v1/logs below it. It may be in a private network.',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting({
    kind: choice(['http/protobuf']),
    byDefault: 'http/protobuf',
    description: 'Form in which is sent; this server has one.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: setting({
    kind: headers,
    byDefault: (): Record<string, string> => ({}),
    defaultText: 'none',
    description: 'Headers that the receiver asks for, such as a key.',
    secret: true,
  }),
  OTEL_METRIC_EXPORT_INTERVAL: setting({
    kind: whole(100, 86_400_000),
    byDefault: 60_000,
    description: 'Time between two sendings of the metrics.',
    unit: 'ms',
  }),
} as const;

export type SettingName = keyof typeof settings;
