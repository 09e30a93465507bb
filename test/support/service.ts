// Starts the real server as a child process, under the test's own runtime, on a port that the system chooses, with its
// own directories.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { watchResponses } from './checks/answers.ts';
import { type Reply, send } from './clients/http.ts';
import { endProcesses, type ProcessInfo, processesMentioning, processTree, stillAlive } from './processes.ts';
import { until } from './until.ts';

export interface ServiceOptions {
  env?: Record<string, string>;
  args?: string[];
  /** Entry point of the program, relative to the root. Default: BROWSERD_MAIN, or `src/main.ts`. */
  main?: string;
  /** Time limit in ms until the server listens. Default 60000: it may have to unpack the embedded browser. */
  startLimitMs?: number;
  /** A command, such as `unshare`, that receives the server's command line as its arguments. */
  under?: string[];
  /** True when that command keeps running, with the server as its child process. */
  underStays?: boolean;
}

export interface CallOptions {
  query?: Record<string, string | number | boolean> | string;
  headers?: Record<string, string>;
  /** Sent as a Bearer token. Default: the server's TOKEN; null sends none. */
  token?: string | null;
  signal?: AbortSignal;
  method?: string;
}

interface LogLine {
  [name: string]: unknown;
  event?: string;
}

interface Leftovers {
  processes: ProcessInfo[];
  files: string[];
}

