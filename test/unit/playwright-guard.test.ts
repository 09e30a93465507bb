// Messages that Playwright clients may not send (compatibility.mdx#destinations).
import * as assert from 'uvu/assert';
import { NetworkPolicy } from '../../src/browser/network/policy.ts';
import { judge } from '../../src/sessions/cdp/rules/judge.ts';
import type { RuleContext } from '../../src/sessions/cdp/rules/verdict.ts';
import { keepsDownloads } from '../../src/sessions/playwright/cdp-commands.ts';
import { type GuardOptions, PlaywrightGuard, type Verdict } from '../../src/sessions/playwright/guard.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { messageLimits } from '../../src/base/limits.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const guard = suite('playwright guard');

const policyOf = (allowFileProtocol: boolean, blockPrivateNetwork = false) =>
  new NetworkPolicy({ blockPrivateNetwork, allowFileProtocol, ownAddresses: () => [] });
/** Applies the table's rules as for a session without files. */
const rules: RuleContext = {
  scope: 'browser',
  full: true,
  allowsUrl: (text) => policyOf(false).allowsScheme(new URL(text)),
  files: undefined,
  openProxy: async (server) => `local for ${server}`,
  allowedMethods: new Set(),
};
const table = keepsDownloads((method, params) => judge(method, params, rules));
const guardOf = (policy: NetworkPolicy, openProxy?: GuardOptions['openProxy']) =>
  new PlaywrightGuard({ policy, openProxy, judge: table, maxFileBytes: 1_000 });
const strict = guardOf(policyOf(false), async ({ server }) => `local for ${server}`);
const verdictOn = (method: string, params: object, by = strict) =>
  by.fromClient(JSON.stringify({ id: 9, guid: 'frame@1', method, params, metadata: {} }));

guard.peer('network and switches');
guard('forbidden URLs end the session, in every spelling and at every depth', () => {
  const urls = [
    ...words(`
    file:///etc/passwd FILE:/etc/passwd view-source:file:///x file:///etc/%70asswd file:%2F%2F%2Fetc/passwd
    chrome://version about:config view-source:https://example.com/ http://169.254.169.254/latest/meta-data
    http://0xa9fea9fe/
  `),
    ' \tfile:///x',
    '\u0001file:///x',
    'fi\nle:///x',
    'view-source: view-source:file:///x',
  ];
  for (const url of urls) assert.is(verdictOn('goto', { url }).kind, 'end', url);
  assert.is(verdictOn('x', { list: [{ a: [{ Url: ['file:///x'] }] }] }).kind, 'end');
  // JSON escapes hide neither keys nor values.
  assert.is(strict.fromClient('{"id":1,"params":{"\\u0075rl":"\\u0066ile:///x"}}').kind, 'end');
});

guard('patterns that could be slow match all URLs on the server; the client tests them itself', () => {
  const passed = (pattern: object, method = 'setNetworkInterceptionPatterns') => {
    const verdict = verdictOn(method, { patterns: [pattern] });
    if (verdict.kind === 'pass') return 'pass';
    return verdict.kind === 'replace' ? JSON.parse(verdict.text).params.patterns : verdict.kind;
  };
  const quick = [
    { glob: '**/*.{png,jpg}' },
    { glob: 'https://example.com/api/*/users' },
    { regexSource: '\\.(png|jpe?g|gif)$', regexFlags: 'i' },
    { regexSource: '[*+{]/api' },
  ];
  for (const pattern of quick) assert.is(passed(pattern), 'pass', JSON.stringify(pattern));
  const slow = [
    { regexSource: '^http.*\\/(a|a)*$', regexFlags: '' },
    { regexSource: '(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)', regexFlags: '' },
    { regexSource: 'a{2,}b', regexFlags: '' },
    { regexSource: 'x'.repeat(1_001), regexFlags: '' },
    { glob: '**/**/x' },
    { glob: '*a*b*c' },
    { urlPattern: { hash: '', hostname: '*', password: '', pathname: '/(a|a)*', port: '', protocol: 'http' } },
  ];
  for (const pattern of slow) {
    assert.equal(passed(pattern), [{ glob: '**' }], JSON.stringify(pattern));
    assert.equal(passed(pattern, 'setWebSocketInterceptionPatterns'), [{ glob: '**' }]);
  }
  const har = (options: object) => verdictOn('harStart', { options });
  assert.is(har({ urlGlob: '**/api', content: 'embed' }).kind, 'pass');
  assert.is(har({ urlRegexSource: '/(a+)+$', urlRegexFlags: '' }).kind, 'answer');
  assert.is(har({ urlGlob: '**a**b' }).kind, 'answer');
});

