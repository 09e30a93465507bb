// Limits what a request may contain: far above what clients send, far below what would slow the server. A larger
// request is refused within milliseconds, with a short response. It is long because it is the one table of bounds.

/** Characters that JSON writes as escapes, such as quotes in a string: to read each takes 25 ns. */
const escapes = 4_000_000;

/** JSON that callers send, as a body or over a WebSocket; checked before it is parsed. */
export const jsonLimits = {
  /** Real bodies nest less than ten deep. */
  depth: 100,
  /** Values and member names together; a string of many megabytes counts as one. */
  values: 150_000,
  escapes,
} as const;

/** JSON messages of clients whose protocols carry arguments of any kind: CDP, and Playwright's. */
export const messageLimits = {
  depth: 1_000,
  /** A list of 100,000 numbers has three for each in Playwright's protocol. */
  values: 300_000,
  escapes,
} as const;

/** JSON that a browser writes for the server itself: pages choose parts of it. */
export const browserJsonLimits = {
  depth: 10_000,
  values: 1_000_000,
  escapes,
} as const;

/** What of one message of a browser the server itself reads; to read a larger one takes more than 200 ms. */
export const browserMessageLimits = {
  escapes,
  eventBytes: 32 * 2 ** 20,
  /** Of an event from our own script in a page: results of functions come so. */
  bindingBytes: 128 * 2 ** 20,
} as const;

/** Messages between the code of /function and its browser. */
export const codeLimits = {
  messageCharacters: 64 * 2 ** 20,
  escapes,
} as const;

/** Entries of the lists and maps of the schemas. */
export const listLimits = {
  addScriptTag: 500,
  addStyleTag: 500,
  cookies: 2_000,
  patterns: 500,
  requestInterceptors: 200,
  resourceTypes: 100,
  elements: 1_000,
  /** Names and values of one map of headers, or one list of them. */
  headers: 100,
  launchArgs: 200,
  preferences: 1_000,
  brands: 50,
  audits: 500,
  budgets: 100,
  waitUntil: 10,
  /** Members of objects whose names the caller chooses. */
  names: 10_000,
  domains: 100,
  /** Characters of a text that is a list: page ranges, categories of a trace, dragged addresses. */
  textCharacters: 10_000,
} as const;

/** Longest address that Chromium opens (its `url::kMaxURLChars`). */
export const urlCharacters = 2_097_152;

/** Cities of proxies, and what callers may ask for. */
export const cityLimits = {
  /** Entries of RESIDENTIAL_PROXY_CITIES. Linux passes on 128 KiB of one setting: some 8,000 names. */
  listed: 10_000,
  /** Countries of a city that an error names; of more it tells the number. */
  toldCountries: 10,
  /** Characters of the name of a city or state. */
  nameCharacters: 100,
} as const;

/** Between the servers of a cluster. */
export const clusterLimits = {
  /** How long a server may take to tell its name, in milliseconds. */
  askMs: 1_000,
  /** Servers are asked again for a name that nobody knows, in milliseconds after the last time. */
  askEveryMs: 1_000,
  /** A server that has proven that it has CLUSTER_SECRET is asked again after this time, in milliseconds. */
  provenMs: 10_000,
  /** Between questions to all servers where they listen, in milliseconds. */
  meetEveryMs: 30_000,
  /** Bytes of an answer of one server to a question of another. */
  answerBytes: 65_536,
  /** Calls of all servers that may wait for a slot. */
  waiting: 100_000,
  /** How long all servers together may take to answer a call that is about all of them, in milliseconds. */
  allMs: 2_000,
  /** Servers that are asked at the same time for such a call. */
  askedAtOnce: 32,
  /** Callers with an unknown token for whom the other servers are asked at a time, of one address and of all. */
  guestsOfAddress: 16,
  guestsAtOnce: 128,
  /** Between questions to a server that calls wait for, in milliseconds. */
  watchEveryMs: 2_000,
  /** After so many questions without an answer, the calls give it up. */
  missedAnswers: 2,
  /** Between pings to the clients of sockets that are passed on, in milliseconds. */
  pingEveryMs: 30_000,
} as const;

