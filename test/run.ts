// Runs every test/**/*.test.ts in its own process, with a time limit, and prints the totals on the last line.
// node test/run.ts [--runtime=node|newest|deno|process|bundle|binary|all] [--limit=seconds] [--full] [filter…]
// `node` is the Node that package.json pins, `newest` the newest Node; `process` is the pinned one with browser
// processes for socket clients (SESSION_ISOLATION=process), `bundle` runs dist/server, `binary` the single binary,
// which is built first. `all` runs everything on the pinned Node, with server tests against the bundle, which is what
// ships, and adds what can differ: with browser processes, the tests of sockets and sessions that differ most; on the
// newest Node, the unit tests of runtime-dependent behavior and one file of each kind of entry point; on Deno, the
// tests of runtime-dependent behavior: sockets, streams, processes, limits; on the binary, the tests of what is packed
// into it. `npm test -- --runtime=deno` runs all tests on that runtime.
// In CI, the runner repeats a failed file once, alone, after all others: CI machines are shared, and a stalled machine
// is not a bug in the code. It prints both runs and names a file that passes only in the second run FLAKY.
// Files with `// @tier full` in their header comment (measurements, and repeats of a test with other clients or more
// input) run after all others. CI starts them only until `fullTierSeconds` have passed, so that a slow machine reports
// in time, and prints which ones it left out. `npm test -- --runtime=all --full` runs all of them, however long they
// take.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { provideBinary } from './support/binary.ts';
import { providePrograms } from './support/programs.ts';
import { newestNode, ensureNode } from './support/node-versions.ts';
import { endProcesses, processesMentioning } from './support/processes.ts';

interface Result {
  passed: number;
  failed: number;
  skipped: number;
}

interface FileResult extends Result {
  file: string;
  on: string;
  seconds: number;
}

/** Tests of what a server does that depends on its runtime: sockets, streams, processes, signals. */
const denoSubset = /^test\/(bql\/sockets|contract\/management|machine\/lifecycle|sockets\/cdp)\.test/;

/** Unit tests of streams, sockets, threads, timers, files and addresses; the others test pure functions. */
const unitSubset =
  /^test\/unit\/(ad-lists|bytes|dockerfile|files-below|frame-outbox|frames|http|limiter|log|machine-load|metrics|network-policy|open-telemetry|page-functions|pattern|playwright|playwright-guard|process-connection|proxy|raw-message|session-files|session-life|session-rate|socks-server|spare-browsers|start-attempts)\.test/;

/** One file of each kind of entry point; with these unit tests, they cover what a new version of Node may change. */
const entryPointTests = /^test\/(contract\/management|sockets\/cdp)\.test/;

/** Tests of files and packages inside the binary, and of its processes; otherwise the binary equals the bundle. */
const binarySubset =
  /^test\/(contract\/(devtools-front-end|export|function-imports|playground)|fields\/markdown|machine\/embedded|recording\/replay|sockets\/(cdp|playwright-starts))\.test/;

/** Tests of what socket clients do, which must pass both with browser processes and with virtual browsers. */
const aboutSessions =
  /^test\/(sockets\/(?!playwright|neighbors|floods|idle-pages|isolation|launch-switches)|bql\/(?:sessions|sockets)\.|endings\/(?:matrix|churn)\.|contract\/(?:management|session-files))/;
/** The tests among them in which the two differ most. */
const sessionsSubset = /^test\/sockets\/(?:cdp|kept)\.test/;

/** Tests that measure time or memory: limits that run out, drains, the event loop, the lab. Each runs alone. */
const alone =
  /^test\/(endings\/(?:endings|hostile|limits|unread)|cluster\/speed|contract\/download|docs\/lighthouse|lab\/lab|simulate\/simulate|machine\/(?:lifecycle|settings|stopping)|fields\/(?:budgets|deadlines|patterns)|bql\/(?:deadlines|socket-deadlines)|sockets\/(?:attacks-(?:large|ports)|floods|idle-pages|session-idle|unread-sockets)\.)/;

/** Long tests that wait for limits and pauses and use a third of one processor. They run together. */
const waiting =
  /^test\/(bql\/humanlike|contract\/(?:performance|unblock)|cluster\/failures|docs\/(?:bql-live|gates)|endings\/(?:matrix|virtual)|machine\/(?:proxies|readiness)|sockets\/start-page)\.test/;

/** What CI already covers by running in a fresh clone; `npm run bare` covers it on a bare Debian. */
const shownByCi = /^test\/machine\/bare\.test/;

/** Tests that run only on the pinned Node, except for unit tests. */
const withoutServer = /^test\/(unit|docs|rails|drop-in|options)\//;

/** Tests of the source text, whose result is the same on every runtime: only the pinned Node runs them. */
const aboutTheText = /^test\/(rails|drop-in|options)\//;

