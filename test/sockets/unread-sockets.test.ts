// WebSocket clients that do not read: the server bounds the buffers of BrowserQL and CDP sockets and closes them, even
// while the client keeps writing; responses of any size reach clients that read.
// @tier ci
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { rawClient, socketUrl } from '../support/clients/clients.ts';
import { openFrames } from '../support/clients/raw-frames.ts';
import { processSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = processSuite('unread sockets', {
  env: { SEND_TIMEOUT_MS: '1500', PING_INTERVAL_MS: '5000', MAX_ANSWER_MB: '18' },
});

const running = async () =>
  (await fixture.service.get('/pressure')).json<{ pressure: { running: number } }>().pressure.running;

test.after.each(() => until('every call to end', async () => (await running()) === 0));

interface Graphql {
  socket: WebSocket;
  /** Starts an operation; its responses are in `messages`. */
  start(id: string, query: string): void;
  messages: { type: string; id?: string; payload?: unknown }[];
  closed: Promise<number>;
}

async function graphql(): Promise<Graphql> {
  const socket = new WebSocket(socketUrl(fixture.service, '/chromium/bql?timeout=60000'), 'graphql-transport-ws');
  const messages: Graphql['messages'] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));
  await new Promise<void>((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await until('the server to acknowledge', () => messages.some(({ type }) => type === 'connection_ack'));
  const start = (id: string, query: string) =>
    socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query } }));
  return { socket, start, messages, closed };
}

const noisy = `mutation { evaluate(content: "(async () => {
  for (let n = 0; n < 100; n++) { console.log('y'.repeat(400000)); await new Promise((r) => setTimeout(r, 5)); }
})()") { value } }`.replaceAll('\n', ' ');

test.proves('SEND_TIMEOUT_MS');
test('a BrowserQL subscriber that does not read is disconnected', async () => {
  const client = await graphql();
  client.start('events', 'subscription { console { type text } }');
  client.start('page', 'mutation { content(html: "<p></p>") { time } }');
  await until('the page', () => client.messages.some(({ id, type }) => id === 'page' && type === 'complete'));
  client.socket.pause();
  client.start('noise', noisy);
  await until('the client to be disconnected', async () => (await running()) === 0);
  client.socket.resume();
  assert.ok([1006, 1013].includes(await client.closed));
});

test('a BrowserQL client that keeps sending documents without reading is disconnected', async () => {
  const client = await graphql();
  client.socket.pause();
  for (let n = 0; n < 20; n++) {
    client.start(`a${n}`, `mutation { evaluate(content: "'z'.repeat(5000000)") { value } }`);
  }
  await until('the client to be disconnected', async () => (await running()) === 0);
  client.socket.terminate();
});

test('a 12 MB response, larger than any buffer, reaches a client that reads', async () => {
  const client = await graphql();
  client.start('large', `mutation { evaluate(content: "'z'.repeat(12000000)") { value } }`);
  client.start('small', 'mutation { title { title } }');
  await until('both responses', () => client.messages.filter(({ type }) => type === 'complete').length === 2);
  const large = client.messages.find(({ id }) => id === 'large');
  assert.ok(JSON.stringify(large).length > 12_000_000);
  client.socket.close();
});

test('results of one document over MAX_ANSWER_MB are replaced by an error', async () => {
  const steps = Array.from({ length: 4 }, (_, n) => `s${n}: evaluate(content: "'z'.repeat(5000000)") { value }`);
  const reply = await fixture.service.post('/chromium/bql', { query: `mutation { ${steps.join(' ')} }` });
  const { data, errors } = reply.json<{
    data: Record<string, unknown>;
    errors: { message: string; extensions: object }[];
  }>();
  assert.equal(
    Object.values(data).map((value) => value === null),
    [false, false, false, true],
  );
  assert.match(errors[0]?.message ?? '', 'would exceed 18 MB (MAX_ANSWER_MB)');
  assert.equal(errors[0]?.extensions, { code: 'ANSWER_TOO_LARGE' });
});

test('a CDP client that keeps writing without reading is disconnected', async () => {
  const client = await rawClient(socketUrl(fixture.service, '/?timeout=60000'));
  const { result } = await client.send('Target.createTarget', { url: 'about:blank' });
  const { targetId } = result ?? {};
  const attached = await client.send('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = String(attached.result?.['sessionId']);
  client.socket.pause();
  for (let n = 0; n < 3; n++) {
    void client.send('Runtime.evaluate', { expression: "'x'.repeat(10000000)", returnByValue: true }, sessionId);
  }
  const began = performance.now();
  await until('the client to be disconnected', async () => {
    if (client.socket.readyState === WebSocket.OPEN) void client.send('Browserless.pageId');
    return (await running()) === 0;
  });
  assert.ok(performance.now() - began < 20_000);
  client.socket.terminate();
});

/** The most that the system buffers for one connection, in bytes: what was sent and what was received. */
const systemBytes = ['wmem', 'rmem']
  .map((name) => Number(readFileSync(`/proc/sys/net/ipv4/tcp_${name}`, 'utf8').trim().split('\t').at(-1)))
  .reduce((sum, bytes) => sum + bytes, 0);

/** The header from which the server reads the Playwright version. */
const agent = 'Playwright/1.62.0 (x64; debian 12) node/24.0';

for (const [name, path] of Object.entries({ CDP: '/', Playwright: '/chromium/playwright' })) {
  test.shows('huge-messages', name === 'CDP' ? 'CDP' : 'Playwright');
  test(`${name}: of pings whose pongs are not read, the latest is answered; the others do not use up memory`, async () => {
    const client = await openFrames(socketUrl(fixture.service, path), { 'User-Agent': agent });
    client.pause();
    const ping = { opcode: 9, payload: 'x'.repeat(120) };
    const thousand = Array.from({ length: 1_000 }, () => ping);
    // The server buffers one megabyte of pongs for a client, besides the system.
    const buffered = Math.ceil((systemBytes + 2 ** 20) / 122);
    const thousands = Math.ceil((1.5 * buffered) / 1_000);
    for (let sent = 0; sent < thousands; sent++) client.send(...thousand);
    client.send({ opcode: 9, payload: 'the latest' });
    // Pings that the server reads after the client resumes are answered as well.
    await client.read();
    assert.is((await fixture.service.get('/pressure')).status, 200);
    client.resume();
    await until('the latest pong', () => client.pongs().includes('the latest'));
    const { length } = client.pongs();
    assert.ok(length < 1.2 * buffered, `${length} pongs for ${thousands},000 pings`);
    client.destroy();
  });
}
