// Extensions in EXTENSIONS_DIR: clients request them by name, every endpoint with a full browser loads them, and no
// client can use one to access what pages must not access: the server's files, addresses blocked by its filter, other
// directories.
// @tier ci
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Target } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { runMain, startService, stopAll } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('extensions', {
  timeoutMs: 90_000,
  env: () => {
    base = temporaryDirectory();
    extension('hello');
    extension('second');
    extension('worker', attackable, attackFiles);
    extension('scripts-alone', { ...attackable, host_permissions: [] }, attackFiles);
    extension(
      'old-patterns',
      { ...attackable, permissions: ['tabs'], optional_host_permissions: ['FILE:///*', ' <ALL_URLS>'] },
      attackFiles,
    );
    extension('asks-proxy', { permissions: ['storage', 'proxy'] });
    extension('asks-debugger', { optional_permissions: ['debugger'] });
    extension('asks-downloads', { permissions: ['downloads'] });
    extension('broken', '{');
    extension('old', { manifest_version: 2 });
    extension('linked');
    writeFileSync(join(base, 'canary.txt'), 'canary of the server');
    symlinkSync(join(base, 'canary.txt'), join(base, 'extensions', 'linked', 'canary.txt'));
    mkdirSync(join(base, 'elsewhere'));
    writeFileSync(join(base, 'elsewhere', 'manifest.json'), '{}');
    symlinkSync(join(base, 'elsewhere'), join(base, 'extensions', 'outside'));
    extension('large', {}, { 'blob.bin': '' });
    truncateSync(join(base, 'extensions', 'large', 'blob.bin'), 101 * 2 ** 20);
    return { EXTENSIONS_DIR: join(base, 'extensions'), SPARES: '0', TIMEOUT: '90000' };
  },
});
let base: string;

/** Writes an extension that writes its name into each page. */
function extension(name: string, manifest: object | string = {}, files: Record<string, string> = {}): void {
  const directory = join(base, 'extensions', name);
  mkdirSync(directory, { recursive: true });
  const usual = {
    manifest_version: 3,
    name,
    version: '1.0',
    content_scripts: [{ matches: ['<all_urls>'], js: ['content.js'], run_at: 'document_end' }],
  };
  const text = typeof manifest === 'string' ? manifest : JSON.stringify({ ...usual, ...manifest });
  const content = `document.documentElement.dataset.extensions = [document.documentElement.dataset.extensions, ${JSON.stringify(name)}].filter(Boolean).sort().join()`;
  for (const [file, body] of Object.entries({ 'manifest.json': text, 'content.js': content, ...files })) {
    writeFileSync(join(directory, file), body);
  }
}

/** An extension manifest that allows reading files as far as Chromium permits. */
const attackable = {
  background: { service_worker: 'worker.js' },
  host_permissions: ['<all_urls>', 'file:///*'],
  web_accessible_resources: [{ resources: ['page.html'], matches: ['<all_urls>'] }],
};
const attackFiles = { 'worker.js': 'self.ready = true;', 'page.html': '<p>page of an extension' };

const launch = (names: string, others: object = {}) =>
  JSON.stringify({ args: [`--load-extension=${names}`], ...others });
const loaded = 'document.documentElement.dataset.extensions';

test.proves('EXTENSIONS_DIR');
test('puppeteer.connect: the extension changes a page, and its path is not exposed', async () => {
  const [browser, other] = await Promise.all([connect(service, '/', { launch: launch('hello') }), connect(service)]);
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  assert.is(await page.evaluate(loaded), 'hello');
  const without = await other.newPage();
  await without.goto(`${site.url}/small`);
  assert.is(await without.evaluate(loaded), undefined, "another client's browser does not have it");
  const shown = JSON.stringify(await sessionsOf(service));
  assert.match(shown, '--load-extension=hello');
  assert.not.match(shown, join(base, 'extensions'));
  await Promise.all([browser.close(), other.close()]);
});

