// Opens each kind of call that holds a browser. The tests of endings and the churn end these calls in every possible
// way.
import { type ChildProcess, spawn } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { socketUrl } from './clients.ts';
import type { ProcessInfo } from '../processes.ts';
import type { Service } from '../service.ts';
import type { Site } from '../site/site.ts';
import { until } from '../until.ts';

export const callKinds = ['CDP', 'Playwright', 'kept by reconnect', 'session API', 'REST'] as const;
export type CallKind = (typeof callKinds)[number];

export interface OpenOptions {
  /** Time limit of the call in milliseconds; for a session, its time to live. */
  limitMs?: number;
  /** Runs the client in its own process, which `kill` ends. */
  apart?: boolean;
}

/** A client's call on a socket, no matter what its browser is. */
export type SocketCall = Omit<OpenCall, 'browser'>;

export interface OpenCall {
  /** The id that `/kill` accepts. */
  id: string;
  /** What the client saw at the end: a close code, or the status and error code of a response. */
  seen: Promise<string>;
  /** The main process of the call's browser. */
  browser(): ProcessInfo | undefined;
  /** Makes the browser announce a page to the client; resolves when the page exists. */
  showPage(): Promise<void>;
  /** Blocks the main thread of its page forever; resolves once it is blocked. Over CDP only. */
  hangPage(): Promise<void>;
  /** True once the client has received the event of a page crash. */
  crashTold(): boolean;
  /** Closes the browser as the client's library does; a REST client disconnects. */
  close(): void;
  /** Closes the connection normally. */
  leave(): void;
  /** Resets the connection (TCP RST). */
  reset(): void;
  /** Sends SIGKILL to the client's process. */
  kill(): void;
  /** Deletes a session that would otherwise stay without clients. */
  forget(): Promise<void>;
}

/** How long a browser is kept alive without clients, in milliseconds. */
const keepMs = 1_000;
/** The message that tells the server to keep the browser alive. */
export const keep = { id: 1, method: 'Browserless.reconnect', params: { timeout: keepMs } };
/** Time limit of a call that ends in a different way, in milliseconds. */
export const longMs = 120_000;

/** Opens a call with the name in the command line of its browser, so that tests can find the browser. */
export async function openCall(
  kind: CallKind,
  name: string,
  { service, site }: { service: Service; site: Site },
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
    return { ...(await openSocket(connect, [], { id, options, forget })), browser };
  }
  const query = { launch, trackingId: name, timeout: limitMs };
  const forget = async () => {};
  if (kind === 'Playwright') {
    const hello = { id: 1, guid: '', method: 'initialize', params: { sdkLanguage: 'javascript' }, metadata: {} };
    const url = socketUrl(service, '/chromium/playwright', query);
    return { ...(await openSocket(url, [hello], { id: name, options, forget, agent: playwrightAgent })), browser };
  }
  const url = socketUrl(service, '/', query);
  return { ...(await openSocket(url, kind === 'CDP' ? [] : [keep], { id: name, options, forget })), browser };
}

/** User-Agent by which the server recognizes a Playwright client. */
const playwrightAgent = 'Playwright/1.65.1 (x64; debian 12) node/26.10';

interface Message {
  id?: number;
  method?: string;
  params?: { type?: string; guid: string };
  result?: { context?: { guid: string }; targetInfos?: { targetId: string; type: string }[]; sessionId?: string };
}

interface SocketOptions {
  id: string;
  options: OpenOptions;
  forget: OpenCall['forget'];
  /** User-Agent of the client. */
  agent?: string;
}

