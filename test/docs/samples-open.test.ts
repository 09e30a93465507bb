// Samples on a server without a token, as a reader copies them there: those in the README, those that need such a
// server, and the first in each language; with SAMPLES=all, all of them. The other files run all samples with a token.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { executedSamples, type Sample } from '../support/checks/doc-samples.ts';
import { runSamples } from '../support/checks/doc-samples-run.ts';
import { suite } from '../support/suite.ts';

const test = suite('documentation on an open server', { timeoutMs: 60_000 });

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
/** Inserted where the README says to put the reader's script. */
const script =
  "const page = await browser.newPage(); await page.goto('https://example.com/'); console.log(await page.title());";
const readmeSamples = [...readme.matchAll(/^```(sh|js)\n((?:curl|import) [^]*?)^```$/gm)].map(
  ([, language = '', text = ''], index): Sample => ({
    page: 'README',
    id: `${language}-${index}`,
    language,
    mode: 'ci',
    reason: undefined,
    expect: undefined,
    server: undefined,
    variables: undefined,
    path: '',
    text: language === 'sh' ? `${text}head -c 4 page.png` : text.replace('await browser.close();', `${script}\n$&`),
  }),
);

test('the README shows curl, Puppeteer and Playwright', () => {
  assert.is(readmeSamples.length, 3);
});

const seen = new Set<string>();
/** True for the first sample in a language. */
function isFirst({ language }: Sample): boolean {
  if (seen.has(language)) return false;
  seen.add(language);
  return true;
}

const wanted = executedSamples(
  (sample) => process.env['SAMPLES'] === 'all' || sample.server === 'open' || isFirst(sample),
);
runSamples(test, [...readmeSamples, ...wanted], {
  token: false,
  look(sample, output) {
    if (sample.page === 'README') assert.match(output, sample.language === 'sh' ? 'PNG' : 'Playground');
  },
});
