// Playwright sockets: every installed version, refusals, forbidden messages, and how connections end.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { playwrightVersions } from '../../src/sessions/playwright/versions.ts';
import { handshake, noSessions, type Query, sessionsOf } from '../support/clients/clients.ts';
import { succeeded } from '../support/checks/expect.ts';
import {
  connectPlaywright,
  disconnected,
  leaveEarly,
  rawPlaywright,
  screenshotWorks,
} from '../support/clients/playwright.ts';
import { proxyPassword, proxyUser, startHttpProxy } from '../support/clients/proxies.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { portsOf, socketPathsOf } from '../support/listeners.ts';
import { installed } from '../support/programs.ts';
import { stopAll } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('Playwright sockets', {
  timeoutMs: 120_000,
  env: { TOKEN: 'secret-token', CONCURRENT: '4', TIMEOUT: '120000', SPARES: '0' },
});
// One version is enough to show that the library runs on Deno; Node tests them all.
const versions = 'Deno' in globalThis ? playwrightVersions.slice(0, 1) : playwrightVersions;

/** Waits until no sessions, processes or session files are left. */
async function nothingLeft(): Promise<void> {
  await noSessions(service);
  const browsers = () => service.tree().filter(({ command }) => command.includes('--user-data-dir='));
  await until('all browsers to exit', () => browsers().length === 0, 30_000);
  await until('all files to be removed', () => service.leftovers().files.length === 0, 30_000);
}

const playwright = (minor: string) => ({ 'User-Agent': `Playwright/${minor} (x64; debian 12) node/26.10` });

test.peer('sockets');
test(
  'each installed version connects, opens a page and takes a screenshot',
  async () => {
    const pids = () => [process.pid, ...service.tree().map(({ pid }) => pid)];
    const ports = portsOf(pids());
    assert.ok(ports.includes(service.port), "the server's ports are visible");
    const others = new Set(socketPathsOf(pids()));
    for (const client of versions) {
      const browser = await connectPlaywright(service, '/chromium/playwright', {}, client);
      // No version opens a port, and its socket is in a directory that only the server's user can access.
      assert.equal(portsOf(pids()), ports, client.version);
      const sockets = socketPathsOf(pids()).filter((path) => path.startsWith(service.scratchDir) && !others.has(path));
      assert.is(sockets.filter((path) => path.endsWith('/playwright')).length, 1, client.version);
      for (const path of sockets) assert.is(statSync(dirname(path)).mode & 0o077, 0, path);
      const page = await browser.newPage();
      await page.goto(`${site.url}/`);
      assert.is(await page.title(), 'Test page', client.version);
      assert.ok(await screenshotWorks(page), client.version);
      await browser.close();
    }
    await nothingLeft();
  },
  { timeoutMs: 300_000 },
);

test('/meta lists the versions, newest first, and what else is installed', async () => {
  const meta = succeeded(await service.get('/meta')).json<Record<string, unknown>>();
  assert.equal(
    meta['playwright'],
    playwrightVersions.map((one) => one.version),
  );
  assert.match(String(meta['puppeteer']), /^\d+\.\d+\.\d+$/);
  assert.is(meta['firefox'] !== null, installed('firefox'));
});

test.peer('sockets');
test.peer('parameters and errors', 'launch: unknown Playwright properties are accepted');
test('both path orders and other browser prefixes work, and /sessions lists the session', async () => {
  const browser = await connectPlaywright(service, '/playwright/chromium', {
    trackingId: 'pw',
    launch: '{"slowMo":1}',
  });
  const [entry, ...others] = await sessionsOf(service);
  assert.equal(others, []);
  assert.is(entry?.trackingId, 'pw');
  assert.is(entry?.numbConnected, 1);
  assert.is(entry?.userDataDir, null);
  assert.equal(entry?.launchOptions['slowMo'], 1);
  assert.match(JSON.stringify(entry), '"browser":"ChromiumPlaywright"');
  await browser.close();
  await (await connectPlaywright(service, '/chrome/playwright')).close();
  await nothingLeft();
});

test.peer('sockets', 'Playwright: a client that is not Playwright is a 400 with the documented message');
test.differs('An unknown version of Playwright gets the newest library');
test('refused handshakes get HTTP responses with the reason', async () => {
  const ask = (query: Query, minor = '1.65.1', path = '/chromium/playwright') =>
    handshake(service, path, query, playwright(minor));
  const launch = (options: object) => ({ launch: JSON.stringify(options) });
  const unknown = await ask({}, '1.20.0');
  assert.is(unknown.status, 400);
  assert.match(unknown.text, 'Playwright 1.20 is not supported');
  for (const one of playwrightVersions) assert.match(unknown.text, one.version.split('.').slice(0, 2).join('.'));
  const odd = { ...playwright('1.65.1'), 'Sec-WebSocket-Protocol': 'a b, @, ok, ok' };
  assert.is((await handshake(service, '/chromium/playwright', {}, odd)).status, 101);
  const other = await handshake(service, '/chromium/playwright', {}, { 'User-Agent': 'curl/8' });
  assert.is(other.status, 400);
  assert.match(other.text, /^Only playwright is allowed to work with this route/);
  assert.is((await ask({ token: 'wrong' })).status, 401);
  const program = await ask(launch({ executablePath: '/bin/sh' }));
  assert.is(program.status, 400);
  assert.match(program.text, 'executablePath');
  const ads = await ask({ blockAds: 'true' });
  assert.is(ads.status, 101, 'a parameter without effect does not cause a refusal');
  assert.is(ads.headers['x-ignored-parameters'], 'blockAds');
  assert.is((await ask(launch({ proxy: { server: 'http://169.254.169.254:80' } }))).status, 403);
  if (installed('firefox')) {
    const preferences = launch({ firefoxUserPrefs: { 'network.proxy.type': 0 } });
    const firefox = await ask(preferences, '1.65.1', '/firefox/playwright');
    assert.is(firefox.status, 400);
    assert.match(firefox.text, 'network.proxy.type');
  }
  await nothingLeft();
});