/** Opens a socket and sends the messages, whose ids start at 1. */
export async function openSocket(
  url: string,
  messages: object[],
  { id, options, forget, agent }: SocketOptions,
): Promise<SocketCall> {
  if (options.apart) return { ...(await openApart(url, messages, agent)), id, forget };
  const socket = new WebSocket(url, agent === undefined ? {} : { headers: { 'User-Agent': agent } });
  const events = new Set<string>();
  const answers = new Map<number, Message>();
  let playwrightBrowser = '';
  const seen = new Promise<string>((resolve) => socket.on('close', (code) => resolve(String(code))));
  let transport: Socket | undefined;
  socket.on('upgrade', (response) => (transport = response.socket));
  socket.on('message', (data) => {
    const message: Message = JSON.parse(data.toString());
    if (message.id !== undefined) answers.set(message.id, message);
    if (message.method !== undefined) events.add(message.method);
    if (message.method === '__create__' && message.params?.type === 'Browser') playwrightBrowser = message.params.guid;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  let last = messages.length;
  for (const message of messages) socket.send(JSON.stringify(message));
  await until('the responses', () => answers.size === messages.length, 30_000);
  const send = async (method: string, params: object, more: object = {}) => {
    const number = ++last;
    socket.send(JSON.stringify({ id: number, method, params, ...more }));
    return until(`the response to ${method}`, () => answers.get(number), 30_000);
  };
  return {
    id,
    seen,
    forget,
    async showPage() {
      if (agent === undefined) {
        await send('Target.setDiscoverTargets', { discover: true });
        await until('the page to be announced', () => events.has('Target.targetCreated'), 30_000);
        return;
      }
      const { result } = await send('newContext', {}, { guid: playwrightBrowser, metadata: {} });
      await send('newPage', {}, { guid: result?.context?.guid, metadata: {} });
    },
    async hangPage() {
      const { result: found } = await send('Target.getTargets', {});
      const targetId = found?.targetInfos?.find(({ type }) => type === 'page')?.targetId;
      const { result: attached } = await send('Target.attachToTarget', { targetId, flatten: true });
      const expression = 'setTimeout(() => { for (;;); })';
      const answer = await send('Runtime.evaluate', { expression }, { sessionId: attached?.sessionId });
      if (!answer.result) throw new Error(`the page does not evaluate: ${JSON.stringify(answer)}`);
    },
    crashTold: () => events.has('Target.targetCrashed') || events.has('crash'),
    close() {
      // Playwright's `browser.close()` only closes the connection to a browser that Playwright did not start.
      if (agent !== undefined) socket.close(1000);
      // Ignore the response: the connection may end before it arrives.
      else send('Browser.close', {}).catch(() => undefined);
    },
    leave: () => socket.close(1000),
    reset: () => transport?.resetAndDestroy(),
    kill: () => {},
  };
}

/** Sends a REST request that gets no response until the test or the server ends the call. */
async function openRequest(
  url: URL,
  body: object,
  { id, browser, options, site }: Pick<OpenCall, 'id' | 'browser'> & { options: OpenOptions; site: Site },
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
    // Requests JSON errors, which contain an error code.
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
    ...withoutSocket,
    close: () => request.destroy(),
    leave: () => request.destroy(),
    reset: () => request.socket?.resetAndDestroy(),
    kill: () => {},
    forget: async () => {},
  };
}

/** How many times the page of a REST call has sent its request that never ends. */
export function timesLoaded(site: Site, name: string): number {
  return site.requests.filter(({ path, query }) => path === '/hang' && query.has(name)).length;
}

/** Starts `client-process.ts`, which does not report how its call ended. */
async function openApart(
  url: string,
  messages: object[],
  agent?: string,
): Promise<Omit<OpenCall, 'id' | 'browser' | 'forget'>> {
  const script = join(import.meta.dirname, 'client-process.ts');
  const command = 'Deno' in globalThis ? ['run', '-A', '--quiet', script] : [script];
  const args = [...command, url, ...messages.map((message) => JSON.stringify(message))];
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(agent === undefined ? {} : { CLIENT_USER_AGENT: agent }) },
  });
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
  return { seen: gone, ...withoutSocket, close: kill, leave: kill, reset: kill, kill };
}

const withoutSocket = { showPage: async () => {}, hangPage: async () => {}, crashTold: () => false };

function browserOf(service: Service, name: string): ProcessInfo | undefined {
  return service.tree().find(({ command }) => command.includes(`--test-call=${name} `) && !command.includes('--type='));
}
