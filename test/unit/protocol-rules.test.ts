// The rules of the table that check parameters: URLs in every spelling that a browser understands, files, downloads,
// keys, proxies, traces.
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/sessions/cdp/client-command.ts';
import { allowsAddress, allowsVisible } from '../../src/sessions/cdp/rules/addresses.ts';
import { judge } from '../../src/sessions/cdp/rules/judge.ts';
import type { FileAccess, Params, RuleContext } from '../../src/sessions/cdp/rules/verdict.ts';
import { NetworkPolicy } from '../../src/browser/network/policy.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const test = suite('protocol rules');

const policyOf = (allowFileProtocol: boolean) =>
  new NetworkPolicy({ blockPrivateNetwork: false, allowFileProtocol, ownAddresses: () => [] });

const files: FileAccess = {
  pathOf: (named) =>
    named.includes('..') || named.startsWith('/')
      ? Promise.reject(new Refusal(`put ${named} elsewhere`))
      : Promise.resolve(`/session/${named}`),
  downloadDirectory: (named) => Promise.resolve(named?.startsWith('/shared/') ? named : '/session'),
};

interface Given extends Partial<RuleContext> {
  allowFiles?: boolean;
}

function contextOf({ allowFiles = false, ...given }: Given = {}): RuleContext {
  const policy = policyOf(allowFiles);
  return {
    scope: 'browser',
    full: false,
    allowsUrl: (text) => URL.canParse(text) && policy.allowsScheme(new URL(text)),
    files,
    openProxy: (server, bypass) => Promise.resolve(`socks5://127.0.0.1:9/${server}/${bypass ?? 'none'}`),
    allowedMethods: new Set(),
    ...given,
  };
}

const verdictOf = async (method: string, params: Params, given?: Given) => judge(method, params, contextOf(given));

async function expectRefused(method: string, params: Params, given?: Given): Promise<string> {
  const verdict = await verdictOf(method, params, given);
  assert.ok('refuse' in verdict, `${method} ${JSON.stringify(params)}: ${JSON.stringify(verdict)}`);
  return verdict.refuse;
}

async function expectPassed(method: string, params: Params, passed: Params = params, given?: Given): Promise<void> {
  assert.equal(await verdictOf(method, params, given), { pass: passed }, `${method} ${JSON.stringify(params)}`);
}

test('a recording with audio, which can crash the browser, is rejected if others share the process', async () => {
  const method = 'Page.startScreenRecording';
  for (const scope of ['virtual', 'context'] as const) {
    assert.match(await expectRefused(method, { audio: true }, { scope }), 'leave audio out');
    await expectPassed(method, { audio: false, frameRate: 5 }, { audio: false, frameRate: 5 }, { scope });
    await expectPassed(method, {}, {}, { scope });
  }
  await expectPassed(method, { audio: true }, { audio: true }, { scope: 'browser' });
});

test('file inputs get the paths of session files', async () => {
  const method = 'DOM.setFileInputFiles';
  await expectPassed(method, { files: ['a', 'b'], nodeId: 1 }, { files: ['/session/a', '/session/b'], nodeId: 1 });
  await expectPassed(method, { files: [] });
  for (const name of ['/etc/passwd', '../x']) {
    try {
      await verdictOf(method, { files: ['a', name] });
      assert.unreachable();
    } catch (error) {
      assert.instance(error, Refusal);
    }
  }
  for (const list of [undefined, '/etc/passwd', [7], [['/etc/passwd']], { 0: '/etc/passwd', length: 1 }, null]) {
    await expectRefused(method, { files: list });
  }
});

test('clients without session files cannot name files, unless pages may open files', async () => {
  const params = { files: ['/etc/passwd'] };
  await expectRefused('DOM.setFileInputFiles', params, { files: undefined });
  await expectPassed('DOM.setFileInputFiles', params, params, { files: undefined, allowFiles: true });
  await expectRefused('Input.dispatchDragEvent', { data: { items: [], files: ['/etc/passwd'] } }, { files: undefined });
});

