// Restarts servers behind a proxy one at a time, while clients send requests through it.
import { WebSocket } from 'ws';
import { rawClient } from './clients/clients.ts';
import { type Reply, send } from './clients/http.ts';
import { nodeNames, restartServer, startRegistered } from './cluster.ts';
import { type ProxyName, startProxy } from './proxy-server.ts';
import { type Service, startService } from './service.ts';
import { until } from './until.ts';
import { startValkey } from './valkey.ts';

export interface RollingResult {
  calls: number;
  /** The status and text of each response other than 200, or the connection error. */
  failures: string[];
  restarts: number;
}

interface Rolling {
  name: ProxyName;
  file: string;
  /** Minimum number of requests; every server is restarted at least once. */
  calls: number;
}

interface Fleet {
  servers: Service[];
  startAgain(old: Service): Promise<Service>;
  /**
   * The call that each client repeats; it returns what went wrong.
   * @param done returns how many calls have finished; Infinity when all clients should stop
   */
  clients(url: string, done: () => number): (() => Promise<string | undefined>)[];
  /** Wraps the restart of a server; returns what went wrong. */
  around?(index: number, url: string, restart: () => Promise<void>): Promise<string | undefined>;
}

const env = { CONCURRENT: '8', QUEUED: '8', SPARES: '1', SHUTDOWN_DELAY_MS: '2000' };
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

/** Restarts servers that share nothing, under load from three REST clients. */
export async function rollingRestart(name: ProxyName, file: string, calls: number): Promise<RollingResult> {
  const servers: Service[] = [];
  try {
    for (const _ of [1, 2, 3]) servers.push(await startService({ env }));
    return await roll(
      { name, file, calls },
      {
        servers,
        startAgain: ({ port }) => startService({ env: { ...env, PORT: String(port) } }),
        clients: (url) => times(3, () => content(url)),
      },
    );
  } finally {
    await stopTogether(servers);
  }
}

/**
 * Restarts the servers of a cluster that share slots through Valkey, under load from two REST and two socket clients.
 * While one server restarts, a session on another server can still be found by its id; afterward, requests for the
 * restarted server's sessions receive a 410.
 */
export async function rollingCluster(name: ProxyName, file: string, calls: number): Promise<RollingResult> {
  const valkey = await startValkey();
  const nameOf = (index: number) => nodeNames[index % nodeNames.length] ?? '';
  const servers = await startRegistered(3, valkey, { ...env, SPARES: '0' }, (index) => ({ NODE_NAME: nameOf(index) }));
  /** Id of the session that must be found. */
  let sessionToFind: string | undefined;
  const find = async (url: string): Promise<string | undefined> => {
    const id = sessionToFind;
    const reply = id === undefined ? undefined : await ask(url, 'GET', `/session-files/${id}`);
    // The session may have ended by now.
    return reply === undefined || reply.status === 200 || id !== sessionToFind
      ? undefined
      : `${id} ${describeReply(reply)}`;
  };
  /** Creates a session on that server: the server that receives the request forwards it to one with fewer sessions. */
  const begin = async (index: number): Promise<string> => {
    for (;;) {
      const reply = await ask(servers[0]?.url ?? '', 'POST', '/session', { ttl: 120_000 });
      const { id } = reply.json<{ id: string }>();
      if (id.startsWith(nameOf(index))) return id;
    }
  };
  try {
    return await roll(
      { name, file, calls },
      {
        servers,
        startAgain: restartServer,
        clients: (url, done) => [
          ...times(2, async () => (await content(url)) ?? find(url)),
          ...times(2, () => socketCall(`${url.replace(/^http/, 'ws')}/?token=token-of-all`, done)),
        ],
        async around(index, url, restart) {
          const gone = await begin(index);
          const id = await begin(index + 1);
          sessionToFind = id;
          await restart();
          sessionToFind = undefined;
          const ended = await ask(url, 'DELETE', `/session/${id}`);
          if (ended.status !== 204) return describeReply(ended);
          const old = await ask(url, 'GET', `/session-files/${gone}`);
          return old.status === 410 ? undefined : describeReply(old);
        },
      },
    );
  } finally {
    await stopTogether(servers);
    await valkey.stop();
  }
}

