// Holds the import table of the architecture: folders import downwards only, each package is imported by its owner
// only, the runtime's names stay in src/runtime/, and no file grows past 300 lines without saying why.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';

/** Levels from the lowest to the highest; parts on one level do not know each other. */
const levels = [
  ['limits'],
  ['runtime'],
  ['errors', 'version'],
  ['log'],
  ['metrics-exposition'],
  ['metrics'],
  ['metrics-history'],
  ['schema'],
  ['config'],
  ['browsers'],
  ['page', 'cdp'],
  ['bql'],
  ['routes'],
  ['docs'],
  ['app'],
  ['start'],
  ['main', 'build'],
];

/** Packages and the parts of the tree that may import them; a name covers its sub-paths. */
const owners: Record<string, string[]> = {
  '@hono/node-server': ['runtime'],
  ws: ['runtime'],
  undici: ['runtime'],
  re2js: ['runtime'],
  hono: ['app', 'routes', 'docs'],
  valibot: ['schema', 'config', 'browsers', 'page', 'cdp', 'bql', 'routes', 'log'],
  '@valibot/to-json-schema': ['schema'],
  'chrome-remote-interface': ['browsers', 'cdp'],
  'devtools-protocol': ['browsers', 'page', 'cdp', 'bql', 'routes'],
  '@sparticuz/chromium': ['browsers'],
  nanotar: ['browsers'],
  'playwright-core': ['browsers'],
  '@ghostery/adblocker': ['page'],
  '@duckduckgo/autoconsent': ['page'],
  '@zip.js/zip.js': ['routes'],
  'content-disposition': ['page', 'routes'],
  'file-type': ['routes'],
  'puppeteer-core': ['routes'],
  lighthouse: ['page'],
  'lighthouse-logger': ['page'],
  'proxy-chain': ['browsers'],
  socks: ['browsers'],

  graphql: ['bql', 'docs', 'build'],
  react: ['docs', 'build'],
  'react-dom': ['docs', 'build'],
  minisearch: ['docs', 'build'],
  comlink: ['docs'],
  '@codemirror/autocomplete': ['docs'],
  '@codemirror/commands': ['docs'],
  '@codemirror/language': ['docs'],
  '@codemirror/lint': ['docs'],
  '@codemirror/state': ['docs'],
  '@codemirror/view': ['docs'],
  '@lezer/highlight': ['docs'],
  'cm6-graphql': ['docs'],
  'mdx-bundler': ['docs', 'build'],
  esbuild: ['build'],
  shiki: ['build'],
  hast: ['build'],
  'hast-util-from-html': ['build'],
  'hast-util-to-mdast': ['build'],
  'hast-util-to-string': ['build'],
  'mdast-util-gfm': ['build'],
  'mdast-util-to-markdown': ['build'],
  'rehype-slug': ['build'],
  'remark-directive': ['build'],
  'remark-gfm': ['build'],
  'unist-util-visit': ['build'],
};

const runtimeNames = [
  {
    what: 'process.',
    pattern: /(?<![\w.$'"-])process\.(?:env|argv|exit|pid|on|kill|std|cwd|platform|memory|hr|arch|version|next)/,
  },
  { what: 'Buffer', pattern: /(?<![\w.$'"-])Buffer\b(?!Source)/ },
  { what: 'Deno.', pattern: /(?<![\w.$'"-])Deno\./ },
];

const lineLimit = 300;
const root = join(import.meta.dirname, '..', '..');

interface Source {
  path: string;
  part: string;
  text: string;
  code: string;
  imports: string[];
}

/** Source text without comments, so that prose may name what code may not. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1');
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const code = withoutComments(text);
  const imports = [...code.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  const [, inner = path] = /^src\/([^/]+?)(?:\.tsx?)?(?:\/|$)/.exec(path) ?? /^(\w+)\.ts$/.exec(path) ?? [];
  return { path, part: inner, text, code, imports };
}

const sources = [...globSync('src/**/*.{ts,tsx}', { cwd: root }), ...globSync('build.ts', { cwd: root })]
  .toSorted()
  .map(readSource);
const all = [...sources, ...globSync('test/**/*.ts', { cwd: root }).toSorted().map(readSource)];
const levelOf = (part: string) => levels.findIndex((level) => level.includes(part));

/** The part of the tree that a relative import leads to. */
function targetPart(source: Source, specifier: string): string {
  const path = join(source.path, '..', specifier);
  return /^src\/([^/]+?)(?:\.tsx?)?(?:\/|$)/.exec(path)?.[1] ?? path;
}

function expectNone(problems: string[]): void {
  assert.ok(problems.length === 0, `\n${problems.join('\n')}`);
}

const test = suite('imports');

test('there are sources', () => assert.ok(sources.length > 10));

test('every file belongs to a part that the table names', () =>
  expectNone(
    sources.filter(({ part }) => levelOf(part) < 0).map(({ path, part }) => `${path}: unknown part "${part}"`),
  ));

test('imports point downwards', () =>
  expectNone(
    sources.flatMap((source) =>
      source.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetPart(source, specifier))
        .filter((target) => target !== source.part && target !== 'package.json')
        .filter((target) => levelOf(target) >= levelOf(source.part) || levelOf(target) < 0)
        .map((target) => `${source.path} (${source.part}) must not import ${target}`),
    ),
  ));

test('relative imports name the file with its ending', () =>
  expectNone(
    all.flatMap(({ path, imports }) =>
      imports
        .filter((specifier) => specifier.startsWith('.') && !/\.(tsx?|json|graphql|mjs)$/.test(specifier))
        .map((specifier) => `${path}: ${specifier}`),
    ),
  ));

test('packages are imported by their owners only', () =>
  expectNone(
    sources.flatMap(({ path, part, imports }) =>
      imports
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .flatMap((specifier) => {
          const name = specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/');
          const allowed = owners[name];
          if (allowed === undefined) return [`${path}: "${name}" has no owner in the table of this test`];
          return allowed.includes(part) ? [] : [`${path}: "${name}" belongs to ${allowed.join(', ')}`];
        }),
    ),
  ));

test('only src/runtime/ names the runtime', () =>
  expectNone(
    sources
      .filter(({ part }) => part !== 'runtime' && part !== 'build')
      .flatMap(({ path, code, imports }) => [
        ...imports.filter((specifier) => specifier.startsWith('node:')).map((specifier) => `${path}: ${specifier}`),
        ...code
          .split('\n')
          .flatMap((line) =>
            runtimeNames
              .filter(({ pattern }) => pattern.test(line))
              .map(({ what }) => `${path}: ${what} in ${line.trim()}`),
          ),
      ]),
  ));

test('there are no barrels and no drawers', () =>
  expectNone(
    all
      .filter(({ path }) => /(^|\/)(index|utils?|helpers?|types|common|misc)\.tsx?$/.test(path))
      .map(({ path }) => `${path}: name the subject instead`),
  ));

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
