// Tests which addresses clients of the Chrome DevTools Protocol may open, in every spelling that a browser understands.
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/sessions/cdp/client-command.ts';
import { allowsAddress, allowsVisible } from '../../src/sessions/cdp/rules/addresses.ts';
import { judge } from '../../src/sessions/cdp/rules/judge.ts';
import type { Params, RuleContext } from '../../src/sessions/cdp/rules/verdict.ts';
import { NetworkPolicy } from '../../src/browser/network/policy.ts';
import { suite } from '../support/suite.ts';

const test = suite('protocol addresses');

function contextOf(allowFileProtocol = false): RuleContext {
  const policy = new NetworkPolicy({ blockPrivateNetwork: false, allowFileProtocol, ownAddresses: () => [] });
  return {
    scope: 'browser',
    full: false,
    allowsUrl: (text) => URL.canParse(text) && policy.allowsScheme(new URL(text)),
    files: undefined,
    openProxy: () => Promise.reject(new Refusal('no proxies')),
    allowedMethods: new Set(),
  };
}

async function expectRefused(method: string, params: Params, context = contextOf()): Promise<string> {
  const verdict = await judge(method, params, context);
  assert.ok('refuse' in verdict, `${method} ${JSON.stringify(params)}: ${JSON.stringify(verdict)}`);
  return verdict.refuse;
}

async function expectPassed(method: string, params: Params, passed = params, context = contextOf()): Promise<void> {
  assert.equal(await judge(method, params, context), { pass: passed }, `${method} ${JSON.stringify(params)}`);
}

const openAddresses = [
  'http://example.com/',
  'HTTPS://example.com/?a=file:///etc/passwd#view-source:x',
  ' \t\n https://example.com/ \0',
  'ht\ntps://example.com/',
  'ws://example.com/',
  'wss://example.com/',
  'about:blank',
  'about:blank#x',
  'about:blank?x',
  'about:srcdoc',
  'data:text/html,<title>file:///etc/passwd</title>',
  'javascript:void 0',
  'blob:https://example.com/8f7c9b1e',
  'blob:null/8f7c9b1e',
];

const fileAddresses = [
  'file:///etc/passwd',
  'FILE:///etc/passwd',
  'FiLe:/etc/passwd',
  'file:etc/passwd',
  'file:',
  'file://localhost/etc/passwd',
  'file:\\\\\\etc\\passwd',
  '\0file:///etc/passwd',
  ' \r\n\t\x0b\x0c\x1ffile:///etc/passwd',
  'f\ti\nl\re:///etc/passwd',
  'file\n:///etc/passwd',
  'blob:file:///8f7c9b1e',
];

/** Addresses that a browser shows on its own; clients may not open them. */
const shownAddresses = [
  'chrome-error://chromewebdata/',
  'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html',
];

const newTabs = [
  'chrome://newtab/',
  'chrome://new-tab-page',
  'Chrome://NewTab',
  'chrome://new-tab-page-third-party/?x',
];

const closedAddresses = [
  'view-source:https://example.com/',
  'view-source:file:///etc/passwd',
  'View-Source:view-source:file:///etc/passwd',
  'view\n-source:https://example.com',
  'chrome://version/',
  'chrome:version',
  'chrome://newtab.evil/',
  'chrome://newtab@version/',
  'chrome://settings/#//newtab',
  'chrome:///newtab',
  'chrome-untrusted://new-tab-page/',
  'chrome-search://local-ntp/',
  'chrome-native://newtab/',
  'devtools://devtools/bundled/devtools_app.html',
  'filesystem:http://example.com/temporary/x',
  'filesystem:file:///temporary/x',
  'about:version',
  'about:BLANK',
  'about:blank/../version',
  'about://blank',
  'about://version',
  'about:',
  'blob:chrome://version/1',
  'blob:view-source:https://example.com/1',
  'blob:',
  'blob:nullx/1',
  'isolated-app://x/',
  'intent:x',
  'ftp://example.com/',
  'mailto:a@example.com',
  'x-unknown:y',
  'C:\\x',
  'C:/etc/passwd',
  'localhost:3000',
];

const noAddresses = [
  'etc/passwd',
  '/etc/passwd',
  '//etc/passwd',
  '\\\\host\\share',
  '~/x',
  '.',
  '#',
  'file',
  'file%3a///etc/passwd',
  'file\uff1a///etc/passwd',
  '\u00a0file:///etc/passwd',
  '\ufefffile:///etc/passwd',
  '\x7ffile:///etc/passwd',
  'fi\u00adle:///etc/passwd',
  ':file:///etc/passwd',
  '1file:///etc/passwd',
];

test('only URLs with an allowed scheme are opened, parsed as a browser parses them', async () => {
  for (const url of openAddresses) await expectPassed('Page.navigate', { url });
  for (const url of [...fileAddresses, ...closedAddresses, ...shownAddresses]) {
    const reason = await expectRefused('Page.navigate', { url });
    assert.match(reason, /cannot be opened here/, url);
  }
  for (const url of [...noAddresses, '']) {
    assert.is(await expectRefused('Page.navigate', { url }), 'Cannot navigate to invalid URL', url);
  }
});

test('ALLOW_FILE_PROTOCOL allows files and nothing else', async () => {
  for (const url of fileAddresses) await expectPassed('Page.navigate', { url }, { url }, contextOf(true));
  for (const url of closedAddresses) await expectRefused('Page.navigate', { url }, contextOf(true));
});

test('what the network policy blocks is rejected', async () => {
  const reason = await expectRefused(
    'Page.navigate',
    { url: 'http://10.0.0.1/' },
    { ...contextOf(), allowsUrl: () => false },
  );
  assert.match(reason, /cannot be opened/);
});

test.peer('network and switches');
test('every command that opens a URL is checked', async () => {
  const methods = [
    'Page.navigate',
    'Target.createTarget',
    'Fetch.continueRequest',
    'Network.continueInterceptedRequest',
    'Network.loadNetworkResource',
  ];
  for (const method of methods) {
    for (const url of [...fileAddresses, ...closedAddresses, ...shownAddresses, 7, null, {}, ['file:///etc/passwd']]) {
      await expectRefused(method, { url });
    }
    await expectPassed(method, { url: 'https://example.com/', other: 1 });
    await expectPassed(method, {});
  }
});

test('a new page for an invalid URL is blank, as in Chromium', async () => {
  for (const url of [...noAddresses, '']) {
    await expectPassed('Target.createTarget', { url, background: true }, { url: 'about:blank', background: true });
  }
});

test('a blank page replaces the new tab page, from which any chrome: page could be opened', async () => {
  for (const url of newTabs) {
    await expectPassed('Page.navigate', { url, frameId: 'x' }, { url: 'about:blank', frameId: 'x' });
    await expectPassed('Target.createTarget', { url }, { url: 'about:blank' });
    await expectRefused('Fetch.continueRequest', { url });
  }
});

test('pages may show what clients may open, and what the browser shows on its own', () => {
  const context = contextOf();
  for (const url of [...openAddresses, ...shownAddresses, ...newTabs]) assert.ok(allowsVisible(url, context), url);
  for (const url of [...fileAddresses, ...closedAddresses, ...noAddresses, '']) {
    assert.not.ok(allowsVisible(url, context), url);
  }
  for (const url of [...shownAddresses, ...newTabs]) assert.not.ok(allowsAddress(url, context), url);
  for (const url of fileAddresses) assert.ok(allowsVisible(url, contextOf(true)), url);
});