test('dragged files and URLs are checked', async () => {
  const method = 'Input.dispatchDragEvent';
  const drag = (data: unknown) => ({ type: 'drop', x: 1, y: 1, data });
  // Not even files of the session: when a page ignores the drop, the browser navigates to the file itself.
  await expectRefused(method, drag({ items: [], files: ['a'] }));
  const text = { mimeType: 'text/plain', data: 'file:///etc/passwd' };
  const html = { mimeType: 'text/html', data: '<p>', baseURL: 'https://example.com/' };
  const list = { mimeType: 'text/uri-list', data: '# two\r\nhttps://example.com/\r\n\r\nhttps://example.org/' };
  for (const item of [text, html, list]) await expectPassed(method, drag({ items: [item], dragOperationsMask: 1 }));
  await expectPassed(method, { type: 'dragCancel', x: 1, y: 1 });
  const wrong = [
    { mimeType: 'text/uri-list', data: 'file:///etc/passwd' },
    { mimeType: ' TEXT/URI-LIST ', data: 'file:///etc/passwd' },
    { mimeType: 'text/uri-list', data: 'https://example.com/\r\nfile:///etc/passwd' },
    { mimeType: 'text/uri-list', data: 'https://example.com/\nchrome://downloads' },
    { mimeType: 'text/uri-list', data: 'fi\nle:///etc/passwd' },
    { mimeType: 'text/html', data: '<p>', baseURL: 'file:///' },
    { mimeType: ['text/uri-list'], data: 'file:///etc/passwd' },
    'file:///etc/passwd',
  ];
  for (const item of wrong) await expectRefused(method, drag({ items: [list, item], dragOperationsMask: 1 }));
  for (const items of ['file:///', { 0: wrong[0] }]) await expectRefused(method, drag({ items }));
  for (const names of ['/etc/passwd', [{}], { 0: '/etc/passwd' }])
    await expectRefused(method, drag({ items: [], files: names }));
});

test('downloads go to the session directory', async () => {
  for (const method of ['Browser.setDownloadBehavior', 'Page.setDownloadBehavior']) {
    const rest = { browserContextId: 'X', eventsEnabled: true };
    for (const behavior of ['allow', 'allowAndName']) {
      for (const named of [{ downloadPath: '/root/.ssh' }, {}, { downloadPath: 7 }]) {
        await expectPassed(method, { behavior, ...named, ...rest }, { ...rest, behavior, downloadPath: '/session' });
      }
      await expectPassed(method, { behavior, downloadPath: '/shared/a' }, { behavior, downloadPath: '/shared/a' });
      await expectPassed(method, { behavior, downloadPath: '/x' }, { behavior: 'deny' }, { files: undefined });
    }
    await expectPassed(method, { behavior: 'deny', downloadPath: '/x', ...rest }, { behavior: 'deny', ...rest });
    await expectPassed(method, { behavior: 'default', downloadPath: '/x' }, { behavior: 'default' });
    await expectPassed(
      method,
      { behavior: 'default' },
      { behavior: 'allow', downloadPath: '/session' },
      { full: true },
    );
    await expectPassed(method, { behavior: ['allow'], downloadPath: '/x' }, { behavior: ['allow'] });
  }
});

test('keys do not reach the window of a full browser', async () => {
  const press = { type: 'rawKeyDown', key: 'j', code: 'KeyJ', windowsVirtualKeyCode: 74, modifiers: 2 };
  for (const nativeVirtualKeyCode of [74, 1, -1, '74', null]) {
    await expectPassed('Input.dispatchKeyEvent', { ...press, nativeVirtualKeyCode }, press, { full: true });
  }
  await expectPassed('Input.dispatchKeyEvent', press, press, { full: true });
  const withCommands = { ...press, commands: ['selectAll'] };
  await expectPassed('Input.dispatchKeyEvent', withCommands, withCommands, { full: true });
  const native = { ...press, nativeVirtualKeyCode: 74 };
  await expectPassed('Input.dispatchKeyEvent', native, native, { full: false });
});

