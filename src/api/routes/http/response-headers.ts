/**
 * Builds the headers `X-Request-Id` and `X-Ignored-Parameters` (compatibility.mdx#parameters-without-effect). Clients
 * choose their values, so they are truncated and sanitized.
 */
import { reportLimits } from '../../../base/limits.ts';

/** The first names, without characters that are not allowed in a header or list. */
export function listNames(ignored: readonly string[]): string[] {
  const shown = ignored
    .slice(0, reportLimits.ignoredNames)
    .map((name) => name.replace(/[^\w.:[\]*-]/g, '?').slice(0, reportLimits.ignoredNameCharacters));
  return shown.length < ignored.length ? [...shown, `${ignored.length - shown.length} more`] : shown;
}

/** `X-Ignored-Parameters`; no header when there is nothing to list. */
export function ignoredHeader(ignored: readonly string[]): Record<string, string> {
  return ignored.length === 0 ? {} : { 'X-Ignored-Parameters': listNames(ignored).join(', ') };
}

/** Headers of a response whose parts are read as they arrive. @param type its media type */
export const streamHeaders = (type: string): Record<string, string> => ({
  'Content-Type': `${type}; charset=utf-8`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // Without this, nginx would buffer the response before forwarding it.
  'X-Accel-Buffering': 'no',
});

/** Ids that a client may send: enough for UUIDs and trace ids, nothing that could break a log line or a header. */
const acceptable = /^[\w.:-]{1,64}$/;

/**
 * The client's id (`X-Request-Id`), or a new one. Hono's middleware is not used: it rejects the dots and colons of
 * trace ids.
 */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && acceptable.test(given) ? given : crypto.randomUUID();
}

/** Adds the request id, which the client can quote, and the names of ignored parameters to the response headers. */
export function withRequestId(response: Response, id: string, ignored: readonly string[] = []): Response {
  response.headers.set('X-Request-Id', id);
  for (const [name, value] of Object.entries(ignoredHeader(ignored))) response.headers.set(name, value);
  return response;
}
