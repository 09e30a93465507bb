/**
 * Runs JavaScript regular expressions on RE2, whose time is linear in the length of the text. The two dialects differ
 * slightly, so each pattern is parsed here and rewritten so that it means the same in both. Features that RE2 cannot
 * express (lookaround, back-references, inline flags, legacy escapes) have no linear form. Callers only ask whether
 * a string matches: groups are not kept, and it is printable ASCII, as every URL is when it is sent to a server.
 */
import { requirePackage } from '../../program/assets.ts';

export interface LinearPattern {
  /** Whether the pattern matches somewhere in a string for which `isPlainText` holds. */
  test(text: string): boolean;
}

/**
 * Maximum number of instructions of a compiled pattern: each takes microseconds to compile, and RE2 may visit each of
 * them for every character.
 */
const maxSize = 2_000;
/** Highest repetition count that RE2 accepts. */
const maxCount = 1_000;
/** Maximum nesting of groups: the parser recurses for each. */
const maxDepth = 100;

/** True for strings on which both dialects agree about `.`, `\s` and what a character is. */
export function isPlainText(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text);
}

/** Returns undefined for a pattern that has no linear form or is too large. `RegExp` must accept the source. */
export function linearPattern(source: string): LinearPattern | undefined {
  const translated = translate(source);
  if (translated === undefined) return undefined;
  try {
    const { RE2JS } = requirePackage<typeof import('re2js')>('re2js');
    const compiled = RE2JS.compile(translated);
    return { test: (text) => compiled.test(text) };
  } catch {
    // The pattern is larger than RE2 accepts.
    return undefined;
  }
}

/** Translates the pattern to RE2's dialect; undefined when it cannot be expressed. */
export function translate(source: string): string | undefined {
  try {
    const reader = new Reader(source);
    const { text, size } = reader.alternatives(0);
    return reader.atEnd && size <= maxSize ? text : undefined;
  } catch (error) {
    if (error instanceof NoLinearForm) return undefined;
    throw error;
  }
}

class NoLinearForm extends Error {}

interface Part {
  text: string;
  /** Approximate number of its compiled instructions. */
  size: number;
}

/** Escapes that mean the same in both dialects. */
const sameEscapes = new Set('dDwWsStnrfv');
const escapedText = (character: string) =>
  /[\w ]/.test(character) ? character : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
    if (!isPlainText(source)) throw new NoLinearForm();
  }

  get atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  /** Parses the content of a group, or the whole pattern. */
  alternatives(depth: number): Part {
    if (depth > maxDepth) throw new NoLinearForm();
    let text = '';
    let size = 1;
    while (!this.atEnd && this.#peek() !== ')') {
      if (this.#take('|')) text += '|';
      else {
        const part = this.#quantified(this.#atom(depth));
        text += part.text;
        size += part.size;
      }
      if (size > maxSize) throw new NoLinearForm();
    }
    return { text, size: size + 1 };
  }

  #atom(depth: number): Part {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group(depth);
      case '[':
        return { text: this.#set(), size: 1 };
      case '\\':
        return { text: this.#escape(false), size: 1 };
      case '^':
      case '$':
      case '.':
        return { text: character, size: 1 };
      default:
        return { text: escapedText(character), size: 1 };
    }
  }

  #group(depth: number): Part {
    if (this.#take('?') && !this.#take(':')) {
      // Of the other groups, only named ones have a linear form.
      const name = /^<[A-Za-z_$][\w$]*>/.exec(this.#source.slice(this.#at, this.#at + 100))?.[0];
      if (name === undefined) throw new NoLinearForm();
      this.#at += name.length;
    }
    const inner = this.alternatives(depth + 1);
    if (!this.#take(')')) throw new NoLinearForm();
    return { text: `(?:${inner.text})`, size: inner.size };
  }

  #quantified(atom: Part): Part {
    const rest = this.#source.slice(this.#at, this.#at + 20);
    // bounded: 20 characters
    const [found = '', least, comma, most] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(rest) ?? [];
    if (found === '') {
      // Refuse counts with many digits; a brace that is not a count is plain text.
      if (/^\{\d{6}/.test(rest)) throw new NoLinearForm();
      return atom;
    }
    this.#at += found.length;
    this.#take('?');
    if (least === undefined) return { text: atom.text + found, size: atom.size + 2 };
    const count = Number(most === '' || most === undefined ? least : most);
    if (count > maxCount || Number(least) > maxCount) throw new NoLinearForm();
    const open = comma !== '' && most === '' ? 2 : 0;
    return { text: atom.text + found, size: Math.max(1, count) * (atom.size + 1) + open };
  }

  /** @param inSet true inside brackets */
  #escape(inSet: boolean): string {
    const character = this.#next();
    if (sameEscapes.has(character)) return `\\${character}`;
    if (!inSet && (character === 'b' || character === 'B')) return `\\${character}`;
    if (character === 'x' || character === 'u') {
      const digits = this.#source.slice(this.#at, this.#at + (character === 'x' ? 2 : 4));
      const code = /^(?:[\da-f]{2}|[\da-f]{4})$/i.test(digits) ? parseInt(digits, 16) : NaN;
      // RE2 does not support lone surrogates.
      if (Number.isNaN(code) || (code >= 0xd800 && code < 0xe000)) throw new NoLinearForm();
      this.#at += digits.length;
      return `\\x{${code.toString(16)}}`;
    }
    // Back-references, octals, control letters, named references, properties, and \b (backspace) in a set.
    if (/[\dckpPbB]/.test(character)) throw new NoLinearForm();
    return escapedText(character);
  }

  #set(): string {
    const negated = this.#take('^');
    let text = '';
    while (!this.#take(']')) {
      const from = this.#member();
      if (this.#peek() !== '-' || this.#source[this.#at + 1] === ']') text += from;
      else {
        this.#next();
        const to = this.#member();
        // With a class such as \d at one end it is not a range: the dash is plain text.
        const range = [from, to].every((end) => !/^\\[dDwWsS]$/.test(end));
        text += range ? `${from}-${to}` : `${from}\\x2d${to}`;
      }
    }
    if (text === '') return negated ? '(?s:.)' : '[^\\x{0}-\\x{10ffff}]';
    return `[${negated ? '^' : ''}${text}]`;
  }

  #member(): string {
    const character = this.#next();
    return character === '\\' ? this.#escape(true) : escapedText(character);
  }

  #peek(): string | undefined {
    return this.#source[this.#at];
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    const character = this.#peek();
    if (character === undefined) throw new NoLinearForm();
    this.#at++;
    return character;
  }
}
