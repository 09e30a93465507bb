/** The JSON form of the contract (section 1.2): two spaces, no line end. */
export function jsonResponse(value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value, null, 2), {
    headers: { ...headers, 'Content-Type': 'application/json; charset=UTF-8' },
  });
}
