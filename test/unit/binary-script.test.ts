// The script inside the single binary: V8 stores it with one byte per character, and the escapes that this requires
// do not change the meaning of the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import * as assert from 'uvu/assert';
import { bundleScript } from '../../src/build/binary/build-binary.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = join(import.meta.dirname, '..', '..');
const test = suite('script of the single binary', { timeoutMs: 60_000 });
const folder = temporaryDirectory();

/** An escape of a non-ASCII character, with all backslashes before it. */
const escapes = /\\+u(?:00[89a-f]|0[1-9a-f]|[1-9a-f])[\da-f]+/gi;

test('the script is pure ASCII, with no escapes in raw templates or after a backslash', async () => {
  await bundleScript(root, folder);
  const text = readFileSync(join(folder, 'main.js'), 'utf8');
  assert.not.match(text, /[^\0-\x7f]/);
  const raw: string[] = [];
  let expressions = 0;
  const look = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node)) raw.push(...(node.template.getText().match(escapes) ?? []));
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
      const found = (node as ts.RegularExpressionLiteral).text.match(escapes) ?? []; // Its kind was checked above.
      expressions += found.length;
      raw.push(...found.filter((escape) => escape.startsWith('\\\\')));
    }
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile('main.js', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS));
  assert.equal(raw, []);
  assert.ok(expressions > 200, `only ${expressions} escapes in regular expressions`);
});
