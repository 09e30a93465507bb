// Each behavior that clients of browserless rely on has a test, or an entry on the migration page that has one.
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { coveredBy, differs } from './row.ts';
import { areas, entriesOfPage, problemOf } from './table.ts';

const test = suite('drop-in');
const entries = entriesOfPage();
const rows = Object.values(areas).flat();

test('each behavior has a test or an entry on the migration page', () => {
  let without = 0;
  for (const [area, inArea] of Object.entries(areas)) {
    const problems = inArea.flatMap((row) => {
      const problem = problemOf(row, entries);
      return problem === undefined ? [] : [`${row.behavior}: ${problem}`];
    });
    without += problems.length;
    console.log(`${area}: ${inArea.length}${problems.map((text) => `\n  ${text}`).join('')}`);
  }
  console.log(`${rows.length} lines, ${without} without a test`);
  assert.is(without, 0);
  assert.ok(rows.length > 300, `${rows.length} lines`);
});

test('no behavior is listed twice', () => {
  const all = rows.map(({ behavior }) => behavior);
  assert.equal(
    all.filter((text, at) => all.indexOf(text) !== at),
    [],
  );
});

test('each entry on the migration page has a test, and no test is for a missing entry', () => {
  const held = (areas['differences on the migration page'] ?? []).map(({ behavior }) => behavior);
  assert.equal(held.toSorted(), entries.toSorted());
});

test('a missing test is reported by file, title, or list entry', () => {
  const problems = [
    ...coveredBy('contract/nothing', { a: 'title' }),
    ...coveredBy('contract/content', {
      b: 'no such title',
      c: ['…: returns 429 when the server is full', 'no such entry'],
    }),
    // A condition that file waits for, not the title of a test.
    ...coveredBy('contract/management', { d: 'a queued request' }),
    // Skipped in that file.
    ...coveredBy('sockets/playwright-firefox', { e: 'firefox.connect' }),
    ...differs({ f: 'no such entry' }),
  ].map((row) => problemOf(row, entries));
  assert.ok(
    problems.every((problem) => problem !== undefined),
    problems.join('\n'),
  );
  assert.is(new Set(problems).size, problems.length);
});