async function roll({ name, file, calls }: Rolling, fleet: Fleet): Promise<RollingResult> {
  const { servers } = fleet;
  await Promise.all(servers.map(isReady));
  await using proxy = await startProxy(name, file, servers);
  const result: RollingResult = { calls: 0, failures: [], restarts: 0 };
  const note = (failure: string | undefined) => {
    result.calls++;
    if (failure !== undefined) result.failures.push(failure.slice(0, 300));
  };
  let going = true;
  const running = fleet
    .clients(proxy.url, () => (going ? result.calls : Infinity))
    .map(async (call) => {
      while (going) note(await call().catch(String));
    });
  try {
    for (let index = 0; result.restarts < servers.length || result.calls < calls; index = (index + 1) % 3) {
      const restart = async () => {
        const old = servers[index];
        if (old === undefined) throw new Error('the server to restart is missing');
        servers.splice(index, 1);
        // `stop` also checks the exit code and that nothing is left behind.
        await old.stop();
        const next = await fleet.startAgain(old);
        servers.splice(index, 0, next);
        await isReady(next);
      };
      if (fleet.around) note(await fleet.around(index, proxy.url, restart));
      else await restart();
      result.restarts++;
      const enough = result.calls + calls / 5;
      await until('calls between two restarts', () => result.calls >= enough, 60_000);
    }
  } finally {
    going = false;
    await Promise.all(running);
  }
  return result;
}

function ask(url: string, method: string, path: string, body?: unknown): Promise<Reply> {
  const headers = { authorization: 'Bearer token-of-all', 'content-type': 'application/json' };
  return send(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

const describeReply = ({ status, text }: Reply) => `${status} ${text}`;

async function content(url: string): Promise<string | undefined> {
  const reply = await ask(url, 'POST', '/content', { html: '<title>t</title><h1>Rolling</h1>' });
  return reply.status === 200 && reply.text.includes('Rolling') ? undefined : describeReply(reply);
}

/**
 * Opens a connection, works with a page, waits for a few calls by other clients, and works with the page again. A
 * server that stops may close the connection with 1001, which tells the client to reconnect.
 */
async function socketCall(url: string, done: () => number): Promise<string | undefined> {
  const client = await rawClient(url);
  try {
    const made = await client.send('Target.createTarget', { url: 'about:blank' });
    const attached = await client.send('Target.attachToTarget', { ...made.result, flatten: true });
    const session = String(attached.result?.['sessionId']);
    const results: unknown[] = [];
    for (const stay of [10, 0]) {
      results.push((await client.send('Runtime.evaluate', { expression: '6 * 7' }, session)).result?.['result']);
      const enough = done() + stay;
      await until('calls by other clients', () => done() >= enough || client.socket.readyState !== WebSocket.OPEN);
      if (client.socket.readyState !== WebSocket.OPEN) throw new Error('the server closed the connection');
    }
    const isRight = results.every((each) => JSON.stringify(each).includes('"value":42'));
    return isRight ? undefined : JSON.stringify([made, attached, results]);
  } catch (error) {
    client.socket.close();
    const { code } = await client.closed;
    return code === 1001 ? undefined : `${code} ${String(error)}`;
  } finally {
    client.socket.close();
    await client.closed;
  }
}

/** Stops all servers at the same time, since each waits for SHUTDOWN_DELAY_MS. */
async function stopTogether(servers: readonly Service[]): Promise<void> {
  await Promise.all(servers.map((each) => each.stop()));
}

const isReady = ({ url }: Service) =>
  until('a server to be ready', async () => (await send(`${url}/ready`)).status < 300, 30_000);
