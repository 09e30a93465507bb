// The 284 pages that the documentation has to have, by their paths in inventory.txt: each is built, or its feature is
// still missing. A page of the list is served under its path, whatever else the documentation has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { DocsManifest } from '../../src/docs/serve/manifest.ts';
import { builtDocs } from '../support/built-docs.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { figure, suite } from '../support/suite.ts';

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

/** Pages that wait for a feature, with its name. An entry goes when its page comes. */
const pending: Readonly<Record<string, string>> = {
  '/enterprise/private-deployment/graphql-api': 'GraphQL API of the management endpoints',
};

/** Pages that the server renders for each request. */
const rendered = ['/search'];
const isThere = (path: string) => docs.files[path] !== undefined || rendered.includes(path);

test('the list has 284 different paths, in order', () => {
  assert.is(inventory.length, 284);
  assert.equal(inventory, [...new Set(inventory)].toSorted());
});

test('every page of the list is there, but for those that wait for their feature', () => {
  const missing = inventory.filter((path) => !isThere(path));
  figure(`${inventory.length - missing.length} of ${inventory.length} pages are there`);
  for (const path of missing) console.log(`  missing: ${path} (${pending[path] ?? 'for no reason'})`);
  assert.equal(
    missing.filter((path) => !Object.hasOwn(pending, path)),
    [],
  );
});

test('what waits is in the list, and is not there', () => {
  for (const path of Object.keys(pending)) {
    assert.ok(inventory.includes(path), `${path} is no page of the list`);
    assert.not(isThere(path), `${path} is there: remove it from the pending pages`);
  }
});

test('the server answers each page of the list', async () => {
  for (const path of inventory) {
    const { status, text } = await service.get(path, { headers: { Accept: 'text/html' } });
    if (Object.hasOwn(pending, path)) {
      assert.is(status, 404, path);
      continue;
    }
    assert.is(status, 200, path);
    assert.match(text, /<h1>|<h1 /, path);
  }
});
