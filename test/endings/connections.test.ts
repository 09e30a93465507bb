// Connections: pipelined requests, bodies that are not read, responses before the end of a body, and idle connections.
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { request as callOver } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { pause } from '../../src/base/runtime/deadline.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startProcess } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, service } = fixtureSuite('connections', { env: { TOKEN: 'the-token', MAX_PAYLOAD_SIZE: '100000' } });

/** Sends bytes; resolves with everything received once the server has closed or sent `answers` responses. */
function exchange(bytes: string, answers: number): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  const socket = connectSocket(Number(port), hostname, () => socket.write(bytes));
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    if (text.split('HTTP/1.1 ').length > answers) socket.end();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve(text));
  return promise;
}

test('all pipelined requests are answered in order', async () => {
  for (const count of [65, 300]) {
    const request = (at: number) =>
      `GET /no-such-path-${at} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer the-token\r\n\r\n`;
    const text = await exchange(Array.from({ length: count }, (_, at) => request(at)).join(''), count);
    const seen = [...text.matchAll(/GET \/no-such-path-(\d+)/g)].map(([, at]) => Number(at));
    assert.equal(
      seen,
      Array.from({ length: count }, (_, at) => at),
      String(count),
    );
  }
});

test.shows('huge-messages', 'HTTP');
test('requests behind unread responses do not fill memory: their connections are closed', async () => {
  const { hostname, port } = new URL(service.url);
  const large = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(8);
  const flood = large + 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000);
  // First a few connections that each exceed the limit per connection, then many that together exceed the total limit.
  for (const [count, text] of [[20, flood] as const, [60, flood.slice(0, large.length + 30 * 900)] as const]) {
    const sockets = Array.from({ length: count }, () => connectSocket(Number(port), hostname));
    const closed = sockets.map((socket) => {
      socket.on('error', () => undefined);
      socket.on('readable', () => undefined);
      socket.write(text);
      return new Promise<void>((resolve) => socket.once('close', () => resolve()));
    });
    // A client that does not read notices the end of its connection at its next write.
    const writing = setInterval(() => sockets.forEach((socket) => socket.destroyed || socket.write('\r\n')), 100);
    await (count === 20 ? Promise.all(closed) : Promise.race(closed));
    clearInterval(writing);
    assert.is((await service.get('/healthz')).status, 200);
    for (const socket of sockets) socket.destroy();
  }
  assert.not.ok(service.logs().some(({ event }) => event === 'uncaught'));
});

test('a body that no route reads returns a 400 and closes the connection', async () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    const text = await exchange(`${method} /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n`, 2);
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /connection: close/i);
  }
});

/** Longer than the HTTP adapter waits for the rest of a body. */
const uploadMs = 700;
const bodyChunk = 'x'.repeat(60_000);
const framings: Record<string, { header: string; part: string; end: string }> = {
  'a length': { header: `Content-Length: ${3 * bodyChunk.length}`, part: bodyChunk, end: '' },
  chunks: {
    header: 'Transfer-Encoding: chunked',
    part: `${bodyChunk.length.toString(16)}\r\n${bodyChunk}\r\n`,
    end: '0\r\n\r\n',
  },
};

/** Requests that receive a response before their body has arrived, each with its status. */
const early: [first: string, type: string, status: number][] = [
  ['POST /content', 'application/json', 401],
  ['POST /no-such-route?token=the-token', 'application/json', 404],
  ['PUT /session-files/00000000-0000-0000-0000-000000000000/a?token=the-token', 'text/plain', 404],
  ['DELETE /session/00000000-0000-0000-0000-000000000000?token=the-token', 'text/plain', 404],
  ['POST /function?token=the-token&timeout=none', 'application/javascript', 400],
  // Exceeds MAX_PAYLOAD_SIZE with its second part.
  ['POST /pdf?token=the-token', 'application/json', 400],
];