export interface Service {
  url: string;
  port: number;
  pid: number;
  dataDir: string;
  scratchDir: string;
  downloadDir: string;
  /** Holds the directories above; its name is in the command line or environment of every browser of this server. */
  baseDir: string;
  env: Record<string, string>;
  /** Sends a POST with a JSON body (from an object or array), or with text as is. */
  post(path: string, body: unknown, options?: CallOptions): Promise<Reply>;
  get(path: string, options?: CallOptions): Promise<Reply>;
  /** Log lines so far; lines that are not JSON are in `text`. */
  logs(): LogLine[];
  output(): string;
  tree(): ProcessInfo[];
  /**
   * What this server has left behind: its own process, all processes that it started, every file in its directories.
   */
  leftovers(): Leftovers;
  /**
   * Sends SIGTERM; throws unless the server exits with 0 and leaves neither processes nor files.
   * @param isAsked true for a server that was told to stop by a request: it may have exited already
   */
  stop(isAsked?: boolean): Promise<void>;
  /** Resolves with the exit code when the server exits on its own. */
  exited: Promise<number | null>;
  /** Sends a signal and resolves with the exit code (null when the signal killed it). */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const root = join(import.meta.dirname, '..', '..');
const stopLimitMs = 60_000;
const goneLimitMs = 10_000;
const documentLimitMs = 5_000;
const inherited = [
  'PATH',
  'SESSION_ISOLATION',
  'HOME',
  'LANG',
  'XDG_CACHE_HOME',
  'CHROMIUM_PATH',
  'SHELL_PATH',
  'CHROME_PATH',
  'EDGE_PATH',
  'FIREFOX_PATH',
  'WEBKIT_PATH',
];

/** Runs `src/main.ts` until it exits, for `--help`, `--version` and invalid settings. */
export async function runMain(options: ServiceOptions = {}): Promise<{ code: number | null; output: string }> {
  const child = spawnMain(options.env ?? {}, options);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  const code = await exitOf(child);
  return { code, output };
}

const ownEntry = process.env['BROWSERD_MAIN'] ?? 'src/main.ts';
/** Path of the single binary when tests are to run on it, from BROWSERD_BINARY. */
const binary = process.env['BROWSERD_BINARY'];
/** True when tests run on the single binary, which contains its packages. */
export const runsBinary = binary !== undefined;

/** The command line of the program, without its own arguments. */
function commandOf(entry: string): string[] {
  if (binary !== undefined) return [binary];
  const runtime = 'Deno' in globalThis ? ['run', '-A', '--quiet'] : [];
  return [process.execPath, ...runtime, join(root, entry)];
}

function spawnMain(
  env: Record<string, string>,
  { args = [], under = [], main: entry = ownEntry }: ServiceOptions,
): ChildProcess {
  const base = Object.fromEntries(inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const [program = '', ...rest] = [...under, ...commandOf(entry), ...args];
  return spawn(program, rest, { cwd: root, env: { ...base, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Stops all servers, even when one fails; throws the first failure at the end. */
export async function stopAll(
  ...started: ({ stop(): Promise<void> } | { close(): Promise<void> } | undefined)[]
): Promise<void> {
  const failures: unknown[] = [];
  for (const one of started) {
    await (one && 'stop' in one ? one.stop() : one?.close())?.catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

function exitOf(child: ChildProcess): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('exit', (code) => resolve(code));
  return promise;
}

function parseLine(line: string): LogLine {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Not one of the server's log lines.
  }
  return { text: line };
}

/** Starts a server and waits until it listens. The test must call `stop()` in an `after` hook. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const baseDir = mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'service-'));
  const [dataDir = '', scratchDir = '', downloadDir = '', recordingsDir = '', profilesDir = ''] = [
    'data',
    'scratch',
    'downloads',
    'recordings',
    'vault',
  ].map((name) => {
    const path = join(baseDir, name);
    mkdirSync(path);
    return path;
  });
  const env: Record<string, string> = {
    HOST: '127.0.0.1',
    // Tests seldom use the second of the two default spares, and each costs a process start.
    SPARES: '1',
    PORT: '0',
    DATA_DIR: dataDir,
    SCRATCH_DIR: scratchDir,
    DOWNLOAD_DIR: downloadDir,
    METRICS_JSON_PATH: join(baseDir, 'metrics.json'),
    UNITS_FILE: join(baseDir, 'units.jsonl'),
    RECORDINGS_DIR: recordingsDir,
    PROFILES_DIR: profilesDir,
    // Profiles that tests store are in baseDir, and are removed along with the server's directories.
    USER_DATA_DIRS: join(baseDir, 'profiles'),
    ...options.env,
  };
  const child = spawnMain(env, options);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  const exited = exitOf(child);
  let ended: { code: number | null } | undefined;
  void exited.then(
    (code) => (ended = { code }),
    () => (ended = { code: null }),
  );
  const logs = () => output.split('\n').flatMap((line) => (line === '' ? [] : [parseLine(line)]));
  const remove = () => rmSync(baseDir, { recursive: true, force: true, maxRetries: 5 });

  const listening = () => {
    if (ended !== undefined) throw new Error(`the server exited with code ${ended.code}:\n${output}`);
    return logs().find((line) => line.event === 'listening');
  };
  const line = await until('the server to listen', listening, options.startLimitMs ?? 60_000).catch(
    (error: unknown) => {
      child.kill('SIGKILL');
      endProcesses(processesMentioning(baseDir));
      remove();
      throw new Error(`${error instanceof Error ? error.message : error}\n${output}`);
    },
  );
  const port = Number(line['port']);
  const { HOST: host = '' } = env;
  const url = `http://${host.startsWith('127.') ? host : '127.0.0.1'}:${port}`;
  await watchResponses(url, () => send(`${url}/openapi.json`, { signal: AbortSignal.timeout(documentLimitMs) }));
  const own = child.pid ?? 0;
  const pid = options.underStays ? (processTree(own).find(({ parent }) => parent === own)?.pid ?? own) : own;

  const call = (path: string, body: string | undefined, given: CallOptions): Promise<Reply> => {
    const target = new URL(path, url);
    if (typeof given.query === 'string') target.search = given.query;
    else for (const [name, value] of Object.entries(given.query ?? {})) target.searchParams.set(name, String(value));
    const token = given.token === undefined ? env['TOKEN']?.split(',')[0] : given.token;
    return send(target, {
      method: given.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...given.headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(given.signal === undefined ? {} : { signal: given.signal }),
    });
  };
  const files = () =>
    [dataDir, scratchDir, downloadDir].flatMap((directory) =>
      readdirSync(directory).map((name) => join(directory, name)),
    );
  const end = async (signal: NodeJS.Signals) => {
    // Not child.kill(): Deno then reports that the child has exited immediately, no matter how the child handles the
    // signal.
    process.kill(pid, signal);
    await until(`the server to exit after ${signal}`, () => ended !== undefined, stopLimitMs);
    return exited;
  };

  return {
    url,
    port,
    pid,
    dataDir,
    scratchDir,
    downloadDir,
    baseDir,
    env,
    post: (path, body, given = {}) => call(path, typeof body === 'string' ? body : JSON.stringify(body), given),
    get: (path, given = {}) => call(path, undefined, given),
    logs,
    output: () => output,
    tree: () => (ended === undefined ? processTree(pid) : []),
    leftovers: () => ({ processes: processesMentioning(baseDir), files: files() }),
    exited,
    end,
    async stop(isAsked = false) {
      const before = processTree(pid);
      const problems: string[] = [];
      if (ended !== undefined) {
        if (!isAsked || ended.code !== 0) problems.push(`the server had ended before with exit code ${ended.code}`);
      } else {
        const code = await end('SIGTERM').catch(() => 'none: it had to be killed');
        if (code !== 0) problems.push(`exit code ${code} after SIGTERM`);
      }
      // A killed process takes a moment to disappear from the list.
      const remains = () => [...stillAlive(before), ...processesMentioning(baseDir)];
      await until('killed processes to disappear', () => remains().length === 0, goneLimitMs).catch(() => undefined);
      const left = remains();
      if (left.length > 0) problems.push(`processes left: ${left.map((one) => one.command).join('\n')}`);
      if (files().length > 0) problems.push(`files left: ${files().join(', ')}`);
      endProcesses(left);
      remove();
      if (problems.length > 0)
        throw new Error(`${problems.join('; ')}\nThe server's output ended:\n${output.slice(-3_000)}`);
    },
  };
}
