/**
 * The id under which a request is found in the log: the caller's own (`X-Request-Id`), or a new one. Not Hono's
 * middleware: that refuses the dots and colons of trace ids, takes 255 characters, and does not see socket calls.
 */

/** What a caller may name: enough for UUIDs and trace ids, nothing that could break a log line or a header. */
const acceptable = /^[\w.:-]{1,64}$/;

export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && acceptable.test(given) ? given : crypto.randomUUID();
}

/** The response with the id in its headers, so that the caller can quote it, and with what was taken without effect. */
export function withRequestId(response: Response, id: string, ignored: readonly string[] = []): Response {
  response.headers.set('X-Request-Id', id);
  for (const [name, value] of Object.entries(ignoredHeader(ignored))) response.headers.set(name, value);
  return response;
}

/** `X-Ignored-Parameters` for what a caller sent and the server decides; nothing when there is none. */
export function ignoredHeader(ignored: readonly string[]): Record<string, string> {
  return ignored.length === 0 ? {} : { 'X-Ignored-Parameters': ignored.join(', ') };
}
