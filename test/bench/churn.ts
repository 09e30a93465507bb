// `npm run churn`: a thousand clients connect and disconnect, every third abnormally; afterward, the server must hold
// the same resources as at the start. node test/bench/churn.ts [--isolation=process|context] [--cycles=1000]
// [--concurrency=3]. With context, the clients have virtual browsers, which all share one process with a client that
// stays connected.
// The short form is test/endings/churn.test.ts.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { rawClient, socketUrl } from '../support/clients/clients.ts';
import { type ServerProcess, startProcess } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { faults, type Isolation } from './churn-faults.ts';
import { browsersOf } from './faults.ts';
import { median, processRss } from './measure.ts';
import { runConcurrently } from './soak.ts';
import { awaitState, settledState, type State } from './soak-state.ts';

export interface ChurnOptions {
  cycles: number;
  /** What the clients get. Default process. */
  isolation?: Isolation;
  /** Number of concurrent clients. */
  concurrency: number;
  /** Spare browsers of the server; with 0, the compared states are exact immediately. Default 2. */
  spares?: number;
  /** Called with a progress line from time to time. */
  report?: (line: string) => void;
}

export interface ChurnResult {
  /** A message for every deviation from the expected result; empty on success. */
  problems: string[];
  /** Number of cycles that ended as expected, by kind of ending. */
  ended: Record<string, number>;
  start: State;
  end: State;
  /** Resident memory in MiB, of the server process and of the process that virtual browsers share. */
  memory: Record<'server' | 'shell', Growth>;
  seconds: number;
}

/** Medians of the second and the last quarter of the run; NaN for a process that does not exist. */
interface Growth {
  startMiB: number;
  endMiB: number;
}

const defaultSpares = 2;
/** A switch of the browsers that the server drives itself, without a client. */
const ownUseSwitch = '--block-new-web-contents';
const everyBadly = 3;
const warmUpCycles = 9;
const sampleEvery = 10;
/** Memory growth between the second and the last quarter that is still considered flat. */
const memoryTolerance = { share: 0.1, fixedMiB: 24 };
/** In runs with fewer cycles, the heap is still growing to its working size: such runs only report gross leaks. */
const flatFromCycles = 900;
const grossLeakMiB = 120;

