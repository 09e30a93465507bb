// Each option that the server accepts has a test that verifies its effect or rejection; options accepted without effect
// are listed in X-Ignored-Parameters.
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { problemOf, coveredBy } from './row.ts';
import { linesOf, areaNames } from './table.ts';

const test = suite('options');

test('each option has a test', () => {
  let [all, without] = [0, 0];
  for (const area of areaNames) {
    const lines = linesOf(area);
    const problems = lines.filter(({ problem }) => problem !== undefined);
    all += lines.length;
    without += problems.length;
    console.log(
      `${area}: ${lines.length}${problems.map(({ option, problem }) => `\n  ${option}: ${problem}`).join('')}`,
    );
  }
  console.log(`${all} options, ${without} without a test`);
  assert.is(without, 0);
  assert.ok(all > 600, `${all} options`);
});

test('a row is a problem if its test does not exist or the file does not mention the option', () => {
  const wrong = [
    ...coveredBy('contract/nothing', { title: 'page:url' }),
    ...coveredBy('contract/content', { 'no such title': 'page:url' }),
    ...coveredBy('promises/ignored', { 'fields of a body': 'page:viewport.{isLandscape,hasTouch}' }),
  ];
  const problems = wrong.map(problemOf);
  assert.ok(
    problems.every((problem) => problem !== undefined),
    problems.join('\n'),
  );
  assert.is(new Set(problems).size, 4);
  assert.equal(coveredBy('promises/ignored', { 'fields of a body': 'page:cookies[].{size,session}' }).map(problemOf), [
    undefined,
    undefined,
  ]);
});
