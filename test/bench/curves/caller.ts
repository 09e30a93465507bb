// Clients of a server or a baseline: a given number of them at a time, each sending its requests sequentially.
import { Agent } from 'node:http';
import type { CostPoint, CostSubject } from '../../../src/web/docs/site/costs.ts';
import { startProcess } from '../../support/service.ts';
import { firstTitle, type SocketTarget } from '../direct.ts';
import type { CpuClock } from '../cpu-clock.ts';
import { atRest, peakPss, quantile, settle } from '../measure.ts';
import { runConcurrently } from '../soak.ts';
import { type Browser, post, startBaseline } from '../subjects.ts';

interface CallsOutcome {
  /** Duration of each successful request. */
  ms: number[];
  refused: number;
  failed: number;
  /** Duration of each rejected request. */
  refusalMs: number[];
  elapsedMs: number;
}

export interface Caller {
  /** The root of the measured process tree. */
  pid: number;
  /** True if work for these requests continues or starts after their responses: a server creates spares. */
  worksLater: boolean;
  run(calls: number, atOnce: number): Promise<CallsOutcome>;
  stop(): Promise<void>;
}

/** The outcome of a request: 429 is a rejection, any other response without the requested content is a failure. */
type Answered = { ms: number } | { refusedMs: number } | { failure: string };

/** Sends requests concurrently and sorts their outcomes. Prints the first failure of each run. */
async function runCalls(calls: number, atOnce: number, call: () => Promise<Answered>): Promise<CallsOutcome> {
  const outcome: CallsOutcome = { ms: [], refused: 0, failed: 0, refusalMs: [], elapsedMs: 0 };
  const began = performance.now();
  await runConcurrently(calls, atOnce, async () => {
    const answered = await call();
    if ('ms' in answered) outcome.ms.push(answered.ms);
    else if ('refusedMs' in answered) outcome.refusalMs.push(answered.refusedMs);
    else if (outcome.failed++ === 0) console.log(`  a request failed: ${answered.failure}`);
  });
  outcome.elapsedMs = performance.now() - began;
  outcome.refused = outcome.refusalMs.length;
  return outcome;
}

const code = 'export default async ({ page, context }) => { await page.goto(context.url); return page.content(); }';
const title = 'mutation Open($url: String!) { goto(url: $url) { status } title { title } }';

/** A request of each kind that loads a page, and what its response must contain. */
const requests = {
  content: (url: string) => ({ path: '/content', body: { url }, proof: '<h1' }),
  function: (url: string) => ({ path: '/function', body: { code, context: { url } }, proof: '<h1' }),
  bql: (url: string) => ({
    path: '/chromium/bql',
    body: { query: title, variables: { url } },
    proof: '"title":"Small"',
  }),
} as const;

export type RestSubject = keyof typeof requests;
export const isRest = (subject: CostSubject): subject is RestSubject => subject in requests;

/** Starts a server that loads a page for each caller. */
export async function startRest(subject: RestSubject, url: string, env: Record<string, string>): Promise<Caller> {
  const service = await startProcess({ env: { TIMEOUT: '0', ...env } });
  const agent = new Agent({ keepAlive: true });
  const { path, body, proof } = requests[subject](url);
  const text = JSON.stringify(body);
  const call = async (): Promise<Answered> => {
    const began = performance.now();
    const { status, bytes } = await post(agent, service.url + path, text);
    const ms = performance.now() - began;
    if (status === 429) return { refusedMs: ms };
    const answer = new TextDecoder().decode(bytes);
    return status === 200 && answer.includes(proof) ? { ms } : { failure: `${status} ${answer.slice(0, 300)}` };
  };
  return {
    pid: service.pid,
    worksLater: true,
    run: (calls, atOnce) => runCalls(calls, atOnce, call),
    async stop() {
      agent.destroy();
      await service.stop();
    },
  };
}

/** Starts the baseline for pages: a bare client that creates a context for each job and reads the page's markup. */
export async function startRestFloor(browser: Browser, url: string): Promise<Caller> {
  const floor = await startBaseline(browser, false);
  return {
    pid: floor.pid,
    worksLater: false,
    async run(count, concurrency) {
      const { answeredMs, elapsedMs } = await floor.run({ route: 'content', url, count, concurrency });
      return { ms: answeredMs, refused: 0, failed: 0, refusalMs: [], elapsedMs };
    },
    stop: () => floor.stop(),
  };
}

/** Clients that each connect, open a page, load it, read its title and disconnect. */
export function socketCaller(side: SocketTarget, url: string): Caller {
  const call = async (): Promise<Answered> => {
    const began = performance.now();
    try {
      return { ms: await firstTitle(side, url) };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      return failure.includes('429') ? { refusedMs: performance.now() - began } : { failure };
    }
  };
  return {
    pid: side.pid,
    worksLater: !side.isShared,
    run: (calls, atOnce) => runCalls(calls, atOnce, call),
    stop: () => side.stop(),
  };
}

/**
 * Measures one point of a curve, including the work that continues after the responses, since it belongs to these
 * requests.
 */
export async function measurePoint(
  { caller, clock }: { caller: Caller; clock: CpuClock },
  callers: number,
  calls: number,
): Promise<CostPoint> {
  await settle([caller.pid]);
  const before = clock.seconds();
  const running = caller.run(calls, callers);
  const memory = await peakPss(caller.pid, running);
  const { ms, refused, failed, elapsedMs } = await running;
  await (caller.worksLater ? atRest(caller.pid) : settle([caller.pid]));
  return {
    callers,
    calls: ms.length,
    refused,
    failed,
    p50Ms: ms.length === 0 ? null : quantile(ms, 0.5),
    p95Ms: ms.length === 0 ? null : quantile(ms, 0.95),
    callsPerSecond: (ms.length * 1_000) / elapsedMs,
    cpuMs: ms.length === 0 ? null : ((clock.seconds() - before) * 1_000) / ms.length,
    memoryMiB: memory / 2 ** 20,
  };
}