test.peer('sockets', 'WebKit: a 404 that names what to install, in both orders of the path');
test('a browser that is not installed returns a 404 that names the setting to change', async () => {
  const missing = [
    ['webkit', 'WEBKIT_PATH'],
    ['edge', 'EDGE_PATH'],
  ] as const;
  for (const [browser, variable] of missing.filter(([name]) => !installed(name))) {
    for (const path of [`/${browser}/playwright`, `/playwright/${browser}`]) {
      const { status, text } = await handshake(service, path, {}, playwright('1.65.1'));
      assert.is(status, 404, path);
      assert.match(text, variable);
    }
  }
});

test.peer('sockets');
test('the library shows the status of a refused handshake', async () => {
  const failure = await connectPlaywright(service, '/chromium/playwright', { token: 'wrong' }).catch(
    (error: Error) => error.message,
  );
  assert.match(String(failure), /401/);
});

test.peer('sockets');
test.peer('network and switches', 'Playwright messages: binary messages are rejected');
test('a file: URL ends the session with 1008, and a binary message with 1003', async () => {
  const browser = await connectPlaywright(service);
  const page = await browser.newPage();
  const gone = disconnected(browser);
  const visit = await page.goto('file:///etc/passwd').then(
    () => 'it opened',
    () => 'refused',
  );
  assert.is(visit, 'refused');
  await gone;
  for (const binary of [false, true]) {
    const raw = await rawPlaywright(service);
    raw.socket.send(JSON.stringify({ id: 9, method: 'goto', params: { a: [{ URL: 'view-source:file:/x' }] } }), {
      binary,
    });
    const { code, reason } = await raw.closed;
    assert.is(code, binary ? 1003 : 1008);
    assert.match(reason, binary ? 'send text messages' : 'is not allowed');
  }
  await nothingLeft();
});

test.peer('network and switches');
test.differs('Binary Playwright messages are forwarded unread');
test('a message that cannot be inspected ends the session', async () => {
  for (const text of ['{"id":9,"x":"\v"}', 'null']) {
    const unreadable = await rawPlaywright(service);
    unreadable.socket.send(text);
    assert.equal(await unreadable.closed, {
      code: 1007,
      reason: 'The connection has been closed: a message is no JSON object',
    });
  }
  const raw = await rawPlaywright(service);
  raw.socket.send('{"id":9,', { fin: false });
  raw.socket.send('"method":"goto","params":{"url":"file:///x"}}');
  assert.is((await raw.closed).code, 1008, 'a message in pieces is inspected whole');
  await nothingLeft();
});

test('a call with a missing field or one of the wrong type gets an error response, and the server does not throw', async () => {
  const raw = await rawPlaywright(service);
  const answers: { id?: number; error?: { error: { message: string } } }[] = [];
  raw.socket.on('message', (data) => answers.push(JSON.parse(data.toString())));
  const whole = { id: 100, guid: '', method: 'initialize', params: { sdkLanguage: 'javascript' }, metadata: {} };
  for (const method of ['initialize', 'newContext', 'goto', 'waitForEventInfo', 'close', 'send']) {
    for (const name of ['id', 'guid', 'params', 'metadata'] as const) {
      for (const value of [undefined, null, 'text', 1.5, [], { a: 1 }]) {
        const fits = (name === 'guid' && value === 'text') || typeof value === 'object';
        if (fits && value !== null && !Array.isArray(value) && name !== 'id') continue;
        if ((name === 'id' && value === 'text') || ((name === 'id' || name === 'params') && value === undefined))
          continue;
        const before = answers.length;
        raw.socket.send(JSON.stringify({ ...whole, method, [name]: value }));
        const answer = await until(`a response to an invalid ${name}`, () => answers[before], 1_000);
        assert.match(answer.error?.error.message ?? '', `"${name}" must be`);
      }
    }
  }
  raw.socket.close();
  assert.not.match(service.output(), 'uncaught');
  await nothingLeft();
});

