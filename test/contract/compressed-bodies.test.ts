// Bodies with a Content-Encoding: decompressed if compressed once, limited in size, and rejected if corrupt.
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { processSuite } from '../support/fixture.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type Reply, send } from '../support/clients/http.ts';
import { endAll } from '../support/clients/clients.ts';
import { openSession, putFile, fileNames, token } from '../support/clients/session-files.ts';

const { test, service } = processSuite('compressed bodies', { env: { SPARES: '0', TOKEN: token, ALLOW_GET: 'true' } });

const limit = 10_485_760; // default of MAX_PAYLOAD_SIZE
const packers: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync,
};
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const html = '<h1>grüße</h1>';
const json = bytesOf(JSON.stringify({ html }));

interface Sent {
  path?: string;
  type?: string;
}

const post = (body: Uint8Array, coding: string, { path = '/content', type = 'application/json' }: Sent = {}) =>
  send(`${service.url}${path}?token=${token}`, {
    method: 'POST',
    headers: { 'content-type': type, 'content-encoding': coding },
    body,
  });

for (const [coding, pack] of Object.entries(packers)) {
  test(`${coding}: JSON is decompressed`, async () => {
    assert.match(succeeded(await post(pack(json), coding)).text, html);
  });

  test(`${coding}: returns 400 for truncated, garbled, or uncompressed data`, async () => {
    const packed = pack(json);
    for (const left of [0, 3, packed.length >> 1, packed.length - 3, packed.length - 1]) {
      refused(await post(packed.subarray(0, left), coding), 400, /cannot be decompressed|Couldn't parse JSON body/);
    }
    refused(await post(json, coding), 400, `cannot be decompressed with its Content-Encoding`);
    const garbled = packed.map((byte, at) => (at < 8 ? byte : byte ^ 0x5a));
    refused(await post(garbled, coding), 400, /cannot be decompressed|Couldn't parse JSON body/);
  });
}

test('JavaScript is decompressed too, and X-GZIP is gzip', async () => {
  const code = bytesOf("export default () => 'grüße'");
  const sent = { path: '/function', type: 'application/javascript' };
  assert.is(succeeded(await post(gzipSync(code), 'X-GZIP', sent)).text, 'grüße\n');
});

test('bodies of exactly the limit are accepted; one byte more is rejected', async () => {
  const padded = (size: number) => bytesOf(JSON.stringify({ html: '<p>' }).padEnd(size, ' '));
  for (const [coding, pack] of Object.entries(packers)) {
    succeeded(await post(pack(padded(limit)), coding));
    refused(await post(pack(padded(limit + 1)), coding), 400, String(limit), 'decompressed', 'MAX_PAYLOAD_SIZE');
  }
});

test('a decompression bomb does not use more memory than the limit', async () => {
  const resident = () => {
    const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
  };
  const zeros = new Uint8Array(200_000_000);
  // Send one request first, to load what every first request loads.
  await post(gzipSync(json), 'gzip');
  const before = resident();
  for (const [coding, pack] of Object.entries(packers)) {
    refused(await post(pack(zeros), coding), 400, 'MAX_PAYLOAD_SIZE');
  }
  assert.ok(resident() - before < 150_000_000, `${resident() - before} bytes more`);
  succeeded(await post(gzipSync(json), 'gzip'));
});

test('a zstd frame that requests a large window is rejected', async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 };
  const wide = zstdCompressSync(new Uint8Array(2 ** 24), { params });
  // Byte 5 of the header is the window size: 2 to the power of (10 + its upper five bits).
  wide[5] = (27 - 10) << 3;
  refused(await post(wide, 'zstd'), 400, 'cannot be decompressed');
});

test('the compressed size is limited too', async () => {
  refused(await post(new Uint8Array(limit + 1), 'gzip'), 400, `Request payload size (${limit + 1} bytes)`);
});

test('returns a 400 that names multiple or unknown encodings', async () => {
  const twice = gzipSync(gzipSync(json));
  refused(await post(twice, 'gzip, gzip'), 400, '"gzip, gzip"', 'compressed once', 'zstd');
  refused(await post(twice, 'gzip'), 400, "Couldn't parse JSON body");
  refused(await post(json, 'compress'), 400, '"compress"', 'gzip, deflate, br, zstd');
  refused(await post(json, 'x'.repeat(5_000)), 400, /^.{0,300}$/);
  succeeded(await post(json, 'identity'));
  succeeded(await post(json, ''));
});

test('data after the end of the compressed stream is rejected', async () => {
  const followed = (packed: Uint8Array) => new Uint8Array([...packed, ...bytesOf('{"more":1}')]);
  for (const [coding, pack] of Object.entries(packers)) {
    if (coding === 'zstd' && 'Deno' in globalThis) continue; // Deno does not report where zstd data ends.
    refused(await post(followed(pack(json)), coding), 400, 'cannot be decompressed');
  }
});

test('a body that arrives slowly in chunks, without a length, is accepted', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<Pick<Reply, 'status' | 'text'>>();
  const request = httpRequest(`${service.url}/content?token=${token}`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-encoding': 'br' },
  });
  request.on('error', reject);
  request.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => (text += part));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
  });
  const packed = brotliCompressSync(json);
  for (const byte of packed) {
    await new Promise((written) => request.write(Uint8Array.of(byte), written));
  }
  request.end();
  const { status, text } = await promise;
  assert.is(status, 200, text);
  assert.match(text, html);
});

test.differs('Bodies must not be compressed');
test('sessions and BrowserQL accept compressed bodies too', async () => {
  const session = await post(gzipSync('{"ttl":5000}'), 'gzip', { path: '/session' });
  assert.is(succeeded(session).json<{ ttl: number }>().ttl, 5_000);
  const query = bytesOf(JSON.stringify({ query: '{ version }' }));
  const bql = await post(zstdCompressSync(query), 'zstd', { path: '/chromium/bql' });
  assert.match(succeeded(bql).text, '"data"');
});

test('ALLOW_GET: a body in the query is never compressed', async () => {
  const url = new URL(`${service.url}/content?token=${token}`);
  url.searchParams.set('body', JSON.stringify({ html }));
  const reply = await send(url, { headers: { 'content-encoding': 'gzip' } });
  assert.match(succeeded(reply).text, html);
});

test('returns 400 for a session file with a Content-Encoding', async () => {
  const { id } = await openSession(service);
  try {
    const body = gzipSync('file');
    const refusal = await putFile(service, id, { name: 'a.txt', body, headers: { 'content-encoding': 'gzip' } });
    refused(refusal, 400, '"gzip"', 'byte for byte');
    assert.equal(await fileNames(service, id), []);
    const kept = await putFile(service, id, { name: 'a.gz', body, headers: { 'content-encoding': 'identity' } });
    assert.is(kept.status, 201);
  } finally {
    await endAll(service);
  }
});
