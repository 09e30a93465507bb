// Regular expressions of the server run in time linear in the length of the text. With one that does not, a client or a
// page can block the server for everyone with a single string. If its input is short, `// bounded: …` above says why.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import * as assert from 'uvu/assert';
import { hardText } from '../support/checks/hard-texts.ts';
import { root } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';

const test = suite('regular expressions', { timeoutMs: 240_000 });

/** Code that runs at build time or in pages, where it blocks nobody else. */
const elsewhere =
  /^src\/(build|web\/pages|browser\/injected\/(?!css-links)|web\/docs\/(?!serve|search|ask|fields)|start\/(scripts\.ts|setup\.js))/;
const reason = /\/\/ bounded: \S/;

interface Found {
  place: string;
  source: string;
  flags: string;
}

function expressionsOf(path: string, text: string): Found[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const found: Found[] = [];
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      const end = node.text.lastIndexOf('/');
      const stated = lines.slice(Math.max(0, line - 1), line + 1).some((each) => reason.test(each));
      if (!stated)
        found.push({
          place: `${path}:${line + 1}`,
          source: node.text.slice(1, end),
          flags: node.text.slice(end + 1),
        });
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found;
}

test('finds known hard expressions, but not easy ones', () => {
  const hard = [
    String.raw`;+$`,
    String.raw`^\s*(\d*)\s*(-?)\s*(\d*)\s*$`,
    String.raw`^(a+)+$`,
    String.raw`(\\[0-9a-f]{1,6}\s?|\\[^]|x)*\)`,
    String.raw`<!--[^]*?-->`,
    String.raw`\/live\/\?(?:[^\s]*&)?i=`,
    String.raw`^[^*$]*\*?[^*$]*\$?$`,
  ];
  for (const source of hard) assert.ok(hardText(source, ''), source);
  for (const source of [String.raw`^\d+$`, String.raw`^[a-z]+(?:-[a-z]+)*$`, String.raw`"(?:[^"\\]|\\.)*"`, 'a+']) {
    assert.is(hardText(source, ''), undefined, source);
  }
});

test('every expression takes time linear in the length of its text', () => {
  const files = globSync('src/**/*.{ts,tsx,js}', { cwd: root }).filter((path) => !elsewhere.test(path));
  const found = files.flatMap((path) => expressionsOf(path, readFileSync(join(root, path), 'utf8')));
  assert.ok(found.length > 200);
  const problems = found.flatMap(({ place, source, flags }) => {
    const hard = hardText(source, flags);
    return hard === undefined ? [] : [`${place} /${source}/${flags}\n    ${hard}`];
  });
  assert.ok(problems.length === 0, `\n${problems.join('\n')}`);
});