/** Between a server and the Valkey of its cluster. */
export const registryLimits = {
  /** How long a command may take, in milliseconds. */
  commandMs: 250,
  connectMs: 1_000,
  /** So many failures within a second, and nothing is asked until Valkey answers again. */
  failures: 3,
  /** Between questions whether it answers again, in milliseconds. */
  probeMs: 500,
  /** Between heartbeats, in milliseconds. */
  beatMs: 2_000,
  /** Between looks at whether there is room here, in milliseconds; a heartbeat tells when that has changed. */
  lookMs: 250,
  /** How long one counts, in milliseconds. */
  lifeMs: 6_000,
  /** How long a claim counts after it was made or renewed, in milliseconds. */
  leaseMs: 90_000,
  /** Between renewals, in milliseconds. */
  renewMs: 30_000,
  /** Claims and tracking ids that are renewed with one command. */
  renewedAtOnce: 500,
  /** When Valkey answers again, servers tell it of their claims within this time, in milliseconds. */
  announceMs: 1_500,
  /** Claims and tracking ids that are given back later, when Valkey answers again. */
  owed: 10_000,
  /** A server learns the addresses of all others ahead in a cluster of so many. */
  knownServers: 64,
} as const;

/** What a BrowserQL document may hold. */
export const documentLimits = {
  characters: 400_000,
  tokens: 20_000,
  depth: 60,
  steps: 250,
  aliases: 250,
  /** Of one alias, which the answer repeats for each entry of a list. */
  aliasCharacters: 100,
  /** Of the names below `__schema` and `__type` together, fragments included: the answer has them for each type. */
  introspectionCharacters: 10_000,
  /** Fields after fragments are expanded. */
  fields: 10_000,
  /** Errors reported for one document. */
  errors: 20,
} as const;

/** What POST /graphql answers, beside the limits of every document. */
export const graphqlLimits = {
  /** Periods of `metrics`, newest: usually (a day), and at most (a week). */
  usualPeriods: 288,
  periods: 2_016,
  /** Size of an answer, about: the characters of its names and values, and `valueCharacters` more for each. */
  answerCharacters: 4_194_304,
  valueCharacters: 8,
  /** Entries that all lists of an introspection together count as. */
  introspectedEntries: 1_000,
} as const;

/** How much a response or a log line says about a failure. */
export const tellingLimits = {
  /** Issues of one request that are reported; the others are only counted. */
  issues: 20,
  /** Validation gives up counting above this many issues. */
  foundIssues: 1_000,
  messageCharacters: 4_000,
  issueCharacters: 1_000,
  pathCharacters: 200,
  /** Longest text in a log line. */
  logCharacters: 4_000,
  /** Entries of one list or object in a log line. */
  logEntries: 50,
  /** Names in X-Ignored-Parameters; the others are counted. */
  ignoredNames: 40,
  ignoredNameCharacters: 60,
} as const;

/** Regular expressions of callers. */
export const patternLimits = {
  characters: 2_000,
  /** Processor time that the patterns of one call may take in the worker thread, in milliseconds. */
  workerMs: 50,
} as const;

/** Files that a session shares with its clients; MAX_SESSION_FILES_MB limits their size. */
export const sessionFileLimits = {
  files: 1_000,
  /** Uploads that may run at the same time: each keeps a file open. */
  uploadsAtOnce: 100,
  /** Shared directories for the downloads of one session: each stays open. */
  downloadDirectories: 16,
  /** File systems allow names of 255 bytes; Chromium adds an ending to the names of running downloads. */
  nameBytes: 200,
} as const;

/** What a viewer of a live view may send; its page keeps to it. */
export const liveLimits = {
  pageWidth: 3_840,
  pageHeight: 2_160,
  wheelPixels: 10_000,
  /** Characters of one message that types, and of one that pastes. */
  typedCharacters: 1_000,
  pasteCharacters: 1_048_576,
  addressCharacters: 8_192,
  noteCharacters: 500,
  /** Options of a `<select>` that a viewer sees. */
  options: 2_000,
} as const;

