// Checks rules of the code base that no tool checks: head comments, file names, reasons for type assertions. Warns
// about long files and large folders.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';

const lineLimit = 350;
const folderLimit = 20;
const root = join(import.meta.dirname, '..', '..');

interface Source {
  path: string;
  text: string;
  imports: string[];
}

/** Source text without comments, which may mention what code must not. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1');
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const code = withoutComments(text);
  const imports = [...code.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  return { path, text, imports };
}

const sources = [...globSync('src/**/*.{ts,tsx}', { cwd: root }), ...globSync('build.ts', { cwd: root })]
  .toSorted()
  .map(readSource);
const all = [...sources, ...globSync('test/**/*.ts', { cwd: root }).toSorted().map(readSource)];

/** Sizes are guidance: the run prints these lines and does not fail. */
function warn(problems: string[]): void {
  for (const problem of problems) console.log(`  WARN ${problem}`);
}

function expectNone(problems: string[]): void {
  assert.ok(problems.length === 0, `\n${problems.join('\n')}`);
}

const test = suite('house');

test('there are sources', () => assert.ok(sources.length > 10));

test('relative imports include the file extension', () =>
  expectNone(
    all.flatMap(({ path, imports }) =>
      imports
        .filter((specifier) => specifier.startsWith('.') && !/\.(tsx?|css|json|graphql|mjs)$/.test(specifier))
        .map((specifier) => `${path}: ${specifier}`),
    ),
  ));

test('there are no barrel files and no catch-all modules', () =>
  expectNone(
    all
      .filter(({ path }) => /(^|\/)(index|utils?|helpers?|types|common|misc)\.tsx?$/.test(path))
      .map(({ path }) => `${path}: name it after its subject instead`),
  ));

test('only program/assets.ts finds out where the program is', () =>
  expectNone(
    sources
      .filter(({ path }) => !/^(?:build\.ts$|src\/build\/|src\/base\/program\/assets\.ts$)/.test(path))
      .filter(({ text }) => /\bimport\.meta\b/.test(withoutComments(text)))
      .map(({ path }) => `${path}: take files from src/base/program/assets.ts, which also finds them in the bundle`),
  ));

test('large source folders cause a warning', () => {
  const counts = new Map<string, number>();
  for (const path of globSync('src/**/*.{ts,tsx,js,css,graphql}', { cwd: root })) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  warn([...counts].filter(([, count]) => count > folderLimit).map(([path, count]) => `${path}: ${count} files`));
});

test('long files without a reason in their head comment cause a warning', () =>
  warn(
    all
      .filter(({ text }) => text.split('\n').length - 1 > lineLimit && !/^\/\/.*\blong\b/im.test(text.slice(0, 500)))
      .map(
        ({ path, text }) =>
          `${path}: ${text.split('\n').length - 1} lines, and its head comment does not say why it is long`,
      ),
  ));

test('every module says what it is for', () =>
  expectNone(
    all.filter(({ text }) => !/^(#!.*\n)?(\/\/|\/\*)/.test(text)).map(({ path }) => `${path}: no head comment`),
  ));

test('every type assertion has a comment with its reason', () =>
  expectNone(
    sources.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index, lines) => {
        const code = withoutComments(line).replace(/'[^']*'|`[^`]*`/g, "''");
        const forced =
          /(?<=[\w)\]}] )as (?!const\b)[A-Z{([a-z]\w*[^;'"]*[;,)]/.test(code) && !/^\s*(import|export|\*)/.test(code);
        const any = /:\s*any\b|<any>|@ts-(ignore|expect-error|nocheck)/.test(line);
        const excused =
          /\/\//.test(line) || lines.slice(Math.max(0, index - 3), index).some((above) => /^\s*(\/\/|\*)/.test(above));
        return (forced || any) && !excused ? [`${path}:${index + 1}: ${line.trim()}`] : [];
      }),
    ),
  ));
