// Asserts what tests expect of HTTP responses; a failure shows the response body.
import * as assert from 'uvu/assert';
import type { Reply } from '../clients/http.ts';

/** The status for a navigation, wait or print that exceeds its own time limit. */
export const tooSlow = 408;

function shown(reply: Reply): string {
  const isText = /text|json/.test(reply.headers['content-type'] ?? '');
  return `status ${reply.status}, ${reply.headers['content-type']}: ${isText ? reply.text.slice(0, 600) : `${reply.bytes.length} bytes`}`;
}

/** The message of a response: the `error` field of JSON, or else the whole text. */
export function messageOf(reply: Reply): string {
  if (!/json/.test(reply.headers['content-type'] ?? '')) return reply.text;
  const { error } = reply.json<{ error?: unknown }>();
  return typeof error === 'string' ? error : reply.text;
}

/** Asserts status 200 and, when given, exactly this content type. */
export function succeeded(reply: Reply, contentType?: string): Reply {
  assert.ok(reply.status === 200, `expected 200, got ${shown(reply)}`);
  if (contentType !== undefined) {
    assert.ok(reply.headers['content-type'] === contentType, `expected ${contentType}, got ${shown(reply)}`);
  }
  return reply;
}

/** Asserts this status, and a message that contains every string and matches every regular expression. */
export function refused(reply: Reply, status: number, ...mentions: (string | RegExp)[]): Reply {
  assert.ok(reply.status === status, `expected ${status}, got ${shown(reply)}`);
  if (mentions.length === 0) return reply;
  const message = messageOf(reply);
  for (const mention of mentions) {
    const there = typeof mention === 'string' ? message.includes(mention) : mention.test(message);
    assert.ok(there, `expected the body to mention ${mention}, got ${shown(reply)}`);
  }
  return reply;
}

/** Asserts a 400 in JSON, with the dotted path of the field in an issue and the field's name in the message. */
export function namesField(reply: Reply, path: string): void {
  refused(reply, 400, path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path);
  const { issues, error } = reply.json<{ error: string; issues?: { path: string; message: string }[] }>();
  assert.ok(
    issues?.some((issue) => issue.path === path),
    `expected an issue for "${path}", got ${JSON.stringify(issues)} (${error})`,
  );
}

/** Asserts the X-Response headers of a page that responded with 200. */
export function describesResponse(reply: Reply, url: string): void {
  const { hostname, port } = new URL(url);
  assert.is(reply.headers['x-response-code'], '200');
  assert.is(reply.headers['x-response-status'], 'OK');
  assert.is(reply.headers['x-response-url'], url);
  assert.is(reply.headers['x-response-ip'], hostname);
  assert.is(reply.headers['x-response-port'], port);
}
