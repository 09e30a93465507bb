// `npm run bench -- --curves`: the cost of requests as the number of clients, the number of idle sessions and the page
// size grow, compared with the baseline in the same run. --quick sends fewer requests and measures fewer points, for a
// first impression; --write saves the results for docs-content/overview/curves.mdx.
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { CostPoint, Costs, CostSide, CostSubject } from '../../../src/web/docs/site/costs.ts';
import { type CpuClock, cpuClock } from '../cpu-clock.ts';
import { startDirect } from '../direct.ts';
import { atRest } from '../measure.ts';
import { startSocketServer, turns } from '../sessions.ts';
import { type Browser, browserOf, startServer } from '../subjects.ts';
import { type Caller, isRest, measurePoint, socketCaller, startRest, startRestFloor } from './caller.ts';
import { measureIdleSessions } from './idle.ts';
import { measureOverload } from './overload.ts';
import { measureSizes } from './sizes.ts';

/** Where the documentation reads the results. */
export const costsPath = join(import.meta.dirname, '../../../docs-content/overview/curves.json');

interface Extent {
  /** Numbers of concurrent clients, in ascending order. */
  callers: readonly number[];
  /** Minimum number of requests per point; each client sends `perCaller` of them if that makes more. */
  leastCalls: number;
  perCaller: Record<CostSubject, number>;
  /** Slots of the overloaded servers. */
  slots: readonly number[];
  idleSessions: number;
  idleMs: number;
  /** Page sizes in bytes. */
  sizes: readonly number[];
  rounds: number;
}

const whole: Extent = {
  callers: [1, 2, 4, 8, 16, 32, 64],
  leastCalls: 10,
  // The other kinds take several times as long.
  perCaller: { content: 2, bql: 2, function: 1, context: 1, process: 1 },
  slots: [1, 2, 4, 8, 16, 32, 64],
  idleSessions: 1_000,
  idleMs: 5_000,
  sizes: [1_000, 10_000, 100_000, 1_000_000, 5_000_000, 20_000_000],
  rounds: 6,
};

const quick: Extent = {
  callers: [1, 4, 8],
  leastCalls: 4,
  perCaller: { content: 1, bql: 1, function: 1, context: 1, process: 1 },
  slots: [1, 4],
  idleSessions: 40,
  idleMs: 1_000,
  sizes: [1_000, 100_000, 1_000_000],
  rounds: 2,
};

/** Measures all curves; prints a line for each step. @param site the test site; `clear` forgets its requests */
export async function measureCosts(site: { url: string; clear(): void }, isQuick: boolean): Promise<Costs> {
  const began = performance.now();
  const extent = isQuick ? quick : whole;
  const url = `${site.url}/small`;
  const { browser, cpuCounter } = await findBrowser();
  const curveOf = (subject: CostSubject) => measureCurve({ subject, browser, url, extent }, () => site.clear());
  const curves = {
    content: await curveOf('content'),
    bql: await curveOf('bql'),
    function: await curveOf('function'),
    context: await curveOf('context'),
    process: await curveOf('process'),
  };
  say('overload');
  const overload = await measureOverload(url, extent.slots);
  site.clear();
  say('idle sessions');
  const idle = await measureIdleSessions({ url, sessions: extent.idleSessions, idleMs: extent.idleMs });
  say('page sizes');
  const sizes = await measureSizes({ browser, siteUrl: site.url, sizes: extent.sizes, rounds: extent.rounds });
  return {
    machine: {
      cores: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: process.platform,
      architecture: process.arch,
      runtime: `Node.js ${process.version}`,
      cpuCounter,
    },
    date: new Date().toISOString(),
    isQuick,
    seconds: Math.round((performance.now() - began) / 1_000),
    curves,
    overload,
    idle,
    sizes,
  };

  function say(what: string): void {
    console.log(`${((performance.now() - began) / 1_000).toFixed(0)} s: ${what}`);
  }
}

/** The browser that a server starts, and how its CPU time is measured. */
async function findBrowser(): Promise<{ browser: Browser; cpuCounter: CpuClock['counter'] }> {
  const server = await startServer();
  const clock = cpuClock(server.pid);
  try {
    return { browser: await browserOf(server), cpuCounter: clock.counter };
  } finally {
    await server.stop();
    await clock.remove();
  }
}

interface CurveOrder {
  subject: CostSubject;
  browser: Browser;
  url: string;
  extent: Extent;
}

async function measureCurve(order: CurveOrder, clear: () => void): Promise<Record<CostSide, CostPoint[]>> {
  const sides = await startSides(order);
  const { callers, leastCalls, perCaller } = order.extent;
  const points: Record<CostSide, CostPoint[]> = { server: [], floor: [] };
  const clocks = { server: cpuClock(sides.server.pid), floor: cpuClock(sides.floor.pid) };
  try {
    for (const name of turns(0)) await sides[name].run(8, 4);
    await atRest(sides.server.pid);
    for (const [index, count] of callers.entries()) {
      const calls = Math.max(leastCalls, count * perCaller[order.subject]);
      for (const name of turns(index)) {
        points[name].push(await measurePoint({ caller: sides[name], clock: clocks[name] }, count, calls));
        clear();
      }
      const [server, floor] = [points.server.at(-1), points.floor.at(-1)];
      console.log(
        `  ${order.subject}, ${count} at a time: p50 ${server?.p50Ms?.toFixed(0)} ms, baseline ${floor?.p50Ms?.toFixed(0)} ms`,
      );
    }
  } finally {
    await sides.floor.stop();
    await sides.server.stop();
    for (const clock of Object.values(clocks)) await clock.remove();
  }
  return points;
}

async function startSides({ subject, browser, url, extent }: CurveOrder): Promise<Record<CostSide, Caller>> {
  const most = String(Math.max(...extent.callers));
  // Every client has a slot: the curves show what the requests cost, not how they wait for one another.
  const env = { CONCURRENT: most, QUEUED: most };
  if (isRest(subject)) return { server: await startRest(subject, url, env), floor: await startRestFloor(browser, url) };
  return {
    server: socketCaller(await startSocketServer(subject, env), url),
    floor: socketCaller(await startDirect(browser), url),
  };
}
