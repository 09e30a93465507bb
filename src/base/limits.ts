// Limits on requests, responses, lists and waits: far above what clients send, far below what would slow the server
// down. A larger request is refused within milliseconds, with a short response. The file is long because it is the one
// table of limits.

/** Characters that JSON writes as escapes, such as quotes in a string: reading each takes 25 ns. */
const escapes = 4_000_000;

/** JSON that clients send, as a body or over a WebSocket; checked before it is parsed. */
export const jsonLimits = {
  /** Real bodies nest less than ten deep. */
  depth: 100,
  /** Values and keys together; a string of many megabytes counts as one. */
  values: 150_000,
  escapes,
} as const;

/** JSON messages of protocols with arguments of any kind: CDP and Playwright. */
export const messageLimits = {
  depth: 1_000,
  /** A list of 100,000 numbers has three values per number in Playwright's protocol. */
  values: 300_000,
  escapes,
} as const;

/** JSON that a browser sends to the server; pages control parts of it. */
export const browserJsonLimits = {
  depth: 10_000,
  values: 1_000_000,
  escapes,
} as const;

/** Largest browser messages that the server itself reads; reading a larger one takes more than 200 ms. */
export const browserMessageLimits = {
  escapes,
  eventBytes: 32 * 2 ** 20,
  /** An event from our own script in a page, which carries function results. */
  bindingBytes: 128 * 2 ** 20,
} as const;

/** Messages between the code of /function and its browser. */
export const codeLimits = {
  messageCharacters: 64 * 2 ** 20,
  escapes,
} as const;

/** Windows that the pages of one request's code open: a page may open windows in a loop. */
export const windowLimits = {
  /** Windows that are open at the same time: some of them need a separate renderer. */
  open: 30,
  /** All windows of the request, including closed ones. */
  total: 200,
  /** Windows that are each opened by the one before. */
  depth: 10,
} as const;

/** Entries in the lists and maps of the request schemas. */
export const listLimits = {
  /** Header and footer of a PDF, with their images: reading a longer one would hold up the server's other work. */
  templateCharacters: 1_000_000,
  addScriptTag: 500,
  addStyleTag: 500,
  cookies: 2_000,
  patterns: 500,
  requestInterceptors: 200,
  resourceTypes: 100,
  elements: 1_000,
  /** Entries of one map or list of headers. */
  headers: 100,
  launchArgs: 200,
  preferences: 1_000,
  brands: 50,
  audits: 500,
  budgets: 100,
  waitUntil: 10,
  /** Entries in objects whose keys the client chooses. */
  names: 10_000,
  domains: 100,
  /** Characters of a string that holds a list: page ranges, trace categories, dragged URLs. */
  textCharacters: 10_000,
} as const;

/** Longest URL that Chromium opens (its `url::kMaxURLChars`). */
export const urlCharacters = 2_097_152;

/** Proxy cities, and the city and state names that clients may send. */
export const cityLimits = {
  /** Entries of RESIDENTIAL_PROXY_CITIES. Linux limits one environment variable to 128 KiB: about 8,000 names. */
  listed: 10_000,
  /** Countries of a city that an error message lists; beyond that, it states only their number. */
  listedCountries: 10,
  /** Characters of a city or state name. */
  nameCharacters: 100,
} as const;

/** Traffic between the servers in a cluster. */
export const clusterLimits = {
  /** Timeout for asking a server for its name, in milliseconds. */
  askMs: 1_000,
  /** Minimum time between two searches for an unknown server name, in milliseconds. */
  askEveryMs: 1_000,
  /**
   * How long a server that has proven that it has CLUSTER_SECRET is trusted before it is asked again, in milliseconds.
   */
  provenMs: 10_000,
  /** Interval for asking all servers where they listen, in milliseconds. */
  meetEveryMs: 30_000,
  /** Size of one server's response to another, in bytes. */
  answerBytes: 65_536,
  /** Requests that may wait for a slot in the whole cluster. */
  waiting: 100_000,
  /** Timeout for a request that involves all servers, in milliseconds. */
  allMs: 2_000,
  /** Servers that are asked concurrently for such a request. */
  askedAtOnce: 32,
  /**
   * Concurrent requests with an unknown token for which the other servers are asked: per client address, and in total.
   */
  guestsOfAddress: 16,
  guestsAtOnce: 128,
  /** Interval for checking a server that requests are waiting for, in milliseconds. */
  watchEveryMs: 2_000,
  /** Requests give up on a server after this many checks without a response. */
  missedAnswers: 2,
} as const;

