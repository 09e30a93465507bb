// The first things an attacker tries at every endpoint that leads to a browser, on a server that blocks its own
// network: the server's files, the browser's internal URLs, and a loopback listener that must not be contacted.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { endAll } from '../support/clients/clients.ts';
import { succeeded } from '../support/checks/expect.ts';
import {
  type EntryPoint,
  entryPoints,
  fullBrowserEntryPoint,
  type Send,
} from '../support/clients/attack-entry-points.ts';
import { rawPlaywright } from '../support/clients/playwright.ts';
import { missing } from '../support/programs.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('attacks at every door', {
  env: { BLOCK_PRIVATE_NETWORK: 'true', TIMEOUT: '120000', SPARES: '1' },
});
const limit = { timeoutMs: 90_000 };
const canaryText = 'canary of the server';
let directory: string;
let canary: string;
let elsewhere: string;

test.before(() => {
  directory = temporaryDirectory();
  canary = join(directory, 'canary.txt');
  elsewhere = join(directory, 'elsewhere');
  writeFileSync(canary, canaryText);
});
test.before(async () => {
  // The listener does respond, so the checks below prove that it is not contacted.
  assert.is((await fetch(`${fixture.site.url}/small`)).status, 200);
});
test.after.each(() => endAll(fixture.service));

const commandsRefused: [method: string, params?: object][] = [
  ['Target.exposeDevToolsProtocol', { targetId: 'x' }],
  ['Target.sendMessageToTarget', { message: '{"id":1,"method":"SystemInfo.getInfo"}', sessionId: 'x' }],
  ['Target.setRemoteLocations', { locations: [{ host: '127.0.0.1', port: 1 }] }],
  ['Target.openDevTools', { targetId: 'x' }],
  ['Tethering.bind', { port: 9222 }],
  ['SystemInfo.getInfo'],
  ['Browser.getBrowserCommandLine'],
  ['Browser.executeBrowserCommand', { commandId: 'openTabSearch' }],
  ['Extensions.loadUnpacked', { path: '/tmp' }],
  ['PWA.install', { manifestId: 'https://a.test/' }],
  ['PWA.launch', { manifestId: 'https://a.test/' }],
  ['Cast.enable'],
  ['ServiceWorker.inspectWorker', { versionId: '1' }],
  ['DeviceAccess.selectPrompt', { id: '1', deviceId: '1' }],
  ['Tracing.start', { tracingBackend: 'system' }],
  ['Tracing.start', { perfettoConfig: '' }],
  ['No.such'],
  ['toString'],
  ['__proto__'],
];

const addressesRefused = [
  'chrome://version',
  'chrome-untrusted://new-tab-page/',
  'devtools://devtools/bundled/devtools_app.html',
  'view-source:https://a.test/',
  'filesystem:https://a.test/temporary/x',
  'about:version',
  'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html',
];

const refusedEach = async (send: Send, commands: [method: string, params?: object][]) => {
  for (const [method, params] of commands) {
    const { result, error } = await send(method, params);
    assert.ok(error, `${method} ${JSON.stringify(params)} passed: ${JSON.stringify(result)}`);
  }
};

async function attack({ enter }: EntryPoint): Promise<void> {
  const { service, site } = fixture;
  const hit = `${site.url}/hit`;
  const { send, page, client, leave } = await enter(service);

  for (const one of [send, page.send]) await refusedEach(one, commandsRefused);
  await refusedEach(
    page.send,
    addressesRefused.map((url) => ['Page.navigate', { url }]),
  );

  await page.evaluate('document.documentElement.innerHTML = "<input type=file multiple>"');
  const found = await page.send('Runtime.evaluate', { expression: 'document.querySelector("input")' });
  const input = found.result?.['result'] as { objectId: string } | undefined; // As the protocol defines.
  const objectId = input?.objectId;
  assert.type(objectId, 'string');
  await page.send('DOM.enable');
  const names = [canary, `${directory}/../${directory.split('/').at(-1)}/canary.txt`, '/etc/passwd', '../../x', ''];
  await refusedEach(
    page.send,
    names.map((name) => ['DOM.setFileInputFiles', { objectId, files: [name] }]),
  );
  const dropped = { items: [], files: [canary], dragOperationsMask: 1 };
  await refusedEach(page.send, [
    ['Input.dispatchDragEvent', { type: 'drop', x: 1, y: 1, data: dropped }],
    [
      'Network.loadNetworkResource',
      { url: `file://${canary}`, options: { disableCache: true, includeCredentials: true } },
    ],
  ]);
  assert.is(await page.evaluate('document.querySelector("input").files.length'), 0);

  // Network: everything that a page or a command can request, whether it evades the rules or uses them.
  for (const proxyServer of [
    'direct://',
    'DIRECT://',
    `http=direct://`,
    `${site.url};direct://`,
    site.url,
    service.url,
  ]) {
    const { result } = await send('Target.createBrowserContext', { proxyServer, proxyBypassList: '127.0.0.1,*' });
    const browserContextId = result?.['browserContextId'];
    if (browserContextId !== undefined) await send('Target.createTarget', { url: hit, browserContextId });
  }
  const load = { url: hit, options: { disableCache: true, includeCredentials: false } };
  await page.send('Network.loadNetworkResource', load);
  const got = await page.evaluate(
    `Promise.all([fetch('${hit}', { mode: 'no-cors' }).catch(() => 'failed'),
      new Promise((done) => { const s = new WebSocket('${hit.replace('http', 'ws')}'); s.onerror = () => done('failed'); s.onopen = () => done('open') })])`,
  );
  assert.equal(got, ['failed', 'failed']);
  await page.send('Page.navigate', { url: hit });

  // A download lands in the session's own directory.
  if (client) {
    for (const one of [send, page.send]) {
      const downloadSettings = { behavior: 'allow', downloadPath: elsewhere, eventsEnabled: true };
      await one('Browser.setDownloadBehavior', downloadSettings);
      await one('Page.setDownloadBehavior', downloadSettings);
    }
    await page.send('Page.navigate', { url: 'about:blank' });
    const link = `Object.assign(document.createElement('a'), { download: 'authorized_keys', href: 'data:application/octet-stream,PWNED' })`;
    await page.evaluate(`${link}.click()`);
    const downloadEvent = await until('the download', () =>
      client.events.find(({ method }) => method === 'Browserless.fileDownloaded'),
    );
    const path = String(downloadEvent.params?.['path']);
    assert.ok(path.startsWith(service.baseDir) && path.endsWith('/authorized_keys'), path);
    assert.is(readFileSync(path, 'utf8'), 'PWNED');
  }
  assert.equal(readdirSync(directory), ['canary.txt']);
  assert.not.ok(existsSync(elsewhere));

  // A file URL ends the session immediately.
  void page.send('Page.navigate', { url: `file://${canary}` }).catch(() => {});
  if (client) assert.is((await client.closed).code, 1008);
  else await leave();
  assert.equal(site.requests, []);
}

