// How `npm run bench -- --write` writes its results: as formatted tables between the markers on the page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { formatted, tablesOf, withMeasured } from '../bench/page.ts';
import { suite } from '../support/suite.ts';

const test = suite('bench page');
const path = join(import.meta.dirname, '../../docs-content/overview/performance.mdx');
const machine = { cores: 2, system: 'linux', architecture: 'x64', jobs: 20, date: new Date('2026-11-30T23:30:00Z') };
const rows = [
  { name: 'pdf small: p50 ms, one at a time', server: 41.26, floor: 82.5, ratio: 0.5, limit: { atMost: 1.1 } },
  { name: 'pdf medium: p50 ms, one at a time', server: 120.4, floor: 150.5, ratio: 0.8, limit: { atMost: 1.1 } },
  { name: 'sessions/s {40}', server: 3, floor: 4, ratio: 0.75, limit: { atLeast: 0.7 } },
  { name: '401 without a token, ms', server: 1.5, limit: { atMost: 10 } },
];

test('the tables contain medians, ratios, limits, the machine and the month', () => {
  assert.equal(tablesOf(rows, machine).split('\n'), [
    'Medians of one run on 2 cores, Linux on x64, 20 jobs per cell, November 2026.',
    '',
    '| Small / medium page | content | pdf | screenshot | scrape |',
    '| --- | --- | --- | --- | --- |',
    '| p50 ms, one at a time: server | – / – | 41.3 / 120 | – / – | – / – |',
    '| p50 ms, one at a time: ratio | – / – | 0.500 / 0.800 | – / – | – / – |',
    '',
    '| Measured | Server | Baseline | Ratio | Limit |',
    '| --- | --- | --- | --- | --- |',
    '| sessions/s \\{40\\} | 3.00 | 4.00 | 0.750 | at least 0.7 |',
    '| 401 without a token, ms | 1.50 |  |  | at most 10 (server) |',
  ]);
});

test('the tables replace what is between the markers, and nothing else', async () => {
  const before = readFileSync(path, 'utf8');
  const after = await formatted(withMeasured(before, tablesOf(rows, machine)), path);
  const [head, tail] = [before.split('{/*')[0] ?? '', before.split('measured: end */}')[1] ?? ''];
  assert.ok(head.length > 100 && tail.length > 100);
  assert.ok(after.startsWith(head) && after.endsWith(tail));
  assert.match(after, '0.500 / 0.800');
  assert.match(after, 'sessions/s \\{40\\}');
  assert.not.match(after, '0.53 / 0.69');
  assert.is(
    await formatted(withMeasured(after, tablesOf(rows, machine)), path),
    after,
    'writing twice changes nothing',
  );
});

test('a page without markers is rejected', () => {
  assert.throws(() => withMeasured('no marks', 'tables'), /measured: begin/);
  assert.throws(() => withMeasured('{/* measured: end */} {/* measured: begin */}', 'tables'), /measured: end/);
});
