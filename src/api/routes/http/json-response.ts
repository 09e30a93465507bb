/** Builds JSON responses, whose types the compiler checks against the schemas of their routes. */

declare const shape: unique symbol;

/** A response whose JSON has a type known to the compiler. Responses of other media types are assignable too. */
export interface JsonResponse<Body> extends Response {
  readonly [shape]?: Body;
}

/**
 * Serializes JSON indented with two spaces and without a trailing line feed (compatibility.mdx#responses). It must not
 * be cached: it describes the current state, and its URLs use the base URL of this client.
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