const root = join(import.meta.dirname, '..');
/** Most tests spend half of their time waiting for a browser. */
const filesAtOnce = 2;
const waitingAtOnce = 3;
const slowestPrinted = 20;
/** With more failures than this, the machine is not the cause: don't rerun any files. */
const maxSecondRuns = 8;
/** CI starts files of the full tier until this much time has passed. */
const fullTierSeconds = 60 * 60;
const isDeno = 'Deno' in globalThis;

const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: { runtime: { type: 'string' }, limit: { type: 'string', default: '480' }, full: { type: 'boolean' } },
});
const runtime = options.runtime ?? (process.env['CI'] === 'true' ? 'all' : 'node');
const fileLimitMs = Number(options.limit) * 1_000;
const running = new Set<number>();

function command(file: string, on: string): [string, string[]] {
  if (on === 'newest') return [ensureNode(newestNode), [file]];
  if (on === 'node' || ['process', 'bundle', 'binary'].includes(on))
    return [isDeno ? join(root, 'node_modules/.bin/node') : process.execPath, [file]];
  return [isDeno ? process.execPath : join(root, 'node_modules/.bin/deno'), ['run', '-A', '--quiet', file]];
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has already ended.
  }
}

/** Reads the `#result` line; undefined if there is none or if no test ran; either counts as one failure. */
function readResult(output: string): Result | undefined {
  const line = output
    .trimEnd()
    .split('\n')
    .findLast((text) => text.startsWith('#result '));
  if (line === undefined) return undefined;
  const result: Result = JSON.parse(line.slice('#result '.length));
  return result.passed + result.failed + result.skipped > 0 ? result : undefined;
}

