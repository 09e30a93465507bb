// Debian's Firefox through Playwright's ordinary firefox.connect. A start takes about 8 s of CPU time, so there are
// few: with the newest version, in which Firefox is a channel, and with one in which it is a separate type.
// @tier ci
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { fixtureSuite } from '../support/fixture.ts';
import { missing } from '../support/programs.ts';
import { sessionsOf } from '../support/clients/clients.ts';
import {
  connectPlaywright,
  disconnected,
  leaveEarly,
  screenshotWorks,
  version,
} from '../support/clients/playwright.ts';
import { portsOf } from '../support/listeners.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('Firefox for Playwright', {
  timeoutMs: 200_000,
  env: { TOKEN: 'secret-token', TIMEOUT: '200000', SPARES: '0' },
});
const path = '/firefox/playwright';
const isDeno = 'Deno' in globalThis;

async function nothingLeft(): Promise<void> {
  await until('all sessions to end', async () => (await sessionsOf(service)).length === 0, 60_000);
  await until('all browsers to exit', () => service.leftovers().processes.length === 0, 60_000);
  await until('all files to be removed', () => service.leftovers().files.length === 0, 60_000);
}

/** Requests a session over BiDi. @returns the whole response, or why the handshake failed */
async function newSession(address: string, headers: Record<string, string> = {}): Promise<string> {
  const socket = new WebSocket(address, { headers });
  try {
    return await new Promise((resolve) => {
      socket.once('error', (error) => resolve(error.message));
      socket.once('message', (data) => resolve(data.toString()));
      socket.once('open', () => socket.send('{"id":1,"method":"session.new","params":{"capabilities":{}}}'));
    });
  } finally {
    socket.terminate();
  }
}

const reason = missing('Firefox');
if (reason !== undefined) test.skip('firefox.connect', reason);
else {
  // The library of one version is enough to see that Deno runs it.
  for (const minor of isDeno ? ['1.65'] : ['1.65', '1.52']) {
    test.peer('sockets');
    test(`Playwright ${minor}: pages, input, screenshots and cookies work, and the egress cannot be bypassed`, async () => {
      const browser = await connectPlaywright(service, path, {}, version(minor));
      assert.match(browser.version(), /^\d+\./);
      const [entry] = await sessionsOf(service);
      assert.match(JSON.stringify(entry), '"browser":"FirefoxPlaywright"');
      const context = await browser.newContext({ viewport: { width: 500, height: 400 } });
      const page = await context.newPage();
      await page.goto(`${site.url}/`);
      assert.is(await page.title(), 'Test page');
      assert.ok(await screenshotWorks(page));
      await page.setContent('<input id="field"><button onclick="this.textContent = field.value">send</button>');
      await page.fill('#field', 'browserd');
      await page.click('button');
      assert.is(await page.textContent('button'), 'browserd');
      await context.addCookies([{ name: 'a', value: 'b', url: site.url }]);
      assert.is((await context.cookies(site.url))[0]?.value, 'b');
      const opened = await page.goto(`http://localhost:${service.port}/active`).then(
        () => 'opened',
        () => 'refused',
      );
      assert.is(opened, 'refused');
      await browser.close();
      await nothingLeft();
    });
  }

  test("another process cannot control a session's browser, and no command line contains its URL", async () => {
    const before = new Set(portsOf(service.tree().map(({ pid }) => pid)));
    const browser = await connectPlaywright(service, path);
    const processes = service.tree();
    for (const { command } of processes) assert.not.match(command, 'ws://127.0.0.1');
    const inner = processes.map(({ pid }) => pid);
    const [port, ...others] = [...new Set(portsOf(inner))].filter((one) => !before.has(one));
    assert.ok(port !== undefined && others.length === 0, 'Firefox listens on one port');
    const session = `ws://127.0.0.1:${port}/session`;
    assert.match(await newSession(session), 'session not created');
    assert.match(await newSession(session, { Origin: 'https://evil.test' }), /40\d/);
    assert.match(await newSession(session, { Host: 'evil.test' }), /40\d/);
    assert.match(await newSession(`${session}/${crypto.randomUUID()}`), /40\d|invalid session id/);
    const page = await browser.newPage();
    await page.goto(`${site.url}/`);
    assert.is(await page.title(), 'Test page');
    await browser.close();
    await nothingLeft();
  });

  test.proves('timeout@playwright-firefox');
  test.peer('sockets');
  test('connects on a server without a token; slots, time limits and /kill work as for Chromium', async () => {
    await using open = await startService({ env: { TIMEOUT: '200000', SPARES: '0', CONCURRENT: '1' } });
    const total = async () => (await open.get('/metrics/total')).json<Record<string, number>>();
    const first = await connectPlaywright(open, path);
    const waiting = connectPlaywright(open, path, { trackingId: 'to-kill' });
    await until('a queued client', async () => (await total())['queued'] === 1);
    await first.close();
    const second = await waiting;
    const gone = disconnected(second);
    assert.is((await open.get('/kill/to-kill')).status, 204);
    assert.equal(await sessionsOf(open), []);
    await gone;
    // Firefox takes longer than that to start: the limit expires before the socket is accepted, or soon after.
    const late = await connectPlaywright(open, path, { timeout: 500 }).catch((error: Error) => error.message);
    if (typeof late === 'string') assert.match(late, '408');
    else await disconnected(late);
    await until('the timeout to be counted', async () => (await total())['timedout'] === 1, 30_000);
    assert.is((await total())['successful'], 1);
  });

  test('a client that disconnects while Firefox starts leaves nothing behind', async () => {
    await leaveEarly(service, path, '--remote-debugging-port=0');
    await nothingLeft();
  });
}
