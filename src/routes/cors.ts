/** Cross-origin headers, off by default. Contract section 10.3. */

export interface CorsOptions {
  CORS: boolean;
  /** Pattern of the Origin header: `*` stands for anything, `(a|b)` for alternatives. */
  CORS_ALLOW_ORIGIN: string;
  CORS_ALLOW_METHODS: string;
  CORS_ALLOW_HEADERS: string;
  CORS_EXPOSE_HEADERS: string;
  CORS_ALLOW_CREDENTIALS: boolean;
  /** Seconds. */
  CORS_MAX_AGE: number;
}

/** The headers for a request's origin; undefined when CORS is off, or there is no origin, or it does not match. */
export function corsHeaders(options: CorsOptions, origin: string | null): Record<string, string> | undefined {
  if (!options.CORS || origin === null || !matchesOrigin(options.CORS_ALLOW_ORIGIN, origin)) return undefined;
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': options.CORS_ALLOW_METHODS,
    'Access-Control-Allow-Headers': options.CORS_ALLOW_HEADERS,
    'Access-Control-Allow-Credentials': String(options.CORS_ALLOW_CREDENTIALS),
    'Access-Control-Expose-Headers': options.CORS_EXPOSE_HEADERS,
    'Access-Control-Max-Age': String(options.CORS_MAX_AGE),
    // The answer depends on the origin: caches must keep them apart.
    Vary: 'Origin',
  };
}

export function matchesOrigin(pattern: string, origin: string): boolean {
  const source = pattern.replace(/[.+?^${}[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^(?:${source})$`).test(origin);
}
