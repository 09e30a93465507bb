// Measures how fast the server rejects requests while jobs saturate the machine.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { type ServerProcess, startProcess } from '../support/service.ts';
import { median, quantile } from './measure.ts';
import { limits, type Report } from './report.ts';
import { bodyFor } from './subjects.ts';

interface Probe {
  name: string;
  status: number;
  path: string;
  token: boolean;
  body: object;
}

/** How long a rejection takes while jobs fill every slot, the queue and both cores. */
export async function measureRefusals(rounds: number, url: string, report: Report): Promise<void> {
  const token = 'bench-token';
  const service = await startProcess({ env: { TOKEN: token, CONCURRENT: '4', QUEUED: '4' } });
  const body = bodyFor('screenshot', url);
  const probes: Probe[] = [
    { name: '401 without a token', status: 401, path: '/screenshot', token: false, body },
    { name: '400 for an unknown field', status: 400, path: '/screenshot', token: true, body: { url, nonsense: 1 } },
    { name: '429 when full', status: 429, path: '/screenshot', token: true, body },
  ];
  try {
    await saturated(service, body, async () => {
      for (const probe of probes) {
        const result = await probeFrom(service, probe, rounds);
        const right = result.flatMap(({ status, ms }) => (status === probe.status ? [ms] : []));
        // Durations from the server's log exclude the probe's wait for a core, for which the server is not responsible.
        const own = service.logs().flatMap(({ status, ms }) => (status === probe.status ? [Number(ms)] : []));
        const p95 = `p95 ${quantile(right, 0.95).toFixed(1)}, by the server's clock ${quantile(own, 0.95)}`;
        report.add({
          name: `${probe.name}, ms (p50; ${p95}; ${right.length} of ${result.length})`,
          server: median(right),
          limit: limits.refusalMs,
          detail: { all: result, own },
        });
      }
    });
  } finally {
    await service.stop();
  }
}

/** Keeps eight jobs on the server, four running and four queued, while the work runs. */
async function saturated(service: ServerProcess, body: object, work: () => Promise<void>): Promise<void> {
  let running = true;
  const lane = async () => {
    while (running) await service.post('/screenshot', body);
  };
  const lanes = Array.from({ length: 8 }, lane);
  try {
    while ((await service.get('/pressure')).json<{ pressure: { queued: number } }>().pressure.queued < 4)
      await pause(10);
    await work();
  } finally {
    running = false;
    await Promise.all(lanes);
  }
}

/**
 * Sends requests from a separate process: this process is busy with the site and the jobs, and would measure itself.
 */
function probeFrom(service: ServerProcess, probe: Probe, rounds: number): Promise<{ status: number; ms: number }[]> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; ms: number }[]>();
  const headers = {
    'content-type': 'application/json',
    ...(probe.token ? { authorization: `Bearer ${service.env['TOKEN']}` } : {}),
  };
  const order = { url: service.url + probe.path, headers, body: JSON.stringify(probe.body), rounds };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'probe.ts'), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.on('error', reject);
  child.on('close', (code) =>
    code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`probe.ts exited with code ${code}`)),
  );
  return promise;
}
