// Sessions that outlive their browsers: POST /session, its URLs, DELETE /session/{id}.
import { existsSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { connect, handshake, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import { processesMentioning } from '../support/processes.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('sessions', { env: { TOKEN: 'secret-token' } });

test.after.each(async () => void (await fixture.service.get('/kill/all')));

interface Created {
  id: string;
  connect: string;
  ttl: number;
  stop: string;
  browserQL: string;
}

const create = async (body: object = {}) => succeeded(await fixture.service.post('/session', body)).json<Created>();
const end = async ({ id }: Created) =>
  refused(await fixture.service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } }), 204);
const entryOf = async ({ id }: Created) => (await sessionsOf(fixture.service)).find((entry) => entry.id === id);
const connectTo = ({ id }: Created, query = {}) => connect(fixture.service, `/session/connect/${id}`, query);

test.differs('BrowserQL, sessions, reconnect: paid');
test('POST /session returns five fields, and the session is listed until it is deleted', async () => {
  const session = await create({ ttl: 60_000 });
  assert.equal(Object.keys(session).toSorted(), ['browserQL', 'connect', 'id', 'stop', 'ttl']);
  assert.is(session.ttl, 60_000);
  const base = `127.0.0.1:${fixture.service.port}`;
  assert.is(session.connect, `ws://${base}/session/connect/${session.id}?token=secret-token`);
  assert.is(session.stop, `http://${base}/session/${session.id}?token=secret-token`);
  assert.is(session.browserQL, `http://${base}/session/bql/${session.id}?token=secret-token`);
  const entry = await entryOf(session);
  assert.is(entry?.id, session.id);
  assert.is(entry?.running, false);
  assert.ok(existsSync(entry?.userDataDir ?? ''));
  await end(session);
  assert.is(await entryOf(session), undefined);
  assert.not.ok(existsSync(entry?.userDataDir ?? ''));
  refused(await fixture.service.get(`/session/${session.id}`, { method: 'DELETE' }), 404);
  assert.is((await handshake(fixture.service, `/session/connect/${session.id}`)).status, 404);
});

test('cookies and storage survive a browser restart', async () => {
  const session = await create();
  const browser = await connectTo(session);
  const page = await browser.newPage();
  await page.goto(`${fixture.site.url}/`);
  await page.evaluate('document.cookie = "stays=1; max-age=3600"; localStorage.setItem("stays", "2")');
  const entry = await entryOf(session);
  await browser.close();
  await until(
    'its browser to be gone',
    () =>
      processesMentioning(entry?.userDataDir ?? '?').every(
        ({ command }) => !command.includes('--type=') && !command.includes('chrom'),
      ),
    20_000,
  );
  const again = await connectTo(session);
  const other = await again.newPage();
  await other.goto(`${fixture.site.url}/`);
  assert.equal(await other.evaluate('[document.cookie, localStorage.getItem("stays")]'), ['stays=1', '2']);
  await again.disconnect();
  await end(session);
});

test.proves('session:args[]');
test('two sessions are isolated from each other, and options of each reach its own browser', async () => {
  const [one, two] = [await create(), await create({ args: ['--lang=de-DE'], browser: 'chrome' })];
  const [first, second] = [await connectTo(one), await connectTo(two)];
  const page = await first.newPage();
  await page.goto(`${fixture.site.url}/`);
  await page.evaluate('document.cookie = "mine=1; max-age=3600"; localStorage.setItem("mine", "1")');
  const other = await second.newPage();
  await other.goto(`${fixture.site.url}/`);
  assert.equal(await other.evaluate('[document.cookie, localStorage.length]'), ['', 0]);
  assert.is((await second.pages()).length, 2);
  assert.not.match(String(await page.evaluate('navigator.language')), /^de/);
  assert.match(String(await other.evaluate('navigator.language')), /^de/);
  for (const browser of [first, second]) await browser.disconnect();
  await end(one);
  await end(two);
});

test.proves('session:processKeepAlive');
test('processKeepAlive keeps the browser running for the next client', async () => {
  const session = await create({ processKeepAlive: 20_000 });
  const browser = await connectTo(session);
  const page = await browser.newPage();
  await page.goto(`${fixture.site.url}/`);
  await page.evaluate('window.state = 7');
  await browser.disconnect();
  const again = await connectTo(session);
  const pages = await again.pages();
  const same = pages.find((each) => each.url() === `${fixture.site.url}/`);
  assert.is(await same?.evaluate('window.state'), 7);
  await end(session);
  await until('the client to be disconnected', () => !again.connected);
});

test.proves('DELETE/session/:id?force');
test('DELETE is rejected while a client is connected, and force disconnects it', async () => {
  const session = await create();
  const client = await rawClient(socketUrl(fixture.service, `/session/connect/${session.id}`));
  refused(await fixture.service.get(`/session/${session.id}`, { method: 'DELETE' }), 409, 'force=true');
  await end(session);
  assert.is((await client.closed).code, 4411);
  assert.is(await entryOf(session), undefined);
});

test.proves('session:ttl');
test('when the time to live expires, the client is disconnected and the process and files are removed', async () => {
  const session = await create({ ttl: 4_000 });
  const client = await rawClient(socketUrl(fixture.service, `/session/connect/${session.id}`));
  const entry = await entryOf(session);
  const { code, reason } = await client.closed;
  assert.is(code, 4411);
  assert.match(reason, /time to live/);
  await until('the files to be gone', () => !existsSync(entry?.userDataDir ?? ''), 20_000);
  assert.is((await handshake(fixture.service, `/session/connect/${session.id}`)).status, 404);
  assert.equal(processesMentioning(entry?.userDataDir ?? '?'), []);
});

test('/kill ends a session with or without a browser', async () => {
  const idle = await create();
  refused(await fixture.service.get(`/kill/${idle.id}`), 204);
  const busy = await create();
  const client = await rawClient(socketUrl(fixture.service, `/session/connect/${busy.id}`));
  refused(await fixture.service.get(`/kill/${busy.id}`), 204);
  assert.is((await client.closed).code, 4410);
  assert.equal(await sessionsOf(fixture.service), []);
});

test('two clients that connect at the same time share one browser', async () => {
  const session = await create();
  const [first, second] = await Promise.all([connectTo(session), connectTo(session)]);
  assert.is((await entryOf(session))?.numbConnected, 2);
  await first.newPage();
  assert.is((await second.pages()).length, 2);
  await first.disconnect();
  assert.match(await second.version(), /Chrome/);
  await second.disconnect();
  await end(session);
});

test('errors for invalid bodies name the field', async () => {
  const wrong: [body: object, path: string][] = [
    [{ ttl: 0 }, 'ttl'],
    [{ ttl: 'long' }, 'ttl'],
    [{ processKeepAlive: -1 }, 'processKeepAlive'],
    [{ browser: 'firefox' }, 'browser'],
    [{ url: 'nowhere' }, 'url'],
    [{ proxy: { type: 'datacenter' } }, 'proxy.type'],
    [{ unknown: 1 }, 'unknown'],
  ];
  for (const [body, path] of wrong) namesField(await fixture.service.post('/session', body), path);
  refused(await fixture.service.post('/session', { args: ['--remote-debugging-port=1'] }), 400, 'remote-debugging');
  refused(await fixture.service.post('/session', {}, { token: null }), 401);
  assert.equal(await sessionsOf(fixture.service), []);
});
