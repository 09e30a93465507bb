// How performance budgets are parsed, chosen for a page and compared with what was measured.
import * as assert from 'uvu/assert';
import { budgetFor, isFirstParty, resourceRows, timingRows } from '../../src/browser/page/audit/budgets.ts';
import { parseBody } from '../../src/base/schema/parse.ts';
import { performanceBody } from '../../src/base/schema/request/performance-fields.ts';
import { refusalOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';

const test = suite('performance budgets');
const url = 'https://example.com/';
const read = (budget: unknown) => parseBody(performanceBody, { url, budgets: [budget] }).budgets?.[0] ?? {};

const issueOf = (budget: unknown, wrap = (budgets: unknown): object => ({ budgets })): string =>
  refusalOf(() => parseBody(performanceBody, { url, ...wrap([budget]) })).message;

test('the last budget with a matching path applies', () => {
  const paths: [pattern: string | undefined, fits: string[], others: string[]][] = [
    [undefined, ['/', '/blog?x=1'], []],
    ['/', ['/', '/blog'], []],
    ['/blog', ['/blog', '/blog/post', '/blogs?x'], ['/', '/a/blog']],
    ['/js$', ['/js'], ['/js/', '/js?x', '/a/js']],
    ['/a*b', ['/ab', '/a/x/b/y'], ['/ba', '/xa/b', '/a']],
    ['/a*.js$', ['/a.js', '/a/b.js'], ['/a.js?x', '/b.js']],
    ['/*', ['/', '/x?y=z'], []],
  ];
  for (const [path, matches, others] of paths) {
    const budgets = [read(path === undefined ? {} : { path })];
    for (const text of matches) assert.ok(budgetFor(`https://a.example${text}`, budgets), `${path} matches ${text}`);
    for (const text of others) assert.not(budgetFor(`https://a.example${text}`, budgets), `${path} and ${text}`);
  }
  const [all, blog] = [read({ path: '/*' }), read({ path: '/blog' })];
  assert.is(budgetFor('https://a.example/blog/1', [all, blog]), blog);
  assert.is(budgetFor('https://a.example/', [all, blog]), all);
  assert.is(budgetFor('https://a.example/blog', [blog, all]), all);
});

const one = { count: 2, transferSize: 3_000 };
const summary = {
  total: { count: 9, transferSize: 20_480 },
  document: one,
  script: one,
  stylesheet: one,
  image: one,
  media: one,
  font: one,
  other: one,
  'third-party': one,
};

test('reports sizes in KiB and counts, but only above the budget', () => {
  const rows = resourceRows(
    read({
      resourceSizes: [
        { resourceType: 'script', budget: 2 },
        { resourceType: 'total', budget: 20 },
        { resourceType: 'font', budget: 1 },
      ],
      resourceCounts: [
        { resourceType: 'total', budget: 9 },
        { resourceType: 'script', budget: 1 },
        { resourceType: 'third-party', budget: 0 },
      ],
    }),
    summary,
  );
  const cells = rows.map((row) => [row.resourceType, row.countOverBudget, row.sizeOverBudget]);
  assert.equal(cells, [
    ['font', undefined, 3_000 - 1_024],
    ['script', '1 request', 3_000 - 2_048],
    ['total', undefined, undefined],
    ['third-party', '2 requests', undefined],
  ]);
  assert.equal(rows[2], {
    resourceType: 'total',
    label: 'Total',
    requestCount: 9,
    transferSize: 20_480,
    countOverBudget: undefined,
    sizeOverBudget: undefined,
  });
});

test('compares metrics with their tolerance; the layout shift is a score', () => {
  const budget = read({
    timings: [
      { metric: 'first-contentful-paint', budget: 1_000 },
      { metric: 'speed-index', budget: 900, tolerance: 100 },
      { metric: 'interactive', budget: 800, tolerance: 100 },
      { metric: 'cumulative-layout-shift', budget: 0.1 },
      { metric: 'max-potential-fid', budget: 5 },
    ],
  });
  const rows = timingRows(budget, {
    'first-contentful-paint': 1_000,
    'speed-index': 1_000,
    interactive: 1_000,
    'cumulative-layout-shift': 0.25,
  });
  const score = (value: number) => ({ type: 'numeric', value, granularity: 0.01 });
  assert.equal(
    rows.map(({ metric, measurement, overBudget }) => [metric, measurement, overBudget]),
    [
      ['interactive', 1_000, 200],
      ['cumulative-layout-shift', score(0.25), score(0.15)],
      ['first-contentful-paint', 1_000, undefined],
      ['speed-index', 1_000, undefined],
      ['max-potential-fid', undefined, undefined],
    ],
  );
});

test('first parties match by name or as subdomains', () => {
  const names = ['*.example.com', 'cdn.test'];
  for (const host of ['example.com', 'a.b.example.com', 'cdn.test']) assert.ok(isFirstParty(host, names), host);
  for (const host of ['badexample.com', 'a.cdn.test', 'com', '']) assert.not(isFirstParty(host, names), host);
});

test('invalid values are reported with their path', () => {
  const size = { resourceType: 'script', budget: 1 };
  const rows: [unknown, RegExp][] = [
    [{ resourceSize: [] }, /"budgets\.0\.resourceSize" is not a known field; did you mean "resourceSizes"\?/],
    [
      { resourceSizes: [{ ...size, resourceType: 'js' }] },
      /"budgets\.0\.resourceSizes\.0\.resourceType" must be one of/,
    ],
    [{ resourceSizes: [{ resourceType: 'script' }] }, /"budgets\.0\.resourceSizes\.0\.budget" is required/],
    [
      { resourceCounts: [{ ...size, budget: -1 }] },
      /"budgets\.0\.resourceCounts\.0\.budget" must be a number of at least 0/,
    ],
    [{ resourceCounts: [{ ...size, budget: 'many' }] }, /"budgets\.0\.resourceCounts\.0\.budget" must be a number/],
    [{ resourceSizes: [size, size] }, /"budgets\.0\.resourceSizes" has two budgets for "script"/],
    [{ resourceSizes: [{ ...size, tolerance: 1 }] }, /"budgets\.0\.resourceSizes\.0\.tolerance" is not a known field/],
    [{ timings: [{ metric: 'first-meaningful-paint', budget: 1 }] }, /"budgets\.0\.timings\.0\.metric" must be one of/],
    [
      { timings: [{ metric: 'interactive', budget: 1, tolerance: 'x' }] },
      /"budgets\.0\.timings\.0\.tolerance" must be/,
    ],
    [{ path: 'blog' }, /"budgets\.0\.path" must begin with "\/"/],
    [{ path: '/*/*' }, /"budgets\.0\.path" must begin with/],
    [{ path: '/$/x' }, /"budgets\.0\.path" must begin with/],
    [
      { options: { firstPartyHostnames: ['https://a.example'] } },
      /"budgets\.0\.options\.firstPartyHostnames\.0" must be/,
    ],
    [{ options: { firstPartyHostnames: ['a.*.example'] } }, /"budgets\.0\.options\.firstPartyHostnames\.0" must be/],
    [{ options: { thirdParty: [] } }, /"budgets\.0\.options\.thirdParty" is not a known field/],
    [[size], /"budgets\.0" must be an object, got a list/],
    [7, /"budgets\.0" must be an object/],
  ];
  for (const [budget, message] of rows) assert.match(issueOf(budget), message);
  const inSettings = (budgets: unknown) => ({ config: { settings: { budgets } } });
  assert.match(issueOf({ path: 'blog' }, inSettings), /"config\.settings\.budgets\.0\.path" must begin/);
  assert.equal(read({ options: [] }), { options: {} });
});
