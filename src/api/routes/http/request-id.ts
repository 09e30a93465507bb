/**
 * Chooses the id of a request in the log: the caller's own (`X-Request-Id`), or a new one. Not Hono's middleware, which
 * refuses the dots and colons of trace ids, takes 255 characters, and does not see socket calls.
 */
import { ignoredHeader } from './ignored-header.ts';

/** Ids that a caller may send: enough for UUIDs and trace ids, nothing that could break a log line or a header. */
const acceptable = /^[\w.:-]{1,64}$/;

export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && acceptable.test(given) ? given : crypto.randomUUID();
}

/** Adds the id to the response's headers, so that the caller can quote it, and the names of ignored parameters. */
export function withRequestId(response: Response, id: string, ignored: readonly string[] = []): Response {
  response.headers.set('X-Request-Id', id);
  for (const [name, value] of Object.entries(ignoredHeader(ignored))) response.headers.set(name, value);
  return response;
}
