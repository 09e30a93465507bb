// `url` of POST /session: the session's first browser shows it to its first client; POST /session rejects URLs that the
// server is not allowed to open.
// @tier ci
import * as assert from 'uvu/assert';
import { connect, handshake, sessionsOf } from '../support/clients/clients.ts';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('start page of a session', {
  env: { ALLOW_FILE_PROTOCOL: 'false', SPARES: '0' },
});
test.after.each(async () => {
  // Unlike /kill, it responds when the files are gone.
  for (const id of created.splice(0)) {
    await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
  }
});

const created: string[] = [];
const create = async (body: object) => {
  const { id } = succeeded(await service.post('/session', body)).json<{ id: string }>();
  created.push(id);
  return id;
};
const connectTo = (id: string) => connect(service, `/session/connect/${id}`);
const seen = (path: string) => site.requests.filter((request) => request.path === path).length;

test.proves('session:url');
test('the first client finds the page open, and later browsers do not open it again', async () => {
  const id = await create({ url: `${site.url}/small` });
  assert.is(seen('/small'), 0);
  const first = await connectTo(id);
  const pages = await first.pages();
  assert.equal(
    pages.map((page) => page.url()),
    [`${site.url}/small`],
  );
  assert.is(await pages[0]?.title(), 'Small');
  await first.close();
  await until('its browser to be gone', async () => (await sessionsOf(service))[0]?.running === false, 20_000);
  const second = await connectTo(id);
  assert.equal(
    (await second.pages()).map((page) => page.url()),
    ['about:blank'],
  );
  assert.is(seen('/small'), 1);
  await second.disconnect();
});

test('clients that connect at the same time open it once', async () => {
  const id = await create({ url: `${site.url}/small`, blockAds: true });
  const clients = await Promise.all([connectTo(id), connectTo(id)]);
  for (const client of clients) assert.is((await client.pages())[0]?.url(), `${site.url}/small`);
  assert.is(seen('/small'), 1);
  for (const client of clients) await client.disconnect();
});

test('a BrowserQL document can be the first client', async () => {
  const id = await create({ url: `${site.url}/small`, stealth: true });
  const reply = succeeded(
    await service.post(`/session/bql/${id}`, { query: 'mutation { url { url } title { title } }' }),
  );
  assert.equal(reply.json(), { data: { url: { url: `${site.url}/small` }, title: { title: 'Small' } } });
});

test('data: URLs and about:blank work too', async () => {
  for (const url of ['data:text/html,<title>here</title>', 'about:blank']) {
    const client = await connectTo(await create({ url }));
    assert.is((await client.pages())[0]?.url(), url);
    await client.disconnect();
  }
});

test('a page that hangs or cannot be reached does not keep the client from connecting', async () => {
  for (const [url, shown] of [
    [`${site.url}/hang`, 'about:blank'],
    [site.refusingUrl, 'chrome-error://chromewebdata/'],
  ] as const) {
    const client = await connectTo(await create({ url }));
    const [page] = await client.pages();
    assert.is(page?.url(), shown);
    await page?.goto(`${site.url}/small`);
    assert.is(await page?.title(), 'Small');
    await client.disconnect();
  }
});

test('the time limit applies while the page loads; the next client opens it again', async () => {
  const id = await create({ url: `${site.url}/hang` });
  // Enough time for a slow machine to reach the page, which the next line expects.
  assert.is((await handshake(service, `/session/connect/${id}`, { timeout: 5_000 })).status, 408);
  assert.is(seen('/hang'), 1);
  const client = await connectTo(id);
  assert.is(seen('/hang'), 2);
  await client.disconnect();
});

test('DELETE does not wait for the page', async () => {
  const id = await create({ url: `${site.url}/hang` });
  const connecting = handshake(service, `/session/connect/${id}`);
  await site.waitForRequest('/hang');
  refused(await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } }), 204);
  // Connected or refused: either way, nothing is left.
  await connecting;
  assert.equal(await sessionsOf(service), []);
});

test('POST /session rejects URLs that cannot be opened', async () => {
  const wrong: [url: string, status: number, ...mentions: string[]][] = [
    ['file:///etc/passwd', 403, 'file:', 'use http: or https:'],
    ['javascript:alert(1)', 403, 'javascript:'],
    ['chrome://version', 403, 'chrome:'],
    ['about:settings', 403, 'about:'],
    ['http://169.254.169.254/latest/meta-data/', 403, 'link-local'],
    [`${service.url}/active`, 403, 'belongs to this service'],
    [`http://localhost:${service.port}/active`, 403, 'belongs to this service'],
  ];
  for (const [url, status, ...mentions] of wrong) {
    refused(await service.post('/session', { url }), status, '"url"', 'leave "url" out', ...mentions);
  }
  namesField(await service.post('/session', { url: 'nowhere' }), 'url');
  const long = await service.post('/session', { url: `data:text/plain,${'x'.repeat(2_097_152)}` });
  namesField(long, 'url');
  refused(long, 400, '2097152');
  assert.equal(await sessionsOf(service), []);
});

test('BLOCK_PRIVATE_NETWORK applies to addresses and to names that resolve to them', async () => {
  await using guarded = await startService({ env: { BLOCK_PRIVATE_NETWORK: 'true', SPARES: '0' } });
  for (const url of ['http://10.0.0.1/', `${site.url}/small`, `${site.otherUrl}/small`]) {
    refused(await guarded.post('/session', { url }), 403, '"url"', 'BLOCK_PRIVATE_NETWORK', 'leave "url" out');
  }
  assert.equal(await sessionsOf(guarded), []);
  assert.is(seen('/small'), 0);
});
