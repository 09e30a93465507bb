// Restarts servers behind a proxy one after the other, while clients send calls through it.
import { send } from './clients/http.ts';
import { type ProxyName, startProxy } from './proxy-server.ts';
import { type Service, startService, stopAll } from './service.ts';
import { until } from './until.ts';

export interface RollingResult {
  calls: number;
  /** What went wrong: the status and the text of each answer that is not 200, or the error of the connection. */
  failures: string[];
  restarts: number;
}

const clients = 3;
const env = { CONCURRENT: '8', QUEUED: '8', SPARES: '1', SHUTDOWN_DELAY_MS: '2000' };

/** @param calls how many are sent at least; every server is restarted at least once */
export async function rollingRestart(name: ProxyName, file: string, calls: number): Promise<RollingResult> {
  const servers: Service[] = [];
  try {
    for (const _ of [1, 2, 3]) servers.push(await startService({ env }));
    await Promise.all(servers.map(isReady));
    await using proxy = await startProxy(
      name,
      file,
      servers.map(({ port }) => port),
    );
    const result: RollingResult = { calls: 0, failures: [], restarts: 0 };
    let going = true;
    const body = JSON.stringify({ html: '<title>t</title><h1>Rolling</h1>' });
    const client = async () => {
      while (going) {
        const failure = await send(`${proxy.url}/content`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        }).then(
          ({ status, text }) => (status === 200 && text.includes('Rolling') ? undefined : `${status} ${text}`),
          (error: unknown) => String(error),
        );
        result.calls++;
        if (failure !== undefined) result.failures.push(failure.slice(0, 300));
      }
    };
    const running = Array.from({ length: clients }, client);
    try {
      for (let index = 0; result.restarts < servers.length || result.calls < calls; index = (index + 1) % 3) {
        const old = servers[index];
        if (old === undefined) throw new Error('there are three servers');
        servers.splice(index, 1);
        // It also checks the exit code, and that nothing is left.
        await old.stop();
        const next = await startService({ env: { ...env, PORT: String(old.port) } });
        servers.splice(index, 0, next);
        await isReady(next);
        result.restarts++;
        const enough = result.calls + calls / 5;
        await until('calls between two restarts', () => result.calls >= enough, 60_000);
      }
    } finally {
      going = false;
      await Promise.all(running);
    }
    return result;
  } finally {
    await stopAll(...servers);
  }
}

const isReady = ({ url }: Service) =>
  until('a server to be ready', async () => (await send(`${url}/ready`)).status < 300, 30_000);
