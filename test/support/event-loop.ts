// Asks a server for how long its event loop was busy at a time, in processor time of its main thread.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { runsBinary, type Service } from './service.ts';
import { until } from './until.ts';

/** Longest turn of the event loop, in milliseconds of the main thread's processor time. */
export const turnMs = 200;
const attempts = 3;

interface LoopFacts {
  /** The longest turn since the last question, in milliseconds. */
  longestMs: number;
  /** What the heap holds after a garbage collection. */
  heldBytes: number;
  /** The most memory that the process has had at a time. */
  peakBytes: number;
}

export interface LoopWatch extends Disposable {
  /** The server must be started with it. */
  env: Record<string, string>;
  /** Zeros where nothing is measured. */
  ask(service: Service): Promise<LoopFacts>;
  /**
   * Fails when a turn takes longer than `mostMs` during the work. The work runs up to three times: a garbage collection
   * counts as time of the turn that it interrupts.
   */
  staysFree(service: Service, name: string, work: () => Promise<unknown>, mostMs?: number): Promise<void>;
}

/**
 * Deno does not tell the processor time of its main thread; the single binary loads no file before its own. There the
 * answers count alone.
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
      const answer = await until('the server to tell of its event loop', () => {
        const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
        const found: (LoopFacts & { count: number }) | undefined = text.endsWith('}') ? JSON.parse(text) : undefined;
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
