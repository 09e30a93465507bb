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
import { unpackPackage } from '../support/node-versions.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { startReader } from '../support/checks/reader.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('launch switches', { timeoutMs: 120_000 });
let service: Service;

test.before(async () => {
  service = await startService({
    env: { SPARES: '0', BLOCK_PRIVATE_NETWORK: 'true', ALLOWED_LAUNCH_ARGS: '*', CONCURRENT: '3' },
  });
});
test.after(() => stopAll(service));

const withoutRow = (switches: Iterable<string>) =>
  [...new Set(switches)].filter((name) => !Object.hasOwn(launchSwitches, name.replace(/^--/, ''))).toSorted();

test('every default switch of every installed Playwright version has a row', async () => {
  for (const version of playwrightVersions) {
    const switches = await defaultSwitchesOf(version);
    assert.ok(switches.length > 20, `${version.version}: ${switches.length} switches read`);
    assert.equal(withoutRow(switches.map((text) => text.split('=', 1)[0] ?? '')), [], version.version);
  }
});

const cache = join(import.meta.dirname, '../../node_modules/.cache');

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
  const newest = join(import.meta.dirname, '../../node_modules/puppeteer-core/lib/puppeteer/node/ChromeLauncher.js');
  const older = ['22.15.0', '23.11.1', '24.43.1'].map(launcherOf);
  for (const text of [...older, readFileSync(newest, 'utf8')]) {
    const switches = text.match(/(?<=['"`])--[a-z][a-z0-9-]*[a-z0-9](?=['"`=])/g) ?? [];
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
  const launch = JSON.stringify({ args: [...habits, '--lang=de'] });
  const html = '<script>document.title = navigator.language</script>';
  const reply = succeeded(await service.post('/content', { html }, { query: { launch } }));
  assert.is(reply.headers['x-ignored-parameters'], named);
  assert.match(reply.text, '<title>de');
  const wrong = refused(await service.post('/content', { nothing: 1 }, { query: { launch } }), 400);
  assert.is(wrong.headers['x-ignored-parameters'], named, 'on errors too');
  const byQuery = Object.fromEntries(habits.map((name) => [name, '']));
  assert.is(
    succeeded(await service.post('/content', { html }, { query: byQuery })).headers['x-ignored-parameters'],
    named,
  );
  for (const [path, headers] of [
    ['/', {}],
    ['/chromium/playwright', { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' }],
    ['/chromium/bql', { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' }],
  ] as const) {
    const opened = await handshake(service, path, { launch }, headers);
    assert.is(opened.status, 101, path);
    assert.is(opened.headers['x-ignored-parameters'], named, path);
  }
  const created = succeeded(await service.post('/session', { args: habits }));
  assert.is(created.headers['x-ignored-parameters'], named);
  await service.get(`/session/${created.json<{ id: string }>().id}`, { method: 'DELETE' });
  const browser = await connect(service, '/', { launch });
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
  const strict = await startService({ env: { SPARES: '0' } });
  const agent = { 'User-Agent': 'Playwright/1.65.1 (x64; debian 12) node/26.10' };
  try {
    for (const [arg, name] of [
      ['--not-a-switch=1', '--not-a-switch'],
      ['-Gpu-Launcher=x', '-Gpu-Launcher'],
      ['--host-rules=MAP a b', '--host-rules'],
    ] as const) {
      const [key = '', value = ''] = arg.replace(/^-+/, '--').split('=');
      const queries: Query[] = [{ launch: JSON.stringify({ args: [arg] }) }, { [key]: value }];
      for (const query of queries) {
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
  } finally {
    await strict.stop();
  }
});

test.peer('sockets');
test('--headless=new starts a full browser on every endpoint', async () => {
  const query = { '--headless': 'new' };
  // The headless shell has no plugins.
  const expression = 'String(navigator.plugins.length > 0)';
  const browser = await connect(service, '/', query);
  assert.is((await sessionsOf(service))[0]?.launchOptions['headless'], 'new');
  assert.is(await (await browser.newPage()).evaluate(expression), 'true');
  await browser.close();
  const html = `<script>document.title = ${expression}</script>`;
  assert.match(succeeded(await service.post('/content', { html }, { query })).text, '<title>true</title>');
  const code = `export default async ({ page }) => page.evaluate(() => ${expression})`;
  assert.match(succeeded(await service.post('/function', { code }, { query })).text, 'true');
  const document = `mutation { goto(url: "about:blank") { status } evaluate(content: "return ${expression}") { value } }`;
  const answer = succeeded(await service.post('/chromium/bql', { query: document }, { query }));
  assert.match(answer.text, '"value":"true"');
  const playwright = await connectPlaywright(service, '/chromium/playwright', query);
  assert.is(await (await playwright.newPage()).evaluate(expression), 'true');
  await playwright.close();
  const { id } = succeeded(await service.post('/session', { args: ['--headless=new'] })).json<{ id: string }>();
  const session = await connect(service, `/session/connect/${id}`);
  assert.is(await (await session.newPage()).evaluate(expression), 'true');
  await session.close();
  await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
});

/** Gathers the ICE candidates of a peer connection, using a STUN server, and reports when it is done. */
const gathering = (stun: string) => `
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${stun}' }] });
  peer.createDataChannel('x');
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  return new Promise((resolve) => {
    const look = () => peer.iceGatheringState === 'complete' && resolve('gathered');
    peer.addEventListener('icegatheringstatechange', look);
    look();
  });`;

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

test('no UDP packet gets past the network filter, on any endpoint, with any of these switches', async () => {
  const stun = await stunServer();
  const code = gathering(stun.address);
  const launch: Query = { launch: JSON.stringify({ args: udp }) };
  const single: Query = Object.fromEntries(
    udp
      .map((text) => text.replace(/^-(?=\w)/, '--').split('=') as [string, string])
      .map(([name, value = '']) => [name, value]),
  );
  const inPage = `(async () => { ${code} })()`;
  const html = `<script>(async () => { ${code} })().then((state) => { document.body.id = state; })</script><body>`;
  const waitForSelector = { selector: '#gathered', timeout: 30_000 };
  for (const query of [launch, single]) {
    succeeded(await service.post('/content', { html, waitForSelector }, { query }));
    const inFunction = `export default async ({ page }) => page.evaluate(() => ${inPage})`;
    assert.match(succeeded(await service.post('/function', { code: inFunction }, { query })).text, 'gathered');
    const document =
      'mutation ($code: String!) { goto(url: "about:blank") { status } evaluate(content: $code) { value } }';
    const variables = { code: `return ${inPage}` };
    const answer = succeeded(await service.post('/chromium/bql', { query: document, variables }, { query }));
    assert.match(answer.text, 'gathered');
    const browser = await connect(service, '/', query);
    assert.is(await (await browser.newPage()).evaluate(inPage), 'gathered');
    await browser.close();
    const playwright = await connectPlaywright(service, '/chromium/playwright', query);
    assert.is(await (await playwright.newPage()).evaluate(inPage), 'gathered');
    await playwright.close();
  }
  const { id } = succeeded(await service.post('/session', { args: udp })).json<{ id: string }>();
  const browser = await connect(service, `/session/connect/${id}`, launch);
  assert.is(await (await browser.newPage()).evaluate(inPage), 'gathered');
  await browser.close();
  await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
  assert.is(stun.packets(), 0);
  // The same in a browser without a guard: the packet arrives, so its absence above is meaningful.
  const reader = await startReader();
  const page = await reader.open();
  void page.evaluate(inPage).catch(() => {});
  await until('a packet from the browser without a guard', () => stun.packets() > 0);
  await stopAll(reader);
  stun.close();
});
