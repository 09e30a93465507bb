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
  readonly alwaysText?: boolean;
  /**
   * Close code of a WebSocket that ends with this error (RFC 6455 section 7.4; 4000 to 4999 are private). Default 1011.
   */
  readonly closeCode?: number;
  /** The message is text that the client's code threw: the response shows it, the log never does. */
  readonly callersText?: boolean;
  /** Seconds for the Retry-After header when the error itself sets none. */
  readonly retryAfterSeconds?: number;
}

export const errorTable = {
  'bad-request': { status: 400, title: 'The request cannot be fulfilled as sent.', retryable: false, log: 'info' },
  'invalid-body': {
    status: 400,
    title: 'The JSON body does not match the schema of the route.',
    retryable: false,
    log: 'info',
  },
  'invalid-query': { status: 400, title: 'A query parameter is unknown or invalid.', retryable: false, log: 'info' },
  'invalid-launch': {
    status: 400,
    title: 'The launch options are invalid or not allowed.',
    retryable: false,
    log: 'info',
  },
  'invalid-tracking-id': {
    status: 400,
    title: 'The trackingId is invalid or already in use.',
    retryable: false,
    log: 'info',
  },
  'payload-too-large': {
    status: 400,
    title: 'The body exceeds MAX_PAYLOAD_SIZE, or a WebSocket message exceeds its limit.',
    retryable: false,
    log: 'info',
    closeCode: 1009,
  },
  'element-not-found': { status: 400, title: 'No element matches the selector.', retryable: false, log: 'info' },
  'code-failed': {
    status: 400,
    title: 'The code in the request threw, or returned something that cannot be sent.',
    retryable: false,
    log: 'info',
    callersText: true,
  },
  unauthorized: {
    status: 401,
    title: 'The token is missing or wrong.',
    retryable: false,
    log: 'info',
    alwaysText: true,
  },
  'not-in-plan': {
    status: 401,
    title: "The token's plan does not include the requested feature.",
    retryable: false,
    log: 'info',
    alwaysText: true,
    closeCode: 1008,
  },
  'units-exhausted': {
    status: 402,
    title: 'The token has used up its units for this month.',
    retryable: false,
    log: 'info',
    alwaysText: true,
    closeCode: 4402,
  },
  'forbidden-destination': {
    status: 403,
    title: 'The browser is not allowed to visit this address.',
    retryable: false,
    log: 'warn',
    closeCode: 1008,
  },
  'forbidden-caller': {
    status: 403,
    title:
      'The page that sent the request is not allowed to call this server, or the request was sent to an unknown hostname.',
    retryable: false,
    log: 'warn',
    closeCode: 1008,
  },
  'not-found': {
    status: 404,
    title: 'No route or file matches this path, method and content type.',
    retryable: false,
    log: 'info',
    alwaysText: true,
  },
  'browser-missing': {
    status: 404,
    title: 'The browser is not installed on this server.',
    retryable: false,
    log: 'info',
    alwaysText: true,
  },
  'session-not-found': {
    status: 404,
    title: 'There is no live session or page with this id.',
    retryable: false,
    log: 'info',
    alwaysText: true,
  },
  timeout: {
    status: 408,
    title: 'The request took longer than its time limit, or its session was idle for longer than SESSION_IDLE_MS.',
    retryable: true,
    log: 'info',
    alwaysText: true,
    closeCode: 4408,
  },
  'wait-timeout': {
    status: 408,
    title: 'A selector or event did not appear in time.',
    retryable: true,
    log: 'info',
  },
  'queue-full': {
    status: 429,
    title: 'All slots are in use and the queue is full.',
    retryable: true,
    log: 'warn',
    alwaysText: true,
    retryAfterSeconds: 1,
  },
  quota: {
    status: 429,
    title: "The token has reached its plan's limit on running, queued or new requests.",
    retryable: true,
    log: 'info',
    alwaysText: true,
    retryAfterSeconds: 1,
  },
  unhealthy: {
    status: 429,
    title: 'The machine is short of CPU or memory.',
    retryable: true,
    log: 'warn',
    alwaysText: true,
    retryAfterSeconds: 5,
  },
  'client-gone': {
    status: 499,
    title: 'The client disconnected; no response is sent.',
    retryable: false,
    log: 'debug',
  },
  'navigation-failed': { status: 500, title: 'The page could not be loaded.', retryable: true, log: 'info' },
  'proxy-failed': {
    status: 502,
    title: 'The requested proxy failed.',
    retryable: true,
    log: 'info',
  },
  'page-crashed': { status: 500, title: 'The page crashed.', retryable: true, log: 'warn' },
  'browser-crashed': { status: 500, title: 'The browser exited unexpectedly.', retryable: true, log: 'error' },
  killed: {
    status: 500,
    title: 'The session was ended by a kill request.',
    retryable: false,
    log: 'info',
    closeCode: 4410,
  },
  'session-ended': {
    status: 410,
    title: 'The session has ended: its time to live expired, or it was deleted.',
    retryable: false,
    log: 'info',
    closeCode: 4411,
  },
  'node-gone': {
    status: 410,
    title: 'The server that held the session has left the cluster.',
    retryable: false,
    log: 'info',
    closeCode: 4411,
  },
  'node-unreachable': {
    status: 503,
    title: 'The cluster server that holds the session is not responding.',
    retryable: true,
    log: 'warn',
    retryAfterSeconds: 2,
  },
  'registry-down': {
    status: 503,
    title: 'The servers in the cluster currently cannot coordinate slots (CLUSTER_STRICT).',
    retryable: true,
    log: 'warn',
    retryAfterSeconds: 2,
  },
  'too-many-sessions': {
    status: 429,
    title: 'The token has reached the limit of MAX_SESSIONS.',
    retryable: true,
    log: 'info',
    retryAfterSeconds: 30,
  },
  'too-many-viewers': {
    status: 429,
    title: 'The live view has reached the limit of LIVE_MAX_VIEWERS, or a client has tried too many unknown links.',
    retryable: true,
    log: 'info',
    closeCode: 1008,
    retryAfterSeconds: 10,
  },
  'session-rate': {
    status: 429,
    title: 'Sessions start faster than SESSIONS_PER_SECOND allows.',
    retryable: true,
    log: 'warn',
    alwaysText: true,
    retryAfterSeconds: 1,
  },
  'too-many-questions': {
    status: 429,
    title: "The documentation's language model is receiving too many questions.",
    retryable: true,
    log: 'info',
    retryAfterSeconds: 60,
  },
  'session-files-full': {
    status: 507,
    title: 'The session files exceed MAX_SESSION_FILES_MB, or there are too many.',
    retryable: false,
    log: 'info',
    closeCode: 1008,
  },
  'session-in-use': {
    status: 409,
    title: 'The session has connected clients; add force=true to disconnect them.',
    retryable: true,
    log: 'info',
  },
  'recording-runs': { status: 409, title: 'The recording is still running.', retryable: true, log: 'info' },
  'vault-closed': {
    status: 501,
    title: 'This server cannot store profiles and secrets: PROFILES_KEY is not set, or does not match PROFILES_DIR.',
    retryable: false,
    log: 'warn',
  },
  'vault-damaged': {
    status: 500,
    title: 'A stored profile or secret cannot be read: its file is damaged.',
    retryable: false,
    log: 'error',
  },
  'range-beyond': {
    status: 416,
    title: 'The requested range is beyond the end of the file.',
    retryable: false,
    log: 'info',
  },
  internal: {
    status: 500,
    title: 'Internal server error; see the server log for details.',
    retryable: true,
    log: 'error',
  },
  'launch-failed': { status: 500, title: 'The browser could not be started.', retryable: true, log: 'error' },
  'storage-full': {
    status: 503,
    title: 'A server disk is full.',
    retryable: true,
    log: 'error',
    retryAfterSeconds: 30,
  },
  stopping: {
    status: 503,
    title: 'The server is shutting down.',
    retryable: true,
    log: 'info',
    closeCode: 1001,
    retryAfterSeconds: 10,
  },
} as const satisfies Record<string, ErrorRow>;

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
    const row: ErrorRow = errorTable[code];
    const retryAfter = options.retryAfterSeconds ?? row.retryAfterSeconds;
    this.code = code;
    this.status = row.status;
    this.issues = options.issues?.slice(0, reportLimits.issues).map((issue) => ({
      path: truncate(issue.path, reportLimits.pathCharacters),
      message: truncate(issue.message, reportLimits.issueCharacters),
    }));
    this.facts = options.details;
    this.callersText = options.callersText ?? row.callersText ?? false;
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
  const row: ErrorRow = errorTable[failure.code];
  const asksJson = namedTypes(request.accept).includes(jsonType);
  const sentJson = request.contentType?.toLowerCase().includes(jsonType) === true;
  const json = asksJson || (row.alwaysText !== true && sentJson);
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

/** The close code of a WebSocket that ends with an error; 1011 (internal error) unless the table has another one. */
export function closeCodeOf(error: ServiceError): number {
  const row: ErrorRow = errorTable[error.code];
  return row.closeCode ?? 1011;
}
