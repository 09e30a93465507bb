// Checks rules of the code base that no tool checks: the length and head comment of files, the size of folders, file
// names, reasons for type assertions.
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

/** Source text without comments, which may name what code must not. */
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

function expectNone(problems: string[]): void {
  assert.ok(problems.length === 0, `\n${problems.join('\n')}`);
}

const test = suite('house');

test('there are sources', () => assert.ok(sources.length > 10));

test('relative imports name the file with its ending', () =>
  expectNone(
    all.flatMap(({ path, imports }) =>
      imports
        .filter((specifier) => specifier.startsWith('.') && !/\.(tsx?|css|json|graphql|mjs)$/.test(specifier))
        .map((specifier) => `${path}: ${specifier}`),
    ),
  ));

test('there are no barrels and no drawers', () =>
  expectNone(
    all
      .filter(({ path }) => /(^|\/)(index|utils?|helpers?|types|common|misc)\.tsx?$/.test(path))
      .map(({ path }) => `${path}: name the subject instead`),
  ));

test('only program/assets.ts asks where the program is', () =>
  expectNone(
    sources
      .filter(({ path }) => !/^(?:build\.ts$|src\/build\/|src\/base\/program\/assets\.ts$)/.test(path))
      .filter(({ text }) => /\bimport\.meta\b/.test(withoutComments(text)))
      .map(({ path }) => `${path}: take files from src/base/program/assets.ts, which also finds them in the bundle`),
  ));

test('folders of the source hold at most twenty files', () => {
  const counts = new Map<string, number>();
  for (const path of globSync('src/**/*.{ts,tsx,js,css,graphql}', { cwd: root })) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  expectNone([...counts].filter(([, count]) => count > folderLimit).map(([path, count]) => `${path}: ${count} files`));
});

test('files fit on two screens', () =>
  expectNone(
    all
      .filter(({ text }) => text.split('\n').length - 1 > lineLimit && !/^\/\/.*\blong\b/im.test(text.slice(0, 500)))
      .map(
        ({ path, text }) =>
          `${path}: ${text.split('\n').length - 1} lines and no word in its head about why it is long`,
      ),
  ));

test('every module says what it is for', () =>
  expectNone(
    all.filter(({ text }) => !/^(#!.*\n)?(\/\/|\/\*)/.test(text)).map(({ path }) => `${path}: no head comment`),
  ));

test('no type is forced without a reason beside it', () =>
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