/** Traffic between a server and its cluster's Valkey server. */
export const registryLimits = {
  /** Timeout of one command, in milliseconds. */
  commandMs: 250,
  connectMs: 1_000,
  /** After this many failures within a second, no commands are sent until Valkey responds again. */
  failures: 3,
  /** Interval for probing whether Valkey responds again, in milliseconds. */
  probeMs: 500,
  /** Interval of heartbeats, in milliseconds. */
  beatMs: 2_000,
  /**
   * Interval for checking whether this server has free slots, in milliseconds; a change is announced with a heartbeat.
   */
  roomCheckMs: 250,
  /** How long a heartbeat is valid, in milliseconds. */
  lifeMs: 6_000,
  /** How long a claim is valid after it was made or renewed, in milliseconds. */
  leaseMs: 90_000,
  /** Interval for renewing claims, in milliseconds. */
  renewMs: 30_000,
  /** Claims and tracking ids that one command renews. */
  renewedAtOnce: 500,
  /** When Valkey responds again, servers report their claims to it within this time, in milliseconds. */
  announceMs: 1_500,
  /** Claims and tracking ids that may wait to be released until Valkey responds again. */
  pendingReleases: 10_000,
  /** Up to this cluster size, a server learns the addresses of all others in advance. */
  knownServers: 64,
} as const;

/** Limits on a BrowserQL document. */
export const documentLimits = {
  characters: 400_000,
  tokens: 20_000,
  depth: 60,
  steps: 250,
  aliases: 250,
  /** Characters of one alias, which the response repeats for each entry of a list. */
  aliasCharacters: 100,
  /**
   * Total characters of the names under `__schema` and `__type`, including fragments: the response repeats them for
   * each type.
   */
  introspectionCharacters: 10_000,
  /** Fields after fragments are expanded. */
  fields: 10_000,
  /** Errors reported for one document. */
  errors: 20,
} as const;

/** Limits on POST /graphql, in addition to those on every document. */
export const graphqlLimits = {
  /** Number of newest `metrics` periods: default (a day), and maximum (a week). */
  defaultPeriods: 288,
  periods: 2_016,
  /** Approximate size of a response: the characters of its names and values, plus `valueCharacters` for each. */
  answerCharacters: 4_194_304,
  valueCharacters: 8,
  /** How many entries all lists of an introspection query are assumed to have together. */
  introspectedEntries: 1_000,
} as const;

/** How much a response or a log line says about a failure. */
export const reportLimits = {
  /** Issues reported for one request; the rest are only counted. */
  issues: 20,
  /** Validation stops counting above this many issues. */
  foundIssues: 1_000,
  messageCharacters: 4_000,
  issueCharacters: 1_000,
  pathCharacters: 200,
  /** Longest string in a log line. */
  logCharacters: 4_000,
  /** Entries of one list or object in a log line. */
  logEntries: 50,
  /** Names in X-Ignored-Parameters; the rest are counted. */
  ignoredNames: 40,
  ignoredNameCharacters: 60,
} as const;

/** Regular expressions from clients. */
export const patternLimits = {
  characters: 2_000,
  /** CPU time that the patterns of one request may use in the worker thread, in milliseconds. */
  workerMs: 50,
} as const;

/** Files that a session shares with its clients; MAX_SESSION_FILES_MB limits their total size. */
export const sessionFileLimits = {
  files: 1_000,
  /** Concurrent uploads: each keeps a file open. */
  uploadsAtOnce: 100,
  /** Shared download directories of one session: each stays open. */
  downloadDirectories: 16,
  /** File systems allow names of 255 bytes; Chromium appends an extension to the names of downloads in progress. */
  nameBytes: 200,
} as const;

/** Limits on what a live-view viewer may send; the live-view page respects them. */
export const liveLimits = {
  pageWidth: 3_840,
  pageHeight: 2_160,
  wheelPixels: 10_000,
  /** Characters of one typing message, and of one paste message. */
  typedCharacters: 1_000,
  pasteCharacters: 1_048_576,
  addressCharacters: 8_192,
  noteCharacters: 500,
  /** Options of a `<select>` that are sent to a viewer. */
  options: 2_000,
} as const;

