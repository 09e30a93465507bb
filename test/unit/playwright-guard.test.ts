// Messages that Playwright clients may not send (compatibility.mdx#destinations).
import * as assert from 'uvu/assert';
import { NetworkPolicy } from '../../src/network/policy.ts';
import { PlaywrightGuard } from '../../src/playwright/guard.ts';
import { ServiceError } from '../../src/errors.ts';
import { suite } from '../support/suite.ts';

const guard = suite('playwright guard');

const policyOf = (allowFileProtocol: boolean, blockPrivateNetwork = false) =>
  new NetworkPolicy({ blockPrivateNetwork, allowFileProtocol, ownAddresses: () => [] });
const strict = new PlaywrightGuard(policyOf(false), async ({ server }) => `local for ${server}`);
const say = (method: string, params: object, by = strict) =>
  by.fromClient(JSON.stringify({ id: 9, guid: 'frame@1', method, params, metadata: {} }));

guard('addresses of files end the session, in each spelling and at each depth', () => {
  const urls = [
    'file:///etc/passwd',
    'FILE:/etc/passwd',
    ' \tfile:///x',
    '\u0001file:///x',
    'fi\nle:///x',
    'view-source:file:///x',
    'view-source: view-source:file:///x',
    'chrome://version',
    'about:config',
    'view-source:https://example.com/',
    'http://169.254.169.254/latest/meta-data',
    'http://0xa9fea9fe/',
  ];
  for (const url of urls) assert.is(say('goto', { url }).kind, 'end', url);
  assert.is(say('send', { method: 'Page.navigate', params: { URL: 'file:///x' } }).kind, 'end');
  assert.is(say('x', { list: [{ a: [{ Url: ['file:///x'] }] }] }).kind, 'end');
  // Escapes of JSON hide neither key nor value.
  assert.is(strict.fromClient('{"id":1,"params":{"\\u0075rl":"\\u0066ile:///x"}}').kind, 'end');
  assert.is(strict.fromClient('{"url":"file:///x"').kind, 'end', 'not parseable');
});

guard('ordinary addresses pass, and keys that only resemble url', () => {
  for (const url of [
    'https://example.com/?q=file:///x',
    'data:text/html,hi',
    'about:blank',
    'blob:https://a/1',
    'x.html',
    '',
  ]) {
    assert.is(say('goto', { url }).kind, 'pass', url);
  }
  assert.is(say('x', { urlFilter: 'file:///x', text: 'file:///x' }).kind, 'pass');
  assert.is(strict.fromClient('no json').kind, 'pass');
  const open = new PlaywrightGuard(policyOf(true), undefined);
  assert.is(say('goto', { url: 'file:///x' }, open).kind, 'pass');
  assert.is(open.showsFile('{"url":"file:///x"}'), false);
  assert.is(say('goto', { url: 'http://10.0.0.1/' }).kind, 'pass');
  assert.is(
    say('goto', { url: 'http://10.0.0.1/' }, new PlaywrightGuard(policyOf(false, true), undefined)).kind,
    'end',
  );
});

guard('pages that show files are seen in what the server tells', () => {
  assert.is(strict.showsFile('{"method":"navigated","params":{"url":"file:///etc/passwd","name":""}}'), true);
  assert.is(
    strict.showsFile('{"method":"navigated","params":{"url":"https://a/","html":"\\"url\\":\\"file:"}}'),
    false,
  );
});

guard('what would start, write or reach something on the server is answered with an error', async () => {
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
    const verdict = say(method, params);
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
    assert.is(say(method, params).kind, 'pass', method);
  }
});

guard('a context with a proxy gets the local one in front of it, without password and bypass list', async () => {
  const proxy = { server: 'http://proxy.test:1', bypass: '*', username: 'me', password: 'secret' };
  const replaced = async (method: string, params: object) => {
    const verdict = say(method, params);
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
  assert.equal((await replaced('send', raw)).params.params, {
    proxyServer: 'local for a:1',
    proxyBypassList: '<-loopback>',
  });
});

guard('a proxy that cannot be had is an error, and so is one where contexts have none of their own', async () => {
  const failing = new PlaywrightGuard(policyOf(false), () =>
    Promise.reject(new ServiceError('proxy-failed', 'no way')),
  );
  const firefox = new PlaywrightGuard(policyOf(false), undefined);
  for (const [by, message] of [
    [failing, 'no way'],
    [firefox, 'not available in this browser'],
  ] as const) {
    const verdict = say('newContext', { proxy: { server: 'http://proxy.test:1' } }, by);
    const later = verdict.kind === 'later' ? await verdict.verdict : verdict;
    assert.is(later.kind, 'answer');
    assert.match(JSON.stringify(later), message);
  }
});
