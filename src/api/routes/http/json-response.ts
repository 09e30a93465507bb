/** Writes JSON answers, whose types the compiler compares with the schemas of their routes. */

declare const shape: unique symbol;

/** A response whose JSON has a known type; only the compiler knows. Responses of other media types are such too. */
export interface JsonResponse<Body> extends Response {
  readonly [shape]?: Body;
}

/**
 * Writes JSON with two spaces and without a line feed at its end (compatibility.mdx#answers). Caches do not keep it: it
 * tells of this moment, and its addresses begin as this caller knows the server.
 */
export function jsonResponse<Body>(
  value: Body,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): JsonResponse<Body> {
  return new Response(JSON.stringify(value, null, 2), {
    status,
    headers: { 'Cache-Control': 'no-store', ...headers, 'Content-Type': 'application/json; charset=UTF-8' },
  });
}
