// Runs one test file in its own process, with a time limit, and checks that it leaves nothing behind.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { buildBinary } from '../../src/build/binary/build-binary.ts';
import { newestNode, ensureNode } from '../support/node-versions.ts';
import { endProcesses, processesMentioning } from '../support/processes.ts';
import { root, type Run, type Runtime } from './plan.ts';

export interface Result {
  passed: number;
  failed: number;
  skipped: number;
}

export interface RunResult extends Result {
  run: Run;
  seconds: number;
  /** The servers that it started. */
  starts: { processes: number; inProcess: number };
}

/** The single binary without a browser, with packs compressed at a fast level. Building it takes half a minute. */
let binary: ReturnType<typeof buildBinary> | undefined;
const provideBinary = async () => {
  binary ??= buildBinary(root, { withBrowser: false, level: 3, output: 'dist/binary/browserd-for-tests' });
  return (await binary).path;
};

const isDeno = 'Deno' in globalThis;
const running = new Set<number>();

function command(file: string, on: Runtime): [string, string[]] {
  if (on === 'newest') return [ensureNode(newestNode), [file]];
  if (on === 'deno')
    return [isDeno ? process.execPath : join(root, 'node_modules/.bin/deno'), ['run', '-A', '--quiet', file]];
  return [isDeno ? join(root, 'node_modules/.bin/node') : process.execPath, [file]];
}

/** @param fromSources whether server processes run `src/main.ts` and not the bundle */
async function environmentFor(on: Runtime, fromSources: boolean): Promise<Record<string, string>> {
  return {
    ...(fromSources && on !== 'bundle' ? {} : { BROWSERD_MAIN: 'dist/server/main.js' }),
    ...(on === 'process' ? { SESSION_ISOLATION: 'process' } : {}),
    ...(on === 'bundle' ? { BROWSERD_SHIPPED: '1' } : {}),
    ...(on === 'binary' ? { BROWSERD_BINARY: await provideBinary() } : {}),
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has already ended.
  }
}

/** Ends every file that is running. */
export function killRunning(): void {
  for (const pid of running) killGroup(pid);
}

/** Reads the `#result` line. Without such a line, or when no test ran, returns undefined, which counts as a failure. */
function readResult(output: string): Result | undefined {
  const line = output
    .trimEnd()
    .split('\n')
    .findLast((text) => text.startsWith('#result '));
  if (line === undefined) return undefined;
  const result: Result = JSON.parse(line.slice('#result '.length));
  return result.passed + result.failed + result.skipped > 0 ? result : undefined;
}

function readStarts(path: string): RunResult['starts'] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const count = (kind: string) => lines.filter((line) => line === kind).length;
  rmSync(path, { force: true });
  return { processes: count('process'), inProcess: count('in process') };
}

/** Runs a file and prints one line, or its whole output when it fails. */
export async function runFile(
  run: Run,
  { limitMs, fromSources }: { limitMs: number; fromSources: boolean },
): Promise<RunResult> {
  const { path: file } = run.file;
  const began = performance.now();
  const scratch = mkdtempSync(join(tmpdir(), 'browserd-test-'));
  const starts = `${scratch}-starts`;
  const [program, args] = command(file, run.on);
  const child = spawn(program, args, {
    cwd: root,
    detached: true,
    env: {
      ...process.env,
      // Each file starts Node several times, and each time loads the whole server.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
      ...(await environmentFor(run.on, fromSources)),
      BROWSERD_TEST_DIR: scratch,
      BROWSERD_TEST_STARTS: starts,
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
    problem = `took longer than ${limitMs / 1_000} s`;
    if (pid !== undefined) killGroup(pid);
  }, limitMs);
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
  const sum = { run, seconds, starts: readStarts(starts), ...(result ?? { passed: 0, failed: 0, skipped: 0 }) };
  if (problem !== undefined) sum.failed++;

  const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
  console.log(
    `${sum.failed > 0 ? 'FAIL' : 'ok  '} ${run.on} ${file} ${sum.passed} passed${skipped} (${seconds.toFixed(1)} s)`,
  );
  if (sum.failed > 0) console.log(output.replace(/^#result .*\n?/gm, ''));
  else for (const line of output.match(/^ *(?:SKIP|FIGURE|WARN) .*$/gm) ?? []) console.log(line);
  if (problem !== undefined) console.log(`     ${file}: ${problem}`);
  return sum;
}
