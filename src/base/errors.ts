// Defines the only error type of the service and the table of its codes: status, title, log level. The folder that
// wraps a package translates that package's errors. An error that arrives here untranslated is a bug: its text is
// hidden from clients. The file is long because the table is.

import { reportLimits } from './limits.ts';
import { systemCodeOf } from './runtime/disk.ts';
import { namedTypes } from './runtime/http/accept.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

interface ErrorRow {
  readonly status: number;
  /** One line for the documentation. */
  readonly title: string;
  /** Whether the same request may succeed when it is sent again later. */
  readonly retryable: boolean;
  /** Level at which the request pipeline logs the error. */
  readonly log: LogLevel;
  /** Sent as text/plain even to JSON requests, unless their Accept header lists application/json. */
  readonly alwaysText: boolean;
  /** Close code of a WebSocket that ends with this error (RFC 6455 section 7.4; 4000 to 4999 are private). */
  readonly closeCode: number;
  /** The message is text that the client's code threw: the response shows it, the log never does. */
  readonly callersText: boolean;
  /** Seconds for the Retry-After header when the error itself sets none. */
  readonly retryAfterSeconds?: number;
}

/** A row of the table; 1011 means an internal error. */
const row = (status: number, title: string, more: Partial<ErrorRow> = {}): ErrorRow => ({
  status,
  title,
  retryable: false,
  log: 'info',
  alwaysText: false,
  closeCode: 1011,
  callersText: false,
  ...more,
});

