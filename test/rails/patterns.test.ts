// Regular expressions of the server run in time linear in the length of the text. With one that does not, a client or a
// page can block the server for everyone with a single string. If its input is short, `// bounded: …` above says why.
// The test looks for strings that take longer: it repeats samples of what the parts of an expression match, and measures.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import ts from 'typescript';
import * as assert from 'uvu/assert';
import { root } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';

const test = suite('regular expressions', { timeoutMs: 240_000 });

/** Code that runs at build time or in pages, where it blocks nobody else. */
const elsewhere =
  /^src\/(build|web\/pages|browser\/injected\/(?!css-links)|web\/docs\/(?!serve|search|ask|fields)|start\/(scripts\.ts|setup\.js))/;
const reason = /\/\/ bounded: \S/;

interface Found {
  place: string;
  source: string;
  flags: string;
}

function expressionsOf(path: string, text: string): Found[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const found: Found[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      const end = node.text.lastIndexOf('/');
      const stated = lines.slice(Math.max(0, line - 1), line + 1).some((each) => reason.test(each));
      if (!stated)
        found.push({
          place: `${path}:${line + 1}`,
          source: node.text.slice(1, end),
          flags: node.text.slice(end + 1),
        });
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found;
}

const alphabet = [' ', 'a', '0', '\t', '\n', ...`"'<>/:.,;=-_()[]{}#?&%!@*+$\\|AZé`];
const longest = 32_000;
/** Short at first: some expressions take twice as long with each additional character. */
const lengths = [12, 16, 20, 24, 28, 60, 120, 250, 500, 1_000, 2_000, 8_000, longest];
/** From this length on, what is too slow at the longest one takes measurable time. */
const telling = 1_000;
/** The longest of these should take a millisecond; the rest is a margin for a busy machine. */
const limitMs = 20;
const attempts = 6;
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
function hardText(source: string, flags: string): string | undefined {
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
          // Even if its time grew with the square of the length, it would not be too slow at the longest one.
          if (length >= telling && ms * (longest / length) ** 2 <= limitMs) break;
          if (ms <= limitMs) continue;
          return `${JSON.stringify(before)} followed by ${JSON.stringify(repeated)} over and over, ${text.length} characters in total, takes ${Math.round(ms)} ms`;
        }
      }
    }
  }
  return undefined;
}

test('finds known hard expressions, but not easy ones', () => {
  const hard = [
    String.raw`;+$`,
    String.raw`^\s*(\d*)\s*(-?)\s*(\d*)\s*$`,
    String.raw`^(a+)+$`,
    String.raw`(\\[0-9a-f]{1,6}\s?|\\[^]|x)*\)`,
    String.raw`<!--[^]*?-->`,
    String.raw`\/live\/\?(?:[^\s]*&)?i=`,
    String.raw`^[^*$]*\*?[^*$]*\$?$`,
  ];
  for (const source of hard) assert.ok(hardText(source, ''), source);
  for (const source of [String.raw`^\d+$`, String.raw`^[a-z]+(?:-[a-z]+)*$`, String.raw`"(?:[^"\\]|\\.)*"`, 'a+']) {
    assert.is(hardText(source, ''), undefined, source);
  }
});

test('every expression takes time linear in the length of its text', () => {
  const files = globSync('src/**/*.{ts,tsx,js}', { cwd: root }).filter((path) => !elsewhere.test(path));
  const found = files.flatMap((path) => expressionsOf(path, readFileSync(join(root, path), 'utf8')));
  assert.ok(found.length > 200);
  const problems = found.flatMap(({ place, source, flags }) => {
    const hard = hardText(source, flags);
    return hard === undefined ? [] : [`${place} /${source}/${flags}\n    ${hard}`];
  });
  assert.ok(problems.length === 0, `\n${problems.join('\n')}`);
});
