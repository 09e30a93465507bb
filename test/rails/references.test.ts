// Every reference in the repository's comments and documents is to something in the repository or to a public standard.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { brokenReferences, commentsOf, outsideReferences } from '../support/checks/references.ts';
import { suite } from '../support/suite.ts';
import { generatedFiles } from './generated.ts';

const test = suite('references');
const root = join(import.meta.dirname, '..', '..');

/** These files contain bad references on purpose. */
const ownSamples = ['test/rails/references.test.ts', 'test/support/checks/references.ts'];

const isChecked = (file: string) => !ownSamples.includes(file);
const list = (...patterns: string[]) => patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted();
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const sources = list('{src,test}/**/*.{ts,tsx,js,css,graphql,sh}', 'build.ts', 'Dockerfile').filter(isChecked);

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
