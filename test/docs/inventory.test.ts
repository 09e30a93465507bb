// The 284 required documentation pages, listed by path in inventory.txt: each is built and served at its
// path, regardless of what else the documentation contains.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';
import { builtDocs } from '../support/built-docs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('inventory of the documentation', { timeoutMs: 180_000 });
let docs: DocsManifest;
let service: Service;

test.before(async () => {
  docs = await builtDocs();
  service = await startService();
});
test.after(() => stopAll(service));

const inventory = readFileSync(join(import.meta.dirname, 'inventory.txt'), 'utf8')
  .trim()
  .split('\n');

/** Pages that the server renders for each request. */
const rendered = ['/search'];

test('the list has 284 unique paths, in order', () => {
  assert.is(inventory.length, 284);
  assert.equal(inventory, [...new Set(inventory)].toSorted());
});

test('every page in the list exists', () => {
  const missing = inventory.filter((path) => docs.files[path] === undefined && !rendered.includes(path));
  assert.equal(missing, []);
});

test('the server serves each page in the list', async () => {
  for (const path of inventory) {
    const { status, text } = await service.get(path, { headers: { Accept: 'text/html' } });
    assert.is(status, 200, path);
    assert.match(text, /<h1>|<h1 /, path);
  }
});
