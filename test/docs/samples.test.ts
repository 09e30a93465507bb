// The pages in docs-content: titles, links and anchors are valid, every sample says how it is checked, and those marked
// `mode="ci"` are run as a reader copies them, against a server with a token. The samples in /baas and /browserql
// have separate files; samples-open.test.ts covers the server without a token.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { anchorsOf, executedSamples, pageTexts, samples } from '../support/checks/doc-samples.ts';
import { runSamples } from '../support/checks/doc-samples-run.ts';
import { figure, suite } from '../support/suite.ts';

/** Pages that are generated and have no file in docs-content. */
const generated = /^\/(open-api(\/.+)?|openapi\.json|search|bql-schema\/.+)$/;
/** Files served unchanged: those in public/deploy. */
const deployed = /^\/deploy\/.+$/;
const test = suite('documentation', { timeoutMs: 60_000 });

const root = join(import.meta.dirname, '..', '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
test('the README has fewer than 100 lines of at most 100 characters', () => {
  const lines = readme.split('\n');
  assert.ok(lines.length < 100, `${lines.length} lines`);
  assert.equal(
    lines.filter((line) => line.length > 100),
    [],
  );
});

test('every page has a unique title and description, and starts with prose', () => {
  const seen = new Set<string>();
  for (const [page, text] of pageTexts) {
    const [, title = '', description = '', body = ''] =
      /^---\ntitle: (.+)\nquestion: .+\ndescription: (.+)\n(?:(?:\w+:| +).*\n)*---\n\n([^]*)$/.exec(text) ?? [];
    assert.ok(title !== '' && description !== '', `${page} has no title or no description`);
    assert.not(seen.has(title) || seen.has(description), `${page} repeats a title or a description`);
    seen.add(title).add(description);
    assert.match(body, /^[A-Z]/, `${page} does not start with a sentence`);
  }
  assert.ok(seen.size >= 20);
});

test('every link leads to an existing page and heading', () => {
  for (const [page, text] of pageTexts) {
    for (const [, target = ''] of text.replace(/^```[^]*?^```$/gm, '').matchAll(/(?:\]\(|href=")(\/[^)"]*)[)"]/g)) {
      const [path = '', anchor] = target.split('#');
      if (generated.test(path)) continue;
      if (deployed.test(path)) {
        assert.ok(existsSync(join(root, 'public', path)), `${page} links to ${path}`);
        continue;
      }
      const other = pageTexts.get(path);
      assert.ok(other !== undefined, `${page} links to ${path}`);
      if (anchor !== undefined) assert.ok(anchorsOf(other ?? '').includes(anchor), `${page} links to ${target}`);
    }
  }
});

test('every sample states how it is checked, and those that run have a unique id', () => {
  const ids = samples.filter(({ mode }) => /^(ci|installed)$/.test(mode)).map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length, ids.filter((id, index) => ids.indexOf(id) !== index).join());
  assert.not(ids.includes(''));
  for (const { page, mode, reason, text } of samples) {
    assert.match(mode, /^(ci|installed|syntax|never)$/, `${page}: ${text.slice(0, 80)}`);
    if (mode === 'never')
      assert.ok(reason, `${page}: a sample that never runs must have a reason: ${text.slice(0, 80)}`);
  }
});

test('at least 80 % of the programs, commands and documents are run', () => {
  const programs = samples.filter(({ language }) =>
    ['sh', 'js', 'ts', 'graphql', 'python', 'php', 'go', 'java', 'csharp'].includes(language),
  );
  const count = (mode: string) => programs.filter((sample) => sample.mode === mode).length;
  const share = count('ci') / programs.length;
  const words = `${count('ci')} run, ${count('installed')} run if their language is installed, ${count('syntax')} only parsed, ${count('never')} not checked`;
  figure(`${programs.length} samples: ${words}; ${(100 * share).toFixed(0)} % run`);
  assert.ok(share >= 0.8, words);
});

test('JSON samples are valid JSON', () => {
  for (const { page, language, text } of samples) {
    if (language === 'json') assert.not.throws(() => JSON.parse(text), `${page}: ${text.slice(0, 80)}`);
  }
});

test('JavaScript samples that are not run have valid syntax', () => {
  for (const { page, language, mode, text } of samples) {
    if (language !== 'js' || mode === 'ci') continue;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--check'], { input: text });
    assert.is(status, 0, `${page}: ${stderr}`);
  }
});

test('samples spell the server and its token in only one way', () => {
  for (const { page, text } of samples) {
    const odd = /localhost:(?!3000\b)\d+|127\.0\.0\.1|https:\/\/localhost|browserless\.io|<token>|API_TOKEN_HERE/.exec(
      text,
    );
    assert.is(odd, null, `${page}: ${odd?.[0]}`);
  }
});

const elsewhere = /^\/(baas|browserql)\//;
const here = executedSamples(({ page }) => !elsewhere.test(page));
runSamples(test, here);
