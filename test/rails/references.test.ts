// Every reference in the repository's comments and documents is to something in the repository or to a public standard.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { anchorsOf } from '../support/checks/doc-samples.ts';
import { root } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';
import { generatedFiles } from './generated.ts';

const test = suite('references');

/** Contains bad references on purpose. */
const isChecked = (file: string) => file !== 'test/rails/references.test.ts';
const list = (...patterns: string[]) => patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted();
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const sources = list('{src,test}/**/*.{ts,tsx,js,css,graphql,sh}', 'build.ts', 'Dockerfile').filter(isChecked);

interface Comment {
  /** 1-based. */
  line: number;
  text: string;
}

/** Comments on whole lines, and comments at the end of a line of code, also in JSX and CSS. */
const wholeLine = /^\s*(?:\{?(?:\/\/|\/\*+|\*)|#(?=\s))(.*)$/;
const lineEnd = /\s\/\/\s(.*)$|\/\*+(.*?)\*\//;

/** Joins adjacent whole-line comments into one, since a line break may split a reference. */
function commentsOf(source: string): Comment[] {
  const comments: Comment[] = [];
  let last: (Comment & { end: number; isWhole: boolean }) | undefined;
  for (const [index, line] of source.split('\n').entries()) {
    const whole = wholeLine.exec(line)?.[1];
    const text = whole ?? lineEnd.exec(line)?.slice(1).find(Boolean);
    if (text === undefined) continue;
    if (last?.isWhole && whole !== undefined && last.end === index - 1) {
      last.text += ` ${text.trim()}`;
      last.end = index;
    } else {
      last = { line: index + 1, text: text.trim(), end: index, isWhole: whole !== undefined };
      comments.push(last);
    }
  }
  return comments;
}

const outside = [
  // A document by its name and a number: "contract 5.1", "design D8", "specification section 4", "Contract A.1".
  /\b(?:contract|design|spec|specification|evidence|decision|feasibility)(?:['’]s)?,?:?\s+(?:sections?\s+)?(?:§\s*)?[A-Z]?\.?\d[\w.]*/gi,
  /\b(?:contract|spec|specification|evidence)(?:['’]s)?(?=\s+(?:appendix|section|order|row|line|example)|:|\s*\()/gi,
  /\b(?:the|of the)\s+contract\b/gi,
  /\bappendix\b/gi,
  /\bdemand-and-failures\b/gi,
  /\b(?:browserql|service|docs-site|house|style|feasibility|attacks)\.md\b/gi,
  // A section number without a document, or of a document that is not a public standard.
  /(?<!\b(?:RFC \d{3,5}|JSON-RPC 2\.0|ECMA-\d+|ISO \d+(?:-\d+)?),? )\bsections?\s+[A-Z]?\.?\d[\w.]*/g,
];

/** The citations of a text that readers cannot look up in this repository. */
function outsideReferences(text: string): string[] {
  return outside.flatMap((pattern) => [...text.matchAll(pattern)].map(([found]) => found));
}

/** Paths of files and folders from the repository's root, with stars as wildcards. */
const paths = /(?<![\w./-])(?:src|test|docs-content|public|\.github)\/[\w./*-]*[\w*]/g;
const headings = /(?<![\w-])(?:([\w./-]+)\/)?([\w-]+\.mdx)(?:#([\w-]+))?/g;

/** The references of a text whose target does not exist: a path of the repository, a page, a heading of a page. */
function brokenReferences(text: string): string[] {
  const files = [...text.matchAll(paths)].map(([path]) => path).filter((path) => !exists(path));
  const pages = [...text.matchAll(headings)].filter(([, , name = '', anchor]) => {
    const found = globSync(`docs-content/**/${name}`, { cwd: root });
    if (anchor === undefined) return found.length === 0;
    return !found.some((file) => anchorsOf(readFileSync(join(root, file), 'utf8')).includes(anchor));
  });
  return [...new Set([...files, ...pages.map(([reference]) => reference)])];
}

function exists(path: string): boolean {
  return path.includes('*') ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));
}

test('the finder distinguishes outside documents from public standards', () => {
  for (const bad of [
    'in the order of contract 5.2: media, cookies',
    'a socket is refused before (design D8):',
    'Contract sections 1.3 and 1.8.',
    'Contract A.1: POST /content.',
    'accepted and mean nothing (contract, appendix B)',
    'the routes ask. Evidence: demand-and-failures S1, S3.',
    'the contract says so',
    'its limit: spec section 8',
    'Constants of the site (specification section 9)',
    'contract 1.2, decision D16',
    'as section 4.1 has it',
    'Contract browserql.md 4.1.',
  ]) {
    assert.ok(outsideReferences(bad).length > 0, bad);
  }
  for (const good of [
    'RFC 6455 section 5.5',
    'JSON-RPC 2.0 section 5.1 and Chromium use them',
    'two rows of test/contract/content.test.ts',
    'A section of a page',
    'a decision of 2 callers',
    'see compatibility.mdx#waits',
    'Playwright 1.56, Chromium 156',
  ]) {
    assert.equal(outsideReferences(good), [], good);
  }
});

test('the finder distinguishes what exists from what does not', () => {
  const bad = 'src/api/routes/nothing.ts, test/unit/none.test.ts and waits.mdx, compatibility.mdx#no-such-heading.';
  assert.equal(brokenReferences(bad), [
    'src/api/routes/nothing.ts',
    'test/unit/none.test.ts',
    'waits.mdx',
    'compatibility.mdx#no-such-heading',
  ]);
  const good =
    'src/base/errors.ts, `test/**/*.test.ts`, src/browser/page/, compatibility.mdx#waits, docs-content/home.mdx.';
  assert.equal(brokenReferences(good), []);
});

test('the finder reads every kind of comment, and nothing else', () => {
  const source = [
    '/** A head (contract',
    ' * 5.1). */',
    "const address = 'http://contract 5.1/'; // an end",
    '  {/* in markup */}',
  ];
  assert.equal(
    commentsOf(source.join('\n')).map(({ line, text }) => `${line} ${text}`),
    ['1 A head (contract 5.1). */', '3 an end', '4 in markup */}'],
  );
});

test('no comment cites a document that is not in the repository', () => {
  assert.ok(sources.length > 300, String(sources.length));
  const found = sources.flatMap((file) =>
    commentsOf(read(file)).flatMap(({ line, text }) =>
      outsideReferences(text).map((reference) => `${file}:${line}: ${reference}`),
    ),
  );
  assert.equal(found, []);
});

test('every file and heading that a comment mentions exists', () => {
  const found = sources.flatMap((file) =>
    commentsOf(read(file)).flatMap(({ line, text }) =>
      brokenReferences(text).map((reference) => `${file}:${line}: ${reference}`),
    ),
  );
  assert.equal(found, []);
});

test('every file and heading that the README, .github and the documentation mention exists', () => {
  const texts = list('README.md', '.github/**/*.{md,yml}', 'docs-content/**/*.mdx');
  assert.ok(texts.length > 50, String(texts.length));
  assert.equal(
    texts.flatMap((file) => brokenReferences(read(file)).map((reference) => `${file}: ${reference}`)),
    [],
  );
});

test('the walks on the architecture page mention each file once', () => {
  const page = read('docs-content/contributing/architecture.mdx');
  const walks = page.slice(page.indexOf('## Walkthroughs'), page.indexOf('## Terms'));
  const named = [...walks.matchAll(/`(src\/[^`]+)`/g)].map(([, path]) => path);
  assert.ok(named.length > 40);
  assert.equal(
    named.filter((path, index) => named.indexOf(path) !== index),
    [],
  );
});

test('generated files are up to date', async () => {
  for (const [path, text] of await generatedFiles()) assert.is(read(path), text, `${path}: npm run generate`);
});
