// Speaks RFC 6455 by hand, so that tests can send frames that no library would.
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { unreadTcpBytes } from '../listeners.ts';
import { until } from '../until.ts';

export interface Frame {
  /** As defined in RFC 6455, section 5.2. Default: 1 (text). */
  opcode?: number;
  /** Default: true. */
  fin?: boolean;
  payload: string | Uint8Array;
}

export interface FrameSocket {
  send(...frames: Frame[]): void;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  /** Payloads of the server's pongs so far. */
  pongs(): string[];
  /** Messages received from the server so far. */
  messages(): string[];
  /** Resolves with the response that has this id. */
  answer(id: number): Promise<{ id: number; result?: Record<string, unknown>; error?: { message: string } }>;
  /** Resolves with the code of the server's close frame; 1006 when the connection ended without one. */
  closed(): Promise<number>;
  /** Resolves when the server has read everything that was sent. */
  read(): Promise<unknown>;
  destroy(): void;
}

/** Encodes a masked client frame; the mask is zero, which leaves the payload unchanged. */
function encode({ opcode = 1, fin = true, payload }: Frame): Buffer {
  const body = Buffer.from(payload);
  const first = (fin ? 0x80 : 0) | opcode;
  const length = body.length;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = first;
  if (length < 126) head[1] = 0x80 | length;
  else if (length < 65_536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, Buffer.alloc(4), body]);
}

/** Splits what a server sent into its frames, which are not fragmented. */
function decode(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  const frames = [];
  for (let at = 0; bytes.length - at >= 2;) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    if (bytes.length < start) break;
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    if (bytes.length < start + length) break;
    frames.push({ opcode: (bytes[at] ?? 0) & 0x0f, payload: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return frames;
}

/** Opens a WebSocket without extensions. Rejects when the server refuses the handshake. */
export async function openFrames(url: string, headers: Record<string, string> = {}): Promise<FrameSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; head: Buffer }>();
  const handshake = request(url.replace(/^ws/, 'http'), {
    agent: false,
    headers: {
      ...headers,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  });
  handshake.on('upgrade', (_, socket, head) => resolve({ socket, head }));
  handshake.on('response', ({ statusCode }) => reject(new Error(`rejected with ${statusCode}`)));
  handshake.on('error', reject);
  handshake.end();
  const { socket, head } = await promise;
  let chunks = [head];
  /** Everything received so far; joined only when it is looked at. */
  const received = () => {
    const [all = head] = (chunks = [Buffer.concat(chunks)]);
    return all;
  };
  let ended = false;
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
  socket.on('close', () => (ended = true));
  socket.on('error', () => (ended = true));
  const messages = () =>
    decode(received()).flatMap(({ opcode, payload }) => (opcode === 1 ? [payload.toString()] : []));
  return {
    send: (...frames) => void socket.write(Buffer.concat(frames.map(encode))),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    messages,
    pongs: () => decode(received()).flatMap(({ opcode, payload }) => (opcode === 10 ? [payload.toString()] : [])),
    async answer(id) {
      const found = () => messages().find((text) => text.startsWith(`{"id":${id},`));
      return JSON.parse(await until(`response ${id}, got ${messages().join().slice(0, 500)}`, found));
    },
    async closed() {
      await until('the connection to close', () => ended || decode(received()).some(({ opcode }) => opcode === 8));
      const close = decode(received()).find(({ opcode }) => opcode === 8);
      socket.destroy();
      return close?.payload.readUInt16BE(0) ?? 1006;
    },
    read: () =>
      until('the server to read everything', () => socket.writableLength === 0 && unreadTcpBytes(socket) === 0),
    destroy: () => void socket.destroy(),
  };
}
