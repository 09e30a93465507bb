// The search of the documentation: terms, ranking, snippets, the twelve queries that must find their page, and its speed.
import MiniSearch from 'minisearch';
import * as assert from 'uvu/assert';
import type { DocsManifest } from '../../src/docs/serve/manifest.ts';
import { buildIndex, type Index, loadIndex, search } from '../../src/docs/search/engine.ts';
import { pack, unpack } from '../../src/docs/search/packed-index.ts';
import { markTerms, snippet } from '../../src/docs/search/snippet.ts';
import { queryTerms, tokenize } from '../../src/docs/search/terms.ts';
import { guessedSlug, schemaSlug } from '../../src/docs/site/slug.ts';
import { builtDocs, builtText } from '../support/built-docs.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation search', { timeoutMs: 180_000 });
let docs: DocsManifest;
let index: Index;

test.before(async () => {
  docs = await builtDocs();
  index = loadIndex(builtText(docs, docs.index));
});

const pathsOf = (query: string) => search(index, query, 8).map(({ url }) => url.split('#')[0]);

test('identifiers are terms whole and in parts, numbers and flags stay', () => {
  const has = (text: string, ...wanted: string[]) => {
    const terms = tokenize(text);
    for (const term of wanted) assert.ok(terms.includes(term), `${text}: ${term} in ${terms.join()}`);
  };
  has('waitForSelector', 'waitForSelector', 'wait', 'For', 'Selector');
  has('MAX_CPU_PERCENT', 'MAX_CPU_PERCENT', 'CPU');
  has('--no-sandbox', '--no-sandbox', 'no-sandbox', 'sandbox');
  has('HTTP 429.', '429');
  has('HTTPResponse', 'HTTP', 'Response');
});

test('a query is cut, synonyms are put in, words that say nothing are known', () => {
  assert.equal(queryTerms('the API key').all, ['the', 'token']);
  assert.equal(queryTerms('how to set a time-out').telling, ['set', 'timeout']);
  assert.is(queryTerms('a '.repeat(5_000)).all.length, 12);
  assert.equal(search(index, '   ', 8), []);
  assert.equal(search(index, '"\'<>(){}[]*+?^$|\\', 8), []);
});

/** Query and the pages of which one must be among the first three. */
const relevance: [query: string, ...pages: RegExp[]][] = [
  ['timeout', /timeouts/],
  ['429', /http-error-codes|long-queues/],
  ['waitForSelector', /intro|wait-for-selector|waiting-for-things/],
  ['set cookies', /cookies|intro|cookie/],
  ['pdf margin', /pdf/],
  ['docker token', /docker|quick-start|getting-started/],
  ['playwright connect', /connect-playwright|playwright/],
  ['concurrent limit', /long-queues|config|timeouts|start|comparison/],
  ['--window-size', /launch|docker|config|options|connect|custom|screenshot/],
  ['screenshot full page', /screenshot/],
  ['screnshot', /screenshot/],
  ['puppeter connect', /puppeteer/],
  ['enviroment variables', /config|environment|docker|getting-started|migrate|terminology/],
  ['launch parameters', /launch-parameters|launch-options/],
];

for (const [query, ...pages] of relevance) {
  test(`"${query}" finds its page among the first three`, () => {
    const found = pathsOf(query).slice(0, 3);
    assert.ok(
      found.some((path) => pages.some((pattern) => pattern.test(path ?? ''))),
      found.join('\n'),
    );
  });
}

test('a title comes before a heading, a heading before text', () => {
  const [first] = search(index, 'launch parameters', 8);
  assert.match(first?.title.toLowerCase() ?? '', 'launch parameters');
});

test('sections of a page stand together', () => {
  const pages = pathsOf('timeout');
  const seen = new Set<string | undefined>();
  for (const [at, path] of pages.entries()) {
    assert.not.ok(seen.has(path) && pages[at - 1] !== path, pages.join());
    seen.add(path);
  }
});

test('a snippet grows around the first match to its length, cut at words, with an ellipsis at each cut', () => {
  const text = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen';
  const parts = snippet(text, ['nine'], 50);
  const shown = parts.map((part) => part.text).join('');
  assert.match(shown, /^….*nine.*…$/);
  assert.ok(shown.length < 70, shown);
  assert.equal(
    parts.filter((part) => part.marked).map((part) => part.text),
    ['nine'],
  );
  assert.equal(
    markTerms('a <b> & <b>', ['b'])
      .map((part) => part.text)
      .join(''),
    'a <b> & <b>',
  );
});

test('a warm query takes milliseconds', () => {
  const times = relevance.flatMap(([query]) => {
    search(index, query, 8);
    const began = performance.now();
    search(index, query, 8);
    return [performance.now() - began];
  });
  const [slowest = 0] = times.toSorted((a, b) => b - a);
  // The goal is 10 ms (npm run bench); a loaded machine gets room.
  assert.ok(slowest < 500, `${slowest} ms`);
});

test('the packed index is, when it is read, the index that was written', () => {
  const fields = ['title', 'text'];
  const written = new MiniSearch({ fields, tokenize });
  const texts = ['one "two" two', '', ...Array<string>(200).fill('three'), 'one \\ two #four é日本'];
  written.addAll(texts.map((text, id) => ({ id, title: id % 2 === 0 ? 'even two' : '', text })));
  const { index: terms, ...rest } = written.toJSON();
  const read = JSON.parse(unpack(pack(written.toJSON(), []), fields));
  assert.equal(read, { ...rest, index: terms });
  assert.is(JSON.stringify(read.index), JSON.stringify(terms));
  assert.throws(() => pack({ ...written.toJSON(), fieldLength: { 0: [60_000, 0] } }, []), /cannot hold/);
});

test('a hit shows the page and the section that it was found in', () => {
  const page = { path: '/a', title: 'Apples', trail: 'Fruit', description: 'Of trees', keywords: 'cider' };
  const none = { description: '', keywords: '' };
  const small = loadIndex(
    buildIndex([
      { ...page, fragment: '', heading: '', content: 'They are red.' },
      { ...page, ...none, fragment: 'sorts', heading: 'Sorts', content: 'Some are green.' },
      { ...page, ...none, path: '/b', title: 'Pears', fragment: '', heading: '', content: 'They are green.' },
    ]),
  );
  const shown = { title: 'Apples', trail: 'Fruit' };
  assert.equal(search(small, 'sorts', 8), [
    { ...shown, url: '/a#sorts', heading: 'Sorts', content: 'Some are green.', kind: 'heading', terms: ['sorts'] },
  ]);
  assert.equal(search(small, 'cider', 8), [
    { ...shown, url: '/a', heading: '', content: 'They are red.', kind: 'content', terms: ['cider'] },
  ]);
});

test('slugs of the schema are those of the contract', () => {
  const table = {
    liveURL: 'live-url',
    querySelectorAll: 'query-selector-all',
    HTTPResponse: 'httpresponse',
    LiveURLStreamType: 'live-urlstream-type',
    PDFPageFormat: 'pdfpage-format',
    setExtraHTTPHeaders: 'set-extra-httpheaders',
    oneOf: 'one-of',
  };
  for (const [name, slug] of Object.entries(table)) assert.is(schemaSlug(name), slug);
  assert.is(guessedSlug('HTTPResponse'), 'http-response');
  assert.is(docs.redirects['/bql-schema/types/objects/http-response'], '/bql-schema/types/objects/httpresponse');
});
