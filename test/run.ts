// Runs the test files, each in its own process, and prints the totals on the last line.
// node test/run.ts [options] [filter…]
//   filter…            only files whose path contains one of them, whatever their tier
//   --all              what CI runs: also the tier `ci`, and each file on the runtimes that its marks name
//   --full             also the tier `full`
//   --runtime=NAME     on this runtime only: node, newest, deno, process, bundle or binary
//   --changed[=BASE]   only files that a change since BASE (default: main) may affect
//   --shard=I/N        only part I of N
//   --lanes=N          files at a time; default: one fewer than there are cores, but at least four
//   --limit=SECONDS    time limit of a file; default: 480
// test/runner/plan.ts describes the marks in the header of a file. In CI, the runner repeats a failed file once, alone,
// after all others: CI machines are shared, and a stalled machine is not a bug in the code. It prints both runs and
// names a file that passes only in the second run FLAKY.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { affectedBy } from './runner/changed.ts';
import { plan, root, type Run, type Runtime, runtimes, testFiles } from './runner/plan.ts';
import { killRunning, type Result, runFile, type RunResult } from './runner/run-file.ts';
import { keepTimes, longestFirst, printTimes } from './runner/times.ts';
import { providePrograms } from './support/programs.ts';

/** With more failures than this, the machine is not the cause: don't rerun any files. */
const maxSecondRuns = 15;
const inCi = process.env['CI'] === 'true';

const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  // `--changed` may stand without a value.
  args: process.argv.slice(2).map((text) => (text === '--changed' ? '--changed=main' : text)),
  options: {
    all: { type: 'boolean', default: inCi },
    full: { type: 'boolean', default: false },
    runtime: { type: 'string' },
    changed: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
    lanes: { type: 'string', default: String(Math.max(4, availableParallelism() - 1)) },
    limit: { type: 'string', default: '480' },
  },
});

interface Choice {
  runtime: Runtime | undefined;
  shard: { at: number; of: number };
  lanes: number;
  limitMs: number;
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

function readOptions(): Choice {
  const runtime = runtimes.find((name) => name === options.runtime);
  if (options.runtime !== undefined && !runtime) fail(`--runtime must be one of ${runtimes.join(', ')}`);
  const [at = 0, of = 0] = /^\d+\/\d+$/.test(options.shard) ? options.shard.split('/').map(Number) : [];
  if (!(at >= 1 && at <= of)) fail('--shard must name a part and the number of parts, such as 1/3');
  const [lanes, limit] = [Number(options.lanes), Number(options.limit)];
  if (!(Number.isInteger(lanes) && lanes > 0)) fail('--lanes must be a positive number');
  if (!(limit > 0)) fail('--limit must be a number of seconds');
  return { runtime, shard: { at, of }, lanes, limitMs: limit * 1_000 };
}

/** Builds what the server serves. A filtered run is to start at once, so it uses what the last build left. */
function build(): void {
  if (filters.length > 0 && existsSync(join(root, 'dist/docs/manifest.json')))
    return console.log('using the last build of the pages and of the documentation; npm run setup renews it');
  const { status } = spawnSync(join(root, 'node_modules/.bin/node'), ['build.ts'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) fail('the server and its pages could not be built; see the output above');
}

async function main(): Promise<Result[]> {
  const { lanes, limitMs, ...chosen } = readOptions();
  build();
  providePrograms();
  const files = testFiles();
  const among = options.changed === undefined ? undefined : await affectedBy(options.changed, files);
  const tier = options.full ? 'full' : options.all ? 'ci' : 'basic';
  const runs = longestFirst(plan(files, { ...chosen, filters, tier, among }));
  if (runs.length === 0) {
    if (among !== undefined) return [];
    fail(`no test file matches ${filters.join(' ')}`);
  }
  const began = performance.now();
  const results: RunResult[] = [];
  const settings = { limitMs, fromSources: filters.length > 0 && chosen.runtime === undefined };
  const drain = async (queue: Iterable<Run>) => {
    for (const run of queue) results.push(await runFile(run, settings));
  };
  const together = runs.filter(({ file }) => !file.isAlone).values();
  await Promise.all(Array.from({ length: lanes }, () => drain(together)));
  await drain(runs.filter(({ file }) => file.isAlone));
  keepTimes(results);
  printTimes(results, { lanes, wallSeconds: (performance.now() - began) / 1_000 });
  return inCi ? secondRun(results, (run) => runFile(run, settings)) : results;
}

/** Repeats the files that failed; the result of the second run counts. */
async function secondRun(results: RunResult[], again: (run: Run) => Promise<RunResult>): Promise<RunResult[]> {
  const failed = results.filter((result) => result.failed > 0);
  if (failed.length === 0 || failed.length > maxSecondRuns) return results;
  const repeated: RunResult[] = [];
  for (const { run } of failed) {
    const second = await again(run);
    if (second.failed === 0) console.log(`FLAKY ${run.on} ${run.file.path}: failed, then passed when run alone`);
    repeated.push(second);
  }
  return [...results.filter((result) => result.failed === 0), ...repeated];
}

function stop(): never {
  killRunning();
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
// When npm is killed, or receives a signal that it does not pass on, it leaves its script running.
const parent = process.ppid;
if (process.env['npm_lifecycle_event'] !== undefined) setInterval(() => process.ppid !== parent && stop(), 500).unref();

const results = await main().catch((error: unknown) => {
  console.error(error);
  return [{ passed: 0, failed: 1, skipped: 0 }];
});
const total = (key: keyof Result) => results.reduce((sum, result) => sum + result[key], 0);
const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : '';
console.log(`${total('passed')} passed, ${total('failed')} failed${skipped}`);
process.exitCode = total('failed') > 0 ? 1 : 0;
