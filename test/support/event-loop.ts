// Measures the longest time that a server's event loop was blocked, in CPU time of its main thread.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { runsBinary, type Service } from './service.ts';
import { until } from './until.ts';

/** Longest allowed turn of the event loop, in milliseconds of the main thread's CPU time. */
export const turnMs = 200;
const attempts = 3;

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
  ask(service: Service): Promise<LoopStats>;
  /**
   * Fails if a turn takes longer than the limit during the work. The work runs up to three times, because a garbage
   * collection counts toward the turn that it interrupts.
   */
  staysFree(service: Service, name: string, work: () => Promise<unknown>, mostMs?: number): Promise<void>;
}

/**
 * Deno does not report the CPU time of its main thread, and the single binary cannot preload a file. There, only the
 * responses are checked.
 */
const measured = !runsBinary && !('Deno' in globalThis);

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
    async staysFree(service, name, work, mostMs = turnMs) {
      let shortestMs = Infinity;
      for (let attempt = 0; attempt < attempts && shortestMs > mostMs; attempt++) {
        await watch.ask(service);
        await work();
        shortestMs = Math.min(shortestMs, (await watch.ask(service)).longestMs);
      }
      assert.ok(shortestMs <= mostMs, `${name}: the main thread was busy for ${Math.round(shortestMs)} ms`);
    },
    [Symbol.dispose]: () => rmSync(file, { force: true }),
  };
  return watch;
}