test('several extensions load with each form of the switch, with and without a headless mode', async () => {
  const queries: [Record<string, string | boolean>, string][] = [
    [{ '--load-extension': 'hello', '--disable-extensions-except': 'hello', headless: true }, 'hello'],
    [{ launch: launch('hello,second', { headless: 'new', ignoreDefaultArgs: true }) }, 'hello,second'],
    [{ launch: launch('hello', { stealth: true }) }, 'hello'],
  ];
  for (const [query, expected] of queries) {
    const browser = await connect(service, '/chromium', query);
    const page = await browser.newPage();
    await page.goto(`${site.url}/small`);
    assert.is(await page.evaluate(loaded), expected, JSON.stringify(query));
    await browser.close();
  }
});

test('connectOverCDP: pages in its first context have the extension', async () => {
  const query = { '--disable-extensions-except': 'second' };
  const browser = await chromium.connectOverCDP(socketUrl(service, '/chromium', query));
  const page = await browser.contexts()[0]!.newPage();
  await page.goto(`${site.url}/small`);
  assert.is(await page.evaluate(loaded), 'second');
  await browser.close();
});

test("Playwright's own protocol gets a 400 that says what to use instead", async () => {
  for (const path of ['/chromium/playwright', '/firefox/playwright']) {
    const headers = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
    const answer = await handshake(service, path, { launch: launch('hello') }, headers);
    assert.is(answer.status, 400, path);
    assert.match(answer.text, 'connectOverCDP() to /chromium');
  }
});

test.proves('session:extensions[]');
test('a session loads "extensions" in each of its browsers, with accessible workers and a stable extension id', async () => {
  const made = succeeded(await service.post('/session', { extensions: ['worker', 'hello'], ttl: 60_000 }));
  const { id } = made.json<{ id: string }>();
  const ids = new Set<string>();
  for (let visit = 0; visit < 2; visit++) {
    const browser = await connect(service, `/session/connect/${id}`);
    const page = await browser.newPage();
    await page.goto(`${site.url}/small`);
    assert.is(await page.evaluate(loaded), 'hello,worker');
    const target = await browser.waitForTarget((each) => each.type() === 'service_worker');
    ids.add(target.url());
    assert.is(await (await target.worker())?.evaluate('self.ready'), true);
    await browser.close();
  }
  assert.is(ids.size, 1);
  await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
  refused(await service.post('/session', { extensions: ['nothing'] }), 400, '"nothing" is unknown');
  refused(await service.post('/session', { extensions: ['../hello'] }), 400, '--load-extension', 'without a path');
});

test('REST and BrowserQL load extensions', async () => {
  const query = { launch: launch('hello') };
  const content = succeeded(await service.post('/content', { url: `${site.url}/small` }, { query }));
  assert.match(content.text, 'data-extensions="hello"');
  const document = `mutation { goto(url: "${site.url}/small") { status } evaluate(content: "document.documentElement.dataset.extensions") { value } }`;
  assert.match(succeeded(await service.post('/chromium/bql', { query: document }, { query })).text, '"value":"hello"');
});

const everyName =
  'asks-debugger, asks-downloads, asks-proxy, broken, hello, large, linked, old, old-patterns, scripts-alone, second, worker';
const refusals: Record<string, [value: string, says: string | RegExp]> = {
  'an unknown name': ['nothing', `"nothing" is unknown; available names, without a path: ${everyName}`],
  'a link to another directory': ['outside', '"outside" is unknown'],
  'a path': ['/etc', 'without a path'],
  'a path to an extension': ['hello/../hello', 'without a path'],
  'the parent directory': ['..', 'without a path'],
  'a hidden directory': ['.hidden', 'without a path'],
  'a name with a NUL': ['hello\0', 'control character'],
  'an extension that contains a link': ['linked', '"linked" cannot be used because "canary.txt" is a link'],
  'an extension that is too large': ['large', 'it is larger than 100 MB'],
  'an extension whose manifest is not JSON': ['broken', 'its manifest.json is missing or not a JSON object'],
  'an extension that the browser rejects': ['old', /"old" cannot be used because the browser rejected it: .*manifest/i],
  'an extension that handles traffic itself': ['asks-proxy', 'its permission "proxy" is not allowed on this server'],
  'an extension that can control pages': ['asks-debugger', 'its permission "debugger"'],
  'an extension that saves files': ['asks-downloads', 'its permission "downloads"'],
  'too many extensions': [Array.from({ length: 11 }, (_, index) => `e${index}`).join(), 'at most 10 at a time'],
};
for (const [what, [value, says]] of Object.entries(refusals)) {
  if (what.startsWith('a path')) test.differs('`--load-extension` names a path');
  test(`rejected over REST and sockets: ${what}`, async () => {
    const query = { launch: launch(value) };
    const rest = refused(await service.post('/content', { html: 'x' }, { query }), 400, says);
    assert.not.match(rest.text, base);
    const socket = await handshake(service, '/', query);
    assert.is(socket.status, 400);
    assert.match(socket.text, says);
    assert.not.match(socket.text, base);
  });
}

