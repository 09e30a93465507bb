// Clients that do not read their responses: the request counts as running until its response has been sent, and a
// client that reads no byte for SEND_TIMEOUT_MS loses its connection, for every kind of response. Slow readers receive
// all of it.
// @tier ci
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type IdleClient, idleClient } from '../support/clients/idle-client.ts';
import { startService } from '../support/service.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const standstillMs = 1_500;
const env = {
  SEND_TIMEOUT_MS: String(standstillMs),
  MAX_UNREAD_MB: '30',
  MAX_ANSWER_MB: '22',
  CONCURRENT: '3',
  QUEUED: '0',
  LOG_LEVEL: 'debug',
};
const { test, fixture } = fixtureSuite('unread answers', { env });

/** More than the buffers of both systems hold: 20 MB of markup. */
const characters = 20_000_000;
const large = {
  html: '<p></p>',
  addScriptTag: [{ content: `document.body.append(document.createComment('x'.repeat(${characters})))` }],
};
const streamingCode = (
  count: number,
) => `let n = 0; export default () => ({ type: 'application/x-test', data: new ReadableStream({
  pull(c) { if (n++ < ${count}) c.enqueue(new Uint8Array(1_000_000)); else c.close(); } }) })`;

interface Pressure {
  running: number;
  isAvailable: boolean;
  reason: string;
  message: string;
}
const pressure = async () => (await fixture.service.get('/pressure')).json<{ pressure: Pressure }>().pressure;
const running = async () => (await pressure()).running;
const disconnectLines = () => fixture.service.logs().filter(({ code }) => code === 'client-gone');

const clients: IdleClient[] = [];
async function client(service = fixture.service): Promise<IdleClient> {
  const made = await idleClient(service.port);
  clients.push(made);
  return made;
}

test.after.each(async () => {
  for (const one of clients.splice(0)) one.close();
  await until('every request to end', async () => (await running()) === 0);
});

const code = (source: string) => ({ code: source });
const kinds: [what: string, path: string, body: () => object][] = [
  ['text in memory', '/content', () => large],
  ['a BrowserQL response', '/chromium/bql', () => bql('')],
  [
    'a BrowserQL response from a separate browser',
    '/chromium/bql',
    () => bql('reconnect(timeout: 1) { browserWSEndpoint }'),
  ],
  ['a stream from code', '/function', () => code(streamingCode(200))],
  ['text from code', '/function', () => code(`export default () => 'x'.repeat(${characters})`)],
  ['a file from a site', '/export', () => ({ url: `${fixture.site.url}/files/large.bin?mb=30` })],
  ['a download', '/download', () => code(downloading)],
];
const bql = (more: string) => ({
  query: `mutation { evaluate(content: "'x'.repeat(${characters})") { value } ${more} }`,
});
const downloading = `export default ({ page }) => page.evaluate(() => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([new Uint8Array(30_000_000)]));
  link.download = 'large.bin';
  link.click();
})`;

for (const [what, path, body] of kinds) {
  test(`${what}: if unread, holds its slot until the client is disconnected`, async () => {
    const before = disconnectLines().length;
    const idle = await client();
    idle.post(path, body());
    await until('the response to start', () => idle.socket.bytesRead > 0);
    const began = performance.now();
    assert.ok((await running()) >= 1);
    // The browser is released as soon as the response is ready.
    if (path === '/content') assert.equal((await fixture.service.get('/sessions')).json(), []);
    await until('the client to be disconnected', async () => (await running()) === 0, 15_000);
    const took = performance.now() - began;
    assert.ok(took > standstillMs * 0.6, `disconnected after ${took} ms`);
    const line = await until('the log line', () => disconnectLines()[before], 3_000);
    assert.match(String(line['reason']), 'stopped reading the response');
    assert.is(line['status'], 499);
    const read = await idle.readToEnd();
    assert.ok(read.startsWith('HTTP/1.1 200') && read.length < characters, `${read.length} bytes arrived`);
  });
}

test('a slow client that keeps reading gets the whole response', async () => {
  const idle = await client();
  idle.post('/content', large);
  const began = performance.now();
  let bytes = 0;
  while (bytes < characters) {
    const chunk: Buffer | null = idle.socket.read();
    if (chunk) bytes += chunk.length;
    if (idle.socket.destroyed) throw new Error(`disconnected after ${bytes} bytes`);
    // The client pauses for half a second after every four megabytes.
    if (chunk && Math.floor(bytes / 4e6) > Math.floor((bytes - chunk.length) / 4e6)) await pause(500);
    else await pause(1);
  }
  assert.ok(performance.now() - began > standstillMs, 'too fast to prove anything');
});

test('pipelined requests are answered in order', async () => {
  const ahead = await client();
  for (let n = 1; n <= 5; n++) ahead.post('/content', { html: `<h1>number ${n}</h1>` });
  ahead.socket.write('GET /active HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
  const text = await ahead.readToEnd();
  const order = [...text.matchAll(/number (\d)/g)].map(([, n]) => n).join('');
  assert.is(order, '12345');
  assert.match(text, 'HTTP/1.1 204');
});

test('requests pipelined behind a slow response wait, and all are answered', async () => {
  const ahead = await client();
  ahead.post('/content', { html: '<p></p>', waitForTimeout: 1_000 });
  const request = (last: boolean) =>
    `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
  for (let left = 200; left > 0; left--) ahead.socket.write(request(left === 1));
  const text = await ahead.readToEnd();
  assert.is(text.split('HTTP/1.1 200 OK').length, 202);
});

test.proves('MAX_UNREAD_MB');
test('while too much is unread, requests are rejected with a reason; later they are accepted again', async () => {
  // Two responses must be unread at the same time, and a slow machine produces the second one seconds after the first.
  await using service = await startService({ env: { ...env, SEND_TIMEOUT_MS: '10000' } });
  const state = async () => (await service.get('/pressure')).json<{ pressure: Pressure }>().pressure;
  for (let n = 0; n < 2; n++) (await client(service)).post('/content', large);
  const full = await until('too much to be unread', async () => {
    const now = await state();
    return !now.isAvailable && now.reason === 'memory' ? now : undefined;
  });
  assert.match(full.message, /39 MB .* MAX_UNREAD_MB .*30 MB/);
  refused(await service.post('/content', { html: '<p></p>' }), 429, 'MAX_UNREAD_MB');
  await until('requests to be accepted again', async () => (await state()).isAvailable);
  succeeded(await service.post('/content', { html: '<p></p>' }));
});

test.proves('MAX_ANSWER_MB');
test('a response larger than MAX_ANSWER_MB is replaced by a 400 that says so', async () => {
  const script = `document.body.append(document.createComment('x'.repeat(25_000_000)))`;
  const body = { html: '<p></p>', addScriptTag: [{ content: script }] };
  refused(await fixture.service.post('/content', body), 400, 'MAX_ANSWER_MB', '22 MB');
});
