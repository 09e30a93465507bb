// Bodies crafted to cost the server time or memory, on every route that accepts JSON: the server rejects them with a
// short 400 while it serves other clients, and rejects clients without a token before it reads a byte of the body.
// @tier ci
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { mounts } from '../../src/api/routes/pipeline/route.ts';
import { jobRoutes } from '../../src/api/routes/table.ts';
import { WebSocket } from 'ws';
import { refused, succeeded } from '../support/checks/expect.ts';
import { send } from '../support/clients/http.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { idleNow } from '../support/idle-clock.ts';

const test = suite('budgets');
let withoutToken: Service;
let withToken: Service;

test.before(async () => {
  withoutToken = await startService({ env: { SPARES: '0' } });
  withToken = await startService({ env: { SPARES: '0', TOKEN: 'secret-token' } });
});
test.after(() => stopAll(withoutToken, withToken));

/** Maximum time that other clients may wait, in milliseconds: the test machine may be busy anyway. */
const maxWaitMs = 1_000;
const maxResponseBytes = 64_000;

const id = crypto.randomUUID();
const paths = [
  ...jobRoutes.map(({ name, mounts: own = mounts }) => `${own[0]?.prefix ?? ''}/${name}`.replace(':id', id)),
  '/session',
];

/** The JSON of a list that repeats an item. */
const list = (count: number, item: string) => `[${`${item},`.repeat(count - 1)}${item}]`;
const members = (count: number) => Array.from({ length: count }, (_, index) => `"unknown${index}":1`).join();

const bodies: Record<string, string> = {
  'a million zeros': `{"html":"x","rejectResourceTypes":${list(1_000_000, '0')}}`,
  '300,000 empty cookies': `{"html":"x","cookies":${list(300_000, '{}')}}`,
  '30,000 empty cookies': `{"html":"x","cookies":${list(30_000, '{}')}}`,
  '500,000 unknown fields': `{"html":"x",${members(500_000)}}`,
  '60,000 unknown fields': `{"html":"x",${members(60_000)}}`,
  '200,000 bad tags': `{"html":"x","addScriptTag":${list(200_000, '{"type":1}')}}`,
  '500 bad tags': `{"html":"x","addScriptTag":${list(500, '{"type":1,"id":2,"url":3}')}}`,
  '3 million brackets': `{"html":"x","cookies":${'['.repeat(3_000_000)}`,
  'a list inside a string': `{"html":"x","cookies":${JSON.stringify(list(1_000_000, '0'))}}`,
  'a name of 5 MB': `{"${'x'.repeat(5_000_000)}":1}`,
  'a list as the body': list(1_000_000, '1'),
};

/** Keeps requesting /active during the work. @returns the result of the work, and the longest wait in milliseconds */
async function longestWait<T>(work: Promise<T>): Promise<{ result: T; wait: number }> {
  let over = false;
  const settled = work.finally(() => (over = true));
  settled.catch(() => {});
  let wait = 0;
  while (!over) {
    const began = idleNow();
    assert.is((await send(`${withoutToken.url}/active`)).status, 204);
    wait = Math.max(wait, idleNow() - began);
  }
  return { result: await settled, wait };
}

// The body is not read when the browser or session does not exist; the last tests cover that.
for (const path of paths.filter((each) => !each.endsWith(id))) {
  test.differs('Only the size of a body is limited');
  test(`${path} rejects bodies that are too expensive to process`, async () => {
    const problems: string[] = [];
    for (const [name, body] of Object.entries(bodies)) {
      const { result: reply, wait } = await longestWait(withoutToken.post(path, body));
      if (reply.status !== 400) problems.push(`${name}: ${reply.status} ${reply.text.slice(0, 200)}`);
      if (reply.bytes.length > maxResponseBytes) problems.push(`${name}: a response of ${reply.bytes.length} bytes`);
      if (wait > maxWaitMs) problems.push(`${name}: others waited ${Math.round(wait)} ms`);
    }
    assert.equal(problems, []);
  });
}

test('log lines of rejected requests are short', () => {
  const longest = Math.max(
    ...withoutToken
      .output()
      .split('\n')
      .map(({ length }) => length),
  );
  assert.ok(longest < 20_000, `${longest} characters`);
});

