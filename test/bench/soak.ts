// `npm run soak`: thousands of requests, every twentieth with a fault; afterward, the server must hold the same
// resources as at the start. node test/bench/soak.ts [--requests=5000] [--concurrency=4] [--json=FILE]
// The short form is test/endings/soak.test.ts.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type ServerProcess, startProcess } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { bodyFor } from './subjects.ts';
import { median, processRss } from './measure.ts';
import { expected, type Sabotage, sabotage, sabotages } from './faults.ts';
import { awaitState, settledState, type State } from './soak-state.ts';
import { pages, proofOf, routes } from './work.ts';

export interface SoakOptions {
  requests: number;
  /** Number of concurrent requests. */
  concurrency: number;
  /** Called with a progress line from time to time. */
  report?: (line: string) => void;
}

export interface SoakResult {
  /** A message for every deviation from the expected result; empty on success. */
  problems: string[];
  ordinary: { sent: number; ok: number };
  sabotaged: Record<Sabotage, { sent: number; asExpected: number }>;
  start: State;
  end: State;
  /** Resident memory of the server process in MiB: medians of the second and the last quarter of the run. */
  memory: { startMiB: number; endMiB: number; samplesMiB: number[] };
  seconds: number;
}

const everyBadly = 20;
/** Requests before the start state is read: they start the browser's helpers and get most code compiled. */
const warmUpRequests = 40;
const sampleEvery = 20;
/** Memory growth between the second and the last quarter that is still considered flat. */
const memoryTolerance = { share: 0.1, fixedMiB: 24 };
/** In runs with fewer requests, the heap is still growing to its working size: such runs only report gross leaks. */
const flatFromRequests = 2_000;
const grossLeakMiB = 120;

/** Runs a soak against a new server and a new site. */
export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const site = await startSite();
  const service = await startProcess();
  try {
    return await soak(options, service, site);
  } finally {
    await service.stop();
    await site.close();
  }
}

async function soak(
  { requests, concurrency, report }: SoakOptions,
  service: ServerProcess,
  site: Site,
): Promise<SoakResult> {
  const problems: string[] = [];
  const ordinary = { sent: 0, ok: 0 };
  const sabotaged: SoakResult['sabotaged'] = {
    'client disconnects': { sent: 0, asExpected: 0 },
    'page hangs': { sent: 0, asExpected: 0 },
    'renderer killed': { sent: 0, asExpected: 0 },
    'browser killed': { sent: 0, asExpected: 0 },
  };

  const sendOrdinary = async (index: number) => {
    const route = routes[index % routes.length] ?? 'content';
    const page = pages[Math.floor(index / routes.length) % pages.length] ?? 'small';
    ordinary.sent++;
    try {
      const { status, bytes, text } = await service.post(`/${route}`, bodyFor(route, `${site.url}/${page}`));
      if (status !== 200) throw new Error(`returned ${status}: ${text.slice(0, 300)}`);
      proofOf(route, bytes);
      ordinary.ok++;
    } catch (error) {
      problems.push(`request ${index}, ${route} ${page}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  // One fault at a time: each inspects the site's requests and the server's processes.
  let last: Promise<unknown> = Promise.resolve();
  const sendBadly = (index: number): Promise<void> => {
    const count = Math.floor(index / everyBadly);
    const how = sabotages[count % sabotages.length] ?? 'client disconnects';
    const before = last;
    const work = (async () => {
      await before;
      sabotaged[how].sent++;
      const seen = await sabotage(how, Math.floor(count / sabotages.length), service, site).catch(String);
      if (seen === expected[how]) sabotaged[how].asExpected++;
      else problems.push(`request ${index}, ${how}: ${seen} instead of ${expected[how]}`);
    })();
    last = work;
    return work;
  };

  await runConcurrently(warmUpRequests, concurrency, sendOrdinary);
  ordinary.sent = ordinary.ok = 0;
  const start = await settledState(service);
  const samplesMiB: number[] = [];
  const began = performance.now();
  await runConcurrently(requests, concurrency, async (index) => {
    if (index % everyBadly === everyBadly - 1) await sendBadly(index);
    else await sendOrdinary(index);
    if (index % sampleEvery === 0) samplesMiB.push(processRss(service.pid) / 2 ** 20);
    if (index % 500 === 0) {
      const rss = samplesMiB.at(-1)?.toFixed(0);
      report?.(
        `${index} requests, ${((performance.now() - began) / 1_000).toFixed(0)} s, RSS ${rss} MiB, ${problems.length} problems`,
      );
    }
  });
  const seconds = (performance.now() - began) / 1_000;
  // These requests make a browser that has just replaced a killed one start its helper processes.
  await runConcurrently(8, concurrency, sendOrdinary);
  const { end, left } = await awaitState(service, start);
  problems.push(...left);

  const quarter = Math.ceil(samplesMiB.length / 4);
  // Skip the first quarter, in which caches and compiled code still grow.
  const startMiB = median(samplesMiB.slice(quarter, 2 * quarter));
  const endMiB = median(samplesMiB.slice(-quarter));
  const allowedMiB =
    requests < flatFromRequests ? grossLeakMiB : startMiB * memoryTolerance.share + memoryTolerance.fixedMiB;
  if (endMiB > startMiB + allowedMiB) {
    problems.push(`memory grew from ${startMiB.toFixed(0)} to ${endMiB.toFixed(0)} MiB`);
  }
  return { problems, ordinary, sabotaged, start, end, memory: { startMiB, endMiB, samplesMiB }, seconds };
}

/** Runs `work` `count` times, `lanes` at a time. */
export async function runConcurrently(
  count: number,
  lanes: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Formats the result as lines. */
export function describeSoak(result: SoakResult): string {
  const { ordinary, sabotaged, start, end, memory, seconds, problems } = result;
  const { kinds: _, ...counts } = end;
  return [
    `${ordinary.ok} of ${ordinary.sent} ordinary requests returned 200, in ${seconds.toFixed(0)} s`,
    ...sabotages.map((how) => {
      const { sent, asExpected } = sabotaged[how];
      return `${asExpected} of ${sent} ended as expected (${expected[how]}): ${how}`;
    }),
    `server memory (RSS) ${memory.startMiB.toFixed(0)} MiB in the second quarter, ${memory.endMiB.toFixed(0)} MiB in the last`,
    `at the end: ${Object.entries(counts)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}; bytes at the start: ${start.bytes}`,
    problems.length === 0 ? 'no problems' : `${problems.length} problems:\n  ${problems.slice(0, 40).join('\n  ')}`,
  ].join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '5000' },
      concurrency: { type: 'string', default: '4' },
      json: { type: 'string' },
    },
  });
  const result = await runSoak({
    requests: Number(values.requests),
    concurrency: Number(values.concurrency),
    report: (line) => console.log(line),
  });
  console.log(describeSoak(result));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = result.problems.length > 0 ? 1 : 0;
}
