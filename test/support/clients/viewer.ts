// Watches a live view over its socket, as the view's page does, and records what it receives.
import { WebSocket } from 'ws';
import type { EndReason, ServerMessage } from '../../../src/sessions/live/protocol/messages.ts';
import { until } from '../until.ts';

interface ReceivedFrame {
  kind: 'jpeg' | 'png';
  seq: number;
  width: number;
  height: number;
  bytes: Buffer;
}

type MessageOf<T extends ServerMessage['t']> = Extract<ServerMessage, { t: T }>;

export interface Viewer {
  socket: WebSocket;
  messages: ServerMessage[];
  frames: ReceivedFrame[];
  closed: Promise<{ code: number; reason: string }>;
  send(message: object): void;
  /** The newest message of this kind; waits for one. */
  waitForMessage<T extends ServerMessage['t']>(
    t: T,
    matches?: (message: MessageOf<T>) => boolean,
  ): Promise<MessageOf<T>>;
  /** The next frame after those already received. */
  nextFrame(): Promise<ReceivedFrame>;
  /** Presses and releases the left mouse button. */
  click(x: number, y: number, count?: number): void;
  /** Presses and releases a key. */
  press(key: string, code: string, kc: number, m?: number): void;
  /** The last message, and the close code of the socket after it. */
  ended(): Promise<{ reason: EndReason | 'replaced'; text: string; code: number }>;
  leave(): Promise<void>;
}

export interface ViewerOptions {
  /** Whether it acknowledges frames. Default true. */
  acks?: boolean;
  /** Whether it reports that it is visible. Default true. */
  visible?: boolean;
  headers?: Record<string, string>;
}

/** The socket URL of a live view link. */
export function socketOf(link: string, prefix = ''): string {
  const url = new URL(link);
  return `${url.origin.replace(/^http/, 'ws')}${prefix}/live/${url.searchParams.get('i') ?? ''}`;
}

/** Connects to a live view. Rejects when the server refuses. */
export async function watchLive(link: string, options: ViewerOptions = {}): Promise<Viewer> {
  const { acks = true, visible = true, headers = {} } = options;
  const socket = new WebSocket(link.startsWith('ws') ? link : socketOf(link), { headers, perMessageDeflate: false });
  const messages: ServerMessage[] = [];
  const frames: ReceivedFrame[] = [];
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return void messages.push(JSON.parse(data.toString()));
    frames.push({
      kind: data.readUInt8(0) === 1 ? 'png' : 'jpeg',
      seq: data.readUInt32BE(1),
      width: data.readUInt16BE(5),
      height: data.readUInt16BE(7),
      bytes: data.subarray(16),
    });
    if (acks) send({ t: 'ack', seq: data.readUInt32BE(1) });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  if (visible) send({ t: 'visible', on: true });
  const waitForMessage = <T extends ServerMessage['t']>(
    t: T,
    matches: (message: MessageOf<T>) => boolean = () => true,
  ) =>
    until(
      () => `"${t}" among ${JSON.stringify(messages)}`,
      () =>
        messages.findLast((message): message is MessageOf<T> => message.t === t && matches(message as MessageOf<T>)),
    );
  return {
    socket,
    messages,
    frames,
    closed,
    send,
    waitForMessage,
    async nextFrame() {
      const { length } = frames;
      await until('a frame', () => frames.length > length);
      const [next] = frames.slice(length);
      if (!next) throw new Error('no frame');
      return next;
    },
    click(x, y, count = 1) {
      send({ t: 'move', x, y, b: 0, m: 0 });
      send({ t: 'down', x, y, n: 0, b: 1, c: count, m: 0 });
      send({ t: 'up', x, y, n: 0, b: 0, c: count, m: 0 });
    },
    press(key, code, kc, m = 0) {
      send({ t: 'key', d: true, key, code, kc, r: false, l: 0, m });
      send({ t: 'key', d: false, key, code, kc, r: false, l: 0, m });
    },
    async ended() {
      const { reason, text } = await waitForMessage('end');
      return { reason, text, code: (await closed).code };
    },
    async leave() {
      socket.close();
      await closed;
    },
  };
}