/** Sends a body slower than its response, then `next`; resolves with all responses once the server has closed. */
async function answersOf(head: string, { part, end }: { part: string; end: string }, next: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connectSocket(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  const closed = once(socket, 'close');
  socket.write(head + part + part);
  await until('the response', () => text.includes('\r\n\r\n'));
  await pause(uploadMs, undefined);
  socket.write(part + end + next);
  await closed;
  return text;
}

for (const [name, framing] of Object.entries(framings)) {
  test(`a response before the end of a body with ${name} arrives, and the connection serves the next request`, async () => {
    const next = 'GET /no-such-path?token=the-token HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const calls = early.flatMap(([first, type, status]) =>
      ['keep-alive', 'close'].map(async (connection) => {
        const head = `${first} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nConnection: ${connection}\r\n${framing.header}\r\n\r\n`;
        const text = await answersOf(head, framing, connection === 'close' ? '' : next);
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, found]) => Number(found));
        assert.equal(statuses, connection === 'close' ? [status] : [status, 404], `${first} ${connection}: ${text}`);
      }),
    );
    await Promise.all(calls);
  });
}

test('connections are kept alive longer than load balancers keep theirs', async () => {
  const text = await exchange('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 1);
  assert.match(text, /keep-alive: timeout=65/i);
});

const head = (first: string, ...lines: string[]) => [first, 'Host: x', ...lines, '', ''].join('\r\n');
const long = 'a'.repeat(20_000);
const refused: Record<string, [bytes: string, status: number, sentence: RegExp]> = {
  'a long header': [head('GET /healthz HTTP/1.1', `X: ${long}`), 431, /exceed 16 KiB\. Send large values/],
  'a long path': [head(`GET /${long} HTTP/1.1`), 431, /exceed 16 KiB/],
  'many headers': [head('GET / HTTP/1.1', ...Array.from({ length: 3_000 }, (_, at) => `X-${at}: 1`)), 431, /16 KiB/],
  'an unknown method': [head('FETCH / HTTP/1.1'), 400, /not valid HTTP\/1\.1: Invalid method/],
  'two lengths': [head('POST / HTTP/1.1', 'Content-Length: 2', 'Content-Length: 3'), 400, /not valid HTTP\/1\.1/],
  'a folded header': [head('GET / HTTP/1.1', 'X: a', ' b'), 400, /not valid HTTP\/1\.1/],
  TLS: ['\x16\x03\x01\x02\x00\x01\x00', 400, /not valid HTTP\/1\.1/],
  'a malformed chunk': [`${head('POST /content HTTP/1.1', 'Transfer-Encoding: chunked')}zz\r\n`, 400, /not valid HTTP/],
  'a long chunk extension': [`${head('POST / HTTP/1.1', 'Transfer-Encoding: chunked')}2;${long}`, 413, /chunk/],
  'no host': ['GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, /Host header is missing/],
  'two hosts': [head('GET /healthz HTTP/1.1', 'Host: y', 'Connection: close'), 400, /several Host headers/],
  CONNECT: [head('CONNECT example.com:443 HTTP/1.1'), 405, /not a proxy/],
  'an unknown expectation': [head('POST / HTTP/1.1', 'Expect: more', 'Content-Length: 2'), 417, /100-continue/],
};
test.shows('hostile-input', 'HTTP');
for (const [name, [bytes, status, sentence]] of Object.entries(refused)) {
  test(`${name}: rejected with an error message, and the connection closes`, async () => {
    const text = await exchange(bytes, 2);
    assert.is(Number(/^HTTP\/1\.1 (\d+) /.exec(text)?.[1]), status, text);
    assert.match(text, /\r\nContent-Type: text\/plain; charset=UTF-8\r\n/i);
    assert.match(text, sentence);
  });
}

test('the OpenAPI document lists the statuses of such requests', async () => {
  const { info } = (await service.get('/openapi.json')).json<{ info: { description: string } }>();
  for (const [, status] of Object.values(refused)) assert.match(info.description, `${status} for `);
});

const upgrade = (path: string, ...lines: string[]) =>
  head(`GET ${path} HTTP/1.1`, 'Connection: Upgrade', 'Upgrade: websocket', ...lines);
const handshake = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
const behind: Record<string, string> = {
  'without a key': upgrade('/'),
  'with a wrong token': upgrade('/?token=wrong', ...handshake),
  'with the token': upgrade('/chromium?token=the-token', ...handshake),
  'for BrowserQL': upgrade('/chromium/bql?token=the-token', ...handshake),
};
for (const [what, words] of Object.entries(behind)) {
  test.shows('smuggled-requests', 'HTTP');
  test(`an upgrade ${what} behind an unanswered request closes the connection and leaves nothing behind`, async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const before = existsSync('/proc/self/fd') ? open() : 0;
    const first = ['GET /openapi.json HTTP/1.1', 'POST /content?token=the-token HTTP/1.1'];
    const sending = Array.from({ length: 24 }, (_, at) =>
      exchange(
        head(first[at % 2] ?? '', ...(at % 2 ? ['Content-Type: application/json', 'Content-Length: 0'] : [])) + words,
        9,
      ),
    );
    for (const text of await Promise.all(sending)) assert.not.match(text, '101 Switching');
    if (before > 0) await until('descriptors to be closed', () => open() < before + 10);
    assert.not.ok(service.logs().some(({ event }) => event === 'uncaught'));
  });
}

test('a CONNECT whose client resets its connection is not a server error', async () => {
  const { hostname, port } = new URL(service.url);
  for (let count = 0; count < 30; count++) {
    const socket = connectSocket(Number(port), hostname, () => socket.write(head('CONNECT x:1 HTTP/1.1')));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.resetAndDestroy();
  }
  assert.is((await service.get('/healthz')).status, 200);
  assert.not.ok(service.logs().some(({ event }) => event === 'uncaught'));
});

test('OPTIONS * returns the same status as OPTIONS /', async () => {
  const [star, root] = [await exchange(head('OPTIONS * HTTP/1.1'), 1), await exchange(head('OPTIONS / HTTP/1.1'), 1)];
  assert.is(star.split(' ')[1], root.split(' ')[1]);
});

const noLimits = existsSync('/proc/self/limits') ? undefined : 'reads the limit from /proc, which only Linux has';
test.shows('idle-connections', 'HTTP');
/** What untrusted clients send before they stop reading. */
const untrustedClients: Record<string, string> = {
  nothing: '',
  'half a request': 'GET /healthz HTTP/1.1\r\nHost: x\r\n',
  'part of a body': `${head('POST /dashboard/sign-in HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 100')}x`,
  'requests for a large response': 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(30),
  'rejected upgrades': behind['with a wrong token'] ?? '',
  'invalid upgrades': behind['without a key'] ?? '',
};
/** The status of a request on a new connection; 0 when the connection is closed. */
async function statusOnNewConnection(of: Service, path: string, body?: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json' };
  const call = callOver(new URL(path, of.url), { agent: false, method: body ? 'POST' : 'GET', headers }).end(body);
  const [answer] = await once(call, 'response').catch(() => []);
  return answer?.resume().statusCode ?? 0;
}

test.unless(noLimits)('untrusted clients that stop reading do not block others', async () => {
  const small = await startProcess({
    env: { TOKEN: 'the-token', SPARES: '0' },
    under: ['sh', '-c', 'ulimit -n 256; exec "$0" "$@"'],
  });
  const held: Socket[] = [];
  try {
    for (const [what, words] of Object.entries(untrustedClients)) {
      for (let count = 0; count < 300; count++) {
        const socket = connectSocket(small.port, '127.0.0.1');
        socket.on('error', () => undefined);
        // Fills the read buffer, then stops reading.
        socket.on('readable', () => undefined);
        socket.write(words);
        held.push(socket);
      }
      const answered = ({ readableLength, destroyed }: Socket) => readableLength > 0 || destroyed;
      if (words.endsWith('\r\n\r\n')) await until('the first responses', () => held.slice(0, 100).every(answered));
      // On new connections, because an existing one might have been kept.
      await until(
        `a response despite ${what}`,
        async () => (await statusOnNewConnection(small, '/healthz')) === 200,
        5_000,
      );
      const body = JSON.stringify({ html: '<p>alive' });
      assert.is(await statusOnNewConnection(small, '/content?token=the-token', body), 200, what);
      for (const socket of held.splice(0)) socket.destroy();
    }
  } finally {
    for (const socket of held) socket.destroy();
    await small.stop();
  }
});