/** Server-side limits on live views. */
export const liveViewLimits = {
  /** Concurrent live views of one session: those its clients create, and those opened from the dashboard. */
  views: 20,
  dashboardViews: 8,
  /** Ended live views whose status one session keeps. */
  endedViews: 100,
  instructionsCharacters: 500,
  /** Unknown links that one IP address may try per minute, for live views and recordings together. */
  unknownPerMinute: 20,
  /** Files that a viewer may upload to a page at a time, and downloads shown to viewers. */
  uploads: 100,
  /** Sets of uploaded files that one session keeps for its pages; beyond that, the oldest are deleted. */
  uploadsKept: 10,
  downloads: 100,
  /** Tabs that are shown to a viewer. */
  tabs: 50,
  /** Viewer messages per second: sustained rate, and burst. */
  messagesPerSecond: 200,
  messagesAtOnce: 400,
  /** Frames that a viewer has not acknowledged, and their bytes: beyond that, only the newest frame waits. */
  unacknowledged: 2,
  unacknowledgedBytes: 262_144,
} as const;

/** Limits for the documentation site. */
export const docsLimits = {
  /** How long the status page reuses one snapshot of the server's state, in milliseconds. */
  statusKeptMs: 2_000,
} as const;

/** Questions from documentation readers to the model of DOCS_ASK_URL, and its answers. */
export const askLimits = {
  questionCharacters: 500,
  bodyBytes: 8_192,
  /** Answers that are being written at the same time. */
  atOnce: 4,
  /** Questions per minute: from one address, and in total. */
  perMinuteOfOne: 10,
  perMinute: 60,
  /** Timeout of one answer in milliseconds, and its maximum characters. */
  answerMs: 60_000,
  answerCharacters: 20_000,
  /** Passages sent to the model, and approximate characters of each. */
  passages: 6,
  passageCharacters: 900,
} as const;

/** Limits on what the server keeps for dashboard users and shows them. */
export const dashboardLimits = {
  /** Concurrent sign-ins: beyond that, the oldest are signed out. */
  signIns: 100,
  /** How long a user stays signed in, in milliseconds. */
  signInMs: 28_800_000,
  /** Size of the sign-in form, in bytes. */
  signInBytes: 16_384,
  /** Pages that may receive live updates at the same time. */
  streams: 20,
  sessions: 500,
  queued: 100,
  recordings: 100,
  titleCharacters: 200,
  /** Maximum size of a session thumbnail, in pixels. */
  pictureWidth: 320,
  pictureHeight: 180,
} as const;

/** Recordings of sessions; RECORDINGS_BYTES and RECORDINGS_DAYS limit what is kept. */
export const recordingLimits = {
  /** Pages of one session that are recorded at the same time: each encoder takes about 50 MB. */
  tabsAtOnce: 10,
  /** Tabs (files) of one recording. */
  tabs: 100,
  width: 1_920,
  height: 1_080,
  framesPerSecond: 60,
  /** Largest video returned inline, in bytes; a larger one is downloaded by URL. */
  valueBytes: 67_108_864,
  /** The fraction of the disk that must stay free. */
  freeShare: 0.05,
  /** Entries on one page of a list, and recordings that one request scans for them. */
  listed: 100,
  lookedThrough: 1_000,
  /** Concurrent conversions to WebM. */
  conversions: 4,
} as const;

/** Stored profiles and secrets. */
export const profileLimits = {
  /** Bytes of the state of one profile, as JSON. */
  bytes: 2_097_152,
  origins: 50,
  /** IndexedDB databases of one origin, and entries of one of their stores. */
  databases: 5,
  entries: 1_000,
  /** Nesting depth of one entry: its JSON is written recursively, with three levels per object. */
  levels: 250,
  /** Name and value of one cookie together: the maximum that browsers accept. */
  cookieCharacters: 4_096,
  /** Profiles of one owner, and entries on one page of their list. */
  profiles: 200,
  listed: 1_000,
  nameCharacters: 255,
  /** How long the browser of POST /profile stays open, in milliseconds. */
  loginMs: 600_000,
  /** Timeout for loading a profile into a browser, and for reading the storage of one page, in milliseconds. */
  writeMs: 30_000,
  readPageMs: 5_000,
  /** Timeout for reading all pages together, in milliseconds. */
  readMs: 20_000,
  /** Secrets of one owner; characters of one value, and origins that may receive it. */
  secrets: 500,
  secretCharacters: 8_192,
  secretOrigins: 50,
} as const;