test('long messages arrive complete', async () => {
  const browser = await connectPlaywright(service);
  const page = await browser.newPage();
  const text = 'long '.repeat(300_000);
  assert.is(await page.evaluate((given) => given.length, text), text.length);
  assert.is((await page.evaluate((given) => given, text)).length, text.length);
  await browser.close();
});

test.differs('Playwright: client certificates, requests without a page');
test('calls that would bypass the server get an error, and the session continues', async () => {
  const raw = await rawPlaywright(service);
  const refused = await raw.call('Playwright', 'newRequest', {});
  assert.match(refused.error?.error.message ?? '', '"newRequest" is not available');
  raw.socket.terminate();
  const browser = await connectPlaywright(service);
  const failure = (options: object) =>
    browser.newContext(options).then(
      () => 'it worked',
      (error: Error) => error.message,
    );
  const certificate = { origin: 'https://a.test', passphrase: 'x', pfx: Buffer.from('x') };
  assert.match(await failure({ clientCertificates: [certificate] }), '"clientCertificates" is not available');
  assert.match(await failure({ proxy: { server: 'http://169.254.169.254:80' } }), 'is not allowed');
  assert.match(await failure({ proxy: { server: 'http://127.0.0.1:9' } }), 'could not be reached');
  const page = await browser.newPage();
  await page.goto(`${site.url}/`);
  // The service itself, requested by a page and by Playwright in the server's process.
  const itself = `http://localhost:${service.port}/active`;
  assert.not.ok(
    await page.goto(itself).then(
      () => true,
      () => false,
    ),
  );
  assert.not.ok(
    await page.request.get(itself).then(
      () => true,
      () => false,
    ),
  );
  assert.is((await page.request.get(`${site.url}/`)).status(), 200);
  await browser.close();
  await nothingLeft();
});

test.proves('externalProxyServer@playwright');
test("pages and Playwright's requests use the proxy of the browser or the context", async () => {
  const ofBrowser = await startHttpProxy();
  const ofContext = await startHttpProxy();
  const target = `http://proxied.test:${new URL(site.url).port}/`;
  const browser = await connectPlaywright(service, '/chromium/playwright', { externalProxyServer: ofBrowser.url() });
  const page = await browser.newPage();
  await page.goto(target);
  assert.is(await page.title(), 'Test page');
  assert.is((await page.request.get(target)).status(), 200);
  assert.ok(ofBrowser.targets().filter((one) => one.includes('proxied.test')).length >= 2);
  const { host } = new URL(ofContext.url());
  const server = { server: `http://${host}`, username: proxyUser, password: proxyPassword };
  const context = await browser.newContext({ proxy: server });
  const other = await context.newPage();
  await other.goto(target);
  assert.is(await other.title(), 'Test page');
  assert.ok(ofContext.targets().some((one) => one.includes('proxied.test')));
  assert.not.match((await service.get('/sessions')).text, proxyPassword);
  await browser.close();
  await nothingLeft();
  await stopAll(ofBrowser, ofContext);
  assert.not.match(service.output(), proxyPassword);
});

test.proves('timeout@playwright');
test.peer('sockets');
test('/kill, the time limit and a crash close the connection with different codes', async () => {
  const killed = await rawPlaywright(service, '/chromium/playwright', { trackingId: 'to-kill' });
  assert.is((await service.get('/kill/to-kill')).status, 204);
  assert.is((await killed.closed).code, 4410);
  const limited = await rawPlaywright(service, '/chromium/playwright', { timeout: 8_000 });
  assert.is((await limited.closed).code, 4408);
  const crashed = await rawPlaywright(service);
  const [browser] = await sessionsOf(service);
  const members = service.tree().filter(({ command }) => command.includes('--remote-debugging-pipe'));
  const main = members.find(({ command }) => !command.includes('--type='));
  assert.ok(browser && main);
  process.kill(main.pid, 'SIGKILL');
  assert.is((await crashed.closed).code, 1011);
  await nothingLeft();
});

test.peer('sockets');
test.peer('network and switches', 'Playwright messages: a client that disconnects during the upgrade');
test('a client that disconnects in any way leaves nothing behind, even before its browser has started', async () => {
  const raw = await rawPlaywright(service);
  raw.socket.terminate();
  await leaveEarly(service, '/chromium/playwright', '--remote-debugging-pipe');
  await nothingLeft();
});

test.peer('sockets');
test('connectOverCDP works with the WebSocket URL and the HTTP URL', async () => {
  const { chromium } = await import('playwright-core');
  const headers = { authorization: 'Bearer secret-token' };
  for (const endpoint of [`ws://127.0.0.1:${service.port}/chromium`, service.url]) {
    const browser = await chromium.connectOverCDP(endpoint, { headers, timeout: 60_000 });
    const page = await browser.newPage();
    await page.goto(`${site.url}/`);
    assert.is(await page.title(), 'Test page');
    await browser.close();
  }
  // /json/version may have started the browser that REST requests share; it stays, and has no port.
  await noSessions(service);
  const ofClients = () => service.tree().filter(({ command }) => command.includes('--remote-debugging-port'));
  await until("all clients' browsers to exit", () => ofClients().length === 0, 30_000);
});