guard.peer('network and switches');
guard.peer('network and switches', 'Playwright messages: not checked if file: is allowed');
guard('ordinary URLs pass, as do keys that only resemble url', () => {
  for (const url of [
    ...words(`
    https://example.com/?q=file:///x data:text/html,hi about:blank blob:https://a/1 x.html
  `),
    '',
  ]) {
    assert.is(verdictOn('goto', { url }).kind, 'pass', url);
  }
  assert.is(verdictOn('x', { urlFilter: 'file:///x', text: 'file:///x' }).kind, 'pass');
  const open = guardOf(policyOf(true));
  assert.is(verdictOn('goto', { url: 'file:///x' }, open).kind, 'pass');
  assert.is(open.shownScheme('{"url":"file:///x"}'), undefined);
  assert.is(verdictOn('goto', { url: 'http://10.0.0.1/' }).kind, 'pass');
  assert.is(verdictOn('goto', { url: 'http://10.0.0.1/' }, guardOf(policyOf(false, true))).kind, 'end');
});

guard('a message that is not a JSON object closes the connection with 1007', () => {
  for (const text of ['no json', '{"id":1,"x":"\v"}', '{"url":"file:///x"', '', 'null', '[1]', '"send"']) {
    const verdict = strict.fromClient(text);
    assert.is(verdict.kind === 'close' && verdict.code, 1007, text);
  }
});

guard('a message with too many values closes the connection with 1009, but a long string passes', async () => {
  for (const [text, limit] of [
    [`{"x":[${'1,'.repeat(messageLimits.values)}1]}`, messageLimits.values],
    [`{"x":${'['.repeat(messageLimits.depth)}${']'.repeat(messageLimits.depth)}}`, messageLimits.depth],
  ] as const) {
    for (const verdict of [strict.fromClient(text), await strict.fromLongMessage(Buffer.from(text))]) {
      assert.is(verdict.kind === 'close' && verdict.code, 1009);
      assert.match(verdict.kind === 'close' ? verdict.reason : '', String(limit));
    }
  }
  const long = `{"id":1,"guid":"page@1","method":"x","metadata":{},"params":{"text":"${'\\"x'.repeat(2_000_000)}"}}`;
  assert.is((await strict.fromLongMessage(Buffer.from(long))).kind, 'pass');
  const hidden = long.replace('"text"', '"url":"file:///x","text"');
  assert.is((await strict.fromLongMessage(Buffer.from(hidden))).kind, 'end');
});

guard('the calls of newer libraries pass: one with a string as its id, and an abort without metadata', () => {
  for (const call of [
    { id: 'mkmn@2', guid: '', method: 'initialize', params: {}, metadata: {} },
    { guid: 'page@1', method: '__abort__', params: { id: 'mkmn@2', reason: 'x' } },
  ]) {
    assert.is(strict.fromClient(JSON.stringify(call)).kind, 'pass');
  }
});

guard('a call without parameters passes with empty ones', () => {
  const verdict = strict.fromClient('{"id":1,"guid":"browser@1","method":"newPage","metadata":{}}');
  assert.equal(verdict.kind === 'replace' && JSON.parse(verdict.text).params, {});
});

guard('a call with a missing or mistyped property gets an error response', () => {
  const call = { id: 9, guid: 'page@1', method: 'x', params: {}, metadata: {} };
  for (const method of ['initialize', 'goto', 'send', 'newContext', 'close', '__proto__']) {
    for (const name of Object.keys(call).filter((key) => key !== 'method' || method === 'goto')) {
      for (const value of [undefined, null, 1.5, name === 'guid' || name === 'method' ? {} : 'text', []]) {
        if ((name === 'id' && value === 'text') || ((name === 'id' || name === 'params') && value === undefined))
          continue;
        const verdict = strict.fromClient(JSON.stringify({ ...call, method, [name]: value }));
        assert.is(verdict.kind, 'answer', `${method}: ${name} ${JSON.stringify(value)}`);
        assert.match(verdict.kind === 'answer' ? verdict.text : '', `\\"${name}\\" must be`);
      }
    }
  }
});

