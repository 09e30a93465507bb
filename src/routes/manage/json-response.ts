/** The JSON form of the contract (section 1.2): two spaces, no line end. */
export function jsonResponse(value: unknown): Response {
  return new Response(JSON.stringify(value, null, 2), {
    headers: { 'Content-Type': 'application/json; charset=UTF-8' },
  });
}
