// Keeps how long each run took, so that the next one starts the longest first, and prints where the time went.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, type Run } from './plan.ts';
import type { RunResult } from './run-file.ts';

const cache = join(root, 'node_modules/.cache/browserd/test-times.json');
const slowestPrinted = 20;

const keyOf = ({ file, on }: Run) => `${on} ${file.path}`;

function readTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(cache, 'utf8'));
  } catch {
    return {};
  }
}

/** Sorts runs so that the longest comes first. Without a measured time, a long file counts as slow. */
export function longestFirst(runs: readonly Run[]): Run[] {
  const times = readTimes();
  const expected = (run: Run) => times[keyOf(run)] ?? run.file.text.length / 1_000;
  return runs.toSorted((one, other) => expected(other) - expected(one));
}

export function keepTimes(results: readonly RunResult[]): void {
  const times = readTimes();
  for (const { run, seconds, failed } of results) if (failed === 0) times[keyOf(run)] = Number(seconds.toFixed(1));
  mkdirSync(dirname(cache), { recursive: true });
  writeFileSync(cache, JSON.stringify(times));
}

/** Prints the total of each runtime, the slowest files, and the number of servers. */
export function printTimes(
  results: readonly RunResult[],
  { lanes, wallSeconds }: { lanes: number; wallSeconds: number },
): void {
  const seconds = (some: readonly RunResult[]) => some.reduce((sum, one) => sum + one.seconds, 0);
  for (const [on, some] of Map.groupBy(results, (one) => one.run.on))
    console.log(`TIME ${on}: ${some.length} files, ${seconds(some).toFixed(0)} s`);
  for (const one of results.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestPrinted))
    console.log(`TIME ${one.seconds.toFixed(1)} s ${keyOf(one.run)}`);
  const count = (kind: keyof RunResult['starts']) => results.reduce((sum, one) => sum + one.starts[kind], 0);
  console.log(`TIME ${count('processes')} server processes, ${count('inProcess')} servers in the process of a test`);
  const together = results.filter(({ run }) => !run.file.isAlone);
  const alone = results.filter(({ run }) => run.file.isAlone);
  const laneSeconds = lanes * Math.max(wallSeconds - seconds(alone), 1);
  console.log(
    `TIME ${wallSeconds.toFixed(0)} s in all; ${lanes} lanes were busy ${Math.round((100 * seconds(together)) / laneSeconds)} % of the time, then ${seconds(alone).toFixed(0)} s one file at a time`,
  );
}
