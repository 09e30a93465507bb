// A test server for the live view page: serves the built page with its content security policy and speaks the protocol
// as the real server would, with frames and messages that a test chooses. It validates each message from the page
// against the protocol.
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import * as v from 'valibot';
import { type WebSocket, WebSocketServer } from 'ws';
import { imageHeaderBytes, type ServerMessage, viewerMessages } from '../../src/sessions/live/protocol/messages.ts';
import { buildUi } from '../../src/build/pages.ts';
import { Ui } from '../../src/web/pages/serve/ui.ts';

const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob: data:; connect-src 'self'",
  "form-action 'none'; base-uri 'none'",
].join('; ');

interface Received {
  t: string;
  [member: string]: unknown;
}

export interface LiveServer {
  url: string;
  /** Every message that the page has sent; a message outside the protocol is also added to `problems`. */
  received: Received[];
  problems: string[];
  /** Method and path of each upload, and its body. */
  uploads: [request: string, body: string][];
  hello: Extract<ServerMessage, { t: 'hello' }>;
  /** Status of the next requests for the page. */
  status: number;
  send(message: ServerMessage): void;
  /** Sends a frame. @param lateMs age of the frame on arrival in ms, according to its timestamp */
  sendFrame(size?: { width?: number; height?: number; scale?: number; lateMs?: number }): void;
  sendRaw(bytes: Uint8Array): void;
  /** Resolves with the first matching message from the page since `clear`; waits for one if there is none. */
  message(t: string, accept?: (message: Received) => boolean): Promise<Received>;
  clear(): void;
  cut(): void;
  /** Sets whether new sockets are rejected from now on. */
  refuse(on: boolean): void;
  close(): Promise<void>;
}

function pixels(width: number, height: number): Uint8Array {
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      data.set([(40 + (x * 120) / width) | 0, 90, (160 - (y * 60) / height) | 0], (y * width + x) * 4);
  return data;
}

/** Starts the server; rebuilds the page if an input has changed. */
export async function startLiveServer(): Promise<LiveServer> {
  await buildUi(join(import.meta.dirname, '..', '..'));
  const ui = new Ui();
  const waiters = new Set<() => void>();
  let socket: WebSocket | undefined;
  let seq = 0;

  const server = createServer((asked, answer) => {
    const path = asked.url ?? '/';
    const send = async () => {
      if (asked.method === 'POST' || asked.method === 'PUT') {
        let body = '';
        for await (const chunk of asked) body += String(chunk);
        stand.uploads.push([`${asked.method} ${path}`, body]);
        for (const wake of waiters) wake();
        return answer.end();
      }
      const request = new Request(`http://localhost${path}`, {
        headers: { 'accept-encoding': String(asked.headers['accept-encoding'] ?? '') },
      });
      const asset = await ui.asset(path, request);
      if (asset !== undefined) return write(answer, asset);
      if (path.startsWith('/frame')) return answer.setHeader('Content-Type', 'text/html').end(frame);
      if (!path.startsWith('/live/')) return answer.writeHead(404).end();
      const theme = path.includes('dark') ? 'dark' : 'light';
      const html =
        stand.status === 200
          ? await ui.page('live', { base: '', theme, socket: '/live/abc' })
          : await ui.page('notice', {
              base: '',
              theme,
              title: 'This link has <ended>',
              text: 'Ask for a new one & try "again".',
              again: '',
            });
      answer.writeHead(stand.status, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy });
      return answer.end(html);
    };
    send().catch((error: unknown) => stand.problems.push(String(error)));
  });
  const frame = `<!doctype html><title>Frame</title><iframe src="/live/?i=abc" width="600" height="400"></iframe>
    <script>window.told = []; addEventListener('message', ({ data }) => told.push(data))</script>`;

  let isRefusing = false;
  const sockets = new WebSocketServer({ server, path: '/live/abc', verifyClient: () => !isRefusing });
  sockets.on('connection', (opened) => {
    socket = opened;
    opened.on('message', (data, isBinary) => {
      const { t, ...members }: Received = JSON.parse(String(data));
      const schema = Object.entries(viewerMessages).find(([name]) => name === t)?.[1];
      if (schema === undefined || isBinary) stand.problems.push(`unknown: ${String(data)}`);
      else {
        const { success, issues } = v.safeParse(v.strictObject(schema), members);
        if (!success) stand.problems.push(`${String(data)}: ${issues[0]?.message}`);
      }
      stand.received.push({ t, ...members });
      for (const wake of waiters) wake();
    });
    stand.send(stand.hello);
    stand.send({
      t: 'page',
      url: 'https://acme.example/sign-in/verify',
      title: 'Acme: check your phone',
      loading: false,
      canBack: true,
      canForward: false,
    });
    stand.send({ t: 'viewers', n: 2 });
    stand.sendFrame();
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The test server has no port');

  const stand: LiveServer = {
    url: `http://127.0.0.1:${address.port}`,
    received: [],
    problems: [],
    uploads: [],
    status: 200,
    hello: { t: 'hello', interactive: true, resizable: false, ui: true, instructions: '', expiresAt: null },
    send: (message) => socket?.send(JSON.stringify(message)),
    sendFrame({ width = 800, height = 600, scale = 1, lateMs = 0 } = {}) {
      const size = { width: width * scale, height: height * scale };
      const head = new DataView(new ArrayBuffer(imageHeaderBytes));
      head.setUint8(0, scale === 1 ? 0 : 1);
      head.setUint32(1, ++seq);
      head.setUint16(5, width);
      head.setUint16(7, height);
      head.setUint32(9, (Date.now() - lateMs) >>> 0);
      const data = Buffer.from(pixels(size.width, size.height));
      const body = scale === 1 ? jpeg.encode({ ...size, data }, 70).data : pngOf(size, data);
      socket?.send(Buffer.concat([new Uint8Array(head.buffer), body]));
    },
    sendRaw: (bytes) => socket?.send(bytes),
    async message(t, accept = () => true) {
      for (;;) {
        const found = stand.received.find((each) => each.t === t && accept(each));
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiters.add(resolve);
        await promise;
        waiters.delete(resolve);
      }
    },
    clear: () => void stand.received.splice(0),
    cut: () => socket?.terminate(),
    refuse(on) {
      isRefusing = on;
    },
    async close() {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return stand;
}

function pngOf(size: { width: number; height: number }, data: Buffer): Buffer {
  const png = new PNG(size);
  data.copy(png.data);
  return PNG.sync.write(png);
}

async function write(answer: ServerResponse, response: Response): Promise<void> {
  answer.writeHead(response.status, Object.fromEntries(response.headers));
  answer.end(Buffer.from(await response.arrayBuffer()));
}
