// Compares complete sessions, from connect to close, with the same sessions on a headless shell that clients share:
// for virtual browsers, and for one browser process per session.
import { rawClient } from '../support/clients/clients.ts';
import { type ProcessOptions, startProcess } from '../support/service.ts';
import { until } from '../support/until.ts';
import { firstTitle, type OpenPage, openPage, type SocketTarget } from './direct.ts';
import { type CpuClock, cpuClock } from './cpu-clock.ts';
import { atRest, median, settle, treePss } from './measure.ts';
import { limits, type Report } from './report.ts';
import { runConcurrently } from './soak.ts';

/** What each client gets, as values of SESSION_ISOLATION. */
export const modes = ['context', 'process'] as const;
export type Mode = (typeof modes)[number];

/** What the tables call each mode. */
const modeLabels = { context: 'virtual browsers', process: 'browser processes' } as const;

/** A server for socket clients. */
export interface SocketServer extends SocketTarget {
  /** The server's base URL for REST. */
  url: string;
}

/** Starts a server with the given isolation mode, without a time limit. */
export async function startSocketServer(mode: Mode, env: ProcessOptions['env']): Promise<SocketServer> {
  const service = await startProcess({
    env: { CONCURRENT: '50', QUEUED: '50', TIMEOUT: '0', SESSION_ISOLATION: mode, ...env },
  });
  return {
    url: service.url,
    endpoint: service.url.replace(/^http/, 'ws'),
    pid: service.pid,
    isShared: false,
    stop: () => service.stop(),
  };
}

/** Which side goes first in a round: alternates, so that neither always follows the other. */
export const turns = (round: number) =>
  round % 2 === 0 ? (['server', 'floor'] as const) : (['floor', 'server'] as const);

interface Task {
  mode: Mode;
  direct: SocketTarget;
  /** Measures the CPU time of `direct`. */
  directClock: CpuClock;
  url: string;
  /** Number of sessions for the latency result. */
  jobs: number;
}

/**
 * Sessions before the first one that counts: the baseline's shell is warm, and so is a server that has been running for
 * a while.
 */
const warmUpSessions = { context: 100, process: 20 } as const;
const concurrencies = [4, 8] as const;
/** Pairs of blocks for each rate. */
const blocks = 3;
/** Idle sessions whose memory is measured. */
const idleSessions = 20;

export async function measureSessions({ mode, direct, directClock, url, jobs }: Task, report: Report): Promise<void> {
  const server = await startSocketServer(mode, {});
  const clocks = { server: cpuClock(server.pid), floor: directClock };
  const task = { mode, url, jobs, sides: { server, floor: direct } };
  try {
    for (const name of turns(0))
      await runConcurrently(warmUpSessions[mode], concurrencies[0], async () => {
        await firstTitle(task.sides[name], url);
      });
    await atRest(server.pid);
    await measureTitles(task, clocks, report);
    for (const at of concurrencies) await measureRates(task, at, report);
    if (mode === 'process') await measureWithSpares(task, report);
    else await measureMemory(task, report);
  } finally {
    await server.stop();
    await clocks.server.remove();
  }
}

type Sides = Omit<Task, 'direct' | 'directClock'> & { sides: { server: SocketTarget; floor: SocketTarget } };

async function measureTitles(
  { mode, url, jobs, sides }: Sides,
  clocks: Record<'server' | 'floor', CpuClock>,
  report: Report,
): Promise<void> {
  const ms = { server: [] as number[], floor: [] as number[] };
  const spent = (sign: 1 | -1) => ({
    server: sign * clocks.server.seconds(),
    floor: sign * clocks.floor.seconds(),
  });
  const before = spent(-1);
  for (let round = 0; round < jobs; round++) {
    for (const name of turns(round)) {
      ms[name].push(await firstTitle(sides[name], url));
      await settle([sides.server.pid, sides.floor.pid]);
    }
  }
  // What the server prepares for the next client counts as work for these sessions.
  await atRest(sides.server.pid);
  const after = spent(1);
  const said = modeLabels[mode];
  report.addPair(
    `${said}, first title: p50 ms, one at a time`,
    { server: median(ms.server), floor: median(ms.floor) },
    limits.firstTitleRatio[mode],
  );
  report.addPair(
    `${said}: CPU seconds per session`,
    { server: (before.server + after.server) / jobs, floor: (before.floor + after.floor) / jobs },
    mode === 'context' ? limits.sessionCpuRatio : undefined,
  );
}