test('the headless shell and a server without extensions reject them with the reason', async () => {
  const query = { launch: launch('hello', { headless: 'shell' }) };
  refused(
    await service.post('/content', { html: 'x' }, { query }),
    400,
    'the headless shell does not support them',
    'headless',
  );
  const none = await startService({ env: { SPARES: '0' } });
  try {
    const named = { launch: launch('hello') };
    refused(
      await none.post('/content', { html: 'x' }, { query: named }),
      400,
      'this server has none',
      'EXTENSIONS_DIR',
    );
    refused(await none.post('/session', { extensions: ['hello'] }), 400, 'EXTENSIONS_DIR');
  } finally {
    await stopAll(none);
  }
  const started = await runMain({ env: { PORT: '0', EXTENSIONS_DIR: '/no/such/directory' } });
  assert.is(started.code, 78);
  assert.match(started.output, 'EXTENSIONS_DIR: /no/such/directory does not exist.');
});

test("attack: an extension's worker and pages cannot read the server's files", async () => {
  const names = ['worker', 'scripts-alone', 'old-patterns'];
  const browser = await connect(service, '/', { launch: launch(names.join()) });
  const isWorker = (target: Target) => target.type() === 'service_worker';
  const workers = await until('all workers', () => {
    const found = browser.targets().filter(isWorker);
    return found.length === names.length && found;
  });
  const canary = `file://${join(base, 'canary.txt')}`;
  const read = (url: string) => fetch(url).then((answer) => answer.text(), String);
  const opened: string[] = [];
  for (const target of workers) {
    const answer = String(await (await target.worker())?.evaluate(read, canary));
    assert.match(answer, 'TypeError', answer);
    const page = await browser.newPage();
    await page.goto(`${site.url}/small`);
    const shown = new URL('/page.html', target.url()).href;
    await page.evaluate(`location.assign(${JSON.stringify(shown)})`).catch(() => {});
    const texts = await Promise.all(
      browser.targets().map(async (each) => (await each.page())?.evaluate(read, canary).catch(String)),
    );
    assert.not.match(texts.join(), 'canary of the server');
    opened.push(shown);
  }
  assert.is(new Set(opened).size, names.length);
  // The server ends a session that shows a file.
  const ended = new Promise((resolve) => browser.once('disconnected', resolve));
  const last = await workers.at(-1)?.worker();
  const opening = last?.evaluate(`chrome.tabs.create({ url: ${JSON.stringify(canary)} }).catch(() => {})`);
  await Promise.race([ended, opening]).catch(() => {});
  const urls = browser.targets().map((each) => each.url());
  assert.not.match(urls.join(), 'canary.txt');
  await browser.close().catch(() => {});
});

test("attack: an extension's worker is subject to the network filter, and clients cannot load extensions over CDP", async () => {
  await using guarded = await startService({
    env: { EXTENSIONS_DIR: join(base, 'extensions'), SPARES: '0', BLOCK_PRIVATE_NETWORK: 'true' },
  });
  site.clear();
  const browser = await connect(guarded, '/', { launch: launch('worker') });
  const target = await browser.waitForTarget((each) => each.type() === 'service_worker');
  const answer = await (
    await target.worker()
  )?.evaluate((url) => fetch(url).then((each) => String(each.status), String), `${site.url}/small`);
  assert.not.match(String(answer), /^200$/);
  assert.equal(site.requests, []);
  const session = await browser.target().createCDPSession();
  const load = session.send('Extensions.loadUnpacked', { path: join(base, 'extensions', 'hello') });
  await load.then(
    () => assert.unreachable('it was loaded'),
    (error: unknown) => assert.match(String(error), 'Extensions are not available to clients'),
  );
  await browser.close();
});
