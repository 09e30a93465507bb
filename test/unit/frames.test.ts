// WebSocket frames in byte streams: the frames received are the frames sent, however the chunks are split. Messages to a
// client: whole frames, control frames between them, and clients that do not read.
// @runs newest
import { connect, createServer, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { FrameOutbox } from '../../src/base/runtime/http/frame-outbox.ts';
import { FrameStream } from '../../src/base/runtime/http/frame-stream.ts';
import { encodeClose, encodeFrame, opcodes, readHeader } from '../../src/base/runtime/http/frames.ts';
import { UnreadBytes } from '../../src/base/runtime/http/unread-bytes.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('frames');

/** A client frame, masked with this key. */
function masked(opcode: number, text: string, key = [1, 2, 3, 4], fin = true): Buffer {
  const frame = encodeFrame(opcode, Buffer.from(text), true);
  const start = frame.length - Buffer.byteLength(text);
  frame.set(key, start - 4);
  for (let i = start; i < frame.length; i++) frame[i] = (frame[i] ?? 0) ^ (key[(i - start) % 4] ?? 0);
  if (!fin) frame[0] = (frame[0] ?? 0) & 0x7f;
  return frame;
}

/** A stream that records the messages it saw and its output; `drop` selects messages to hold back. */
function listen(drop: (text: string) => boolean = () => false, limit = 1_000) {
  const chunks: Buffer[] = [];
  const out = { write: (chunk: Buffer) => chunks.push(Buffer.from(chunk)) > 0 };
  const seen: string[] = [];
  // Only the socket's `write` is used.
  const stream = new FrameStream(out as unknown as Socket, limit, (frame) => {
    seen.push(frame.text());
    return !drop(frame.text());
  });
  stream.looking = true;
  return { stream, seen, written: () => Buffer.concat(chunks) };
}

test('lengths in all three encodings are decoded', () => {
  for (const length of [0, 1, 125, 126, 65_535, 65_536, 200_000]) {
    const frame = encodeFrame(opcodes.text, Buffer.alloc(length, 'a'), false);
    const header = readHeader(frame, 0);
    assert.is(header?.payloadBytes, length);
    assert.is((header?.headerBytes ?? 0) + length, frame.length);
    assert.is(readHeader(frame.subarray(0, 1), 0), undefined);
  }
});

test('a close frame contains its code and at most 123 bytes of its reason, truncated at a character boundary', () => {
  const frame = encodeClose(4408, 'ä'.repeat(200), false);
  assert.is(frame.readUInt16BE(2), 4408);
  const reason = frame.subarray(4).toString();
  assert.ok(Buffer.byteLength(reason) <= 123);
  assert.match(reason, /^ä+…$/);
});

test('a stream passes the same bytes and messages no matter how it is split', () => {
  const frames = [
    masked(opcodes.text, 'first'),
    masked(opcodes.text, 'x'.repeat(300)),
    masked(opcodes.text, 'too long to be looked at '.repeat(100)),
    masked(opcodes.binary, 'bytes'),
    masked(opcodes.text, 'last ä'),
  ];
  const whole = Buffer.concat(frames);
  for (const size of [1, 2, 3, 7, 64, 100, whole.length]) {
    const { stream, seen, written } = listen();
    for (let at = 0; at < whole.length; at += size) stream.feed(whole.subarray(at, at + size));
    assert.equal(seen, ['first', 'x'.repeat(300), 'bytes', 'last ä']);
    assert.ok(written().equals(whole), `chunks of ${size}`);
  }
});

test('dropped messages leave no trace, and those around them pass', () => {
  const [keep, drop] = [masked(opcodes.text, 'keep'), masked(opcodes.text, 'drop')];
  for (const size of [1, 5, 1_000]) {
    const { stream, written } = listen((text) => text === 'drop');
    const whole = Buffer.concat([keep, drop, keep, drop]);
    for (let at = 0; at < whole.length; at += size) stream.feed(whole.subarray(at, at + size));
    assert.ok(written().equals(Buffer.concat([keep, keep])));
  }
});

test('an inserted frame waits for the end of the message in progress', () => {
  const { stream, written } = listen(undefined, 10);
  const long = masked(opcodes.text, 'longer than the limit');
  const mine = encodeFrame(opcodes.text, Buffer.from('mine'), false);
  stream.feed(long.subarray(0, 12));
  stream.insert(mine);
  stream.feed(Buffer.concat([long.subarray(12), long]));
  assert.ok(written().equals(Buffer.concat([long, mine, long])));
});

test('nothing is inserted between the fragments of a message', () => {
  const { stream, written } = listen();
  const head = masked(opcodes.text, 'one ', [9, 8, 7, 6], false);
  const tail = masked(opcodes.continuation, 'message');
  const ping = masked(opcodes.ping, '');
  const mine = encodeFrame(opcodes.text, Buffer.from('mine'), false);
  stream.feed(head);
  stream.insert(mine);
  stream.feed(ping);
  stream.feed(tail);
  assert.ok(written().equals(Buffer.concat([head, ping, tail, mine])));
});

test('nothing passes once the handler of oversized messages returns false', () => {
  const chunks: Buffer[] = [];
  const out = { write: (chunk: Buffer) => chunks.push(Buffer.from(chunk)) > 0 };
  let unseen = 0;
  // Only the socket's `write` is used.
  const stream = new FrameStream(
    out as unknown as Socket,
    100,
    () => true,
    () => ++unseen > 1,
  );
  stream.looking = true;
  const first = masked(opcodes.text, 'first');
  stream.feed(Buffer.concat([first, masked(opcodes.text, 'x'.repeat(101)), masked(opcodes.text, 'last')]));
  stream.feed(masked(opcodes.text, 'after'));
  assert.is(unseen, 1);
  assert.equal(Buffer.concat(chunks), first);
});

test('a message of several megabytes that arrives in small chunks is seen once, whole', () => {
  const { stream, seen, written } = listen(() => false, 10_000_000);
  const frame = masked(opcodes.text, 'long '.repeat(400_000));
  for (let at = 0; at < frame.length; at += 1_000) stream.feed(frame.subarray(at, at + 1_000));
  assert.equal(
    seen.map((text) => text.length),
    [2_000_000],
  );
  assert.ok(written().equals(frame));
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
