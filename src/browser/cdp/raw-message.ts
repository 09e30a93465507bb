/**
 * Reads only the parts of a browser's message that routing needs, without parsing its body. Chromium writes `sessionId`
 * as the last property of a message of a flat session.
 */
import { Buffer } from 'node:buffer';
import { browserMessageLimits } from '../../base/limits.ts';

/** A whole message as UTF-8 bytes, in the chunks in which it arrived. */
export interface RawMessage {
  readonly parts: readonly Buffer[];
  readonly bytes: number;
}

const suffix = ',"sessionId":"';
/** Bytes of `,"sessionId":"<32 hexadecimal digits>"}`. */
const tailBytes = suffix.length + 32 + 2;

/** The id of the flat session that sent the message; undefined for the browser's own session. */
export function sessionOf(message: RawMessage): string | undefined {
  return sessionAtEnd(lastBytes(message));
}

/** Like `sessionOf`, but from the end of a message's text. */
export function sessionAtEnd(text: string): string | undefined {
  const tail = text.slice(-tailBytes);
  if (tail.length < tailBytes || !tail.startsWith(suffix) || !tail.endsWith('"}')) return undefined;
  return tail.slice(suffix.length, -2);
}

function lastBytes({ parts }: RawMessage): string {
  let text = '';
  for (let at = parts.length - 1; at >= 0 && text.length < tailBytes; at--) {
    const part = parts[at] ?? Buffer.alloc(0);
    text = part.toString('latin1', Math.max(0, part.length - tailBytes)) + text;
  }
  return text;
}

/** The message as sent to its client: without the session, which is the client's connection itself. */
export function withoutSession({ parts }: RawMessage): readonly Buffer[] {
  const last = parts.at(-1) ?? Buffer.alloc(0);
  const [before, end] = last.length > tailBytes ? [parts.slice(0, -1), last] : [[], Buffer.concat(parts)];
  const cut = end.subarray(0, end.length - tailBytes + 1);
  // The bytes belong only to this message: the pipe hands out each buffer once.
  cut[cut.length - 1] = closingBrace;
  return [...before, cut];
}

const closingBrace = '}'.charCodeAt(0);

/** Number of bytes that are enough to recognize the kind of a message. */
const beginningBytes = 48;

/** The first characters of a message, enough to recognize its kind. */
export function prefixOf(message: RawMessage): string {
  return headOf(message, beginningBytes);
}

/** The first bytes of a message as characters. */
export function headOf({ parts }: RawMessage, bytes: number): string {
  let text = '';
  for (const part of parts) {
    text += part.toString('latin1', 0, bytes - text.length);
    if (text.length === bytes) break;
  }
  return text;
}

/**
 * True for a message that would block the main thread for too long, because pages control the text in events.
 * Responses may be long, since a client asked for them.
 */
export function isCostly(message: RawMessage): boolean {
  const { escapes, eventBytes, bindingBytes } = browserMessageLimits;
  if (message.bytes <= escapes) return false;
  const method = methodOf(prefixOf(message));
  const max = method === undefined ? Infinity : method === 'Runtime.bindingCalled' ? bindingBytes : eventBytes;
  return message.bytes > max || hasMoreEscapes(message, escapes);
}

/** Whether more characters in the JSON text are escaped (such as quotes) than the limit allows. */
function hasMoreEscapes({ parts }: RawMessage, max: number): boolean {
  let count = 0;
  for (const part of parts) {
    for (let at = part.indexOf(backslash); at !== -1; at = part.indexOf(backslash, at + 2)) {
      if (++count > max) return true;
    }
  }
  return false;
}

const backslash = '\\'.charCodeAt(0);

/** The id of a response, from its beginning; undefined for an event. */
export function responseIdOf(beginning: string): number | undefined {
  const [, id] = /^\{"id":(\d+),/.exec(beginning) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The name of an event, from the beginning of its message; undefined for a response, or if the name is cut off. */
export function methodOf(beginning: string): string | undefined {
  if (!beginning.startsWith(eventStart)) return undefined;
  const end = beginning.indexOf('"', eventStart.length);
  return end === -1 ? undefined : beginning.slice(eventStart.length, end);
}

const eventStart = '{"method":"';

export function textOf({ parts }: RawMessage): string {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first.toString();
  // Decode in chunks: copying a long message into one buffer first takes as long as decoding it.
  const decoder = new TextDecoder();
  let text = '';
  for (const part of parts) text += decoder.decode(part, { stream: true });
  return text + decoder.decode();
}

/** Encodes a string as UTF-8. */
export function utf8(text: string): Buffer {
  return Buffer.from(text);
}