/** Sessions per second, `at` of them at a time. */
async function sessionRate(side: SocketTarget, at: number, sessions: number, url: string): Promise<number> {
  await settle([side.pid]);
  const began = performance.now();
  await runConcurrently(sessions, at, async () => {
    await firstTitle(side, url);
  });
  return (sessions * 1_000) / (performance.now() - began);
}

/** Rates in alternating blocks of server and baseline; the ratio is the median of the pairs. */
async function measureRates({ mode, url, jobs, sides }: Sides, at: number, report: Report): Promise<void> {
  const rates = { server: [] as number[], floor: [] as number[] };
  const sessions = Math.max(jobs, 2 * at);
  for (let block = 0; block < blocks; block++) {
    for (const name of turns(block)) {
      rates[name].push(await sessionRate(sides[name], at, sessions, url));
      if (name === 'server') await atRest(sides.server.pid);
    }
  }
  report.add({
    name: `${modeLabels[mode]}: sessions/s, ${at} at once`,
    server: median(rates.server),
    floor: median(rates.floor),
    ratio: median(rates.server.map((rate, index) => rate / (rates.floor[index] ?? Number.NaN))),
    ...(mode === 'context' ? { limit: limits.sessionRateRatio.context } : {}),
    detail: rates,
  });
}

/** The rate of a server that has a browser process ready for each of several concurrent clients. */
async function measureWithSpares({ url, jobs, sides }: Sides, report: Report): Promise<void> {
  const lanes = 4;
  const sessions = jobs * 2;
  const withSpares = await startWithSpares(lanes);
  try {
    const server = await sessionRate(withSpares, lanes, sessions, url);
    const floor = await sessionRate(sides.floor, lanes, sessions, url);
    report.addPair(
      `${modeLabels.process}: sessions/s, ${lanes} at once, ${sessions} in all, SPARES=${lanes}`,
      { server, floor },
      limits.sessionRateRatio.process,
    );
  } finally {
    await withSpares.stop();
  }
}

/** Starts a server with enough spare browsers for the given number of simultaneous sessions. */
async function startWithSpares(lanes: number): Promise<SocketTarget> {
  const service = await startProcess({
    env: { CONCURRENT: '50', TIMEOUT: '0', SPARES: String(lanes), SESSION_ISOLATION: 'process' },
  });
  const endpoint = service.url.replace(/^http/, 'ws');
  // The server creates as many spares as there were clients connected at the same time.
  const clients = await Promise.all(Array.from({ length: lanes }, () => rawClient(endpoint)));
  for (const { socket } of clients) socket.close();
  await Promise.all(clients.map(({ closed }) => closed));
  // Browsers for clients start with a page; the server's shared browser does not.
  const started = () =>
    service.tree().filter(({ command }) => command.includes(' about:blank') && !command.includes('--type='));
  await until('the spares to start', () => started().length === lanes, 120_000);
  await atRest(service.pid);
  return { endpoint, pid: service.pid, isShared: false, stop: () => service.stop() };
}

/** How much memory each additional idle session with a page adds to the process tree. */
async function measureMemory({ mode, url, sides }: Sides, report: Report): Promise<void> {
  const each = { server: 0, floor: 0 };
  for (const name of turns(0)) {
    const side = sides[name];
    await atRest(side.pid);
    const before = treePss(side.pid);
    const open: OpenPage[] = [];
    for (let session = 0; session < idleSessions; session++) {
      const one = await openPage(side);
      await one.page.goto(url);
      open.push(one);
    }
    await atRest(side.pid);
    each[name] = (treePss(side.pid) - before) / idleSessions / 2 ** 20;
    for (const { end } of open) await end();
  }
  report.add({
    name: `${modeLabels[mode]}: process-tree MiB added by each of ${idleSessions} idle sessions with a small page`,
    ...each,
    limit: limits.contextSessionMiB,
  });
}
