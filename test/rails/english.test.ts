// Comments in the sources are plain American English: none contains a phrase from the list in english.ts.
// test/docs/words.test.ts checks the pages.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import * as assert from 'uvu/assert';
import { root } from '../support/checks/tools.ts';
import { suite } from '../support/suite.ts';
import { wrongPhrases } from './english.ts';

const test = suite('English of comments', { timeoutMs: 120_000 });

/** The comments of a TypeScript, JavaScript or CSS file, each with its line. */
function commentsOf(path: string, text: string): { line: number; comment: string }[] {
  const lineOf = (at: number) => text.slice(0, at).split('\n').length;
  if (path.endsWith('.css')) {
    return [...text.matchAll(/\/\*[\s\S]*?\*\//g)].map(({ 0: comment, index }) => ({ line: lineOf(index), comment }));
  }
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      found.set(pos, text.slice(pos, end));
    }
    for (const { pos, end } of ts.getTrailingCommentRanges(text, node.end) ?? []) found.set(pos, text.slice(pos, end));
    ts.forEachChild(node, visit);
  };
  if (kind === ts.ScriptKind.TS || text.includes('/*') || text.includes('//')) visit(file);
  return [...found].map(([at, comment]) => ({ line: lineOf(at), comment }));
}

/** A comment without its comment markers and without quoted code. */
const proseOf = (comment: string) =>
  comment
    .replace(/^\s*(?:\/\*\*?|\*\/?|\/\/)/gm, ' ')
    .replace(/`[^`]*`/g, '')
    .replace(/\s+/g, ' ');

test('a phrase is found in any kind of comment, but not in code', () => {
  const code = "// told of a port.\nconst told = 'whom'; /* anew */\n/**\n * Of its\n * own.\n */\nexport {};\n";
  const lines = commentsOf('a.ts', code).flatMap(({ line, comment }) =>
    wrongPhrases(proseOf(comment)).map((wrong) => `${line} ${wrong}`),
  );
  assert.is(lines.length, 3, lines.join('\n'));
});

test('no comment has a phrase that a native speaker would not write', () => {
  const wrong = globSync(['src/**/*.{ts,tsx,js,css}', 'test/**/*.{ts,js}', 'build.ts'], { cwd: root })
    .toSorted()
    .flatMap((path) =>
      commentsOf(path, readFileSync(join(root, path), 'utf8')).flatMap(({ line, comment }) =>
        wrongPhrases(proseOf(comment)).map((problem) => `${path}:${line}: ${problem}`),
      ),
    );
  assert.ok(wrong.length === 0, `\n${wrong.join('\n')}`);
});
