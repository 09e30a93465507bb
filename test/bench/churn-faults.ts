// The abnormal endings of churn clients: each opens a connection, ends it, and throws unless its client saw the
// documented behavior.
import { readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import process from 'node:process';
import { rawClient, type RawClient, socketUrl } from '../support/clients/clients.ts';
import { type CallKind, openCall, type OpenCall, type SocketCall } from '../support/clients/open-calls.ts';
import { openVirtualCall, type VirtualKind } from '../support/clients/open-virtual-calls.ts';
import { processTree } from '../support/processes.ts';
import type { Service } from '../support/service.ts';
import type { Site } from '../support/site/site.ts';
import { until } from '../support/until.ts';

/** What a socket client gets: its own browser process or a virtual browser. */
export type Isolation = 'process' | 'context';

/** @param name unique; also the tracking id of the connection */
type Fault = (name: string, service: Service, site: Site) => Promise<void>;

const check = (seen: string, expected: string) => {
  if (seen !== expected) throw new Error(`the client saw ${seen} instead of ${expected}`);
};

/** A connection with its own browser process, which must have exited afterward. */
function ofProcess(
  kind: CallKind,
  act: (call: OpenCall, service: Service) => void | Promise<unknown>,
  expected: string,
): Fault {
  return async (name, service, site) => {
    const call = await openCall(kind, name, { service, site });
    const main = await until('the browser', () => call.browser(), 30_000);
    await act(call, service);
    check(await call.seen, expected);
    await call.forget();
    await until('the browser to exit', () => processTree(main.pid).length === 0, 30_000);
  };
}

/** A connection with a virtual browser. The end of the churn shows whether all of it was removed. */
function ofContext(
  kind: VirtualKind,
  act: (call: SocketCall, service: Service) => void | Promise<unknown>,
  expected: string,
): Fault {
  return async (name, service) => {
    const call = await openVirtualCall(kind, name, service);
    await act(call, service);
    check(await call.seen, expected);
    await sessionGone(name, service);
  };
}

async function sessionGone(name: string, service: Service): Promise<void> {
  const lines = async () => (await service.get('/sessions')).json<{ trackingId: string | null }[]>();
  await until('the session to close', async () => !(await lines()).some(({ trackingId }) => trackingId === name));
}

const kill = (call: OpenCall) => {
  const browser = call.browser();
  if (browser) process.kill(browser.pid, 'SIGKILL');
};

const endByKill = ({ id }: SocketCall, service: Service) => service.get(`/kill/${id}`);

const connect = (name: string, service: Service) => rawClient(socketUrl(service, '/', { trackingId: name }));

async function leave(client: RawClient, name: string, service: Service): Promise<void> {
  client.socket.close(1000);
  check(String((await client.closed).code), '1000');
  await sessionGone(name, service);
}

async function crashRenderer(name: string, service: Service): Promise<void> {
  const client = await connect(name, service);
  await client.send('Target.setDiscoverTargets', { discover: true });
  const { result: made } = await client.send('Target.createTarget', { url: 'about:blank' });
  const { result } = await client.send('Target.attachToTarget', { targetId: made?.['targetId'], flatten: true });
  // The response never arrives.
  void client.send('Page.crash', {}, String(result?.['sessionId'])).catch(() => undefined);
  await until('the client to receive Target.targetCrashed', () =>
    client.events.some(({ method }) => method === 'Target.targetCrashed'),
  );
  await leave(client, name, service);
}

const contextsAtOnce = 15;

/** Disconnects while the server is still creating contexts and pages for the client. */
async function leaveManyContexts(name: string, service: Service): Promise<void> {
  const client = await connect(name, service);
  const { result } = await client.send('Target.createBrowserContext');
  const { browserContextId } = result ?? {};
  for (let count = 0; count < contextsAtOnce; count++) {
    void client.send('Target.createBrowserContext');
    void client.send('Target.createTarget', { url: 'about:blank', browserContextId });
  }
  await leave(client, name, service);
}

/** Disconnects as soon as the server has the request, or once something has been created for a session. */
async function goWhileConnecting(name: string, service: Service): Promise<void> {
  const entries = () => readdirSync(service.scratchDir).join();
  const before = entries();
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const url = socketUrl(service, '/', { trackingId: name }).replace(/^ws/, 'http');
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const request = httpRequest(url, { agent: false, headers });
  request.on('error', () => undefined);
  request.on('close', resolve);
  let joined = false;
  request.on('upgrade', (_, socket) => {
    joined = true;
    socket.destroy();
  });
  const sent = new Promise<void>((done) => request.once('finish', done));
  request.end();
  await sent;
  // Names end with the cycle number.
  if (Number(name.at(-1)) % 2 === 1) await until('something to be created', () => joined || entries() !== before);
  request.destroy();
  await gone;
  await sessionGone(name, service);
}

export const faults: Record<Isolation, Record<string, Fault>> = {
  process: {
    'socket reset': ofProcess('CDP', (call) => call.reset(), '1006'),
    'browser killed': ofProcess('CDP', kill, '1011'),
    'killed with /kill': ofProcess('CDP', endByKill, '4410'),
    'kept alive until the timeout': ofProcess('kept by reconnect', (call) => call.reset(), '1006'),
    'session deleted': ofProcess('session API', (call) => call.forget(), '4411'),
    "session's browser killed": ofProcess('session API', kill, '1011'),
    'client disconnects before the response': ofProcess('REST', (call) => call.leave(), 'no answer'),
  },
  context: {
    'socket reset': ofContext('CDP', (call) => call.reset(), '1006'),
    'killed with /kill': ofContext('CDP', endByKill, '4410'),
    'kept alive until the timeout': ofContext('kept by reconnect', (call) => call.reset(), '1006'),
    'kept alive by BrowserQL until the timeout': ofContext('BrowserQL', (call) => call.leave(), '1000'),
    'renderer crashed': crashRenderer,
    'page hangs': ofContext('CDP', (call) => call.hangPage().then(() => call.leave()), '1000'),
    'disconnects with many contexts': leaveManyContexts,
    'disconnects while connecting': goWhileConnecting,
  },
};