/** What the server keeps and does for live views. */
export const liveViewLimits = {
  /** Live views that one session may have at a time: of its clients, and of people at the dashboard. */
  views: 20,
  dashboardViews: 8,
  /** Ended ones whose status one session keeps. */
  endedViews: 100,
  instructionsCharacters: 500,
  /** Links that do not exist which one address may try in a minute, of live views and of recordings together. */
  unknownPerMinute: 20,
  /** Files that a viewer may give a page at once, and downloads that viewers are told of. */
  uploads: 100,
  /** Sets of such files that one session keeps for its pages: of more, the oldest go. */
  uploadsKept: 10,
  downloads: 100,
  /** Tabs that a viewer sees. */
  tabs: 50,
  /** Messages of a viewer per second in the long run, and at once. */
  messagesPerSecond: 200,
  messagesAtOnce: 400,
  /** Pictures that a viewer has not acknowledged, and their bytes: beyond that only the newest waits. */
  unacknowledged: 2,
  unacknowledgedBytes: 262_144,
} as const;

/** What the documentation keeps. */
export const docsLimits = {
  /** How long one reading of the server's state serves all who open its page, in milliseconds. */
  statusKeptMs: 2_000,
} as const;

/** Questions of the documentation's readers to the model of DOCS_ASK_URL, and its answers. */
export const askLimits = {
  questionCharacters: 500,
  bodyBytes: 8_192,
  /** Answers that are being written at the same time. */
  atOnce: 4,
  /** Questions in a minute, of one address and of all. */
  perMinuteOfOne: 10,
  perMinute: 60,
  /** Time for one answer, in milliseconds, and its characters. */
  answerMs: 60_000,
  answerCharacters: 20_000,
  /** Passages that the model gets, and characters of each, about. */
  passages: 6,
  passageCharacters: 900,
} as const;

/** What the server keeps for people at the dashboard, and shows them. */
export const dashboardLimits = {
  /** People who are signed in at a time: of more, those who came first are signed out. */
  signIns: 100,
  /** How long they stay signed in, in milliseconds. */
  signInMs: 28_800_000,
  /** Bytes of the form that signs in. */
  signInBytes: 16_384,
  /** Pages that are told of changes at a time. */
  streams: 20,
  sessions: 500,
  queued: 100,
  recordings: 100,
  titleCharacters: 200,
  /** Pixels of the picture of a session, at most. */
  pictureWidth: 320,
  pictureHeight: 180,
} as const;

/** Recordings of sessions; RECORDINGS_BYTES and RECORDINGS_DAYS limit what is kept. */
export const recordingLimits = {
  /** Pages of a session that are recorded at the same time: each has an encoder of some 50 MB. */
  tabsAtOnce: 10,
  /** Files of one recording. */
  tabs: 100,
  width: 1_920,
  height: 1_080,
  framesPerSecond: 60,
  /** A longer video is fetched by its address. */
  valueBytes: 67_108_864,
  /** The part of the disk that stays free. */
  freeShare: 0.05,
  /** Entries of one page of a list, and recordings that one call looks through for them. */
  listed: 100,
  lookedThrough: 1_000,
  /** Videos that are turned into WebM at the same time. */
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
  /** Objects of one entry that lie in each other: its JSON is written by recursion, and has three levels for each. */
  levels: 250,
  /** Name and value of one cookie together: what browsers take. */
  cookieCharacters: 4_096,
  /** Profiles of one owner, and entries of one page of their list. */
  profiles: 200,
  listed: 1_000,
  nameCharacters: 255,
  /** How long the browser of POST /profile lives, in milliseconds. */
  loginMs: 600_000,
  /** How long a browser may take to get a profile, and one page to tell of its storage, in milliseconds. */
  writeMs: 30_000,
  readPageMs: 5_000,
  /** All pages together. */
  readMs: 20_000,
  /** Secrets of one owner; characters of the value of one, and origins that may get it. */
  secrets: 500,
  secretCharacters: 8_192,
  secretOrigins: 50,
} as const;