/** Runs a churn against a new server and a new site. */
export async function runChurn(options: ChurnOptions): Promise<ChurnResult> {
  const site = await startSite();
  const service = await startProcess({
    env: {
      ALLOWED_LAUNCH_ARGS: 'test-call',
      QUEUED: '20',
      SPARES: String(options.spares ?? defaultSpares),
      SESSION_ISOLATION: options.isolation ?? 'process',
      // Everything that the shared process accumulates over all cycles must be visible.
      RECYCLE_JOBS: '1000000',
      // By default V8 doubles the space for young objects from time to time: a step of up to 60 MiB that is not a leak.
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
  { cycles, isolation = 'process', concurrency, spares = defaultSpares, report }: ChurnOptions,
  service: ServerProcess,
  site: Site,
): Promise<ChurnResult> {
  const problems: string[] = [];
  const names = Object.keys(faults[isolation]);
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
    const fault = name === undefined ? undefined : faults[isolation][name];
    if (name === undefined || !fault) return note(index, 'in good order', comeAndGo(service));
    return note(index, name, fault(`churn-${index}`, service, site));
  };

  const stayingClient = isolation === 'context' ? await rawClient(socketUrl(service, '/', { timeout: 0 })) : undefined;
  const shell = stayingClient && browsersOf(service).find(({ command }) => !command.includes(ownUseSwitch))?.pid;
  await runConcurrently(warmUpCycles, concurrency, cycle);
  for (const name of Object.keys(ended)) ended[name] = 0;
  const start = await settledState(service, withoutSpares(isolation, spares));
  const samples = { server: [] as number[], shell: [] as number[] };
  const sample = () => {
    samples.server.push(processRss(service.pid) / 2 ** 20);
    if (shell !== undefined) samples.shell.push(processRss(shell) / 2 ** 20);
  };
  const began = performance.now();
  await runConcurrently(cycles, concurrency, async (index) => {
    await cycle(index + warmUpCycles);
    if (index % sampleEvery === 0) sample();
    if (index % 100 !== 0) return;
    const rss = Object.entries(samples).flatMap(([name, values]) =>
      values.length === 0 ? [] : [`${name} ${values.at(-1)?.toFixed(0)} MiB`],
    );
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    report?.(`${index} cycles, ${seconds} s, RSS: ${rss.join(', ')}, ${problems.length} problems`);
  });
  const seconds = (performance.now() - began) / 1_000;
  const { end, left } = await awaitState(service, start);
  problems.push(...left);
  if (stayingClient) {
    const { result } = await stayingClient.send('Target.createTarget', { url: 'about:blank' });
    if (typeof result?.['targetId'] !== 'string')
      problems.push('the client that stayed connected cannot create a page');
    stayingClient.socket.close();
  }

  const memory = { server: growth(samples.server), shell: growth(samples.shell) };
  for (const [name, { startMiB, endMiB }] of Object.entries(memory)) {
    const allowedMiB =
      cycles < flatFromCycles ? grossLeakMiB : startMiB * memoryTolerance.share + memoryTolerance.fixedMiB;
    if (endMiB > startMiB + allowedMiB) {
      problems.push(`${name} memory grew from ${startMiB.toFixed(0)} to ${endMiB.toFixed(0)} MiB`);
    }
  }
  return { problems, ended, start, end, memory, seconds };
}

/**
 * Whether the server has closed its spare browsers. Only the shared browser for requests may run, with its spare pages.
 */
const withoutSpares = (isolation: Isolation, spares: number) => (state: State) => {
  const stays = isolation === 'context' ? 1 : 0;
  return state.running === stays && state.browsers <= stays + 1 && state.renderers <= stays + spares;
};

function growth(samplesMiB: number[]): Growth {
  const quarter = Math.ceil(samplesMiB.length / 4);
  return { startMiB: median(samplesMiB.slice(quarter, 2 * quarter)), endMiB: median(samplesMiB.slice(-quarter)) };
}

/** A client that connects, works and disconnects. */
async function comeAndGo(service: ServerProcess): Promise<void> {
  const client = await rawClient(socketUrl(service, '/', { timeout: 120_000 }));
  const { result } = await client.send('Target.createTarget', { url: 'data:text/html,<title>here</title>' });
  if (typeof result?.['targetId'] !== 'string') throw new Error('no page was created');
  client.socket.close();
  const { code } = await client.closed;
  if (code !== 1005 && code !== 1000) throw new Error(`closed with code ${code}`);
}

/** Formats the result as lines. */
export function describeChurn({ problems, ended, end, memory, seconds }: ChurnResult): string {
  const { kinds: _, ...counts } = end;
  return [
    `${Object.values(ended).reduce((sum, count) => sum + count, 0)} cycles in ${seconds.toFixed(0)} s`,
    ...Object.entries(ended).map(([name, count]) => `${count} ended as expected: ${name}`),
    ...Object.entries(memory)
      .filter(([, { endMiB }]) => !Number.isNaN(endMiB))
      .map(
        ([name, { startMiB, endMiB }]) =>
          `${name} memory (RSS) ${startMiB.toFixed(0)} MiB in the second quarter, ${endMiB.toFixed(0)} MiB in the last`,
      ),
    `at the end: ${Object.entries(counts)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}`,
    problems.length === 0 ? 'no problems' : `${problems.length} problems:\n  ${problems.slice(0, 40).join('\n  ')}`,
  ].join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      isolation: { type: 'string', default: 'process' },
      cycles: { type: 'string', default: '1000' },
      concurrency: { type: 'string', default: '3' },
    },
  });
  const { isolation } = values;
  if (isolation !== 'process' && isolation !== 'context') throw new Error('--isolation must be process or context');
  const result = await runChurn({
    isolation,
    cycles: Number(values.cycles),
    concurrency: Number(values.concurrency),
    report: (line) => console.log(line),
  });
  console.log(describeChurn(result));
  process.exitCode = result.problems.length > 0 ? 1 : 0;
}
