// Calls that hold a browser, one of each kind there is: what the ending matrix and the churn end in every way there is.
import { type ChildProcess, spawn } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import type { Socket } from 'node:net';
import WebSocket from 'ws';
import { socketUrl } from './clients.ts';
import { type ProcessInfo, processTree } from './processes.ts';
import type { Service } from './service.ts';
import type { Site } from './site.ts';
import { until } from './until.ts';

export const callKinds = ['CDP', 'kept by reconnect', 'session API', 'REST'] as const;
export type CallKind = (typeof callKinds)[number];

export interface OpenOptions {
  /** Limit of the call in milliseconds; for a session its time to live. */
  limitMs?: number;
  /** The client is a process of its own, which `kill` ends. */
  apart?: boolean;
}

export interface OpenCall {
  /** What `/kill` takes. */
  id: string;
  /** What the client saw at the end: a close code, or status and code of an answer. */
  seen: Promise<string>;
  /** The main process of its browser. */
  browser(): ProcessInfo | undefined;
  /** Sends a command on the socket. */
  send(method: string, params?: object): void;
  /** Names of the events that came on the socket. */
  events: string[];
  /** Ends the connection in good order. */
  leave(): void;
  /** Ends it with a reset (TCP RST). */
  reset(): void;
  /** SIGKILL for the client's process. */
  kill(): void;
  /** Tells a session to go that would stay without clients. */
  forget(): Promise<void>;
}

/** How long a kept browser stays without clients, in milliseconds. */
export const keepMs = 1_000;
const longMs = 120_000;

/** Opens a call under a name of its own, by which its browser is found. */
export async function openCall(
  kind: CallKind,
  name: string,
  service: Service,
  site: Site,
  options: OpenOptions = {},
): Promise<OpenCall> {
  const launch = JSON.stringify({ args: [`--test-call=${name}`] });
  const browser = () => browserOf(service, name);
  const limitMs = options.limitMs ?? longMs;
  if (kind === 'REST') {
    const url = new URL('/content', service.url);
    url.search = new URLSearchParams({ launch, trackingId: name, timeout: String(limitMs) }).toString();
    return openRequest(url, { url: `${site.url}/waiting/${name}` }, { id: name, browser, options, site });
  }
  if (kind === 'session API') {
    const created = await service.post('/session', { ttl: limitMs, args: [`--test-call=${name}`] });
    const { id, connect } = created.json<{ id: string; connect: string }>();
    const forget = async () => void (await service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } }));
    return openSocket(connect, [], { id, browser, options, forget });
  }
  const url = socketUrl(service, '/', { launch, trackingId: name, timeout: limitMs });
  const keep = { id: 1, method: 'Browserless.reconnect', params: { timeout: keepMs } };
  return openSocket(url, kind === 'CDP' ? [] : [keep], { id: name, browser, options, forget: async () => {} });
}

interface Shared {
  id: string;
  browser: OpenCall['browser'];
  options: OpenOptions;
}

async function openSocket(
  url: string,
  messages: object[],
  { id, browser, options, forget }: Shared & Pick<OpenCall, 'forget'>,
): Promise<OpenCall> {
  if (options.apart) return { ...(await openApart(url, messages)), id, browser, forget };
  const socket = new WebSocket(url);
  const events: string[] = [];
  const answers = new Set<number>();
  const seen = new Promise<string>((resolve) => socket.on('close', (code) => resolve(String(code))));
  let transport: Socket | undefined;
  socket.on('upgrade', (response) => (transport = response.socket));
  socket.on('message', (data) => {
    const { id: answered, method } = JSON.parse(data.toString());
    if (typeof method === 'string') events.push(method);
    else answers.add(answered);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  let last = messages.length;
  for (const message of messages) socket.send(JSON.stringify(message));
  await until('the answers', () => answers.size === messages.length, 30_000);
  return {
    id,
    seen,
    browser,
    events,
    forget,
    send: (method, params = {}) => socket.send(JSON.stringify({ id: ++last, method, params })),
    leave: () => socket.close(1000),
    reset: () => transport?.resetAndDestroy(),
    kill: () => {},
  };
}

/** An answer that does not come before somebody ends the call. */
async function openRequest(
  url: URL,
  body: object,
  { id, browser, options, site }: Shared & { site: Site },
): Promise<OpenCall> {
  const text = JSON.stringify(body);
  const loading = () => until('the page to load', () => timesLoaded(site, id) > 0, 30_000);
  if (options.apart) {
    const client = await openApart(url.href, [body]);
    await loading();
    return { ...client, id, browser, forget: async () => {} };
  }
  const { promise: seen, resolve } = Promise.withResolvers<string>();
  const headers = {
    'content-type': 'application/json',
    'content-length': String(text.length),
    // Errors of all kinds in the form that has a code.
    accept: 'application/json, text/html',
  };
  const request = httpRequest(url, { method: 'POST', agent: false, headers }, (response) => {
    let answer = '';
    response.on('data', (chunk) => (answer += chunk));
    response.on('end', () => resolve(`${response.statusCode} ${/"code":"([\w-]+)"/.exec(answer)?.[1] ?? ''}`.trim()));
  });
  request.on('error', () => resolve('no answer'));
  request.end(text);
  await Promise.race([loading(), seen]);
  return {
    id,
    seen,
    browser,
    events: [],
    send: () => {},
    leave: () => request.destroy(),
    reset: () => request.socket?.resetAndDestroy(),
    kill: () => {},
    forget: async () => {},
  };
}

/** How often the page of a REST call has come as far as it can. */
export function timesLoaded(site: Site, name: string): number {
  return site.requests.filter(({ path, query }) => path === '/hang' && query.has(name)).length;
}

/** The client of `client-process.ts`; it has no view of the end. */
async function openApart(url: string, messages: object[]): Promise<Omit<OpenCall, 'id' | 'browser' | 'forget'>> {
  const script = join(import.meta.dirname, 'client-process.ts');
  const command = 'Deno' in globalThis ? ['run', '-A', '--quiet', script] : [script];
  const args = [...command, url, ...messages.map((message) => JSON.stringify(message))];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  const { promise: gone, resolve } = Promise.withResolvers<string>();
  child.once('exit', () => resolve('killed'));
  await until(
    () => `the client to connect: ${output}`,
    () => output.includes('ready'),
    30_000,
  );
  const kill = () => void process.kill(child.pid ?? 0, 'SIGKILL');
  return { seen: gone, events: [], send: () => {}, leave: kill, reset: kill, kill };
}

function browserOf(service: Service, name: string): ProcessInfo | undefined {
  return processTree(service.pid).find(
    ({ command }) => command.includes(`--test-call=${name} `) && !command.includes('--type='),
  );
}