/** Links with which people play recordings without a token. The server keeps them in memory. */
export const shareLimits = {
  /** How long a link works, in milliseconds: usually, and at most. */
  usualMs: 3_600_000,
  longestMs: 604_800_000,
  /** Links of one recording, and of all: of more, the account with the most loses its oldest. */
  ofRecording: 100,
  inAll: 10_000,
  /** Links of one recording that GET /recordings/<id>/player made: of more, the oldest go. */
  visits: 20,
} as const;

/** What the player's page takes of a recording. */
export const playerLimits = {
  /** Characters of one event: a document of more is not shown. */
  eventCharacters: 67_108_864,
  /** Characters of all events of a tab: what comes later is left out. */
  characters: 536_870_912,
  /** Rows of each of its lists, and marks on its time line. */
  rows: 2_000,
} as const;

/** Session replays, and what the protocol tells beside a video. */
export const replayLimits = {
  /** Characters of one message of a page: a document of 20,000 elements needs 2.6 million. */
  messageCharacters: 16_777_216,
  /** Milliseconds in which the recorder may read a page as a whole: the page stands still meanwhile. */
  readMs: 500,
  /** Characters that the recorder of a page may tell per second, taken over this many seconds. */
  charactersPerSecond: 2_000_000,
  overSeconds: 5,
  /** Size of the compressed file of a tab. */
  fileBytes: 134_217_728,
  /** Characters of its events before they are compressed. */
  fileCharacters: 1_073_741_824,
  /** Console messages and requests of a tab that are recorded in one second. */
  eventsPerSecond: 200,
  /** Requests of a tab of which the answer is awaited at the same time. */
  openRequests: 1_000,
  textCharacters: 1_000,
  addressCharacters: 2_000,
} as const;

/** The small pages at http://playground.localhost/. */
export const demoSiteLimits = {
  /** Bytes of a form that is sent. */
  formBytes: 8_192,
  /** Fields, and characters of each, that a page shows of a form. */
  shownFields: 50,
  shownCharacters: 1_000,
  /** Entries of the list that grows while it is scrolled. */
  scrolledItems: 100,
  /** How long the slow page waits, in milliseconds: usually, and at most. */
  usualWaitMs: 2_000,
  longestWaitMs: 10_000,
} as const;

/** What the server keeps of traces and logs for the receiver of OTEL_EXPORTER_OTLP_ENDPOINT: what is more is dropped. */
export const telemetryLimits = {
  /** Spans, and lines of the log, that wait to be sent, and those of one request. */
  waiting: 2_048,
  atOnce: 512,
  /** Requests to the receiver that run, of each signal: as many as empty the queue at the end, beside one that hangs. */
  requests: 5,
  /** Time for one request and its repetitions, and between two of them, in milliseconds. */
  requestMs: 10_000,
  everyMs: 1_000,
  /** What one span says. */
  attributes: 32,
  attributeCharacters: 1_000,
  events: 4,
} as const;

/** The file of tokens and plans. */
export const accountLimits = {
  fileBytes: 4 * 2 ** 20,
  tokens: 10_000,
  /** Hashes of one token: the old and the new one while a token is replaced. */
  hashes: 5,
  /** Names of features or routes in one row. */
  names: 200,
  /** Highest limit of calls a minute: the moments of so many calls are kept for each token. */
  perMinute: 100_000,
  /** Problems of the file that are told at a time. */
  problems: 20,
} as const;

/** What a software key (KEY_PUBLIC) may say. */
export const softwareKeyLimits = {
  /** Characters of the names in it, which are printed. */
  nameCharacters: 200,
} as const;

/** What a browser loads of EXTENSIONS_DIR. */
export const extensionLimits = {
  /** Extensions of one browser, and names that an error lists. */
  perBrowser: 10,
  listed: 20,
  /** Files, directories and bytes of one extension, of which each browser gets a copy. */
  entries: 5_000,
  bytes: 104_857_600,
} as const;
