/** Writes JSON with two spaces and without a line feed at its end (compatibility.mdx#answers). */
export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Response {
  return new Response(JSON.stringify(value, null, 2), {
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=UTF-8' },
  });
}
