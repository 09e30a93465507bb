// Functions that are sent to pages as source text (src/browser/page/page-function.ts): each contains everything that it
// calls and nothing else, and hides its names from code passed to it. The compiler parses the source strings as a page
// would.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import ts from 'typescript';
import * as assert from 'uvu/assert';
import { countOf, elementsOf } from '../../src/browser/injected/find-elements.ts';
import { isTag, isVisible, queryAll, queryDeep, queryTrees, unhidden } from '../../src/browser/injected/dom.ts';
import { isChecked, locateElement, scrollOffset } from '../../src/browser/injected/element.ts';
import { resultOf } from '../../src/browser/injected/document.ts';
import { snapshot } from '../../src/browser/injected/snapshot.ts';
import { pollSelector } from '../../src/browser/injected/wait.ts';
import {
  injectedModules,
  sourceOf,
  toCall,
  toDeclaration,
  toExpression,
} from '../../src/browser/page/page-function.ts';
import { suite } from '../support/suite.ts';

const root = join(import.meta.dirname, '..', '..');
const all = Object.values(injectedModules).flatMap((module) => Object.values(module));

/** Compiler messages about a name without a value or an unused function. */
const defect = /^Cannot find name|^No value exists in scope|is declared but its value is never read/;
const isSyntax = (code: number) => code < 2_000;

/** The type libraries, parsed once. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** What each function would be missing in a page: each is compiled as a module with only the DOM types available. */
function problemsOf(texts: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    allowJs: true,
    checkJs: true,
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.ESNext,
    noEmit: true,
    noUnusedLocals: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ESNext,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  const textOf = (file: string) => texts.get(basename(file, '.js'));
  host.fileExists = (file) => textOf(file) !== undefined || fileExists(file);
  host.readFile = (file) => textOf(file) ?? readFile(file);
  host.getSourceFile = (file, version) => {
    const text = textOf(file);
    if (text !== undefined) return ts.createSourceFile(file, text, version);
    if (!libraries.has(file)) libraries.set(file, getSourceFile(file, version));
    return libraries.get(file);
  };
  const files = [...texts.keys()].map((name) => `/page/${name}.js`);
  const program = ts.createProgram(files, options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, code, messageText }) => {
      const text = ts.flattenDiagnosticMessageText(messageText, ' ');
      return defect.test(text) || isSyntax(code) ? `${basename(file?.fileName ?? '')}: ${text}` : undefined;
    })
    .filter((text) => text !== undefined);
}

const asModule = (expression: string) => `${expression};\nexport {};`;

