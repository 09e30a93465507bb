// Opens as many sessions with virtual browsers as the machine can hold, leaves them idle, and measures their cost.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { IdleSessions } from '../../../src/web/docs/site/costs.ts';
import { type RawClient, rawClient } from '../../support/clients/clients.ts';
import { atRest, cpuSeconds, median, processRss, treePss } from '../measure.ts';
import { type SocketServer, startSocketServer } from '../sessions.ts';
import { runConcurrently } from '../soak.ts';
import { bodyFor } from '../subjects.ts';

/** Number of sessions that open at the same time. */
const lanes = 20;
/** Share of the machine's memory that stays free: the kernel kills processes long before memory runs out. */
const freeShare = 0.25;
const contentCalls = 10;

function freeMemoryShare(): number {
  const text = readFileSync('/proc/meminfo', 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]);
  return kilobytes('MemAvailable') / kilobytes('MemTotal');
}

interface IdleOrder {
  /** A small page. */
  url: string;
  sessions: number;
  /** How long the idle CPU time is measured, in ms. */
  idleMs: number;
}

/** Opens the sessions, waits until they are idle, and measures. */
export async function measureIdleSessions({ url, sessions, idleMs }: IdleOrder): Promise<IdleSessions> {
  const server = await startSocketServer('context', { CONCURRENT: String(sessions + lanes), QUEUED: String(lanes) });
  const clients: RawClient[] = [];
  try {
    // Start the shared browsers before the measurement.
    (await rawClient(server.endpoint)).socket.close();
    const without = await contentMs(server, url);
    await atRest(server.pid);
    const start = { tree: treePss(server.pid), process: processRss(server.pid) };
    const ended = await untilFull(sessions, async () => {
      clients.push(await rawClient(server.endpoint));
    });
    await atRest(server.pid);
    const spent = { seconds: cpuSeconds(server.pid), at: performance.now() };
    await pause(idleMs);
    const cpuMs = (cpuSeconds(server.pid) - spent.seconds) * 1_000;
    const cpuMsPerSecond = (cpuMs * 1_000) / (performance.now() - spent.at);
    const each = (bytes: number) => bytes / clients.length / 2 ** 20;
    return {
      sessions: clients.length,
      wanted: sessions,
      ended,
      serverMiB: each(processRss(server.pid) - start.process),
      treeMiB: each(treePss(server.pid) - start.tree),
      cpuMsPerSecond,
      contentP50Ms: { without, beside: await contentMs(server, url) },
    };
  } finally {
    for (const { socket } of clients) socket.close();
    await Promise.all(clients.map(({ closed }) => closed));
    await server.stop();
  }
}

/** Repeats the work; stops when memory is low or a run fails. Returns the reason for stopping, or an empty string. */
async function untilFull(count: number, work: () => Promise<void>): Promise<string> {
  let ended = '';
  await runConcurrently(count, lanes, async () => {
    if (ended === '' && freeMemoryShare() < freeShare)
      ended = `less than ${freeShare * 100}% of the machine's memory was left`;
    if (ended !== '') return;
    try {
      await work();
    } catch (error) {
      ended ||= error instanceof Error ? error.message : String(error);
    }
  });
  return ended;
}

/** Median of several /content requests, one at a time. */
async function contentMs(server: SocketServer, url: string): Promise<number> {
  const ms: number[] = [];
  for (let call = -2; call < contentCalls; call++) {
    const began = performance.now();
    const answer = await fetch(`${server.url}/content`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodyFor('content', url)),
    });
    const text = await answer.text();
    if (!text.includes('<h1')) throw new Error(`content returned ${answer.status} ${text}`);
    // The first requests warm up the server.
    if (call >= 0) ms.push(performance.now() - began);
  }
  return median(ms);
}
