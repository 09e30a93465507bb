/**
 * Runs JavaScript regular expressions on RE2, whose time is linear in the length of the text. The two dialects differ
 * slightly, so each pattern is parsed and rewritten so that it means the same in both. Features that RE2 cannot express
 * (lookaround, back-references, inline flags) have no linear form. Callers only ask whether a string matches: groups are
 * not kept, and it is printable ASCII, as every URL is when it is sent to a server.
 */
import type { AST } from '@eslint-community/regexpp';
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

/** True for strings on which both dialects agree about `.`, `\s` and what a character is. */
export function isPlainText(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text);
}

/** Returns undefined for a pattern that has no linear form or is too large. `RegExp` must accept the source. */
export function linearPattern(source: string): LinearPattern | undefined {
  const { RE2JS } = requirePackage<typeof import('re2js')>('re2js');
  const { RegExpParser } = requirePackage<typeof import('@eslint-community/regexpp')>('@eslint-community/regexpp');
  try {
    const compiled = RE2JS.compile(choiceOf(new RegExpParser().parsePattern(source)).text);
    return { test: (text) => compiled.test(text) };
  } catch {
    // RE2 cannot express the pattern, or does not accept one so large.
    return undefined;
  }
}

interface Part {
  /** In RE2's dialect. */
  text: string;
  /** Approximate number of its compiled instructions. */
  size: number;
}

function choiceOf({ alternatives }: AST.Pattern | AST.Group | AST.CapturingGroup): Part {
  const choices = alternatives.map(({ elements }) => elements.map((element) => partOf(element)));
  const size = choices.flat().reduce((sum, part) => sum + part.size, 2);
  if (size > maxSize) throw new Error('too large');
  return { text: choices.map((parts) => parts.map(({ text }) => text).join('')).join('|'), size };
}

function partOf(element: AST.Element): Part {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup': {
      if ('modifiers' in element && element.modifiers) throw new Error('inline flags');
      const { text, size } = choiceOf(element);
      return { text: `(?:${text})`, size };
    }
    case 'Quantifier': {
      const { min, max, raw, greedy } = element;
      const { text, size } = partOf(element.element);
      const count = max === Infinity ? min : max;
      if (count > maxCount) throw new Error('too many repetitions');
      const repeated = raw.slice(element.element.raw.length, greedy ? undefined : -1);
      return { text: text + repeated, size: Math.max(1, count) * (size + 1) + (max === Infinity ? 2 : 0) };
    }
    case 'Assertion':
      if (element.kind === 'lookahead' || element.kind === 'lookbehind') throw new Error('lookaround');
      return { text: element.raw, size: 1 };
    case 'CharacterClass':
      return { text: classOf(element), size: 1 };
    case 'CharacterSet':
      return { text: element.raw, size: 1 };
    case 'Character':
      return { text: characterOf(element), size: 1 };
    default:
      throw new Error(`no linear form of ${element.type}`);
  }
}

function classOf({ elements, negate }: AST.CharacterClass): string {
  if (elements.length === 0) return negate ? '(?s:.)' : '[^\\x{0}-\\x{10ffff}]';
  const members = elements.map((element) => {
    if (element.type === 'CharacterClassRange') return `${characterOf(element.min)}-${characterOf(element.max)}`;
    return element.type === 'Character' ? characterOf(element) : element.raw;
  });
  return `[${negate ? '^' : ''}${members.join('')}]`;
}

function characterOf({ value }: AST.Character): string {
  // RE2 does not support lone surrogates.
  if (value >= 0xd800 && value < 0xe000) throw new Error('a surrogate');
  return `\\x{${value.toString(16)}}`;
}