test('legitimate requests are accepted: megabytes of markup, hundreds of cookies', async () => {
  const html = `<h1 id="end">end</h1>${'<p class="text">"quoted" text</p>\n'.repeat(240_000)}`;
  assert.ok(html.length > 8_000_000);
  const cookies = Array.from({ length: 300 }, (_, index) => ({ name: `c${index}`, value: 'v', url: 'http://a.test' }));
  const body = { html, cookies, elements: [{ selector: '#end' }] };
  const { result: reply, wait } = await longestWait(withoutToken.post('/scrape', body));
  assert.match(succeeded(reply).text, 'end');
  assert.ok(wait < maxWaitMs, `others waited ${wait} ms`);
});

test('BrowserQL: huge documents and variables are rejected with a short message', async () => {
  const long = 'x'.repeat(390_000);
  for (const body of [
    { query: `mutation { ${long} }` },
    { query: `mutation { ${`a${long} `.repeat(1)} ${'title { title } '.repeat(300)} }` },
    { query: `mutation { title { ${'title '.repeat(9_000)} } }` },
    { query: `mutation { title { ${Array.from({ length: 9_000 }, (_, index) => `f${index}`).join(' ')} } }` },
    { query: `${'{a'.repeat(9_000)}` },
    { query: 'mutation($a: String!) { goto(url: $a) { status } }', variables: { a: [long.repeat(10)] } },
    { query: 'mutation($a: [Int]) { goto(url: $a) { status } }', variables: { a: Array(100_000).fill('x') } },
    { query: '{ version }', variables: Array(1_000).fill(1) },
  ]) {
    const { result: reply, wait } = await longestWait(withoutToken.post('/chromium/bql', body));
    refused(reply, 400);
    assert.ok(reply.bytes.length < maxResponseBytes, `${reply.bytes.length} bytes`);
    assert.ok(wait < maxWaitMs, `others waited ${wait} ms`);
  }
});

/** Sends messages over a BrowserQL socket; resolves with the first message received, or when the socket closes. */
function firstMessage(protocol: string | undefined, messages: string[]): Promise<{ code?: number; text: string }> {
  const socket = new WebSocket(`${withoutToken.url.replace('http', 'ws')}/chromium/bql`, protocol ? [protocol] : []);
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      for (const message of messages) socket.send(message);
    });
    socket.on('error', reject);
    socket.on('close', (code, reason) => resolve({ code, text: String(reason) }));
    socket.on('message', (data) => {
      const text = String(data);
      if (text.includes('connection_ack')) return;
      resolve({ text });
      socket.close();
    });
  });
}

test('BrowserQL over a socket: messages have the same limits', async () => {
  const variables = list(1_000_000, '0');
  const init = '{"type":"connection_init"}';
  const payload = `{"query":"{ version }","variables":{"a":${variables}}}`;
  const subscribe = `{"id":"1","type":"subscribe","payload":${payload}}`;
  const graphql = await longestWait(firstMessage('graphql-transport-ws', [init, subscribe]));
  assert.is(graphql.result.code, 4400);
  assert.match(graphql.result.text, 'contains more than');
  const plain = await longestWait(firstMessage(undefined, [payload]));
  assert.match(plain.result.text, 'contains more than');
  assert.match(plain.result.text, 'BAD_DOCUMENT');
  for (const { wait } of [graphql, plain]) assert.ok(wait < maxWaitMs, `others waited ${wait} ms`);
});

/** The status of a request that declares a body but never sends it. */
function statusWithoutBody(service: Service, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1', () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n`,
      );
    });
    socket.setTimeout(10_000, () => socket.destroy(new Error(`${path}: no response before the body`)));
    socket.once('data', (data) => {
      resolve(String(data).split(' ')[1] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('a request without a token is rejected before its body is read, on every route', async () => {
  for (const path of paths) assert.is(await statusWithoutBody(withToken, path), '401', path);
});

test('a missing browser or session is reported before the body is read', async () => {
  for (const path of paths.filter((each) => each.endsWith(id))) {
    assert.is(await statusWithoutBody(withoutToken, path), '404', path);
  }
});
