// Launch switches set by clients: the table has a row for each switch that clients usually send, each endpoint's
// response lists the switches that the server controls, and no switch lets UDP past the network filter.
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { defaultSwitchesOf } from '../../src/sessions/playwright/defaults.ts';
import { playwrightVersions } from '../../src/sessions/playwright/versions.ts';
import { launchSwitches } from '../../src/base/schema/request/launch-switches.ts';
import { connect, handshake, type Query, sessionsOf } from '../support/clients/clients.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { unpackPackage } from '../support/node-versions.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { startReader } from '../support/checks/reader.ts';
import { startService, stopAll } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('launch switches', {
  timeoutMs: 120_000,
  env: { BLOCK_PRIVATE_NETWORK: 'true', ALLOWED_LAUNCH_ARGS: '*', CONCURRENT: '3' },
});

const agent = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };

const withoutRow = (switches: Iterable<string>) =>
  [...new Set(switches)].filter((name) => !Object.hasOwn(launchSwitches, name.replace(/^--/, ''))).toSorted();

const modules = join(import.meta.dirname, '../../node_modules');
const quoted = /(?<=['"`])--[a-z][a-z0-9-]*[a-z0-9](?=['"`=])/g;

/** The part of Playwright's source code that lists its default switches. Loading the library takes ten times as long. */
function playwrightSwitches(packageName: string): string[] {
  const file = ['coreBundle.js', 'server/chromium/chromiumSwitches.js'].find((name) =>
    existsSync(join(modules, packageName, 'lib', name)),
  );
  const text = readFileSync(join(modules, packageName, 'lib', file ?? ''), 'utf8');
  const list = /chromiumSwitches = (?:exports\.chromiumSwitches = )?(?:\([^)]*\) => )?\[[^\]]*\]/.exec(text)?.[0];
  return list?.match(quoted) ?? [];
}

test('every default switch of every installed Playwright version has a row', async () => {
  for (const version of playwrightVersions) {
    const switches = playwrightSwitches(version.packageName);
    assert.ok(switches.length > 20, `${version.version}: ${switches.length} switches read`);
    assert.equal(withoutRow(switches), [], version.version);
  }
  // The command lines, which contain more, in the oldest and the newest version.
  for (const version of [playwrightVersions.at(0), playwrightVersions.at(-1)]) {
    const switches = version ? await defaultSwitchesOf(version) : [];
    assert.ok(switches.length > 20, `${version?.version}: ${switches.length} switches read`);
    assert.equal(withoutRow(switches.map((text) => text.split('=', 1)[0] ?? '')), [], version?.version);
  }
});

const cache = join(modules, '.cache');

/** The source code of a puppeteer-core launcher, which contains every switch that the launcher may pass. */
function launcherOf(version: string): string {
  const directory = join(cache, `puppeteer-core-${version}`);
  if (!existsSync(directory)) {
    unpackPackage(`puppeteer-core@${version}`, `${directory}.new`);
    renameSync(`${directory}.new`, directory);
  }
  return readFileSync(join(directory, 'lib/esm/puppeteer/node/ChromeLauncher.js'), 'utf8');
}

test('every default switch of Puppeteer 22 to 25 has a row', () => {
  const newest = join(modules, 'puppeteer-core/lib/puppeteer/node/ChromeLauncher.js');
  const older = ['22.15.0', '23.11.1', '24.43.1'].map(launcherOf);
  for (const text of [...older, readFileSync(newest, 'utf8')]) {
    const switches = text.match(quoted) ?? [];
    assert.ok(switches.length > 20, `${switches.length} switches read`);
    assert.equal(withoutRow(switches), []);
  }
});

