// Effects of the launch options and parameters of CDP sockets: ttl, slowMo, defaultViewport
// (compatibility.mdx#launch-options).
import * as assert from 'uvu/assert';
import {
  connect,
  endAll,
  noSessions,
  rawClient,
  type SessionEntry,
  sessionsOf,
  socketUrl,
} from '../support/clients/clients.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const maxReconnectMs = 4_000;
const { test, fixture } = fixtureSuite('effects of launch options', {
  env: { MAX_RECONNECT_TIME: String(maxReconnectMs) },
});

test.after.each(() => endAll(fixture.service));

const only = async (): Promise<SessionEntry> => {
  const [entry] = await sessionsOf(fixture.service);
  assert.ok(entry);
  return entry;
};
const launch = (options: unknown) => ({ launch: JSON.stringify(options) });

test.proves('ttl@cdp');
test('ttl: the browser waits for a reconnection with its pages, then closes', async () => {
  const first = await connect(fixture.service, '/', { ttl: 1_500 });
  const page = await first.newPage();
  await page.goto(`${fixture.site.url}/small`);
  const { id } = await only();
  await first.disconnect();
  await until('the client to disconnect', async () => (await only()).numbConnected === 0);
  const again = await connect(fixture.service, `/reconnect/${id}`);
  const urls = (await again.pages()).map((each) => each.url());
  assert.ok(urls.includes(`${fixture.site.url}/small`), urls.join());
  const left = performance.now();
  await again.disconnect();
  await noSessions(fixture.service);
  assert.ok(performance.now() - left > 1_200, 'it waited after the second client too');
});

test('ttl is capped at MAX_RECONNECT_TIME', async () => {
  const browser = await connect(fixture.service, '/', { ttl: 3_600_000 });
  const left = performance.now();
  await browser.disconnect();
  await noSessions(fixture.service);
  const waitedMs = performance.now() - left;
  assert.ok(waitedMs > maxReconnectMs - 500 && waitedMs < maxReconnectMs + 10_000, String(waitedMs));
});

test('without ttl, or with a ttl of 0 or less, the browser closes when its client disconnects', async () => {
  for (const query of [{}, { ttl: 0 }, { ttl: -5 }]) {
    const browser = await connect(fixture.service, '/', query);
    const left = idleNow();
    await browser.disconnect();
    await noSessions(fixture.service);
    assert.ok(idleNow() - left < 3_000, JSON.stringify(query));
  }
});

async function commandsTakeMs(path: string, query: Record<string, string>): Promise<number> {
  const client = await rawClient(socketUrl(fixture.service, path, query));
  const start = performance.now();
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => client.send('Browser.getVersion')));
  assert.is(answers.length, 5);
  client.socket.close();
  return performance.now() - start;
}

test.proves('launch.slowMo@cdp');
test('slowMo delays each command of a client, in launch and as a parameter', async () => {
  const plainMs = await commandsTakeMs('/', {});
  for (const query of [launch({ slowMo: 150 }), { slowMo: '150' }]) {
    const slowMs = await commandsTakeMs('/', query);
    assert.ok(slowMs >= 5 * 145, `${slowMs} ms, ${plainMs} ms without`);
    await noSessions(fixture.service);
  }
});

test.proves('launch.slowMo@attach');
test('slowMo on a running browser affects only the client that sets it', async () => {
  const browser = await connect(fixture.service);
  const { id } = await only();
  assert.ok((await commandsTakeMs(`/devtools/browser/${id}`, { slowMo: '150' })) >= 5 * 145);
  assert.ok((await commandsTakeMs(`/devtools/browser/${id}`, {})) < 5 * 145);
  await browser.disconnect();
});

test('a client that disconnects during a long slowMo leaves no session behind', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/', { slowMo: '3000000000' }));
  for (let index = 0; index < 100; index++) client.send('Browser.getVersion').catch(() => {});
  client.socket.close();
  await noSessions(fixture.service);
});

/** Opens pages as a bare client does, without setting a viewport, and reads the size of each. */
async function sizes(query: Record<string, string>): Promise<{ first: unknown; second: unknown; popup: unknown }> {
  const browser = await connect(fixture.service, '/', query, { defaultViewport: null });
  const [first] = await browser.pages();
  assert.ok(first);
  const second = await browser.newPage();
  await Promise.all([first, second].map((page) => page.goto(`${fixture.site.url}/small`)));
  const opened = new Promise<void>((resolve) => browser.once('targetcreated', () => resolve()));
  await second.evaluate(`window.popup = window.open('${fixture.site.url}/small?popup')`);
  await opened;
  const popup = await until('the popup', async () =>
    (await browser.pages()).find((page) => page.url().includes('?popup')),
  );
  const size = 'JSON.stringify([innerWidth, innerHeight, devicePixelRatio, "ontouchstart" in window])';
  const found = {
    first: JSON.parse(String(await first.evaluate(size))),
    second: JSON.parse(String(await second.evaluate(size))),
    popup: JSON.parse(String(await popup.evaluate(size))),
  };
  await browser.disconnect();
  await noSessions(fixture.service);
  return found;
}

for (const isolation of ['context', 'process']) {
  test.proves('launch.defaultViewport@cdp');
  test(`defaultViewport sizes the first page, new pages and popups (${isolation})`, async () => {
    const defaultViewport = { width: 1_111, height: 555, deviceScaleFactor: 2, hasTouch: true };
    const size = [1_111, 555, 2, true];
    const found = await sizes({ ...launch({ defaultViewport }), isolation });
    assert.equal(found, { first: size, second: size, popup: size });
  });
}

test("a client's own viewport wins, even on another site", async () => {
  const browser = await connect(fixture.service, '/', launch({ defaultViewport: { width: 1_111, height: 555 } }));
  const page = await browser.newPage();
  await page.setViewport({ width: 432, height: 321 });
  await page.goto(`${fixture.site.url}/small`);
  assert.is(await page.evaluate('innerWidth'), 432);
  await page.goto(`${fixture.site.otherUrl}/small`);
  assert.is(await page.evaluate('innerWidth'), 432);
  await browser.disconnect();
});