guard.peer('network and switches');
guard('detects pages with a forbidden URL in messages from the server', () => {
  const navigated = (url: string) =>
    strict.shownScheme(`{"guid":"frame@1","method":"navigated","params":{"url":"${url}","name":""}}`);
  const created = (url: string) =>
    strict.shownScheme(
      `{"guid":"page@1","method":"__create__","params":{"type":"Frame","initializer":{"url":"${url}","name":""}}}`,
    );
  for (const shown of [navigated, created]) {
    assert.is(shown('file:///etc/passwd'), 'file:');
    assert.is(shown('view-source:file:///etc/passwd'), 'file:');
    assert.is(shown('chrome://downloads/'), 'chrome:');
    assert.is(shown('devtools://devtools/bundled/inspector.html'), 'devtools:');
    assert.is(shown('view-source:https://a.test/'), 'view-source:');
    for (const url of words(`
      https://a/ about:blank chrome-error://chromewebdata/ chrome://newtab/ data:,chrome://x
    `)) {
      assert.is(shown(url), undefined, url);
    }
  }
  assert.is(
    strict.shownScheme('{"method":"navigated","params":{"url":"https://a/","html":"\\"url\\":\\"file:"}}'),
    undefined,
  );
  // A page may use such a URL in a request; the browser blocks it.
  const request =
    '{"guid":"context@1","method":"__create__","params":{"type":"Request","initializer":{"url":"chrome://x/"}}}';
  assert.is(strict.shownScheme(request), undefined);
});

const send = (method: unknown, params?: unknown, by = strict) =>
  by.fromClient(
    JSON.stringify({ id: 9, guid: 'cdp-session@1', method: 'send', params: { method, params }, metadata: {} }),
  );
const answered = (verdict: Verdict) => {
  assert.is(verdict.kind, 'answer');
  const { id, error, result } = verdict.kind === 'answer' ? JSON.parse(verdict.text) : {};
  assert.is(id, 9);
  return { error: error?.error.message, result };
};

guard('a CDPSession command passes, serialized again by this server', () => {
  const verdict = send('Runtime.evaluate', { expression: 'url = "file:///x"' });
  assert.is(verdict.kind, 'replace');
  assert.equal(verdict.kind === 'replace' && JSON.parse(verdict.text), {
    id: 9,
    guid: 'cdp-session@1',
    method: 'send',
    params: { method: 'Runtime.evaluate', params: { expression: 'url = "file:///x"' } },
    metadata: {},
  });
});

