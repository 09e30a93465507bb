// Measures server and baseline in one run: alternating single jobs, then alternating blocks of concurrent jobs, then
// the memory of each while the other is not running.
import type { Contender } from './subjects.ts';
import { cpuSeconds, median, peakPss, settle } from './measure.ts';
import { limits, type Report } from './report.ts';
import type { PageName, Route, Series } from './work.ts';

export interface Cell {
  route: Route;
  page: PageName;
  url: string;
}

export interface Contenders {
  server: Contender;
  floor: Contender;
}

/** Warm-up jobs, which do not count: caches fill and code is compiled. */
const warmUpJobs = 4;

/** Runs the cell on both contenders, to warm them up and to check that they do the same work. */
async function compareWork(cell: Cell, { server, floor }: Contenders): Promise<void> {
  const series = { ...cell, count: warmUpJobs, concurrency: 1 };
  const ours = await server.run(series);
  const theirs = await floor.run(series);
  if (ours.proof === theirs.proof) return;
  throw new Error(`${cell.route} ${cell.page}: the server found ${ours.proof}, the baseline ${theirs.proof}`);
}

/** Measures p50 and CPU time of single jobs: alternates server and baseline, each while both are otherwise idle. */
export async function measureLatency(
  cell: Cell,
  jobs: number,
  { server, floor }: Contenders,
  report: Report,
): Promise<void> {
  await compareWork(cell, { server, floor });
  const both = [server, floor] as const;
  const ms = { server: [] as number[], floor: [] as number[] };
  const seconds = { server: 0, floor: 0 };
  for (let job = 0; job < jobs; job++) {
    // Alternate which contender goes first, so that neither always follows the other.
    for (const contender of job % 2 === 0 ? both : both.toReversed()) {
      const before = cpuSeconds(contender.pid);
      const outcome = await contender.run({ ...cell, count: 1, concurrency: 1 });
      ms[contender.name].push(...outcome.answeredMs);
      // Creating the next spare page counts toward this job's CPU time, but the client does not wait for it.
      await settle([server.pid, floor.pid]);
      seconds[contender.name] += cpuSeconds(contender.pid) - before;
    }
  }
  const name = `${cell.route} ${cell.page}`;
  const p50 = { server: median(ms.server), floor: median(ms.floor) };
  report.add({
    name: `${name}: p50 ms, one at a time`,
    ...p50,
    ratio: p50.server / p50.floor,
    limit: limits.latencyRatio,
    detail: ms,
  });
  report.add({
    name: `${name}: CPU seconds per request`,
    server: seconds.server / jobs,
    floor: seconds.floor / jobs,
    ratio: seconds.server / seconds.floor,
    limit: limits.cpuRatio,
  });
}

/** Measures requests per second in alternating blocks of server and baseline; the ratio is the median of the pairs. */
export async function measureRate(
  cell: Cell,
  { concurrency, blocks }: { concurrency: number; blocks: number },
  { server, floor }: Contenders,
  report: Report,
): Promise<void> {
  // Short blocks and many pairs, so that other load on the machine affects both equally.
  const series = { ...cell, count: concurrency * 2, concurrency };
  const both = [server, floor] as const;
  const rates = { server: [] as number[], floor: [] as number[] };
  for (let block = 0; block < blocks; block++) {
    for (const contender of block % 2 === 0 ? both : both.toReversed()) {
      const { elapsedMs } = await contender.run(series);
      rates[contender.name].push((series.count / elapsedMs) * 1_000);
      await settle([server.pid, floor.pid]);
    }
  }
  report.add({
    name: `${cell.route} ${cell.page}: requests/s, ${concurrency} at once`,
    server: median(rates.server),
    floor: median(rates.floor),
    ratio: median(rates.server.map((rate, index) => rate / (rates.floor[index] ?? Number.NaN))),
    limit: limits.rateRatio,
    detail: rates,
  });
}

/**
 * Measures the peak PSS of the whole tree over all routes, in MiB. One contender at a time: two browsers running from
 * one executable share its memory pages, and each would look smaller than a browser that runs alone.
 */
export async function measureMemory(
  cells: readonly Cell[],
  concurrencies: readonly number[],
  start: () => Promise<Contender>,
): Promise<Map<string, number>> {
  const contender = await start();
  try {
    const peaks = new Map<string, number>();
    for (const concurrency of concurrencies) {
      for (const page of new Set(cells.map((cell) => cell.page))) {
        const mix: Series[] = cells
          .filter((cell) => cell.page === page)
          .map((cell) => ({ ...cell, count: concurrency * 4, concurrency }));
        const work = async () => {
          for (const series of mix) await contender.run(series);
        };
        const bytes = await peakPss(contender.pid, work());
        const named = mix.map(({ route }) => route).join(' ');
        peaks.set(`${page}: peak PSS MiB, ${concurrency} at once, ${named} in turn`, bytes / 2 ** 20);
      }
    }
    return peaks;
  } finally {
    await contender.stop();
  }
}
