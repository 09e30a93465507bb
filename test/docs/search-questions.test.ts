// The hundred questions of `questions.ts`, asked of the index of the built documentation; prints how many find their page.
import * as assert from 'uvu/assert';
import { type Index, loadIndex, search } from '../../src/docs/search/engine.ts';
import { site } from '../../src/docs/site/site.ts';
import { builtDocs, builtText } from '../support/built-docs.ts';
import { suite } from '../support/suite.ts';
import { type Question, questions } from './questions.ts';

const test = suite('questions to the search', { timeoutMs: 180_000 });
let index: Index;
let paths: ReadonlySet<string>;

test.before(async () => {
  const docs = await builtDocs();
  paths = new Set(docs.pages);
  index = loadIndex(builtText(docs, docs.index));
});

/** Where the question's page stands among the pages of the suggestions, from 1; Infinity when it is not there. */
function placeOf([words, ...wanted]: Question): number {
  const found = [...new Set(search(index, words, site.suggestions).map(({ url }) => url.split('#')[0] ?? ''))];
  const at = found.findIndex((path) => wanted.includes(path));
  return at === -1 ? Infinity : at + 1;
}

test('there are a hundred different questions, and their pages exist', () => {
  assert.is(new Set(questions.map(([words]) => words)).size, 100);
  for (const [words, ...wanted] of questions) {
    for (const path of wanted) assert.ok(paths.has(path), `${words}: there is no ${path}`);
  }
});

test('the right page is found', () => {
  const places = questions.map((question) => ({ question, place: placeOf(question) }));
  const share = (most: number) => (100 * places.filter(({ place }) => place <= most).length) / places.length;
  console.log(`\nRight page first for ${share(1)} % of ${places.length} questions, within three for ${share(3)} %.`);
  for (const { question, place } of places.filter(({ place: at }) => at > 1))
    console.log(`  ${place === Infinity ? '-' : place}  ${question[0]}`);
});