test('a context uses its proxy through the network rules, without exceptions', async () => {
  const method = 'Target.createBrowserContext';
  await expectPassed(
    method,
    { proxyServer: 'http://p:1', proxyBypassList: 'a.example', disposeOnDetach: true },
    {
      disposeOnDetach: true,
      proxyServer: 'socks5://127.0.0.1:9/http://p:1/a.example',
      proxyBypassList: '<-loopback>',
    },
  );
  await expectPassed(
    method,
    { proxyServer: 'direct://' },
    { proxyServer: 'socks5://127.0.0.1:9/direct:///none', proxyBypassList: '<-loopback>' },
  );
  for (const proxyServer of [undefined, '']) {
    const { proxyBypassList: _, ...rest } = { proxyBypassList: '*', disposeOnDetach: true };
    await expectPassed(method, { proxyServer, proxyBypassList: '*', disposeOnDetach: true }, rest);
  }
  for (const proxyServer of [7, ['direct://'], {}, null]) await expectRefused(method, { proxyServer });
});

test('a client can trace only its own browser', async () => {
  await expectPassed('Tracing.start', { transferMode: 'ReturnAsStream', traceConfig: { includedCategories: ['v8'] } });
  await expectPassed('Tracing.start', { tracingBackend: 'chrome' });
  for (const params of [{ tracingBackend: 'system' }, { perfettoConfig: '' }, { perfettoConfig: 'CgI=' }]) {
    await expectRefused('Tracing.start', params);
  }
});

const openAddresses = [
  ...words(`
  http://example.com/ HTTPS://example.com/?a=file:///etc/passwd#view-source:x ws://example.com/
  wss://example.com/ about:blank about:blank#x about:blank?x about:srcdoc
  data:text/html,<title>file:///etc/passwd</title> blob:https://example.com/8f7c9b1e blob:null/8f7c9b1e
`),
  ' \t\n https://example.com/ \0',
  'ht\ntps://example.com/',
  'javascript:void 0',
];

const fileAddresses = [
  ...words(`
  file:///etc/passwd FILE:///etc/passwd FiLe:/etc/passwd file:etc/passwd file: file://localhost/etc/passwd
  blob:file:///8f7c9b1e
`),
  'file:\\\\\\etc\\passwd',
  '\0file:///etc/passwd',
  ' \r\n\t\x0b\x0c\x1ffile:///etc/passwd',
  'f\ti\nl\re:///etc/passwd',
  'file\n:///etc/passwd',
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
  ...words(`
  view-source:https://example.com/ view-source:file:///etc/passwd View-Source:view-source:file:///etc/passwd
  chrome://version/ chrome:version chrome://newtab.evil/ chrome://newtab@version/ chrome://settings/#//newtab
  chrome:///newtab chrome-untrusted://new-tab-page/ chrome-search://local-ntp/ chrome-native://newtab/
  devtools://devtools/bundled/devtools_app.html filesystem:http://example.com/temporary/x
  filesystem:file:///temporary/x about:version about:BLANK about:blank/../version about://blank about://version
  about: blob:chrome://version/1 blob:view-source:https://example.com/1 blob: blob:nullx/1 isolated-app://x/
  intent:x ftp://example.com/ mailto:a@example.com x-unknown:y C:/etc/passwd localhost:3000
`),
  'view\n-source:https://example.com',
  'C:\\x',
];

const noAddresses = [
  ...words(`
  etc/passwd /etc/passwd //etc/passwd ~/x . # file file%3a///etc/passwd :file:///etc/passwd 1file:///etc/passwd
`),
  '\\\\host\\share',
  'file\uff1a///etc/passwd',
  '\u00a0file:///etc/passwd',
  '\ufefffile:///etc/passwd',
  '\x7ffile:///etc/passwd',
  'fi\u00adle:///etc/passwd',
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
  for (const url of fileAddresses) await expectPassed('Page.navigate', { url }, { url }, { allowFiles: true });
  for (const url of closedAddresses) await expectRefused('Page.navigate', { url }, { allowFiles: true });
});

test('what the network policy blocks is rejected', async () => {
  const reason = await expectRefused('Page.navigate', { url: 'http://10.0.0.1/' }, { allowsUrl: () => false });
  assert.match(reason, /cannot be opened/);
});

test.peer('network and switches');
test('every command that opens a URL is checked', async () => {
  const methods = words(`
    Page.navigate Target.createTarget Fetch.continueRequest Network.continueInterceptedRequest
    Network.loadNetworkResource
  `);
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
  for (const url of fileAddresses) assert.ok(allowsVisible(url, contextOf({ allowFiles: true })), url);
});
