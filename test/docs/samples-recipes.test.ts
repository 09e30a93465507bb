// The samples in /browserql, and in the recipes, libraries, configurations and troubleshooting of /baas: see
// samples.test.ts.
// @tier ci
import * as assert from 'uvu/assert';
import { executedSamples } from '../support/checks/doc-samples.ts';
import { runSamples } from '../support/checks/doc-samples-run.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation of /browserql and /baas: recipes', { timeoutMs: 60_000 });
const wanted = /^\/(browserql|baas\/(advanced-configurations|libraries|recipes|troubleshooting))\//;
const recipes = executedSamples(({ page }) => wanted.test(page));

/** Expected output of samples that exit successfully even if they did not do their job. */
const expectedOutput: Readonly<Record<string, RegExp>> = {
  'blank-why': /"status": 200,[^]*"characters": [1-9][^]*"problems": \[\]/,
  'login-session': /^logged in\nHello, Ada\nHello, Ada\n$/,
  'recipe-cookies-puppeteer': /^Hello, Ada\n$/,
  'recipe-cookies-rest': /You have 3 orders/,
  'retry-pool': /^(http:\/\/playground\.localhost\/list\?page=\d 200 \d{3,}\n){5}$/,
  'scroll-all': /^\[\s*"Entry 1",[^]*"Entry 100"\s*\]\s*$/,
  'table-csv': /^Earth,12756,1\s*$/m,
};

test('every sample whose output is checked exists', () => {
  const ids = new Set(recipes.map(({ id }) => id));
  assert.equal(
    Object.keys(expectedOutput).filter((id) => !ids.has(id)),
    [],
  );
});

runSamples(test, recipes, {
  look: ({ id }, output) => {
    const expected = expectedOutput[id];
    if (expected !== undefined) assert.match(output, expected);
  },
});
