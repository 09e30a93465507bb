// The files that the service reads from its own sources and from packages, and the scripts that it starts by name.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import {
  assetBytes,
  assetText,
  builtFolder,
  importPackage,
  ownDirectories,
  packageFolder,
} from '../../src/base/program/assets.ts';
import { buildAdEngine } from '../../src/build/ad-engine.ts';
import { suite } from '../support/suite.ts';

const root = join(import.meta.dirname, '..', '..');
const test = suite('assets');

test.before(() => buildAdEngine(root));

test('assets are found by name, as text and as bytes', async () => {
  assert.match(await assetText('schema.graphql'), /^type Mutation/m);
  assert.match(await assetText('autoconsent-rules.json'), /^\{/);
  for (const name of ['puppeteer.js', 'autoconsent.js', 'turndown.js', 'turndown-gfm.js', 'readability.js'] as const) {
    assert.ok((await assetText(name)).length > 1_000, name);
  }
  assert.ok((await assetBytes('ad-engine.bin')).length > 1_000_000);
});

test('a package is found by one of its files, and imported by name', async () => {
  const hono = await packageFolder('hono', 'package.json');
  const text = readFileSync(join(root, 'node_modules/hono/package.json'));
  assert.equal(Buffer.from((await hono?.bytes('package.json')) ?? []), text);
  assert.is(await hono?.size('package.json'), text.length);
  assert.is(await hono?.size('absent.txt'), undefined);
  assert.ok((await hono?.names())?.includes('dist/index.js'));
  assert.is(await packageFolder('hono', 'absent.txt'), undefined);
  assert.is(await packageFolder('no-package-has-this-name', 'package.json'), undefined);
  assert.is(await builtFolder('docs').size('absent.txt'), undefined);
  assert.type((await importPackage<{ Hono: unknown }>('hono')).Hono, 'function');
  assert.equal(ownDirectories(), [join(root, 'node_modules/'), `${root}/`]);
});

test('an unknown script exits with an error message', () => {
  const runtime = 'Deno' in globalThis ? ['run', '-A', '--quiet'] : [];
  const { status, stderr } = spawnSync(
    process.execPath,
    [...runtime, join(root, 'src/main.ts'), '--browserd-script', 'constructor'],
    { encoding: 'utf8' },
  );
  assert.is.not(status, 0);
  assert.match(stderr, /unknown script "constructor"; use one of audit, compile-ad-lists/);
});
