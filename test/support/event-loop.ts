// Measures the longest time that a server's event loop was blocked, in CPU time of its main thread.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { runsBinary, type ServerProcess } from './service.ts';
import { until } from './until.ts';

/** Longest allowed turn of the event loop, in milliseconds of the main thread's CPU time on an idle machine. */
export const turnMs = 200;
const attempts = 3;
/** CPU time of `work()` on an idle machine of the kind that the limit was set on, in milliseconds. */
const idleWorkMs = 60;

/** Work whose CPU time shows how fast a core is at the moment: others may use its caches and its second thread. */
function work(): void {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ at, text: 'x'.repeat(at % 50) })));
  for (let round = 0; round < 20; round++) JSON.parse(text.replace(/x{3,}/g, 'y'));
}

/** How many times longer than on an idle machine the same work takes at the moment, in CPU time; at least 1. */
function slowdown(): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, (user + system) / 1_000 / idleWorkMs);
}

interface LoopStats {
  /** The longest turn since the last query, in milliseconds. */
  longestMs: number;
  /** Heap and external memory in use after a garbage collection. */
  heldBytes: number;
  /** Peak memory of the process. */
  peakBytes: number;
}

export interface LoopWatch extends Disposable {
  /** Environment that the server must be started with. */
  env: Record<string, string>;
  /** Returns zeros where measuring is not possible. */
  ask(service: ServerProcess): Promise<LoopStats>;
  /**
   * Fails if a turn takes longer than the limit during the work. The work runs up to three times, because a garbage
   * collection counts toward the turn that it interrupts. On a machine that is slow at the moment, the limit is higher.
   */
  staysFree(service: ServerProcess, name: string, work: () => Promise<unknown>, mostMs?: number): Promise<void>;
  /** Fails if a turn has taken longer than the limit since the last query; for work that cannot be repeated. */
  stayedFree(service: ServerProcess, name: string): Promise<LoopStats>;
}

/**
 * Deno does not report the CPU time of its main thread, and the single binary cannot preload a file. There, only the
 * responses are checked.
 */
const measured = !runsBinary && !('Deno' in globalThis);

function assertFree(name: string, busyMs: number, limitMs: number): void {
  if (busyMs <= limitMs) return;
  const factor = slowdown();
  const fact = `the main thread was busy for ${Math.round(busyMs)} ms`;
  assert.ok(busyMs <= limitMs * factor, `${name}: ${fact}, on a machine ${factor.toFixed(2)} times slower than idle`);
}

export function watchLoop(): LoopWatch {
  const file = join(process.env['BROWSERD_TEST_DIR'] ?? '/tmp', `event-loop-${crypto.randomUUID()}.json`);
  const fixture = join(import.meta.dirname, 'fixtures/event-loop.js');
  let told = 0;
  const watch: LoopWatch = {
    env: { ...(measured ? { NODE_OPTIONS: `--import=${fixture}` } : {}), EVENT_LOOP_FILE: file },
    async ask({ pid }) {
      if (!measured) return { longestMs: 0, heldBytes: 0, peakBytes: 0 };
      process.kill(pid, 'SIGWINCH');
      const answer = await until('the server to report on its event loop', () => {
        const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
        const found: (LoopStats & { count: number }) | undefined = text.endsWith('}') ? JSON.parse(text) : undefined;
        return found && found.count > told ? found : undefined;
      });
      told = answer.count;
      return answer;
    },
    async staysFree(service, name, act, mostMs = turnMs) {
      let shortestMs = Infinity;
      for (let attempt = 0; attempt < attempts && shortestMs > mostMs; attempt++) {
        await watch.ask(service);
        await act();
        shortestMs = Math.min(shortestMs, (await watch.ask(service)).longestMs);
      }
      assertFree(name, shortestMs, mostMs);
    },
    async stayedFree(service, name) {
      const stats = await watch.ask(service);
      assertFree(name, stats.longestMs, turnMs);
      return stats;
    },
    [Symbol.dispose]: () => rmSync(file, { force: true }),
  };
  return watch;
}