/** Names of the functions that an expression declares around its main function. */
const helpersIn = (expression: string) =>
  [...expression.matchAll(/^(?:\(\(\) => \{)?(?:async )?function ([\w$]+)/gm)].map(([, name]) => name).toSorted();

const test = suite('page functions');

test('every injected module is listed', () => {
  const files = globSync('**/*.ts', { cwd: join(root, 'src/browser/injected') }).map((path) =>
    path.replace(/\.ts$/, ''),
  );
  assert.equal(Object.keys(injectedModules).toSorted(), files.toSorted());
  assert.ok(all.length > 40, `${all.length} functions`);
});

test('the source of each function is complete, and contains nothing that it does not call', () => {
  const texts = new Map(all.map((fn) => [fn.name, asModule(toCall(fn))]));
  assert.is(texts.size, all.length);
  assert.equal(problemsOf(texts), []);
  for (const [name, text] of texts) assert.not.match(text, /^\s*import\b(?!\()/m, name);
});

/** A function's code as the compiler parses it, without comments. */
function syntaxOf(text: string): string {
  const file = ts.createSourceFile('page.js', `(${text})`, ts.ScriptTarget.ESNext);
  return ts.createPrinter({ removeComments: true }).printFile(file);
}

test('the source omits only comments and whitespace', () => {
  for (const fn of all) assert.is(syntaxOf(sourceOf(fn)), syntaxOf(String(fn)), fn.name);
  const size = (text: (fn: (typeof all)[number]) => string) => all.reduce((sum, fn) => sum + text(fn).length, 0);
  assert.ok(size(sourceOf) < 0.9 * size(String), `${size(sourceOf)} of ${size(String)} characters`);
});

test('the sources are complete in a minified bundle', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src/browser/page/page-function.ts')],
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'node',
    target: 'esnext',
    write: false,
  });
  const bundled: typeof import('../../src/browser/page/page-function.ts') = await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`
  );
  const functions = Object.values(bundled.injectedModules).flatMap((module) => Object.entries(module));
  assert.is(functions.length, all.length);
  const texts = new Map(functions.map(([name, fn]) => [name, asModule(bundled.toCall(fn))]));
  // Variables share the short names, so a text may include a function that is not called.
  assert.equal(
    problemsOf(texts).filter((text) => !text.includes('never read')),
    [],
  );
  for (const [name, fn] of functions) assert.is(syntaxOf(bundled.sourceOf(fn)), syntaxOf(String(fn)), name);
});

test('the check finds missing names, unused functions and syntax errors', () => {
  const problems = problemsOf(
    new Map([
      ['missing', asModule('(function f() { return isVisible(document.body); })()')],
      ['extra', asModule('(() => {function g() {}\nreturn function f() {};})()')],
      ['node', asModule('(function f() { return process.pid; })()')],
      ['broken', asModule('(function f(: string) {})()')],
      ['fine', asModule('(function f() { return document.title; })()')],
    ]),
  );
  const found = new Set(problems.map((problem) => problem.split('.')[0]));
  assert.equal([...found].toSorted(), ['broken', 'extra', 'missing', 'node'], problems.join('\n'));
});

test('nested helpers are included, but only those that are called', () => {
  assert.equal(helpersIn(toExpression(scrollOffset, [])), []);
  assert.equal(helpersIn(toCall(isChecked)), [isTag.name]);
  assert.equal(helpersIn(toCall(countOf)), [isVisible.name]);
  // locateElement calls queryAll, which calls queryDeep, which calls the others.
  const query = [queryAll, queryDeep, queryTrees, unhidden].map(({ name }) => name);
  assert.equal(helpersIn(toExpression(locateElement, ['a'])), [...query, 'scrollToElement'].toSorted());
  assert.equal(helpersIn(toCall(pollSelector)), [isVisible.name, ...query].toSorted());
  assert.ok(helpersIn(toCall(snapshot)).includes('rewriteCss'));
});

test('arguments are sent as JSON, including undefined', () => {
  assert.match(toExpression(locateElement, ['a"b']), /\("a\\"b"\)$/);
  assert.match(toCall(locateElement, 'undefined', '1'), /\(undefined,1\)$/);
});

test('runs calls, with code as an argument and with objects as `this`', async () => {
  const page = { document: {}, result: undefined };
  const run = (text: string): unknown => runInNewContext(text, page);
  assert.is(await run(toCall(resultOf, 'async () => ({ a: 1 })')), '{"a":1}');
  assert.is(await run(toCall(resultOf, '() => undefined')), null);
  const found = await run(toCall(elementsOf, 'async () => [{ nodeType: 1 }, 2]'));
  assert.is(Reflect.get(Object(found), 'length'), 1);
  // The client's code sees none of our names.
  assert.is(
    await run(toCall(elementsOf, '() => { result = typeof toElements; }').concat('.then(() => result)')),
    'undefined',
  );
  const radio = "{ localName: 'input', namespaceURI: 'http://www.w3.org/1999/xhtml', type: 'radio', checked: true }";
  assert.is(run(`(${toDeclaration(isChecked)}).call(${radio})`), true);
  assert.is(run(`(${toDeclaration(isChecked)}).call({ localName: 'a', getAttribute: () => null })`), null);
});

function stranger(): void {}

test('rejects anything that is not an injected function', () => {
  assert.throws(() => toExpression(stranger, []), /stranger is not a function of src\/browser\/injected/);
  assert.throws(() => toExpression(() => 1, []), /not a named function/);
});
