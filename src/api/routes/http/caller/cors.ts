/** Builds the CORS headers, off by default (compatibility.mdx#cross-origin-requests). */
import type { Config } from '../../../../base/config/config.ts';
import type { SettingName } from '../../../../base/config/table.ts';
import { isPlainText, type LinearPattern, linearPattern } from '../../../../base/runtime/regexp/linear-regexp.ts';

/** In CORS_ALLOW_ORIGIN, `*` matches anything, and `(a|b)` alternatives. */
type CorsOptions = Pick<Config, Extract<SettingName, `CORS${string}`>>;

/**
 * The headers for a request's origin; undefined when CORS is off, there is no origin, or it does not match. `null` is
 * the origin of every sandboxed frame and never matches.
 */
export function corsHeaders(options: CorsOptions, origin: string | null): Record<string, string> | undefined {
  if (!options.CORS || origin === null || origin === 'null') return undefined;
  if (!matchesOrigin(options.CORS_ALLOW_ORIGIN, origin)) return undefined;
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': options.CORS_ALLOW_METHODS,
    'Access-Control-Allow-Headers': options.CORS_ALLOW_HEADERS,
    // A pattern that matches every origin must not expose the client's cookies and passwords to all of them.
    ...(isWildcard(options.CORS_ALLOW_ORIGIN)
      ? {}
      : { 'Access-Control-Allow-Credentials': String(options.CORS_ALLOW_CREDENTIALS) }),
    'Access-Control-Expose-Headers': options.CORS_EXPOSE_HEADERS,
    'Access-Control-Max-Age': String(options.CORS_MAX_AGE),
    // The response depends on the origin: caches must keep responses to different origins apart.
    Vary: 'Origin',
  };
}

/** Returns a check for whether the CORS settings specify an origin; a pattern that matches every origin does not. */
export function namedOrigins(options: CorsOptions): (origin: string) => boolean {
  if (!options.CORS || isWildcard(options.CORS_ALLOW_ORIGIN)) return () => false;
  return (origin) => origin !== 'null' && matchesOrigin(options.CORS_ALLOW_ORIGIN, origin);
}

/** True for a pattern that also matches an origin that no operator can have written down. */
export function isWildcard(pattern: string): boolean {
  const unknownHost = `${crypto.randomUUID()}.invalid`;
  return ['https', 'http'].some((scheme) => matchesOrigin(pattern, `${scheme}://${unknownHost}`));
}

export function matchesOrigin(pattern: string, origin: string): boolean {
  // The origin is untrusted input: no input may make the match take more than linear time.
  return isPlainText(origin) && (compiled(pattern)?.test(origin) ?? false);
}

/** Compiled patterns by their source text: the configured pattern, and those of tests. */
const known = new Map<string, LinearPattern | undefined>();

function compiled(pattern: string): LinearPattern | undefined {
  if (known.has(pattern)) return known.get(pattern);
  const source = pattern.replace(/[.+?^${}[\]\\]/g, '\\$&').replaceAll('*', '.*');
  const made = linearPattern(`^(?:${source})$`);
  known.set(pattern, made);
  return made;
}
