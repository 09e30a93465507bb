// One conversation with each kind of endpoint of a server process, with streams, limits and signals: what may differ
// between runtimes and forms of the program.
// @runs bundle newest deno process binary
import process from 'node:process';
import { createClient } from 'graphql-ws';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type BqlAnswer, send } from '../support/clients/bql.ts';
import { connect, handshake, rawClient, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { openPage, valueOf } from '../support/clients/targets.ts';
import { processSuite } from '../support/fixture.ts';
import { startProcess } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, fixture } = processSuite('one conversation with each kind of endpoint', {
  env: { TOKEN: 'secret', MAX_PAYLOAD_SIZE: String(2 ** 20) },
});

const running = async () =>
  (await fixture.service.get('/pressure')).json<{ pressure: { running: number } }>().pressure.running;

test('REST: markup, an image, a document, data, and a function', async () => {
  const { post, site } = fixture;
  const url = `${site.url}/small`;
  assert.match((await post('/content', { url })).text, '<title>Small</title>');
  assert.match(Buffer.from((await post('/screenshot', { url })).bytes).toString('latin1'), /^.PNG/);
  assert.match(Buffer.from((await post('/pdf', { url })).bytes).toString('latin1'), /^%PDF-/);
  const scraped = (await post('/scrape', { url, elements: [{ selector: 'title' }] })).json<{ data: object[] }>();
  assert.is(scraped.data.length, 1);
  const code = `export default async ({ page }) => {
    await page.goto(${JSON.stringify(url)});
    return { data: { title: await page.title() }, type: 'application/json' };
  }`;
  assert.equal((await post('/function', { code })).json(), { data: { title: 'Small' }, type: 'application/json' });
});

test('REST: a missing token, a wrong field, a large body and a slow page get their statuses', async () => {
  const { service, site } = fixture;
  refused(await service.post('/content', { html: '<p>' }, { token: null }), 401);
  refused(await service.post('/content', { nothing: true }), 400, 'nothing');
  refused(await service.post('/content', { html: 'x'.repeat(2 ** 20 + 1) }), 400, 'MAX_PAYLOAD_SIZE');
  refused(await service.post('/content', { url: `${site.url}/hang` }, { query: { timeout: 500 } }), 408);
  refused(await service.get('/nowhere'), 404);
});

test('a client that disconnects frees its slot', async () => {
  const { service, site } = fixture;
  const leave = new AbortController();
  const left = service.post('/content', { url: `${site.url}/hang` }, { signal: leave.signal }).catch(() => 'left');
  await site.waitForRequest('/hang');
  leave.abort();
  assert.is(await left, 'left');
  await until('the slot to be free', async () => (await running()) === 0);
});

test('BrowserQL: a document over HTTP, and a subscription over a socket', async () => {
  const { service, site } = fixture;
  const document = `mutation { goto(url: "${site.url}/small") { status } title { title } }`;
  const expected = { goto: { status: 200 }, title: { title: 'Small' } };
  assert.equal((await send(service, document)).json<BqlAnswer>().data, expected);
  const client = createClient({ url: socketUrl(service, '/chromium/bql'), webSocketImpl: WebSocket, retryAttempts: 0 });
  const lines: unknown[] = [];
  client.subscribe(
    { query: 'subscription { console { text } }' },
    { next: ({ data }) => lines.push(data), error: () => {}, complete: () => {} },
  );
  for await (const { data } of client.iterate({ query: document })) assert.equal(data, expected);
  for await (const { errors } of client.iterate({
    query: `mutation { evaluate(content: "console.log('hi')") { value } }`,
  }))
    assert.is(errors, undefined);
  await until('the event', () => JSON.stringify(lines).includes('"text":"hi"'));
  await client.dispose();
});

test('CDP: Puppeteer opens a page, a long message passes both ways, and a wrong token is refused', async () => {
  const { service, site } = fixture;
  assert.is((await handshake(service, '/', { token: 'wrong' })).status, 401);
  const browser = await connect(service);
  const page = await browser.newPage();
  await page.goto(`${site.url}/small`);
  assert.is(await page.title(), 'Small');
  await browser.disconnect();
  const client = await rawClient(socketUrl(service, '/'));
  const { sessionId } = await openPage(client, `${site.url}/small`);
  const text = 'x'.repeat(5 * 2 ** 20);
  assert.is(await valueOf(client, JSON.stringify(text), sessionId), text);
  client.socket.close();
  await client.closed;
  await until('the slots to be free', async () => (await running()) === 0);
});

test('Playwright opens a page and takes a screenshot', async () => {
  const browser = await connectPlaywright(fixture.service);
  const page = await browser.newPage();
  await page.goto(`${fixture.site.url}/small`);
  assert.is(await page.title(), 'Small');
  assert.is((await page.screenshot()).subarray(1, 4).toString(), 'PNG');
  await browser.close();
});

test('a session outlives its connections, and ends when it is deleted', async () => {
  const { service, site } = fixture;
  const { connect: address, stop } = succeeded(
    await service.post('/session', { ttl: 60_000, processKeepAlive: 30_000 }),
  ).json<{
    connect: string;
    stop: string;
  }>();
  const path = new URL(address).pathname;
  const first = await connect(service, path);
  await (await first.newPage()).goto(`${site.url}/small`);
  await first.disconnect();
  const second = await connect(service, path);
  const titles = await Promise.all((await second.pages()).map((page) => page.title()));
  assert.ok(titles.includes('Small'), titles.join());
  const disconnected = new Promise((resolve) => second.once('disconnected', resolve));
  const { status } = await service.get(new URL(stop).pathname, { method: 'DELETE', query: { force: true } });
  assert.is(status, 204);
  await disconnected;
  assert.is((await handshake(service, path)).status, 404);
});

test('the documentation, its search index, and the description of the API are served', async () => {
  const { service } = fixture;
  assert.match(succeeded(await service.get('/search?q=pdf')).text, '/pdf');
  assert.ok(Object.keys(succeeded(await service.get('/openapi.json')).json<{ paths: object }>().paths).length > 50);
  assert.match(
    succeeded(await service.get('/metrics', { headers: { accept: 'text/plain' } })).text,
    'browserd_running',
  );
});

test('SIGTERM lets a running request finish, a second one ends the others at once, and the server ends with 0', async () => {
  const { site } = fixture;
  const service = await startProcess();
  const slow = service.post('/content', { url: `${site.url}/slow?ms=1500` });
  const hanging = service.post('/content', { url: `${site.url}/hang` }).then(
    ({ status }) => status,
    () => 'cut',
  );
  await Promise.all([site.waitForRequest('/slow'), site.waitForRequest('/hang')]);
  const ended = service.end('SIGTERM');
  await until('the server to stop', () => service.logs().some(({ event }) => event === 'stopping'));
  assert.match(succeeded(await slow).text, 'slow 1500');
  process.kill(service.pid, 'SIGTERM');
  assert.is(await hanging, 503);
  assert.is(await ended, 0);
  await service.stop(true);
});
