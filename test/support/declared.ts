// Identifies tests and checks that they exist: reads which tests a file declares, from its source and that of the
// modules that declare tests for several files (test/support/checks). Tests that are always skipped do not count.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Identifies a test by its file under test/ and its title; `…` in a title is a placeholder for what a loop inserts. */
export interface TestRef {
  /** Path under test/ without `.test.ts`, such as `contract/content`. */
  file: string;
  title: string;
  /** For a test that a loop declares from a list: the text of the list entry that produces the test. */
  entry: string | undefined;
}

interface Declared {
  /** Titles; `…` is a placeholder for each part that is inserted when the test is declared. */
  titles: ReadonlySet<string>;
  /** Every string and property name: the lists that loops read. */
  texts: ReadonlySet<string>;
  /** The whole source. */
  source: string;
}

const root = join(import.meta.dirname, '..');
const cache = new Map<string, Declared | undefined>();

/** Returns why a named test is missing; undefined when it exists. */
export function missingTest({ file, title, entry }: TestRef): string | undefined {
  const declared = declaredIn(file);
  if (!declared) return `there is no test/${file}.test.ts`;
  if (!declared.titles.has(title)) return `test/${file}.test.ts does not declare a test "${title}"`;
  if (entry !== undefined && !declared.texts.has(entry)) return `test/${file}.test.ts has no "${entry}"`;
  return undefined;
}

/** True when the source of a test file, or of a module that declares tests for it, contains the word. */
export function mentions(file: string, word: string): boolean {
  return new RegExp(`(?<![\\w$])${RegExp.escape(word)}(?![\\w$])`).test(declaredIn(file)?.source ?? '');
}

/** Returns undefined when there is no such file. @param file path under test/, without `.test.ts` */
function declaredIn(file: string): Declared | undefined {
  const path = join(root, `${file}.test.ts`);
  if (!cache.has(path)) cache.set(path, existsSync(path) ? read(path) : undefined);
  return cache.get(path);
}

function read(path: string): Declared {
  const [titles, texts] = [new Set<string>(), new Set<string>()];
  const sources = withShared(path);
  for (const source of sources) {
    const makers = makersOf(source);
    walk(source, (node) => {
      if (ts.isStringLiteralLike(node) || (ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent))) {
        texts.add(node.text);
      }
      const title = ts.isCallExpression(node) && makers(node) ? titleOf(node.arguments[0], source) : undefined;
      if (title !== undefined) titles.add(title);
    });
  }
  return { titles, texts, source: sources.map((source) => source.text).join('\n') };
}

/** The file, and the modules of test/support/checks that it imports. */
function withShared(path: string): ts.SourceFile[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const shared = source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const { text } = statement.moduleSpecifier;
    const imported = join(dirname(path), text);
    return text.startsWith('.') && imported.startsWith(join(root, 'support/checks/')) ? [imported] : [];
  });
  return [source, ...shared.flatMap(withShared)];
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/**
 * Returns a predicate for calls that declare a test: calls to a suite, to its `unless`, and to a function in the file
 * that calls a suite.
 */
function makersOf(source: ts.SourceFile): (call: ts.CallExpression) => boolean {
  const names = new Set<string>();
  const ofSuite = (node: ts.Expression | undefined) =>
    node !== undefined &&
    ts.isCallExpression(node) &&
    /(^|\W)(\w*[sS]uite|pageContract|\w+\.unless)$/.test(node.expression.getText(source));
  const collect = (node: ts.Node) => {
    if (ts.isVariableDeclaration(node) && ofSuite(node.initializer)) {
      // `const test = suite(…)` and `const { test, fixture } = fixtureSuite(…)`.
      walk(node.name, (part) => {
        if (ts.isIdentifier(part)) names.add(part.text);
      });
    }
    if (ts.isParameter(node) && node.type?.getText(source) === 'Suite') names.add(node.name.getText(source));
  };
  walk(source, collect);
  // A function that passes its first parameter to a suite as part of the title.
  walk(source, (node) => {
    if (!ts.isVariableDeclaration(node) || !node.initializer || !ts.isArrowFunction(node.initializer)) return;
    const { body, parameters } = node.initializer;
    const first = parameters[0]?.name.getText(source);
    if (first === undefined || !ts.isCallExpression(body) || !names.has(body.expression.getText(source))) return;
    if (body.arguments[0]?.getText(source).includes(`\${${first}}`)) names.add(node.name.getText(source));
  });
  return ({ expression }) => names.has(expression.getText(source)) || ofSuite(expression);
}

/** Returns the title as a pattern; an identifier is looked up among the constants of the file. */
function titleOf(node: ts.Expression | undefined, source: ts.SourceFile): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  }
  if (!ts.isIdentifier(node)) return undefined;
  let found: string | undefined;
  walk(source, (each) => {
    if (!ts.isVariableDeclaration(each) || each.name.getText(source) !== node.text || each.initializer === node) return;
    found ??= titleOf(each.initializer, source);
  });
  return found;
}
