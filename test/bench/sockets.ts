// Compares sockets through the server with a direct connection to a warm headless shell, alternating with the same
// client.
import { rawClient, type RawClient } from '../support/clients/clients.ts';
import type { Browser } from './subjects.ts';
import { cpuClock } from './cpu-clock.ts';
import { type SocketTarget, startDirect } from './direct.ts';
import { atRest, cpuSeconds, median, processRss, settle } from './measure.ts';
import { limits, type Report } from './report.ts';
import { measureSessions, modes, startSocketServer, turns } from './sessions.ts';

/** Attaches a bare client to a page. */
async function pageClient(endpoint: string): Promise<{ client: RawClient; session: string }> {
  const client = await rawClient(endpoint);
  const { result } = await client.send('Target.createTarget', { url: 'about:blank' });
  const attached = await client.send('Target.attachToTarget', { targetId: result?.['targetId'], flatten: true });
  return { client, session: String(attached.result?.['sessionId']) };
}

const evaluate = ({ client, session }: Awaited<ReturnType<typeof pageClient>>, expression: string) =>
  client.send('Runtime.evaluate', { expression }, session);

/** @param jobs number of sessions for the latency result; the other numbers are derived from it */
export async function measureSockets(browser: Browser, url: string, jobs: number, report: Report): Promise<void> {
  const direct = await startDirect(browser);
  const directClock = cpuClock(direct.pid);
  try {
    for (const mode of modes) await measureSessions({ mode, direct, directClock, url, jobs }, report);
    const service = await startSocketServer('process', {});
    try {
      await measureMessages({ server: service, floor: direct }, jobs * 100, report);
      await measureIdleProcess(service, report);
    } finally {
      await service.stop();
    }
  } finally {
    await direct.stop();
    await directClock.remove();
  }
}

/** What an idle session costs the server's own process. */
async function measureIdleProcess(server: SocketTarget, report: Report): Promise<void> {
  await settle([server.pid]);
  const before = processRss(server.pid);
  const idle = await Promise.all(Array.from({ length: 30 }, () => rawClient(server.endpoint)));
  await settle([server.pid]);
  const each = (processRss(server.pid) - before) / idle.length / 2 ** 20;
  report.add({
    name: 'server process, MiB for each of 30 idle sessions',
    server: each,
    limit: limits.idleSessionMiB,
  });
  for (const { socket } of idle) socket.close();
  await Promise.all(idle.map(({ closed }) => closed));
}

async function measureMessages(
  sides: Record<'server' | 'floor', SocketTarget>,
  messages: number,
  report: Report,
): Promise<void> {
  const clients = { server: await pageClient(sides.server.endpoint), floor: await pageClient(sides.floor.endpoint) };
  const ms = { server: [] as number[], floor: [] as number[] };
  const seconds = { server: 0, floor: 0 };
  const rounds = 10;
  // Shortly afterward, the server starts a spare browser to replace the one that the client took.
  await atRest(sides.server.pid);
  for (let round = 0; round < rounds; round++) {
    for (const name of turns(round)) {
      const before = cpuSeconds(sides[name].pid);
      for (let i = 0; i < messages / rounds; i++) {
        const began = performance.now();
        await evaluate(clients[name], '1+1');
        ms[name].push(performance.now() - began);
      }
      seconds[name] += cpuSeconds(sides[name].pid) - before;
    }
  }
  const [ours, theirs] = [median(ms.server), median(ms.floor)];
  report.add({ name: `Runtime.evaluate x ${messages}: p50 ms`, server: ours, floor: theirs, ratio: ours / theirs });
  report.add({ name: 'Runtime.evaluate: ms slower than direct', server: ours - theirs, limit: limits.messageMs });
  report.addPair('Runtime.evaluate: CPU seconds', seconds, limits.messageCpuRatio);

  const megabytes = [
    ['5 MiB down', `"x".repeat(${5 * 2 ** 20})`, limits.downRatio],
    ['2 MiB up', `"${'x'.repeat(2 * 2 ** 20)}".length`, limits.upRatio],
  ] as const;
  for (const [name, expression, limit] of megabytes) {
    const speeds = { server: [] as number[], floor: [] as number[] };
    for (let round = 0; round < rounds * 2; round++) {
      for (const side of turns(round)) {
        const began = performance.now();
        await evaluate(clients[side], expression);
        speeds[side].push(1_000 / (performance.now() - began));
      }
    }
    const both = { server: median(speeds.server), floor: median(speeds.floor) };
    report.addPair(`${name}: messages/s`, both, limit);
  }
  for (const { client } of Object.values(clients)) {
    client.socket.close();
    await client.closed;
  }
}