export const errorTable = {
  'bad-request': row(400, 'The request cannot be fulfilled as sent.'),
  'invalid-body': row(400, 'The JSON body does not match the schema of the route.'),
  'invalid-query': row(400, 'A query parameter is unknown or invalid.'),
  'invalid-launch': row(400, 'The launch options are invalid or not allowed.'),
  'invalid-tracking-id': row(400, 'The trackingId is invalid or already in use.'),
  'payload-too-large': row(400, 'The body exceeds MAX_PAYLOAD_SIZE, or a WebSocket message exceeds its limit.', {
    closeCode: 1009,
  }),
  'element-not-found': row(400, 'No element matches the selector.'),
  'code-failed': row(400, 'The code in the request threw, or returned something that cannot be sent.', {
    callersText: true,
  }),
  unauthorized: row(401, 'The token is missing or wrong.', { alwaysText: true }),
  'not-in-plan': row(401, "The token's plan does not include the requested feature.", {
    alwaysText: true,
    closeCode: 1008,
  }),
  'units-exhausted': row(402, 'The token has used up its units for this month.', { alwaysText: true, closeCode: 4402 }),
  'forbidden-destination': row(403, 'The browser is not allowed to visit this address.', {
    log: 'warn',
    closeCode: 1008,
  }),
  'forbidden-caller': row(
    403,
    'The page that sent the request is not allowed to call this server, or the request was sent to an unknown hostname.',
    { log: 'warn', closeCode: 1008 },
  ),
  'not-found': row(404, 'No route or file matches this path, method and content type.', { alwaysText: true }),
  'browser-missing': row(404, 'The browser is not installed on this server.', { alwaysText: true }),
  'session-not-found': row(404, 'There is no live session or page with this id.', { alwaysText: true }),
  timeout: row(
    408,
    'The request took longer than its time limit, or its session was idle for longer than SESSION_IDLE_MS.',
    { retryable: true, alwaysText: true, closeCode: 4408 },
  ),
  'wait-timeout': row(408, 'A selector or event did not appear in time.', { retryable: true }),
  'queue-full': row(429, 'All slots are in use and the queue is full.', {
    retryable: true,
    log: 'warn',
    alwaysText: true,
    retryAfterSeconds: 1,
  }),
  quota: row(429, "The token has reached its plan's limit on running, queued or new requests.", {
    retryable: true,
    alwaysText: true,
    retryAfterSeconds: 1,
  }),
  unhealthy: row(429, 'The machine is short of CPU or memory.', {
    retryable: true,
    log: 'warn',
    alwaysText: true,
    retryAfterSeconds: 5,
  }),
  'client-gone': row(499, 'The client disconnected; no response is sent.', { log: 'debug' }),
  'navigation-failed': row(500, 'The page could not be loaded.', { retryable: true }),
  'proxy-failed': row(502, 'The requested proxy failed.', { retryable: true }),
  'page-crashed': row(500, 'The page crashed.', { retryable: true, log: 'warn' }),
  'browser-crashed': row(500, 'The browser exited unexpectedly.', { retryable: true, log: 'error' }),
  killed: row(500, 'The session was ended by a kill request.', { closeCode: 4410 }),
  'session-ended': row(410, 'The session has ended: its time to live expired, or it was deleted.', { closeCode: 4411 }),
  'node-gone': row(410, 'The server that held the session has left the cluster.', { closeCode: 4411 }),
  'node-unreachable': row(503, 'The cluster server that holds the session is not responding.', {
    retryable: true,
    log: 'warn',
    retryAfterSeconds: 2,
  }),
  'registry-down': row(503, 'The servers in the cluster currently cannot coordinate slots (CLUSTER_STRICT).', {
    retryable: true,
    log: 'warn',
    retryAfterSeconds: 2,
  }),
  'too-many-sessions': row(429, 'The token has reached the limit of MAX_SESSIONS.', {
    retryable: true,
    retryAfterSeconds: 30,
  }),
  'too-many-viewers': row(
    429,
    'The live view has reached the limit of LIVE_MAX_VIEWERS, or a client has tried too many unknown links.',
    { retryable: true, closeCode: 1008, retryAfterSeconds: 10 },
  ),
  'session-rate': row(429, 'Sessions start faster than SESSIONS_PER_SECOND allows.', {
    retryable: true,
    log: 'warn',
    alwaysText: true,
    retryAfterSeconds: 1,
  }),
  'too-many-questions': row(429, "The documentation's language model is receiving too many questions.", {
    retryable: true,
    retryAfterSeconds: 60,
  }),
  'session-files-full': row(507, 'The session files exceed MAX_SESSION_FILES_MB, or there are too many.', {
    closeCode: 1008,
  }),
  'session-in-use': row(409, 'The session has connected clients; add force=true to disconnect them.', {
    retryable: true,
  }),
  'recording-runs': row(409, 'The recording is still running.', { retryable: true }),
  'vault-closed': row(
    501,
    'This server cannot store profiles and secrets: PROFILES_KEY is not set, or does not match PROFILES_DIR.',
    { log: 'warn' },
  ),
  'vault-damaged': row(500, 'A stored profile or secret cannot be read: its file is damaged.', { log: 'error' }),
  'range-beyond': row(416, 'The requested range is beyond the end of the file.'),
  internal: row(500, 'Internal server error; see the server log for details.', { retryable: true, log: 'error' }),
  'launch-failed': row(500, 'The browser could not be started.', { retryable: true, log: 'error' }),
  'storage-full': row(503, 'A server disk is full.', { retryable: true, log: 'error', retryAfterSeconds: 30 }),
  stopping: row(503, 'The server is shutting down.', { retryable: true, closeCode: 1001, retryAfterSeconds: 10 }),
} satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** One problem in a request. `path` is dotted (`options.clip.height`), empty for the whole value. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export interface ServiceErrorOptions {
  readonly cause?: unknown;
  readonly issues?: readonly Issue[] | undefined;
  readonly details?: ErrorDetails | undefined;
  /** True when the message contains text that the client's code threw. Default: the value in the table. */
  readonly callersText?: boolean | undefined;
  /** Overrides the table's Retry-After (whole seconds). */
  readonly retryAfterSeconds?: number | undefined;
}

