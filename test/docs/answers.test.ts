// Every hand-written page answers the question behind its title in its first two sentences: answers.txt lists question
// and sentence. Schema pages are generated: their first sentence is the description in the schema.
import * as assert from 'uvu/assert';
import { firstSentences } from '../../src/web/docs/search/sentences.ts';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';
import { builtDocs } from '../support/built-docs.ts';
import { suite } from '../support/suite.ts';
import { answers, openingOf } from './answers.ts';

const test = suite('answers of the documentation', { timeoutMs: 180_000 });
let docs: DocsManifest;

test.before(async () => {
  docs = await builtDocs();
});

const isGenerated = (path: string) => path.startsWith('/bql-schema/');

test('every hand-written page has an entry, in order', () => {
  const paths = answers.map(({ path }) => path);
  assert.equal(paths, docs.pages.filter((path) => !isGenerated(path)).toSorted());
});

test('each entry is a unique question and one sentence', () => {
  for (const { path, question, sentence } of answers) {
    assert.match(question, /^[A-Z].{8,}\?$/, path);
    assert.match(sentence, /^[A-Z].{12,}[.!?]$/, path);
    assert.is(firstSentences(sentence, 1), sentence, `${path}: more than one sentence`);
  }
  assert.is(new Set(answers.map(({ question }) => question)).size, answers.length);
});

test('the sentence is one of the first two on its page', () => {
  const wrong = answers
    .map((answer) => ({ ...answer, opening: firstSentences(openingOf(docs, answer.path), 2) }))
    .filter(({ sentence, opening }) => !opening.includes(sentence))
    .map(
      ({ path, question, sentence, opening }) =>
        `${path}: ${question}\n  expected: ${sentence}\n  page starts with: ${opening}`,
    );
  assert.equal(wrong, []);
});

test('every generated page starts with a sentence', () => {
  for (const path of docs.pages.filter(isGenerated)) {
    assert.match(firstSentences(openingOf(docs, path), 1), /^[A-Z].{7,}[.!?:]$/, path);
  }
});