async function runFile(file: string, on: string): Promise<FileResult> {
  const began = performance.now();
  const scratch = mkdtempSync(join(tmpdir(), 'browserd-test-'));
  const [program, args] = command(file, on);
  const child = spawn(program, args, {
    cwd: root,
    detached: true,
    env: {
      ...process.env,
      // Each file starts Node several times, and each time loads the whole server.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
      ...(on === 'process' ? { SESSION_ISOLATION: 'process' } : {}),
      ...(on === 'bundle' ? { BROWSERD_MAIN: 'dist/server/main.js' } : {}),
      ...(on === 'binary' ? { BROWSERD_BINARY: await provideBinary(root) } : {}),
      BROWSERD_TEST_DIR: scratch,
      FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  let output = '';
  const keep = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);

  let problem: string | undefined;
  const timer = setTimeout(() => {
    problem = `took longer than ${fileLimitMs / 1_000} s`;
    if (pid !== undefined) killGroup(pid);
  }, fileLimitMs);
  const ended = Promise.withResolvers<number | null>();
  child.on('error', (error) => {
    problem = `could not start: ${error.message}`;
    ended.resolve(null);
  });
  child.on('exit', (code) => ended.resolve(code));
  const code = await ended.promise;
  clearTimeout(timer);
  if (pid !== undefined) {
    killGroup(pid);
    running.delete(pid);
  }

  const left = processesMentioning(scratch);
  if (left.length > 0 && problem === undefined) problem = `left ${left.length} process(es) running`;
  endProcesses(left);
  const litter = readdirSync(scratch);
  if (litter.length > 0 && problem === undefined) problem = `left files in its scratch directory: ${litter.join(', ')}`;
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });

  const result = readResult(output);
  if (result === undefined && problem === undefined) problem = 'reported no result, or ran no test';
  if (result !== undefined && code !== 0 && result.failed === 0) problem ??= `ended with exit code ${code}`;
  const seconds = (performance.now() - began) / 1_000;
  const sum = { file, on, seconds, ...(result ?? { passed: 0, failed: 0, skipped: 0 }) };
  if (problem !== undefined) sum.failed++;

  const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
  console.log(
    `${sum.failed > 0 ? 'FAIL' : 'ok  '} ${on} ${file} ${sum.passed} passed${skipped} (${seconds.toFixed(1)} s)`,
  );
  if (sum.failed > 0) console.log(output.replace(/^#result .*\n?/gm, ''));
  else for (const line of output.match(/^ *(?:SKIP|FIGURE|WARN) .*$/gm) ?? []) console.log(line);
  if (problem !== undefined) console.log(`     ${file}: ${problem}`);
  return sum;
}

/** Runs several files at once, then those that wait, then those that need the machine for themselves. */
async function runFiles(files: string[], on: (file: string) => string, untilSeconds = Infinity): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const run = async (queue: Iterable<string>) => {
    for (const file of queue) {
      if (process.uptime() < untilSeconds) results.push(await runFile(file, on(file)));
      else console.log(`OMITTED ${file}: ${untilSeconds / 60} minutes had passed; npm test -- --full runs it`);
    }
  };
  const runTogether = async (some: string[], atOnce: number) => {
    const queue = some.values();
    await Promise.all(Array.from({ length: atOnce }, () => run(queue)));
  };
  const busy = files.filter((file) => !waiting.test(file));
  await runTogether(
    busy.filter((file) => !alone.test(file)),
    filesAtOnce,
  );
  await runTogether(
    files.filter((file) => waiting.test(file)),
    waitingAtOnce,
  );
  await runTogether(
    busy.filter((file) => alone.test(file)),
    1,
  );
  return results;
}

/** True for a file with `// @tier full` among its first lines. */
function isFullTier(file: string): boolean {
  return /^\/\/ @tier full$/m.test(readFileSync(join(root, file), 'utf8').slice(0, 2_000));
}

function find(folder: string): string[] {
  const all = globSync(`${folder}/**/*.test.ts`, { cwd: root }).toSorted();
  return filters.length === 0 ? all : all.filter((file) => filters.some((part) => file.includes(part)));
}

/** Repeats the files that failed; the result of the second run counts. */
async function secondRun(results: FileResult[]): Promise<FileResult[]> {
  const failed = results.filter((result) => result.failed > 0);
  if (failed.length === 0 || failed.length > maxSecondRuns) return results;
  const again: FileResult[] = [];
  for (const { file, on } of failed) {
    const second = await runFile(file, on);
    if (second.failed === 0) console.log(`FLAKY ${on} ${file}: failed, then passed when run alone`);
    again.push(second);
  }
  return [...results.filter((result) => result.failed === 0), ...again];
}

async function main(): Promise<Result[]> {
  const runtimes = ['node', 'newest', 'deno', 'process', 'bundle', 'binary', 'all'];
  if (!runtimes.includes(runtime)) throw new Error(`--runtime must be one of ${runtimes.join(', ')}`);
  if (!(fileLimitMs > 0)) throw new Error('--limit must be a number of seconds');
  providePrograms();
  const first = runtime === 'all' ? 'node' : runtime;
  const found = find('test')
    .filter((file) => first === 'node' || !aboutTheText.test(file))
    .filter((file) => runtime !== 'all' || filters.length > 0 || !shownByCi.test(file))
    .filter((file) => !['bundle', 'binary'].includes(first) || !withoutServer.test(file))
    .filter((file) => first !== 'process' || filters.length > 0 || aboutSessions.test(file));
  if (found.length === 0) throw new Error(`no test file matches ${filters.join(' ')}`);
  const onBundle = (file: string) => runtime === 'all' && !withoutServer.test(file);
  const target = (file: string) => (onBundle(file) ? 'bundle' : first);
  const { full = [], usual = [] } = Object.groupBy(found, (file) => (isFullTier(file) ? 'full' : 'usual'));
  const results = await runFiles(usual, target);
  if (runtime === 'all') {
    const filtered = filters.length > 0;
    const integration = found.filter((file) => !withoutServer.test(file));
    const units = find('test/unit').filter((file) => filtered || unitSubset.test(file));
    const newest = [...units, ...integration.filter((file) => filtered || entryPointTests.test(file))];
    results.push(...(await runFiles(newest, () => 'newest')));
    const ownProcess = integration.filter((file) => sessionsSubset.test(file));
    results.push(...(await runFiles(ownProcess, () => 'process')));
    const onDeno = integration.filter((file) => filtered || denoSubset.test(file));
    results.push(...(await runFiles(onDeno, () => 'deno')));
    const onBinary = integration.filter((file) => filtered || binarySubset.test(file));
    results.push(...(await runFiles(onBinary, () => 'binary')));
  }
  const isTimeLimited = process.env['CI'] === 'true' && filters.length === 0 && !options.full;
  results.push(...(await runFiles(full, target, isTimeLimited ? fullTierSeconds : Infinity)));
  printTimes(results);
  return process.env['CI'] === 'true' ? secondRun(results) : results;
}

function stop(): never {
  for (const pid of running) killGroup(pid);
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
// When npm is killed, or receives a signal that it does not pass on, it leaves its script running.
const parent = process.ppid;
if (process.env['npm_lifecycle_event'] !== undefined) setInterval(() => process.ppid !== parent && stop(), 500).unref();

/** Prints where the time went: the total of each runtime, and the slowest files. */
function printTimes(results: FileResult[]): void {
  const seconds = (some: FileResult[]) => some.reduce((sum, one) => sum + one.seconds, 0).toFixed(0);
  for (const [on, some] of Map.groupBy(results, (one) => one.on))
    console.log(`TIME ${on}: ${some.length} files, ${seconds(some)} s`);
  for (const one of results.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestPrinted))
    console.log(`TIME ${one.seconds.toFixed(1)} s ${one.on} ${one.file}`);
}

const results = await main().catch((error: unknown) => {
  console.error(error);
  return [{ passed: 0, failed: 1, skipped: 0 }];
});
const total = (key: keyof Result) => results.reduce((sum, result) => sum + result[key], 0);
const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : '';
console.log(`${total('passed')} passed, ${total('failed')} failed${skipped}`);
process.exitCode = total('failed') > 0 ? 1 : 0;