export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  readonly facts: ErrorDetails | undefined;
  /** True when the log must not contain the message. */
  readonly callersText: boolean;
  /** Extra response headers: Retry-After for 429 and 503. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(truncate(message), options.cause === undefined ? undefined : { cause: options.cause });
    const defaults = errorTable[code];
    const retryAfter = options.retryAfterSeconds ?? defaults.retryAfterSeconds;
    this.code = code;
    this.status = defaults.status;
    this.issues = options.issues?.slice(0, reportLimits.issues).map((issue) => ({
      path: truncate(issue.path, reportLimits.pathCharacters),
      message: truncate(issue.message, reportLimits.issueCharacters),
    }));
    this.facts = options.details;
    this.callersText = options.callersText ?? defaults.callersText;
    this.headers = retryAfter === undefined ? {} : { 'Retry-After': String(Math.max(0, Math.ceil(retryAfter))) };
  }
}

/** Truncates the text to `most` characters and appends `…` when it is longer. */
export function truncate(text: string, most: number = reportLimits.messageCharacters): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

const jsonType = 'application/json';

/** Numbers that explain a rejection, added as fields to its JSON response. */
export interface ErrorDetails {
  /** For `quota`: how many requests the token may run, and how many it is running and queuing. */
  limit?: number | undefined;
  running?: number | undefined;
  queued?: number | undefined;
  reason?: 'quota' | undefined;
  /** For `units-exhausted`: units used this month, and when the next month begins. */
  used?: number | undefined;
  budget?: number | undefined;
  resetsAt?: string | undefined;
}

/** The JSON form of an error. */
export interface ErrorBody extends ErrorDetails {
  error: string;
  code: ErrorCode;
  issues?: readonly Issue[] | undefined;
}

/** The request headers that decide whether an error is sent as text or as JSON. */
export interface ErrorRequest {
  readonly contentType?: string | null | undefined;
  readonly accept?: string | null | undefined;
}

/**
 * Converts anything thrown to a ServiceError. An unknown error becomes `internal` with the text `Internal Server
 * Error`; the original is kept as `cause`, for the log only.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // A full disk is not a bug: tell the client, because the operator can free space.
  if (isOutOfSpace(error)) return new ServiceError('storage-full', anyDiskFull, { cause: error });
  return new ServiceError('internal', 'Internal Server Error', { cause: error });
}

const anyDiskFull =
  'A server disk is full. Free space on the disks of DATA_DIR, SCRATCH_DIR, DOWNLOAD_DIR and CACHE_DIR.';

/**
 * Error messages that mean a full disk: from Chromium when it cannot write to disk (such as a document that is read as
 * a stream), and from the server's own scripts.
 */
const outOfSpaceMessage = /\bIO\.read\)?: Read failed|\bERR_FILE_NO_SPACE\b|\b(?:ENOSPC|EDQUOT): /;

/**
 * True when an error or one of its causes says that a disk is full or a disk quota is used up, as reported by the
 * system or by a browser.
 */
export function isOutOfSpace(error: unknown): boolean {
  if (['ENOSPC', 'EDQUOT'].includes(systemCodeOf(error) ?? '')) return true;
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    if (outOfSpaceMessage.test(each.message)) return true;
  }
  return false;
}

/**
 * Builds the HTTP response for anything thrown: text/plain, or `{"error","code","issues"?}` when the request sends or
 * accepts JSON. Rows marked `alwaysText` are sent as JSON only when the Accept header lists application/json.
 */
export function toResponse(error: unknown, request: ErrorRequest = {}): Response {
  const failure = toServiceError(error);
  const asksJson = namedTypes(request.accept).includes(jsonType);
  const sentJson = request.contentType?.toLowerCase().includes(jsonType) === true;
  const json = asksJson || (!errorTable[failure.code].alwaysText && sentJson);
  const { code, facts, issues, message } = failure;
  const answer: ErrorBody = { error: message, code, issues, ...facts };
  const body = json ? JSON.stringify(answer) : failure.message;
  return new Response(`${body}\n`, {
    status: failure.status,
    headers: {
      ...failure.headers,
      'Content-Type': `${json ? 'application/json' : 'text/plain'}; charset=UTF-8`,
    },
  });
}
