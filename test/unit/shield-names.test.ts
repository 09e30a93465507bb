// Names of libraries in pages: replaced with different ones for each connection, and restored in what the browser
// reports.
import * as assert from 'uvu/assert';
import { Names } from '../../src/sessions/cdp/shield/names.ts';
import { suite } from '../support/suite.ts';

const test = suite('names of libraries');
const evaluated = (names: Names, expression: string) =>
  String(names.toBrowser('Runtime.evaluate', { expression })['expression']);

test('replacements have the same length, differ between connections, and stay the same within one', () => {
  const names = new Names();
  for (const name of ['puppeteer_', '__ariaQuerySelector', '__playwright__binding__', 'UtilityScript']) {
    const renamed = evaluated(names, name);
    assert.match(renamed, /^_[a-z]+$/);
    assert.is(renamed.length, name.length);
    assert.is(evaluated(names, `x = ${name};`), `x = ${renamed};`);
    assert.is.not(evaluated(new Names(), name), renamed);
  }
});

test('a binding and the code that calls it use the same name, and the client gets its own name back', () => {
  const names = new Names();
  const { name } = names.toBrowser('Runtime.addBinding', { name: 'puppeteer___ariaQuerySelector' });
  const called = names.toBrowser('Runtime.callFunctionOn', {
    functionDeclaration: '(type, name, prefix) => globalThis[prefix + name]',
    arguments: [{ value: 'internal' }, { value: '__ariaQuerySelector' }, { value: 'puppeteer_' }],
  });
  const values: { value: string }[] = Object(called['arguments']);
  assert.is(`${values[2]?.value}${values[1]?.value}`, name);
  assert.is(values[0]?.value, 'internal');
  assert.is(names.toClient(`{"name":"${name}"}`), '{"name":"puppeteer___ariaQuerySelector"}');
});

test('comments with the source URL of library scripts are removed', () => {
  const names = new Names();
  assert.is(evaluated(names, '1 + 1\n//# sourceURL=pptr:evaluate;mine\n'), '1 + 1\n\n');
  assert.is(evaluated(names, '1\n//# sourceURL=__puppeteer_evaluation_script__'), '1\n');
  assert.is(evaluated(names, '1\n//# sourceURL=mine.js'), '1\n//# sourceURL=mine.js');
});

test("the user's values and other commands stay as they are", () => {
  const names = new Names();
  const call = { functionDeclaration: '(text) => text', arguments: [{ value: 'about puppeteer_ and UtilityScript' }] };
  assert.is(names.toBrowser('Runtime.callFunctionOn', call), call);
  const typed = { text: 'puppeteer_' };
  assert.is(names.toBrowser('Input.insertText', typed), typed);
  for (const odd of [{ arguments: 7 }, { arguments: [null, 7, {}] }, { functionDeclaration: 7 }, {}]) {
    assert.is(names.toBrowser('Runtime.callFunctionOn', odd), odd);
  }
});
