/** ALLOW_GET: turns a GET with a `body` parameter into a POST with that JSON (compatibility.mdx#order-of-checks). */
import { fromBase64 } from '../../../base/runtime/bytes.ts';
import { parseJson } from '../../../base/schema/json-text.ts';
import { unreadableJson } from './body.ts';

/**
 * Returns the POST for a GET with a `body` parameter; every other request unchanged.
 * @throws ServiceError `invalid-body` when `body` is neither JSON text nor base64-encoded JSON
 */
export function withBodyFromQuery(request: Request): Request {
  if (request.method !== 'GET') return request;
  const url = new URL(request.url);
  const body = url.searchParams.get('body');
  if (body === null) return request;
  url.searchParams.delete('body');
  const headers = new Headers(request.headers);
  headers.set('content-type', 'application/json');
  headers.delete('content-length');
  headers.delete('content-encoding');
  return new Request(url, { method: 'POST', headers, body: decode(body), signal: request.signal });
}

function decode(body: string): string {
  const text = body.trimStart().startsWith('{') ? body : unpacked(body);
  try {
    parseJson(text);
    return text;
  } catch (cause) {
    throw unreadableJson(cause);
  }
}

function unpacked(text: string): string {
  try {
    // URLSearchParams reads a plus sign as a space.
    return new TextDecoder().decode(fromBase64(text.replaceAll(' ', '+')));
  } catch {
    return text;
  }
}
