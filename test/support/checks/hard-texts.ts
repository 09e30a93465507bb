// Finds strings for which a regular expression takes more than linear time: repeats samples of what its parts match,
// and measures.
import { type AST, RegExpParser } from '@eslint-community/regexpp';

const alphabet = [' ', 'a', '0', '\t', '\n', ...`"'<>/:.,;=-_()[]{}#?&%!@*+$\\|AZé`];
/** Short at first: some expressions take twice as long with each additional character. */
const lengths = [12, 16, 20, 24, 28, 60, 120, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
/** The longest of these should take a millisecond; the rest is a margin for a busy machine. */
const limitMs = 40;
const attempts = 3;
const endings = ['', '\0', '!', 'é', '$x', 'x\n'];
const mostParts = 12;

type Part = AST.Element;

/** Strings that a part matches: the shortest one, and others from its alternatives. */
function samplesOf(part: Part, flags: string): string[] {
  switch (part.type) {
    case 'Character':
      return [String.fromCodePoint(part.value)];
    case 'CharacterSet':
    case 'CharacterClass': {
      const one = new RegExp(`^${part.raw}$`, flags.replace(/[gy]/g, ''));
      const [first, ...others] = alphabet.filter((letter) => one.test(letter));
      if (first === undefined) return [];
      return [first, ...others.slice(0, 2), ...others.slice(-3).map((letter) => first + letter)];
    }
    case 'Group':
    case 'CapturingGroup':
      return part.alternatives.map(({ elements }) => joined(elements, flags)).slice(0, 8);
    case 'Quantifier': {
      const times = Math.max(1, part.min);
      const texts = samplesOf(part.element, flags).map((text) => text.repeat(times));
      return part.min === 0 ? ['', ...texts] : texts;
    }
    default:
      return [''];
  }
}

/** A string that consecutive parts match; optional parts match a non-empty string where they can. */
const joined = (parts: readonly Part[], flags: string): string =>
  parts.map((part) => samplesOf(part, flags).find((text) => text !== '') ?? '').join('');

/** Yields a prefix and the string to repeat after it. */
function* pumps(alternatives: readonly AST.Alternative[], before: string, flags: string): Generator<[string, string]> {
  for (const { elements } of alternatives) {
    for (const [at, part] of elements.entries()) {
      const start = before + joined(elements.slice(0, at), flags);
      for (const text of samplesOf(part, flags)) yield [start, text];
      for (let end = at + 1; end <= Math.min(elements.length, at + mostParts); end++) {
        yield [start, joined(elements.slice(at, end), flags)];
      }
      const inner = part.type === 'Quantifier' ? part.element : part;
      if (inner.type === 'Group' || inner.type === 'CapturingGroup' || inner.type === 'Assertion') {
        if ('alternatives' in inner) yield* pumps(inner.alternatives, start, flags);
      }
    }
  }
}

function tookMs(expression: RegExp, text: string): number {
  let shortest = Infinity;
  for (let attempt = 0; attempt < attempts && shortest > limitMs; attempt++) {
    expression.lastIndex = 0;
    const began = performance.now();
    expression.exec(text);
    shortest = Math.min(shortest, performance.now() - began);
  }
  return shortest;
}

/** @returns a message about a string for which the expression takes too long; undefined if none was found */
export function hardText(source: string, flags: string): string | undefined {
  const expression = new RegExp(source, flags);
  const mode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length, mode);
  const tried = new Set<string>();
  for (const [start, repeated] of pumps(alternatives, '', flags)) {
    // An expression that matches at the start of a string may still be slow later in it.
    for (const before of ['', start, 'é']) {
      if (repeated === '' || tried.has(`${before}\0${repeated}`)) continue;
      tried.add(`${before}\0${repeated}`);
      for (const ending of endings) {
        for (const length of lengths) {
          const text = before + repeated.repeat(Math.ceil(length / repeated.length)) + ending;
          const ms = tookMs(expression, text);
          if (ms <= limitMs) continue;
          return `${JSON.stringify(before)} followed by ${JSON.stringify(repeated)} over and over, ${text.length} characters in total, takes ${Math.round(ms)} ms`;
        }
      }
    }
  }
  return undefined;
}