guard('a CDPSession command is rejected according to the table, with an error like those of Playwright', () => {
  for (const url of ['file:///etc/passwd', 'FiLe:/x', 'chrome://version', 'view-source:https://a.test/']) {
    assert.match(
      answered(send('Page.navigate', { url })).error,
      /^Protocol error \(Page\.navigate\): The scheme /,
      url,
    );
  }
  assert.match(answered(send('Target.exposeDevToolsProtocol', { targetId: 'x' })).error, /^Protocol error \(Target/);
  assert.match(answered(send('DOM.setFileInputFiles', { files: ['/etc/passwd'] })).error, /^Protocol error \(DOM/);
  assert.is(answered(send('No.such')).error, "Protocol error (No.such): 'No.such' wasn't found");
  assert.match(answered(send(7)).error, 'must have a method');
  assert.match(answered(send('Page.navigate', [])).error, 'must have a method');
});

guard('a CDPSession cannot change where Playwright saves downloads', () => {
  assert.equal(answered(send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/etc' })).result, {
    result: {},
  });
  const verdict = send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/etc', eventsEnabled: true });
  assert.is(verdict.kind, 'replace');
  assert.not.match(JSON.stringify(verdict), '/etc');
});

guard('keyboard shortcuts of a CDPSession do not reach the window of a full browser', () => {
  const key = { type: 'rawKeyDown', key: 'j', windowsVirtualKeyCode: 74, nativeVirtualKeyCode: 74, modifiers: 2 };
  const verdict = send('Input.dispatchKeyEvent', key);
  assert.is(verdict.kind, 'replace');
  const { params } = verdict.kind === 'replace' ? JSON.parse(verdict.text) : { params: undefined };
  assert.not.equal(params.params, key);
});

guard('calls that would start, write or access something on the server get an error', async () => {
  const refused: [string, object][] = [
    ['launch', { executablePath: '/bin/sh' }],
    ['newRequest', {}],
    ['saveAs', { path: '/etc/cron.d/x' }],
    ['startServer', {}],
    ['setInputFiles', { localPaths: ['/etc/passwd'] }],
    ['newContext', { clientCertificates: [{ origin: 'https://a' }] }],
    ['createTempFiles', { items: [{ name: '../../x' }] }],
    ['createTempFiles', { rootDirName: '..', items: [] }],
    ['tracingStartChunk', { name: '/tmp/x' }],
  ];
  for (const [method, params] of refused) {
    const verdict = verdictOn(method, params);
    assert.is(verdict.kind, 'answer', method);
    if (verdict.kind !== 'answer') continue;
    const { id, error } = JSON.parse(verdict.text);
    assert.is(id, 9);
    assert.type(error.error.message, 'string');
  }
  for (const [method, params] of [
    ['setInputFiles', { payloads: [{ name: 'a..b.txt' }], localPaths: [] }],
    ['createTempFiles', { items: [{ name: 'folder/file.txt' }] }],
    ['newContext', { clientCertificates: [] }],
    ['saveAsStream', {}],
  ] as const) {
    assert.is(verdictOn(method, params).kind, 'pass', method);
  }
});

guard('files that a client sends are limited in name length, number and total size', () => {
  const named = (name: string) => ({ items: [{ name }] });
  const many = { items: Array.from({ length: 600 }, (_, n) => ({ name: `f${n}` })) };
  const write = (bytes: number) => ({ binary: Buffer.alloc(bytes).toString('base64') });
  const kinds = (messages: [string, object][]) => {
    const by = guardOf(policyOf(false));
    return messages.map(([method, params]) => verdictOn(method, params, by).kind);
  };
  for (const params of [named('ä'.repeat(101)), named('a/'.repeat(501)), { rootDirName: 'x'.repeat(201), items: [] }]) {
    assert.equal(kinds([['createTempFiles', params]]), ['answer']);
  }
  assert.equal(
    kinds([
      ['createTempFiles', named(`${'a'.repeat(200)}/${'b'.repeat(200)}`)],
      ['createTempFiles', many],
      ['createTempFiles', many],
      ['createTempFiles', named('one')],
    ]),
    ['pass', 'pass', 'answer', 'pass'],
  );
  assert.equal(
    kinds([
      ['write', write(600)],
      ['write', write(600)],
      ['write', write(300)],
    ]),
    ['pass', 'answer', 'pass'],
  );
});

guard('a context with a proxy gets the local one in front of it, without the password and bypass list', async () => {
  const proxy = { server: 'http://proxy.test:1', bypass: '*', username: 'me', password: 'secret' };
  const replaced = async (method: string, params: object) => {
    const verdict = verdictOn(method, params);
    const later = verdict.kind === 'later' ? await verdict.verdict : verdict;
    return later.kind === 'replace' ? JSON.parse(later.text) : later.kind;
  };
  const library = await replaced('newContext', { proxy, locale: 'de' });
  assert.is(library.id, 9);
  assert.equal(library.params, {
    proxy: { server: 'local for http://proxy.test:1', bypass: '<-loopback>' },
    locale: 'de',
  });
  const raw = { method: 'Target.createBrowserContext', params: { proxyServer: 'a:1', proxyBypassList: '*' } };
  const { params } = await replaced('send', raw);
  assert.equal(params.params, {
    proxyServer: 'local for a:1',
    proxyBypassList: '<-loopback>',
  });
});

guard('an unavailable proxy is an error, and so is one in a browser without context proxies', async () => {
  const failing = guardOf(policyOf(false), () => Promise.reject(new ServiceError('proxy-failed', 'no way')));
  const firefox = guardOf(policyOf(false));
  for (const [by, message] of [
    [failing, 'no way'],
    [firefox, 'not available in this browser'],
  ] as const) {
    const verdict = verdictOn('newContext', { proxy: { server: 'http://proxy.test:1' } }, by);
    const later = verdict.kind === 'later' ? await verdict.verdict : verdict;
    assert.is(later.kind, 'answer');
    assert.match(JSON.stringify(later), message);
  }
});
