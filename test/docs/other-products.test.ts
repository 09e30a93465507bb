// The comparison with other products: every cell has a source. For browserd it is a page with a sample that the suite
// runs; for another product it is one of its own pages, not a third party's.
import * as assert from 'uvu/assert';
import { pageTexts, samples } from '../support/checks/doc-samples.ts';
import { suite } from '../support/suite.ts';

const test = suite('comparison with other products');

const browserless = /^https:\/\/(docs\.browserless\.io|github\.com\/browserless\/browserless)(\/|#|$)/;
/** Where the sources of each column must be. */
const owners: readonly (readonly [column: string, source: RegExp])[] = [
  ['Here', /^\//],
  ['browserless image', browserless],
  ['browserless paid', browserless],
  ['Steel', /^https:\/\/(docs\.steel\.dev|github\.com\/steel-dev\/steel-browser)(\/|$)/],
  ['Cloudflare', /^https:\/\/developers\.cloudflare\.com\//],
];

const text = pageTexts.get('/overview/other-products') ?? '';
const [head = [], , ...rows] = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test('the table has a column for each product, and rows', () => {
  assert.equal(
    head.slice(1),
    owners.map(([column]) => column),
  );
  assert.ok(rows.length >= 8, `${rows.length} rows`);
});

test('every cell links to its source', () => {
  const wrong: string[] = [];
  for (const [name = '', ...cells] of rows) {
    for (const [at, [column, source]] of owners.entries()) {
      const targets = [...(cells[at] ?? '').matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
      if (targets.length === 0) wrong.push(`${name}, ${column}: no source`);
      for (const target of targets) if (!source.test(target)) wrong.push(`${name}, ${column}: ${target}`);
    }
  }
  assert.equal(wrong, []);
});

test('every claim about this server links to a page with samples that run', () => {
  const run = new Set(samples.filter(({ mode }) => mode === 'ci').map(({ page }) => page));
  const targets = rows.flatMap(([, own = '']) => [...own.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => target));
  assert.ok(targets.length >= rows.length);
  assert.equal(
    targets.filter((target) => !run.has(target)),
    [],
  );
});

test('the page states the date of the check', () => {
  const [, day = ''] = /Checked on (\d+ \w+ \d{4})/.exec(text) ?? [];
  assert.is(day, '27 November 2026');
});
