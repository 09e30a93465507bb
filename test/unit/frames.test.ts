// WebSocket frames. Messages to a client: whole frames, control frames between them, and clients that do not read.
// @runs newest
import { connect, createServer, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { FrameOutbox } from '../../src/base/runtime/http/frame-outbox.ts';
import { encodeClose, encodeFrame, opcodes, readHeader } from '../../src/base/runtime/http/frames.ts';
import { UnreadBytes } from '../../src/base/runtime/http/unread-bytes.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('frames');

test('lengths in all three encodings are decoded', () => {
  for (const length of [0, 1, 125, 126, 65_535, 65_536, 200_000]) {
    const frame = encodeFrame(opcodes.text, Buffer.alloc(length, 'a'));
    const header = readHeader(frame, 0);
    assert.is(header?.payloadBytes, length);
    assert.is((header?.headerBytes ?? 0) + length, frame.length);
    assert.is(readHeader(frame.subarray(0, 1), 0), undefined);
  }
});

test('a close frame contains its code and at most 123 bytes of its reason, truncated at a character boundary', () => {
  const frame = encodeClose(4408, 'ä'.repeat(200));
  assert.is(frame.readUInt16BE(2), 4408);
  const reason = frame.subarray(4).toString();
  assert.ok(Buffer.byteLength(reason) <= 123);
  assert.match(reason, /^ä+…$/);
});

/** Both ends of a connection; the client reads nothing until it is resumed. */
async function pair(): Promise<{ server: Socket; client: Socket; end(): void }> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const accepted = new Promise<Socket>((resolve) => listener.once('connection', resolve));
  const client = connect(address.port, '127.0.0.1').pause();
  const server = await accepted;
  const end = () => {
    server.destroy();
    client.destroy();
    listener.close();
  };
  return { server, client, end };
}

/** The frames that arrive, as opcode and payload, until the server ends the connection. */
async function framesOf(client: Socket): Promise<{ opcode: number; text: string }[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of client) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    const header = readHeader(bytes, at);
    if (!header) throw new Error('incomplete frame');
    assert.ok(header.fin, 'every message is one frame');
    const from = at + header.headerBytes;
    at = from + header.payloadBytes;
    frames.push({ opcode: header.opcode, text: bytes.toString('latin1', from, at) });
  }
  return frames;
}

const limits = (unread: UnreadBytes) => ({ unreadBytes: 2 ** 20, standstillMs: 60_000, unread });

test('messages of any length and pings arrive whole and in order, then the close frame', async () => {
  const { server, client, end } = await pair();
  const unread = new UnreadBytes(2 ** 30);
  const outbox = new FrameOutbox(server, limits(unread), () => assert.unreachable());
  const long = Buffer.alloc(5 * 2 ** 20, 'x');
  outbox.send([Buffer.from('a'), Buffer.from('b')]);
  outbox.send([long.subarray(0, 10), long.subarray(10)]);
  outbox.control(opcodes.ping, Buffer.from('p'));
  outbox.send([Buffer.alloc(70_000, 'y')]);
  outbox.close(1000, 'done', false);
  outbox.send([Buffer.from('too late')]);
  const frames = await framesOf(client);
  assert.equal(
    frames.map(({ opcode, text }) => [opcode, text.length]),
    [
      [opcodes.text, 2],
      [opcodes.text, long.length],
      [opcodes.ping, 1],
      [opcodes.text, 70_000],
      [opcodes.close, 6],
    ],
  );
  end();
  await until('the unread bytes to be zero', () => unread.bytes === 0);
});

test('a client that leaves too much unread is too slow; the close frame replaces what is queued', async () => {
  const { server, client, end } = await pair();
  const unread = new UnreadBytes(2 ** 30);
  let slow = 0;
  const outbox = new FrameOutbox(server, limits(unread), () => {
    slow++;
    outbox.close(1013, '', true);
  });
  const message = () => [Buffer.alloc(30 * 2 ** 20, 'z')];
  outbox.send(message());
  // A single message does not count, regardless of its position.
  outbox.send(message());
  assert.is(slow, 0);
  outbox.send(message());
  assert.is(slow, 1);
  const frames = await framesOf(client);
  assert.equal(
    frames.map(({ opcode }) => opcode),
    [opcodes.text, opcodes.close],
  );
  end();
  await until('the unread bytes to be zero', () => unread.bytes === 0);
});

test('a client that reads nothing until the time limit is too slow', async () => {
  const { server, end } = await pair();
  const unread = new UnreadBytes(2 ** 30);
  const { promise, resolve } = Promise.withResolvers<void>();
  const outbox = new FrameOutbox(server, { ...limits(unread), standstillMs: 100 }, resolve);
  outbox.send([Buffer.alloc(30 * 2 ** 20)]);
  await promise;
  end();
  await until('the unread bytes to be zero', () => unread.bytes === 0);
});
