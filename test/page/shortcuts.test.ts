// In a full browser, keys pressed by a client reach the page but do not trigger window shortcuts.
import * as assert from 'uvu/assert';
import { judge } from '../../src/sessions/cdp/rules/judge.ts';
import type { Params, RuleContext } from '../../src/sessions/cdp/rules/verdict.ts';
import { startPageBrowser } from '../support/pages.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('shortcuts', { timeoutMs: 60_000 });

const alt = 1;
const ctrl = 2;
const shift = 8;
/** Key codes and modifiers of shortcuts that were observed to open a page or window. */
const shortcuts: [name: string, code: number, modifiers: number][] = [
  ['help', 112, 0],
  ['DevTools', 73, ctrl | shift],
  ['console', 74, ctrl | shift],
  ['inspect', 67, ctrl | shift],
  ['history', 72, ctrl],
  ['source', 85, ctrl],
  ['bookmarks', 79, ctrl | shift],
  ['clear data', 46, ctrl | shift],
  ['tabs', 65, ctrl | shift],
  ['new tab', 84, ctrl],
  ['new tab in a group', 80, alt | shift],
  ['new window', 78, ctrl],
  ['private window', 78, ctrl | shift],
  ['downloads', 74, ctrl],
];

const context: RuleContext = {
  scope: 'browser',
  full: true,
  allowsUrl: () => true,
  files: undefined,
  openProxy: (server) => Promise.resolve(server),
  allowedMethods: new Set(),
};

test.needs('a full Chromium');
test('shortcut keys reach the page, not the window', async () => {
  await using browser = await startPageBrowser(true);
  const { connection } = browser.process;
  const { root } = connection;
  const { targetId } = await root.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
  const session = connection.session(sessionId);
  const opened: string[] = [];
  await root.send('Target.setDiscoverTargets', { discover: true });
  root.on('Target.targetCreated', ({ targetInfo }) => {
    if (targetInfo.targetId !== targetId) opened.push(targetInfo.url);
  });
  opened.length = 0;
  await session.send('Runtime.evaluate', {
    expression: 'window.pressed = []; onkeydown = (event) => pressed.push(event.keyCode)',
  });
  const press = (params: Params) => connection.command('Input.dispatchKeyEvent', params, sessionId);
  for (const [name, code, modifiers] of shortcuts) {
    for (const type of ['rawKeyDown', 'keyUp']) {
      const params = { type, modifiers, windowsVirtualKeyCode: code, nativeVirtualKeyCode: code };
      const verdict = await judge('Input.dispatchKeyEvent', params, context);
      assert.ok('pass' in verdict, name);
      await press(verdict.pass);
    }
  }
  const { result } = await session.send('Runtime.evaluate', { expression: 'pressed', returnByValue: true });
  assert.equal(
    result.value,
    shortcuts.map(([, code]) => code),
  );
  // The same key with its native code does open a page, which proves that the test observes the window.
  await press({ type: 'rawKeyDown', modifiers: ctrl, windowsVirtualKeyCode: 84, nativeVirtualKeyCode: 84 });
  await until('a new tab', () => opened.includes('chrome://newtab/'));
  assert.equal(opened, ['chrome://newtab/']);
});
