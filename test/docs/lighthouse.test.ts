// Lighthouse on two templates, with a phone's settings: full scores for accessibility, best practices and search. The
// limit for speed is generous, since machines that run tests are busy. `npm run lighthouse` checks all of it.
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { auditAll } from './lighthouse.ts';

const test = suite('Lighthouse of the documentation', { timeoutMs: 180_000 });
const leastPerformance = 50;

test('a text page and the reference of an operation', async () => {
  const all = await auditAll(['/rest-apis/pdf-api', '/bql-schema/operations/mutations/goto']);
  assert.is(all.length, 2);
  for (const scores of all) {
    const told = JSON.stringify(scores);
    assert.is(scores.accessibility, 100, told);
    assert.is(scores['best-practices'], 100, told);
    assert.is(scores.seo, 100, told);
    assert.ok(scores.performance >= leastPerformance, told);
  }
});
