// Searches the index of the built documentation for the hundred questions in `questions.ts` and counts how many find
// their page. Also tests the answers of Ask AI to its six examples without a model.
import * as assert from 'uvu/assert';
import { type Index, loadIndex, search } from '../../src/web/docs/search/engine.ts';
import { site } from '../../src/web/docs/site/site.ts';
import { builtDocs, builtText } from '../support/built-docs.ts';
import { figure, suite } from '../support/suite.ts';
import { askLimits } from '../../src/base/limits.ts';
import { passagesFor } from '../../src/web/docs/search/passages.ts';
import { askExamples } from '../../src/web/docs/site/ask.ts';
import { type Question, questions } from './questions.ts';

const test = suite('questions to the search', { timeoutMs: 180_000 });
let index: Index;
let paths: ReadonlySet<string>;

test.before(async () => {
  const docs = await builtDocs();
  paths = new Set(docs.pages);
  index = await loadIndex(builtText(docs, docs.index));
});

/** 1-based rank of the question's page among the suggested pages; Infinity if it is missing. */
function rankOf([words, ...wanted]: Question): number {
  const found = [...new Set(search(index, words, site.suggestions).hits.map(({ url }) => url.split('#')[0] ?? ''))];
  const at = found.findIndex((path) => wanted.includes(path));
  return at === -1 ? Infinity : at + 1;
}

test('there are a hundred unique questions, and their pages exist', () => {
  assert.is(new Set(questions.map(([words]) => words)).size, 100);
  for (const [words, ...wanted] of questions) {
    for (const path of wanted) assert.ok(path === undefined || paths.has(path), `${words}: there is no ${path}`);
  }
});

test('search ranks the right page near the top', () => {
  const places = questions.map((question) => ({ question, place: rankOf(question) }));
  const share = (most: number) => (100 * places.filter(({ place }) => place <= most).length) / places.length;
  figure(`right page first for ${share(1)} % of ${places.length} questions, within three for ${share(3)} %`);
  for (const { question, place } of places.filter(({ place: at }) => at > 1))
    console.log(`  ${place === Infinity ? '-' : place}  ${question[0]}`);
  assert.ok(share(1) >= 80, `the right page is first for only ${share(1)} %`);
  assert.ok(share(3) >= 95, `the right page is within three for only ${share(3)} %`);
});

/** The page for each example, and what its passage must contain. */
const golden: Readonly<Record<(typeof askExamples)[number], readonly [url: string, says: RegExp]>> = {
  'How do I get started?': ['/enterprise/quick-start', /Start the server.*screenshot/],
  'What is BrowserQL?': ['/browserql/start', /steps on a page in one GraphQL document/],
  'Which API endpoints are there?': ['/rest-apis/intro', /Pick the endpoint/],
  'How does authentication with a token work?': ['/rest-apis/intro#authenticate', /three forms.*header/],
  'How do I use a proxy?': ['/baas/features/proxies', /Set a proxy in the URL of the request/],
  'What are the rate limits and queues?': ['/enterprise/long-queues', /refused with 429 when the queue is full/],
};

for (const example of askExamples) {
  test(`"${example}" is answered with the right passage`, () => {
    const [url, says] = golden[example];
    const [best, ...others] = passagesFor(index, example, 4, 420);
    assert.ok(best);
    assert.is(best.url, url);
    assert.match(best.text, says);
    assert.ok(best.terms.length > 0 && others.length > 0);
  });
}

test('passages are cut to roughly the requested length', () => {
  for (const { text } of passagesFor(index, 'proxy timeout token settings', 6, askLimits.passageCharacters))
    assert.ok(text.length <= 2 * askLimits.passageCharacters + 2, `${text.length} characters`);
});
