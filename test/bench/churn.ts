// `npm run churn`: a thousand clients connect and disconnect, every third with a fault; afterwards the server must hold
// the same resources as at the start. node test/bench/churn.ts [--cycles=1000] [--concurrency=3]
// The short form is test/endings/churn.test.ts.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { rawClient, socketUrl } from '../support/clients/clients.ts';
import { type CallKind, openCall, type OpenCall } from '../support/clients/open-calls.ts';
import { processTree } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { until } from '../support/until.ts';
import { median, processRss } from './measure.ts';
import { inLanes } from './soak.ts';
import { awaitState, settledState, type State } from './soak-state.ts';

export interface ChurnOptions {
  cycles: number;
  /** Clients at a time. */
  concurrency: number;
  /** Spare browsers of the server; with 0, the compared states are exact at once. Default 2. */
  spares?: number;
  /** Called with a line of progress from time to time. */
  report?: (line: string) => void;
}

export interface ChurnResult {
  /** Every deviation from the expected result, in one sentence each; empty on success. */
  problems: string[];
  /** Number of cycles that ended as expected, by kind of end. */
  ended: Record<string, number>;
  start: State;
  end: State;
  /** Resident memory of the server process in MiB: medians of the second and the last quarter of the run. */
  memory: { startMiB: number; endMiB: number };
  seconds: number;
}

interface Fault {
  kind: CallKind;
  act(call: OpenCall, service: Service): void | Promise<unknown>;
  /** What the client must see. */
  seen: string;
}

const kill = (call: OpenCall) => {
  const browser = call.browser();
  if (browser) process.kill(browser.pid, 'SIGKILL');
};

export const faults: Record<string, Fault> = {
  'socket reset': { kind: 'CDP', act: (call) => call.reset(), seen: '1006' },
  'browser killed': { kind: 'CDP', act: kill, seen: '1011' },
  'ended by /kill': { kind: 'CDP', act: (call, service) => service.get(`/kill/${call.id}`), seen: '4410' },
  'kept, and time over': { kind: 'kept by reconnect', act: (call) => call.reset(), seen: '1006' },
  'session deleted': { kind: 'session API', act: (call) => call.forget(), seen: '4411' },
  'browser of a session killed': { kind: 'session API', act: kill, seen: '1011' },
  'answer not awaited': { kind: 'REST', act: (call) => call.leave(), seen: 'no answer' },
};

const everyBadly = 3;
const warmUpCycles = 9;
const sampleEvery = 10;
/** The memory growth between the second and the last quarter that still counts as flat. */
const memoryTolerance = { share: 0.1, fixedMiB: 24 };
/** In runs of fewer cycles the heap still grows to its working size: such runs report gross leaks only. */
const flatFromCycles = 900;
const grossLeakMiB = 120;

/** Runs a churn against a new server and a new site. */
export async function runChurn(options: ChurnOptions): Promise<ChurnResult> {
  const site = await startSite();
  const service = await startService({
    env: {
      ALLOWED_LAUNCH_ARGS: 'test-call',
      QUEUED: '20',
      SPARES: String(options.spares ?? 2),
      // Left alone, V8 doubles the room for young objects from time to time: a step of up to 60 MiB that is no leak.
      NODE_OPTIONS: '--max-semi-space-size=16',
    },
  });
  try {
    return await churn(options, service, site);
  } finally {
    await service.stop();
    await site.close();
  }
}