test.shows('dangerous-commands', 'CDP');
// The gate does not know by which name a browser was requested.
for (const door of entryPoints.filter(({ name }) => name !== '/chromium')) test(door.name, () => attack(door), limit);
test.unless(missing('a full Chromium'))(fullBrowserEntryPoint.name, () => attack(fullBrowserEntryPoint), limit);

test.shows('dangerous-commands', 'function');
test('code sent to /function', async () => {
  const { service, site } = fixture;
  const code = `export default async ({ page, context }) => {
  const refused = (doing) => doing.then((value) => 'passed: ' + JSON.stringify(value), () => 'refused');
  const outcomes = {};
  const cdp = await page.createCDPSession();
  const whole = cdp.connection();
  for (const [method, params = {}] of context.commands) {
    outcomes[method] = [await refused(cdp.send(method, params)), await refused(whole.send(method, params))];
  }
  for (const url of context.urls) {
    const reads = () => page.evaluate(() => document.documentElement.innerText);
    outcomes[url] = [await refused(page.goto(url).then(reads)), await refused(cdp.send('Page.navigate', { url }).then(({ errorText, ...rest }) => { if (errorText) throw errorText; return rest; }))];
  }
  await page.setContent('<input type=file>');
  const input = await page.$('input');
  outcomes.upload = [await refused(input.uploadFile(context.canary)), String(await input.evaluate(({ files }) => files.length))];
  outcomes.fetch = [await refused(page.evaluate((url) => fetch(url, { mode: 'no-cors' }), context.hit)), await refused(fetch(context.hit, { mode: 'no-cors' }))];
  outcomes.proxy = [await refused(page.browser().createBrowserContext({ proxyServer: 'direct://' })), 'refused'];
  return outcomes;
};`;
  const hit = `${site.url}/hit`;
  const context = {
    commands: [...commandsRefused, ['Page.captureSnapshot', { format: 'none' }]],
    urls: [...addressesRefused, hit, `file://${canary}`],
    canary,
    hit,
  };
  const outcomes = succeeded(await service.post('/function', { code, context })).json<Record<string, string[]>>();
  const { upload, ...others } = outcomes;
  assert.is(upload?.[1], '0');
  for (const [name, got] of Object.entries(others)) assert.equal(got, ['refused', 'refused'], name);
  assert.not.match(JSON.stringify(outcomes), canaryText);
  assert.equal(site.requests, []);
});

test.shows('dangerous-commands', 'Playwright');
test("Playwright's protocol", async () => {
  const { service, site } = fixture;
  const client = await rawPlaywright(service);
  const guids: string[] = [];
  client.socket.on('message', (data) => {
    const { method, params } = JSON.parse(data.toString()) as { method?: string; params?: { guid?: string } };
    if (method === '__create__' && params?.guid !== undefined) guids.push(params.guid);
  });
  const answerOf = async (guid: string, method: string, params: object) => {
    const answer = await client.call(guid, method, params);
    assert.ok(answer.error, `${guid} ${method} passed: ${JSON.stringify(answer)}`);
  };
  const written = join(directory, 'written');
  for (const [guid, method, params] of [
    ['localUtils', 'zip', { zipFile: written, entries: [{ name: 'x', value: canary }], mode: 'write' }],
    ['localUtils', 'harOpen', { file: canary }],
    ['localUtils', 'harUnzip', { zipFile: canary, harFile: written }],
    ['localUtils', 'tracingStarted', { tracesDir: written, traceName: 'x' }],
    ['electron', 'launch', { executablePath: '/bin/sh', args: ['-c', `touch ${written}`] }],
    ['browser-type@x', 'launch', { executablePath: '/bin/sh' }],
    ['Playwright', 'newRequest', { baseURL: site.url }],
    ['android', 'devices', { host: '127.0.0.1', port: site.port }],
    ['browser', 'newContext', { proxy: { server: 'direct://' } }],
  ] as const) {
    await answerOf(guid, method, params);
  }
  assert.equal(readdirSync(directory), ['canary.txt']);
  assert.equal(site.requests, []);
  client.socket.close();
  await client.closed;
});