/** Links that let people play recordings without a token. The server keeps them in memory. */
export const shareLimits = {
  /** How long a link works, in milliseconds: default and maximum. */
  defaultMs: 3_600_000,
  maxMs: 604_800_000,
  /** Links per recording, and in total: beyond that, the account with the most links loses its oldest. */
  ofRecording: 100,
  inAll: 10_000,
  /** Links per recording created by GET /recordings/<id>/player: beyond that, the oldest are removed. */
  visits: 20,
} as const;

/** Limits on what the player page loads from a recording. */
export const playerLimits = {
  /** Characters of one event: a larger document is not shown. */
  eventCharacters: 67_108_864,
  /** Characters of all events of a tab: later events are omitted. */
  characters: 536_870_912,
  /** Rows in each list, and markers on the timeline. */
  rows: 2_000,
} as const;

/** Session replays, and the protocol events recorded alongside a video. */
export const replayLimits = {
  /** Characters of one message from a page: a document of 20,000 elements needs 2.6 million. */
  messageCharacters: 16_777_216,
  /** Time limit for the full snapshot of a page, in milliseconds; the page is frozen while it is taken. */
  readMs: 500,
  /** Characters that a page's recorder may send per second, averaged over this many seconds. */
  charactersPerSecond: 2_000_000,
  overSeconds: 5,
  /** Size of a tab's compressed file, in bytes. */
  fileBytes: 134_217_728,
  /** Characters of the tab's events before compression. */
  fileCharacters: 1_073_741_824,
  /** Console messages and requests of a tab recorded per second. */
  eventsPerSecond: 200,
  /** Pending requests of a tab whose response is awaited. */
  openRequests: 1_000,
  textCharacters: 1_000,
  addressCharacters: 2_000,
  /** Pictures, fonts and style sheets that a tab has loaded: size of one, of all, in bytes, and their number. */
  resourceBytes: 8_388_608,
  resourcesBytes: 50_331_648,
  resources: 5_000,
  /** Characters of the URL of one. */
  resourceUrlCharacters: 8_000,
} as const;

/** The small pages at http://playground.localhost/. */
export const demoSiteLimits = {
  /** Size of a submitted form, in bytes. */
  formBytes: 8_192,
  /** Form fields that a page shows, and characters of each. */
  shownFields: 50,
  shownCharacters: 1_000,
  /** Entries of the infinite-scroll list. */
  scrolledItems: 100,
  /** How long the slow page waits, in milliseconds: default and maximum. */
  defaultWaitMs: 2_000,
  maxWaitMs: 10_000,
} as const;

/**
 * Queues of traces and logs for the receiver at OTEL_EXPORTER_OTLP_ENDPOINT: anything beyond these limits is dropped.
 */
export const telemetryLimits = {
  /** Spans and log lines that may wait to be sent, and how many one request carries. */
  waiting: 2_048,
  atOnce: 512,
  /** Concurrent requests to the receiver per signal: enough to empty the queue at shutdown even if one hangs. */
  requests: 5,
  /** Time for one request including its retries, and time between two requests, in milliseconds. */
  requestMs: 10_000,
  everyMs: 1_000,
  /** Contents of one span. */
  attributes: 32,
  attributeCharacters: 1_000,
  events: 4,
} as const;

/** The file of tokens and plans. */
export const accountLimits = {
  fileBytes: 4 * 2 ** 20,
  tokens: 10_000,
  /** Hashes of one token: the old and the new one while a token is being replaced. */
  hashes: 5,
  /** Feature or route names in one row. */
  names: 200,
  /** Highest rate limit in requests per minute: the timestamps of that many requests are kept for each token. */
  perMinute: 100_000,
  /** Problems in the file that are reported at a time. */
  problems: 20,
} as const;

/** Contents of a software key (KEY_PUBLIC). */
export const softwareKeyLimits = {
  /** Characters of the names in the key, which are printed. */
  nameCharacters: 200,
} as const;

/** Extensions that a browser loads from EXTENSIONS_DIR. */
export const extensionLimits = {
  /** Extensions per browser, and names that an error message lists. */
  perBrowser: 10,
  listed: 20,
  /** Files and directories (entries) and bytes of one extension, which is copied for each browser. */
  entries: 5_000,
  bytes: 104_857_600,
} as const;
