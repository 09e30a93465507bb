// Connects to the server's sockets: with Puppeteer, with bare WebSockets, and with handshakes that expect to be
// rejected.
import { request as httpRequest } from 'node:http';
import puppeteer, { type Browser, type ConnectOptions } from 'puppeteer-core';
import { WebSocket } from 'ws';
import type { Service } from '../service.ts';
import { until } from '../until.ts';

export type Query = Record<string, string | number | boolean>;

/** The URL of a socket, with the server's token unless the query has a token (an empty token is omitted). */
export function socketUrl(service: Service, path: string, query: Query = {}): string {
  const url = new URL(path, service.url.replace(/^http/, 'ws'));
  const token = query['token'] ?? service.env['TOKEN']?.split(',')[0];
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  if (token !== undefined && token !== '') url.searchParams.set('token', String(token));
  else url.searchParams.delete('token');
  return url.href;
}

/** Connects Puppeteer. */
export function connect(
  service: Service,
  path = '/',
  query: Query = {},
  options: ConnectOptions = {},
): Promise<Browser> {
  const browserWSEndpoint = socketUrl(service, path, query);
  return puppeteer.connect({ protocolTimeout: 60_000, ...options, browserWSEndpoint });
}

export interface Refusal {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

/** Sends a WebSocket handshake and returns the response; closes the socket when the server accepts it with a 101. */
export function handshake(service: Service, path: string, query: Query = {}, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Refusal>();
  const request = httpRequest(socketUrl(service, path, query).replace(/^ws/, 'http'), {
    agent: false,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    },
  });
  request.on('error', reject);
  request.on('upgrade', (response, socket) => {
    socket.destroy();
    resolve({ status: response.statusCode ?? 0, text: '', headers: response.headers });
  });
  request.on('response', (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk));
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    response.on('error', reject);
  });
  request.end();
  return promise;
}

interface Incoming {
  id?: number;
  method?: string;
  sessionId?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export interface RawClient {
  socket: WebSocket;
  /** Sends a command and resolves with the whole response. Rejects when the connection closes first. */
  send(method: string, params?: object, sessionId?: string): Promise<Incoming>;
  /** Everything else received: events, and responses to commands that were not sent here. */
  events: Incoming[];
  /** Resolves when the connection is closed. */
  closed: Promise<{ code: number; reason: string }>;
}

/**
 * Opens a bare WebSocket that speaks CDP. Rejects when the server refuses the handshake.
 * @param ca the certificate to trust, for wss
 */
export async function rawClient(
  url: string,
  headers: Record<string, string> = {},
  ca?: Uint8Array,
): Promise<RawClient> {
  const socket = new WebSocket(url, { perMessageDeflate: true, headers, ...(ca ? { ca: Buffer.from(ca) } : {}) });
  const waiting = new Map<number, { answered(message: Incoming): void; lost(error: Error): void }>();
  const events: Incoming[] = [];
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  socket.on('message', (data) => {
    const message: Incoming = JSON.parse(data.toString());
    const answered = message.id === undefined ? undefined : waiting.get(message.id);
    if (answered) answered.answered(message);
    else events.push(message);
  });
  void closed.then(({ code, reason }) => {
    for (const { lost } of waiting.values()) lost(new Error(`the connection closed with ${code} ${reason}`));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  let last = 0;
  return {
    socket,
    events,
    closed,
    send(method, params = {}, sessionId) {
      const id = ++last;
      const answer = new Promise<Incoming>((answered, lost) => waiting.set(id, { answered, lost }));
      // A caller that awaits the response sees the error; not every caller does.
      answer.catch(() => undefined);
      socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
      return answer;
    },
  };
}

export interface SessionEntry {
  type: 'browser' | 'page';
  id: string;
  browserId: string;
  numbConnected: number;
  running: boolean;
  trackingId: string | null;
  userDataDir: string | null;
  isTempDataDir: boolean;
  url?: string;
  webSocketDebuggerUrl?: string;
  browserWSEndpoint?: string;
  launchOptions: Record<string, unknown>;
}

/** The `browser` entries of /sessions. */
export async function sessionsOf(service: Service): Promise<SessionEntry[]> {
  const entries = (await service.get('/sessions')).json<SessionEntry[]>();
  return entries.filter(({ type }) => type === 'browser');
}

/** Waits until all sessions have ended. */
export const noSessions = (service: Service) =>
  until('all sessions to end', async () => (await sessionsOf(service)).length === 0, 30_000);

/** Ends the sessions that a test left running. */
export async function endAll(service: Service): Promise<void> {
  await service.get('/kill/all');
  await noSessions(service);
}
