// No test, no promise: the table of attacks on the security page matches the marks on the tests, and README.md and
// SECURITY.md promise the same as the page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { attacks, entryPoints } from '../support/attacks.ts';
import { suite } from '../support/suite.ts';
import { marks, root, generatedFiles } from './written.ts';

const test = suite('promises of security');

test('each attack is tried by a test, and each mark names a listed attack and listed entry points', () => {
  const all = marks();
  for (const attack of Object.keys(attacks)) {
    assert.ok(
      all.some((mark) => mark.attack === attack),
      `no test has test.shows('${attack}', …)`,
    );
  }
  const known: readonly string[] = entryPoints;
  for (const { attack, doors: at, file } of all) {
    assert.ok(attack in attacks && at.length > 0 && at.every((door) => known.includes(door)), `${file}: ${attack}`);
  }
});

test('the page, README.md and SECURITY.md are up to date', async () => {
  for (const [path, text] of await generatedFiles()) {
    assert.is(readFileSync(join(root, path), 'utf8'), text, `${path}: run npm run promises`);
  }
});
