// The pages in docs-content: every sample marked `mode="ci"` is executed against the real server, with the test site in
// place of example.com; titles, links and anchors hold.
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { type Service, startService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { suite } from '../support/suite.ts';

interface Sample {
  page: string;
  id: string;
  language: string;
  mode: string;
  /** Status that the sample provokes; `curl --include` prints it. */
  expect: string | undefined;
  text: string;
}

const root = join(import.meta.dirname, '..', '..', 'docs-content');
const texts = new Map(
  globSync('**/*.mdx', { cwd: root }).map((file) => [
    `/${file.replace(/\.mdx$/, '')}`,
    readFileSync(join(root, file), 'utf8'),
  ]),
);
const samples: Sample[] = [...texts].flatMap(([page, text]) =>
  [...text.matchAll(/^```(\w+)(.*)\n([^]*?)^```$/gm)].map(([, language = '', meta = '', code = '']) => {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(meta)?.[1];
    const [id, mode, expect] = [attribute('id') ?? '', attribute('mode') ?? '', attribute('expect')];
    return { page, id, language, mode, expect, text: code };
  }),
);

/** Anchors of a page: its headings as GitHub writes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#{2,} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Runs a sample in an empty directory and returns what it printed; its exit code must be 0. */
async function execute(sample: Sample, service: Service, site: Site, signal: AbortSignal): Promise<string> {
  const directory = mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'sample-'));
  try {
    const text = sample.text
      .replaceAll('http://localhost:3000', service.url)
      .replaceAll('https://example.com/', `${site.url}/`);
    const file = join(directory, sample.language === 'js' ? 'sample.mjs' : 'sample.sh');
    writeFileSync(file, sample.language === 'js' ? text : `set -euo pipefail\n${text}`);
    const program = sample.language === 'js' ? process.execPath : 'bash';
    const child = spawn(program, [file], { cwd: directory, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Uint8Array) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Uint8Array) => (errors += chunk.toString()));
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.on('error', reject);
    child.on('close', resolve);
    const code = await promise;
    assert.is(code, 0, `exit code ${code}: ${errors}${output}`.slice(0, 2_000));
    return output;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const test = suite('documentation');
let site: Site;
let service: Service;
test.before(async () => {
  site = await startSite();
  service = await startService();
});
test.after(async () => {
  await service.stop();
  await site.close();
});

test('every page has a title and a description of its own, and starts with prose', () => {
  const seen = new Set<string>();
  for (const [page, text] of texts) {
    const [, title = '', description = '', body = ''] =
      /^---\ntitle: (.+)\ndescription: (.+)\n---\n\n([^]*)$/.exec(text) ?? [];
    assert.ok(title !== '' && description !== '', `${page} has a title and a description`);
    assert.not(seen.has(title) || seen.has(description), `${page} repeats a title or a description`);
    seen.add(title).add(description);
    assert.match(body, /^[A-Z]/, `${page} starts with a sentence`);
  }
  assert.ok(seen.size >= 20);
});

test('every link leads to a page and a heading that exist', () => {
  for (const [page, text] of texts) {
    for (const [, target = ''] of text.matchAll(/\]\((\/[^)]*)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const other = texts.get(path);
      assert.ok(other !== undefined, `${page} links to ${path}`);
      if (anchor !== undefined) assert.ok(anchorsOf(other ?? '').includes(anchor), `${page} links to ${target}`);
    }
  }
});

test('every sample says how it is checked, and those that run have an id of their own', () => {
  const ids = samples.filter(({ mode }) => mode === 'ci').map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
  assert.not(ids.includes(''));
  for (const { page, mode, text } of samples)
    assert.match(mode, /^(ci|syntax|never)$/, `${page}: ${text.slice(0, 80)}`);
});

test('samples of JSON are JSON', () => {
  for (const { page, language, text } of samples) {
    if (language === 'json') assert.not.throws(() => JSON.parse(text), `${page}: ${text.slice(0, 80)}`);
  }
});

const haveCurl = spawnSync('curl', ['--version']).status === 0;
for (const sample of samples.filter(({ mode }) => mode === 'ci')) {
  const title = `${sample.page} ${sample.id} does what it says`;
  if (sample.language === 'sh' && !haveCurl) {
    test.skip(title, 'curl is not installed here');
    continue;
  }
  test(title, async (signal) => {
    const output = await execute(sample, service, site, signal);
    if (sample.expect !== undefined) assert.is(/^HTTP\/1\.1 (\d+)/.exec(output)?.[1], sample.expect, output);
  });
}

if (haveCurl) {
  test('the curl of the README gives a PNG', async (signal) => {
    const readme = readFileSync(join(root, '..', 'README.md'), 'utf8');
    const curl = /^```sh\n(curl [^]*?)^```$/m.exec(readme)?.[1] ?? '';
    assert.match(curl, '-o page.png');
    const text = `${curl}head -c 4 page.png`;
    const sample = { page: 'README', id: 'curl', language: 'sh', mode: 'ci', expect: undefined, text };
    assert.match(await execute(sample, service, site, signal), 'PNG');
  });
} else {
  test.skip('the curl of the README gives a PNG', 'curl is not installed here');
}
