// Writes the structured log: one JSON line per event, through an injected function. It redacts all text itself, so that
// a caller that forgets to mask a token in a URL cannot leak it.

import type { LogLevel } from '../errors.ts';
import { reportLimits } from '../limits.ts';

type LogFields = Readonly<Record<string, unknown>>;

/** The fields of a line. */
export type LogLine = LogFields & { readonly level: LogLevel };

export interface Log {
  readonly level: LogLevel;
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** For a level that is only known at run time, such as the level of an error code. */
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /** Returns a log that adds these fields to every line, such as a session id. */
  with(fields: LogFields): Log;
}

export interface LogOptions {
  /** Events below it are dropped. */
  readonly level: LogLevel;
  /** Receives one line without the trailing newline. */
  readonly write: (line: string) => void;
  /** Also receives the fields of each line, with secrets masked. */
  readonly record?: ((line: LogLine) => void) | undefined;
  /** Values that are masked wherever they appear, such as the configured tokens. */
  readonly secrets?: readonly string[] | undefined;
}

const rank: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };
const mask = '***';
/** Deeper values are cut: log lines are meant for reading. */
const maxDepth = 6;

export function createLog(options: LogOptions): Log {
  // Shorter values would also match ordinary words.
  const secrets = (options.secrets ?? []).filter((secret) => secret.length >= 4);
  return createChild(options, secrets, {});
}

function createChild(options: LogOptions, secrets: readonly string[], base: LogFields): Log {
  const write = (level: LogLevel, event: string, fields: LogFields = {}): void => {
    if (rank[level] < rank[options.level]) return;
    const line: Record<string, unknown> & LogLine = {
      time: new Date().toISOString(),
      level,
      event: clean(event, secrets, 0),
    };
    for (const [key, value] of Object.entries({ ...base, ...fields })) {
      if (key in line || value === undefined) continue;
      line[key] = isSecretKey(key) ? mask : clean(value, secrets, 0);
    }
    options.write(JSON.stringify(line));
    options.record?.(line);
  };
  return {
    level: options.level,
    debug: (event, fields) => write('debug', event, fields),
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, fields) => write('error', event, fields),
    write,
    with: (fields) => createChild(options, secrets, { ...base, ...fields }),
  };
}

/**
 * Masks secrets in text: values of URL query parameters that carry credentials (or launch options and bodies, which may
 * contain them), user:password before a host (also when percent-encoded), Bearer and Basic credentials, and the ids of
 * live views and recording links, which act as keys.
 */
export function redact(text: string): string {
  return text
    .replace(/([?&](?:token|auth|password|launch|body|externalProxyServer)=)[^&\s"'#]*/gi, `$1${mask}`)
    .replace(/(:\/\/)[^\s/?#"'<>]*@/g, `$1${mask}@`)
    .replace(/(%3A%2F%2F)(?:(?!%2F|%3F|%23)[^\s&"'/?#])*%40/gi, `$1${mask}%40`)
    .replace(/(\/(?:live|player)\/[\w-]{4})[\w-]{20}/g, `$1${mask}`)
    .replace(/\/(?:live|player)\/(?:index\.html)?\?[^\s"'#]*/g, (link) =>
      link.replace(/([?&]i=[\w-]{4})[\w-]{20}/g, `$1${mask}`),
    )
    .replace(/(\/share\/[\w-]{4})[\w-]{20}/g, `$1${mask}`)
    .replace(/\b((?:Bearer|Basic) )[\w.~+/=-]+/g, `$1${mask}`);
}

/**
 * Matches a URL in text; it ends at a space, quote, angle bracket or backslash, which error messages put around URLs.
 */
const address = /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'<>`\\]*/gi;

/**
 * Reduces each URL in text to scheme, host, path and parameter names: sites put keys and session ids into queries and
 * fragments, and whole pages into data: URLs.
 */
function withoutValues(text: string): string {
  // Nothing marks the end of a data: URL: drop the rest of the text.
  return text
    .replace(/\b(data:[\w/+.;=-]*,)[^]*/i, '$1…')
    .replace(address, (url) =>
      url
        .replace(/#.+$/s, '#…')
        .replace(/\?[^#]+/, (query) =>
          query.replace(/([?&])([^&=]*)(=?)[^&]*/g, (_, mark: string, name: string, equals: string) =>
            equals === '' ? `${mark}…` : `${mark}${name}=…`,
          ),
        ),
    );
}

/** The message of an error for the log and the operator's alerts: never text that the client's code threw. */
export function loggable(error: Error): string {
  if ('callersText' in error && error.callersText === true) {
    return `text of the caller's code, ${error.message.length} characters`;
  }
  return withoutValues(redact(error.message));
}

function isSecretKey(key: string): boolean {
  return /^(token|password|authorization|cookie|set-cookie|secret)$/i.test(key);
}

function clean(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') {
    const { logCharacters } = reportLimits;
    // Mask more text than is kept: a secret cut in two would not be recognized.
    const masked = secrets.reduce(
      (text, secret) => text.replaceAll(secret, mask),
      withoutValues(redact(value.slice(0, 4 * logCharacters))),
    );
    return masked.length > logCharacters ? `${masked.slice(0, logCharacters)}…` : masked;
  }
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[…]';
  if (value instanceof Date) return value.toISOString();
  if (value instanceof URL) return clean(value.href, secrets, depth);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    const code = 'code' in value ? value.code : undefined;
    const text = loggable(value);
    // The stack starts with the message.
    const frames = stack?.startsWith(`${name}: ${message}`) ? stack.slice(`${name}: ${message}`.length) : stack;
    const shown = text === message ? stack : frames?.includes(message) ? undefined : `${name}: ${text}${frames ?? ''}`;
    return clean({ name, message: text, code, stack: shown, cause }, secrets, depth + 1);
  }
  const most = reportLimits.logEntries;
  if (Array.isArray(value)) {
    const items = value.slice(0, most).map((item) => clean(item, secrets, depth + 1));
    return value.length > most ? [...items, `… and ${value.length - most} more`] : items;
  }
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .slice(0, most);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, isSecretKey(key) ? mask : clean(item, secrets, depth + 1)]),
  );
}
