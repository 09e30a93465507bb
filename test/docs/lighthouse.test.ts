// Lighthouse on two templates, with phone settings: full scores for accessibility, best practices and search. The
// performance threshold is generous, since machines that run tests are busy. `npm run lighthouse` checks all templates.
// @alone
// @tier ci
import * as assert from 'uvu/assert';
import { figure, suite } from '../support/suite.ts';
import { stopAll } from '../support/service.ts';
import { audit, startAudits } from './lighthouse.ts';

const test = suite('Lighthouse of the documentation', { timeoutMs: 180_000 });
const minPerformance = 50;
let started: Awaited<ReturnType<typeof startAudits>>;

test.before(async () => {
  started = await startAudits();
});
test.after(() => stopAll(started.reader, started.service));

test('a text page and an operation reference page', async () => {
  for (const path of ['/rest-apis/pdf-api', '/bql-schema/operations/mutations/goto']) {
    const scores = await audit(started.service.url, path, started.port);
    const scoresText = JSON.stringify(scores);
    assert.is(scores.accessibility, 100, scoresText);
    assert.is(scores['best-practices'], 100, scoresText);
    assert.is(scores.seo, 100, scoresText);
    assert.ok(scores.performance >= minPerformance, scoresText);
  }
});

test('a keystroke in the search field is painted within 50 ms', async () => {
  const { service, reader } = started;
  const page = await reader.open();
  await page.goto(`${service.url}/`, { waitUntil: 'load' });
  await page.waitForSelector('html[data-ready]');
  await page.focus('#docs-search');
  await page.keyboard.type('w');
  await page.waitForSelector('.suggestions [role=option]');
  // Measure from the input event to the first frame after the rows change.
  await page.evaluate(`{
      window.times = [];
      let typed;
      document.querySelector('#docs-search').addEventListener('input', () => (typed = performance.now()), true);
      new MutationObserver(() => {
        const began = typed;
        typed = undefined;
        if (began !== undefined) requestAnimationFrame(() => times.push(performance.now() - began));
      }).observe(document.querySelector('.suggestions'), { childList: true, subtree: true });
    }`);
  const words = 'ait for selector';
  for (let at = 0; at < words.length; at++) {
    await page.keyboard.type(words[at] ?? '');
    await page.waitForFunction(`times.length > ${at}`, { timeout: 5_000 });
  }
  const times: number[] = JSON.parse(String(await page.evaluate('JSON.stringify(times)')));
  const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Infinity;
  figure(`a keystroke is painted after ${median.toFixed(0)} ms (median of ${times.length})`);
  assert.ok(median < 50, times.map((time) => time.toFixed(0)).join(' '));
});