async function churn(
  { cycles, concurrency, report }: ChurnOptions,
  service: Service,
  site: Site,
): Promise<ChurnResult> {
  const problems: string[] = [];
  const names = Object.keys(faults);
  const ended: Record<string, number> = Object.fromEntries(['in good order', ...names].map((name) => [name, 0]));
  const note = async (index: number, name: string, work: Promise<void>) => {
    await work.then(
      () => (ended[name] = (ended[name] ?? 0) + 1),
      (error: unknown) =>
        problems.push(`cycle ${index}, ${name}: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  const cycle = async (index: number) => {
    const name = index % everyBadly === 0 ? (names[(index / everyBadly) % names.length] ?? '') : undefined;
    const fault = name === undefined ? undefined : faults[name];
    if (name === undefined || !fault) return note(index, 'in good order', comeAndGo(service));
    return note(index, name, endBadly(fault, `churn-${index}`, service, site));
  };

  await inLanes(warmUpCycles, concurrency, cycle);
  for (const name of Object.keys(ended)) ended[name] = 0;
  const start = await settledState(service, true);
  const samplesMiB: number[] = [];
  const began = performance.now();
  await inLanes(cycles, concurrency, async (index) => {
    await cycle(index + warmUpCycles);
    if (index % sampleEvery === 0) samplesMiB.push(processRss(service.pid) / 2 ** 20);
    if (index % 100 !== 0) return;
    const rss = samplesMiB.at(-1)?.toFixed(0);
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    report?.(`${index} cycles, ${seconds} s, RSS ${rss} MiB, ${problems.length} problems`);
    site.clear();
  });
  const seconds = (performance.now() - began) / 1_000;
  const { end, left } = await awaitState(service, start);
  problems.push(...left);

  const quarter = Math.ceil(samplesMiB.length / 4);
  const startMiB = median(samplesMiB.slice(quarter, 2 * quarter));
  const endMiB = median(samplesMiB.slice(-quarter));
  const allowedMiB =
    cycles < flatFromCycles ? grossLeakMiB : startMiB * memoryTolerance.share + memoryTolerance.fixedMiB;
  if (endMiB > startMiB + allowedMiB) {
    problems.push(`memory grew from ${startMiB.toFixed(0)} to ${endMiB.toFixed(0)} MiB`);
  }
  return { problems, ended, start, end, memory: { startMiB, endMiB }, seconds };
}

/** A client that connects, works and disconnects. */
async function comeAndGo(service: Service): Promise<void> {
  const client = await rawClient(socketUrl(service, '/', { timeout: 120_000 }));
  const { result } = await client.send('Target.createTarget', { url: 'data:text/html,<title>here</title>' });
  if (typeof result?.['targetId'] !== 'string') throw new Error('no page was made');
  client.socket.close();
  const { code } = await client.closed;
  if (code !== 1005 && code !== 1000) throw new Error(`closed with ${code}`);
}

async function endBadly(fault: Fault, name: string, service: Service, site: Site): Promise<void> {
  const call = await openCall(fault.kind, name, { service, site });
  const main = await until('the browser', () => call.browser(), 30_000);
  await fault.act(call, service);
  const seen = await call.seen;
  if (seen !== fault.seen) throw new Error(`the client saw ${seen} in place of ${fault.seen}`);
  await call.forget();
  await until('the browser to be gone', () => processTree(main.pid).length === 0, 30_000);
}

/** Formats the result as lines. */
export function describeChurn({ problems, ended, end, memory, seconds }: ChurnResult): string {
  const { kinds: _, ...counts } = end;
  return [
    `${Object.values(ended).reduce((sum, count) => sum + count, 0)} cycles in ${seconds.toFixed(0)} s`,
    ...Object.entries(ended).map(([name, count]) => `${count} ended as they must: ${name}`),
    `server memory (RSS) ${memory.startMiB.toFixed(0)} MiB in the second quarter, ${memory.endMiB.toFixed(0)} MiB in the last`,
    `at the end: ${Object.entries(counts)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
    problems.length === 0 ? 'no problems' : `${problems.length} problems:\n  ${problems.slice(0, 40).join('\n  ')}`,
  ].join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { cycles: { type: 'string', default: '1000' }, concurrency: { type: 'string', default: '3' } },
  });
  const result = await runChurn({
    cycles: Number(values.cycles),
    concurrency: Number(values.concurrency),
    report: (line) => console.log(line),
  });
  console.log(describeChurn(result));
  process.exitCode = result.problems.length > 0 ? 1 : 0;
}
