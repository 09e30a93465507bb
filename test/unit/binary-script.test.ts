// The script inside the single binary: V8 holds it with one byte a character, and what is escaped for that means the
// same as before.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import * as assert from 'uvu/assert';
import { bundleScript } from '../../src/build/binary/build-binary.ts';
import { suite } from '../support/suite.ts';

const root = join(import.meta.dirname, '..', '..');
const test = suite('script of the single binary', { timeoutMs: 60_000 });
const folder = mkdtempSync(join(tmpdir(), 'binary-script-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** An escape of a character beyond ASCII, with all backslashes before it. */
const escapes = /\\+u(?:00[89a-f]|0[1-9a-f]|[1-9a-f])[\da-f]+/gi;

test('it has only ASCII characters; escapes are in no raw template, and behind no backslash', async () => {
  await bundleScript(root, folder);
  const text = readFileSync(join(folder, 'main.js'), 'utf8');
  assert.not.match(text, /[^\0-\x7f]/);
  const raw: string[] = [];
  let expressions = 0;
  const look = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node)) raw.push(...(node.template.getText().match(escapes) ?? []));
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
      const found = (node as ts.RegularExpressionLiteral).text.match(escapes) ?? []; // As its kind says.
      expressions += found.length;
      raw.push(...found.filter((escape) => escape.startsWith('\\\\')));
    }
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile('main.js', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS));
  assert.equal(raw, []);
  assert.ok(expressions > 200, `only ${expressions} escapes in regular expressions`);
});