test('every switch that the browserless documentation mentions has a row', () => {
  const documented =
    'disable-features disable-setuid-sandbox disable-site-isolation-trials disable-web-security enable-features font-render-hinting force-color-profile lang proxy-bypass-list proxy-server window-size disable-bundled-ppapi-flash disable-dev-shm-usage disable-domain-reliability disable-gpu disable-speech-api disable-webgl wm-window-animations-disabled no-sandbox headless user-data-dir load-extension disable-extensions-except remote-debugging-port disable-component-update';
  assert.equal(withoutRow(documented.split(' ')), []);
});

const habits = ['--no-sandbox', '--disable-setuid-sandbox', '--single-process', '--no-zygote'];
const named = habits.join(', ');

test.differs('Flags set by the server can be passed again');
test('switches that the server controls are accepted, listed in every response, and not on the command line', async () => {
  const launch = JSON.stringify({ args: habits });
  const byQuery = Object.fromEntries(habits.map((name) => [name, '']));
  for (const query of [{ launch }, byQuery]) {
    const reply = succeeded(await service.post('/content', { html: '<p>x' }, { query }));
    assert.is(reply.headers['x-ignored-parameters'], named);
  }
  const wrong = refused(await service.post('/content', { nothing: 1 }, { query: { launch } }), 400);
  assert.is(wrong.headers['x-ignored-parameters'], named, 'on errors too');
  for (const [path, headers] of [
    ['/', {}],
    ['/chromium/playwright', agent],
    ['/chromium/bql', { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' }],
  ] as const) {
    const opened = await handshake(service, path, { launch }, headers);
    assert.is(opened.status, 101, path);
    assert.is(opened.headers['x-ignored-parameters'], named, path);
  }
  const created = succeeded(await service.post('/session', { args: habits }));
  assert.is(created.headers['x-ignored-parameters'], named);
  await service.get(`/session/${created.json<{ id: string }>().id}`, { method: 'DELETE' });
  const browser = await connect(service, '/', { launch: JSON.stringify({ args: [...habits, '--lang=de'] }) });
  const commands = service.tree().map(({ command }) => command);
  assert.ok(commands.some((command) => command.includes('--lang=de')));
  for (const unwanted of ['--single-process', '--disable-setuid-sandbox']) {
    assert.not.ok(
      commands.some((command) => command.includes(unwanted)),
      unwanted,
    );
  }
  await browser.close();
  const lines = service.logs().filter(({ event, ignored }) => event === 'request' && Array.isArray(ignored));
  assert.ok(lines.length >= 4, 'in the log too');
});

test.differs('Every flag reaches the browser');
test('a switch without a row returns a 400 that names it, on every endpoint, in launch and as a parameter', async () => {
  await using strict = await startService();
  for (const [arg, name] of [
    ['--not-a-switch=1', '--not-a-switch'],
    ['-Gpu-Launcher=x', '-Gpu-Launcher'],
    ['--host-rules=MAP a b', '--host-rules'],
  ] as const) {
    const [key = '', value = ''] = arg.replace(/^-+/, '--').split('=');
    for (const query of [{ launch: JSON.stringify({ args: [arg] }) }, { [key]: value }]) {
      const replies = [
        await strict.post('/content', { html: 'x' }, { query }),
        await strict.post('/function', { code: 'export default async () => 1' }, { query }),
        await strict.post('/performance', { url: 'http://127.0.0.1/' }, { query }),
        await strict.post('/chromium/bql', { query: 'mutation { title { title } }' }, { query }),
        await handshake(strict, '/', query),
        await handshake(strict, '/chromium/playwright', query, agent),
        await handshake(strict, '/firefox/playwright', query, agent),
        await handshake(strict, '/chromium/bql', query, { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' }),
        await strict.post('/session', { args: [arg] }),
      ];
      for (const [at, { status, text }] of replies.entries()) {
        assert.is(status, 400, `endpoint ${at}: ${status} ${text}`);
        assert.match(text.toLowerCase(), name.replace(/^-/, '').toLowerCase());
        assert.match(text, 'is not allowed');
      }
    }
  }
  assert.equal(await sessionsOf(strict), []);
});

/** Gathers the ICE candidates of a peer connection, using a STUN server, and reports when it is done. */
const gathering = (stun: string) => `(async () => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${stun}' }] });
  peer.createDataChannel('x');
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  return new Promise((resolve) => {
    const look = () => peer.iceGatheringState === 'complete' && resolve('gathered');
    peer.addEventListener('icegatheringstatechange', look);
    look();
  });
})()`;

async function stunServer(): Promise<{ address: string; packets: () => number; close(): void }> {
  let packets = 0;
  const socket = createSocket('udp4', () => packets++);
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${socket.address().port}`, packets: () => packets, close: () => void socket.close() };
}

const udp = [
  '--force-webrtc-ip-handling-policy=default',
  '--webrtc-ip-handling-policy=default',
  '-webrtc-ip-handling-policy=default',
  '--enable-quic',
  '--disable-features=WebRtcHideLocalIpsWithMdns',
];

/** A full browser has plugins, the headless shell has none. */
const hasPlugins = 'navigator.plugins.length > 0';

test.peer('sockets');
test.needs('a full Chromium');
test('--headless=new starts a full browser on every endpoint', async () => {
  const stun = await stunServer();
  const args = [...udp, '--headless=new'];
  const query: Query = { launch: JSON.stringify({ args }) };
  const expression = `${gathering(stun.address)}.then((state) => state + ' ' + (${hasPlugins}))`;
  const expected = 'gathered true';
  const visit = async (path: string, launch: Query) => {
    const browser = await connect(service, path, launch);
    assert.is((await sessionsOf(service))[0]?.launchOptions['headless'], 'new', path);
    assert.is(await (await browser.newPage()).evaluate(expression), expected, path);
    await browser.close();
  };
  await visit('/', query);
  const { id } = succeeded(await service.post('/session', { args })).json<{ id: string }>();
  await visit(`/session/connect/${id}`, {});
  await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
  const code = `export default async ({ page }) => page.evaluate(() => ${expression})`;
  assert.match(succeeded(await service.post('/function', { code }, { query })).text, expected);
  const document =
    'mutation ($code: String!) { goto(url: "about:blank") { status } evaluate(content: $code) { value } }';
  const variables = { code: `return ${expression}` };
  const answer = succeeded(await service.post('/chromium/bql', { query: document, variables }, { query }));
  assert.match(answer.text, expected);
  const playwright = await connectPlaywright(service, '/chromium/playwright', query);
  assert.is(await (await playwright.newPage()).evaluate(expression), expected);
  await playwright.close();
  assert.is(stun.packets(), 0, 'no packet gets past the network filter of a full browser');
  stun.close();
});

test('no UDP packet gets past the network filter of the headless shell with any of these switches', async () => {
  const stun = await stunServer();
  const inPage = gathering(stun.address);
  const launch: Query = { launch: JSON.stringify({ args: udp }) };
  const single: Query = Object.fromEntries(
    udp
      .map((text) => text.replace(/^-(?=\w)/, '--').split('=') as [string, string])
      .map(([name, value = '']) => [name, value]),
  );
  const html = `<script>${inPage}.then((state) => { document.body.id = state; })</script><body>`;
  const waitForSelector = { selector: '#gathered', timeout: 30_000 };
  succeeded(await service.post('/content', { html, waitForSelector }, { query: launch }));
  const browser = await connect(service, '/', single);
  assert.is(await (await browser.newPage()).evaluate(inPage), 'gathered');
  await browser.close();
  assert.is(stun.packets(), 0);
  // The same in a browser without a guard: the packet arrives, so its absence above is meaningful.
  const reader = await startReader();
  const page = await reader.open();
  void page.evaluate(inPage).catch(() => {});
  await until('a packet from the browser without a guard', () => stun.packets() > 0);
  await stopAll(reader);
  stun.close();
});
