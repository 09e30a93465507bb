/**
 * Parses untrusted JSON from clients or pages. It counts the values in the text before parsing: one string of many
 * megabytes is parsed in milliseconds, but a million small values are not, and later processing takes even longer.
 * Nothing else in the server parses such text (lint rule `strangers-json`).
 */
import { jsonLimits } from '../limits.ts';
import { isLong, turnBefore } from '../runtime/deadline.ts';

/** Error for JSON that is nested too deep or has too many values; the message is the end of a sentence about it. */
export class JsonTooLarge extends Error {
  override readonly name = 'JsonTooLarge';
}

export function tooManyValues({ values }: Pick<JsonLimits, 'values'>): JsonTooLarge {
  return new JsonTooLarge(`contains more than ${values} values and names; send fewer, or a long list as one string`);
}

/** Limits of one JSON text. */
export interface JsonLimits {
  /** Nesting of lists and objects. */
  readonly depth: number;
  /** Values and keys together. */
  readonly values: number;
  /** Escaped characters in all strings together. */
  readonly escapes: number;
}

/** @throws JsonTooLarge when a limit is exceeded, SyntaxError for invalid JSON */
export function parseJson(text: string, bounds: JsonLimits = jsonLimits): unknown {
  // A shorter text cannot exceed the limits.
  if (text.length > Math.min(bounds.depth, bounds.values, bounds.escapes)) checkJson(text, bounds);
  return JSON.parse(text);
}

/** Like `parseJson`; returns undefined for text that cannot be parsed. */
export function tryParseJson(text: string, bounds: JsonLimits = jsonLimits): unknown {
  try {
    return parseJson(text, bounds);
  } catch {
    return undefined;
  }
}

/**
 * Like `parseJson`, for text that may be long, or its UTF-8 bytes: lets other requests run in between, and before its
 * result is used. Bytes are decoded only once they may be parsed.
 */
export async function readJson(source: string | Uint8Array, bounds: JsonLimits = jsonLimits): Promise<unknown> {
  if (!isLong(source)) return parseJson(textOf(source), bounds);
  const count = new JsonCount(source, bounds);
  do await turnBefore(source);
  while (!count.advance(unitsPerTurn));
  await turnBefore(source);
  const text = textOf(source);
  await turnBefore(source);
  const value: unknown = JSON.parse(text);
  await turnBefore(source);
  return value;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(source: string | Uint8Array): string {
  return typeof source === 'string' ? source : decoder.decode(source);
}

/**
 * Counts the values and keys of JSON text: takes about a nanosecond per character, less within long strings.
 * @returns their number, without the outermost value; an empty list or object counts as one more
 * @throws JsonTooLarge
 */
export function checkJson(text: string, bounds: JsonLimits = jsonLimits): number {
  const count = new JsonCount(text, bounds);
  count.advance(Infinity);
  return count.values;
}

/** How many characters or bytes are counted per turn of the event loop: a few milliseconds. */
const unitsPerTurn = 4_000_000;
/** Characters of a string that are read one by one; the rest is searched, which is faster for long strings. */
const shortString = 100;

const quote = 0x22;
const backslash = 0x5c;

class JsonCount {
  readonly #text: string | Uint8Array;
  readonly #bounds: JsonLimits;
  #at = 0;
  #depth = 0;
  #values = 0;
  #escapes = 0;
  /** Index of the next backslash, as far as searched; the text's length if there is none. */
  #nextBackslash = -1;
  #inString = false;

  constructor(text: string | Uint8Array, bounds: JsonLimits) {
    this.#text = text;
    this.#bounds = bounds;
  }

  get values(): number {
    return this.#values;
  }

  /** Counts within about this many more characters or bytes. @returns whether the end is reached */
  advance(units: number): boolean {
    const text = this.#text;
    const end = Math.min(text.length, this.#at + units);
    let at = this.#at;
    let depth = this.#depth;
    let values = this.#values;
    if (this.#inString) at = this.#endOfString(at, end) + 1;
    for (; at < end; at++) {
      switch (typeof text === 'string' ? text.charCodeAt(at) : text[at]) {
        case quote:
          at = this.#endOfString(at + 1, end);
          break;
        case 0x7b: // {
        case 0x5b: // [
          if (++depth > this.#bounds.depth) {
            throw new JsonTooLarge(`is nested deeper than ${this.#bounds.depth} levels; flatten it`);
          }
          values++;
          break;
        case 0x7d: // }
        case 0x5d: // ]
          depth--;
          break;
        case 0x2c: // ,
        case 0x3a: // :
          values++;
      }
      if (values > this.#bounds.values) throw tooManyValues(this.#bounds);
    }
    this.#at = at;
    this.#depth = depth;
    this.#values = values;
    return at >= text.length;
  }
  /** Index of the closing quote; of the last character read if there is none before `until`. */
  #endOfString(start: number, until: number): number {
    const text = this.#text;
    this.#inString = false;
    let at = start;
    for (let end = -1; at < until; at = this.#nextBackslash) {
      for (const soon = Math.min(at + shortString, text.length); at < soon; at++) {
        const code = typeof text === 'string' ? text.charCodeAt(at) : text[at];
        if (code === quote) return at;
        if (code !== backslash) continue;
        this.#countEscape();
        at++;
      }
      if (end < at) end = indexIn(quote, text, at);
      if (this.#nextBackslash < at) this.#nextBackslash = indexIn(backslash, text, at);
      if (end <= this.#nextBackslash) return end;
    }
    this.#inString = true;
    return at - 1;
  }

  #countEscape(): void {
    const { escapes } = this.#bounds;
    if (++this.#escapes > escapes) {
      throw new JsonTooLarge(`contains more than ${escapes} escaped characters; send less text at a time`);
    }
  }
}

/** Index of an ASCII character at or after `from`; the text's length if there is none. */
function indexIn(code: number, text: string | Uint8Array, from: number): number {
  const at = typeof text === 'string' ? text.indexOf(String.fromCharCode(code), from) : text.indexOf(code, from);
  return at === -1 ? text.length : at;
}
