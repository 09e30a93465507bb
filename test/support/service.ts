// Starts the real server on a port that the system chooses, with its own directories: in the process of the test, or as
// a child process under the test's own runtime.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describeSettings } from '../../src/base/config/config.ts';
import { settings } from '../../src/base/config/table.ts';
import { exitCodes, ExitError } from '../../src/base/exit-codes.ts';
import { buildAdEngine } from '../../src/build/ad-engine.ts';
import { watchResponses } from './checks/answers.ts';
import { type Reply, send } from './clients/http.ts';
import { makePlace, type Place } from './place.ts';
import { endProcesses, type ProcessInfo, processesMentioning, processTree, stillAlive } from './processes.ts';
import { until } from './until.ts';

export interface ServiceOptions {
  env?: Record<string, string>;
}

export interface ProcessOptions extends ServiceOptions {
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

/** `await using` stops the server at the end of its block. */
export interface Service extends AsyncDisposable {
  url: string;
  port: number;
  dataDir: string;
  scratchDir: string;
  downloadDir: string;
  /** Holds the directories above; its name is in the command line or environment of all processes of this server. */
  baseDir: string;
  env: Record<string, string>;
  /** Sends a POST with a JSON body (from an object or array), or with text as is. */
  post(path: string, body: unknown, options?: CallOptions): Promise<Reply>;
  get(path: string, options?: CallOptions): Promise<Reply>;
  /** Log lines so far; lines that are not JSON are in `text`. */
  logs(): LogLine[];
  output(): string;
  tree(): ProcessInfo[];
  /** What this server has left behind: all processes that it started, every file in its directories. */
  leftovers(): Leftovers;
  /**
   * Sends SIGTERM; throws unless the server exits with 0 and leaves neither processes nor files.
   * @param isAsked true for a server that was told to stop by a request: it may have exited already
   */
  stop(isAsked?: boolean): Promise<void>;
  /** Resolves with the exit code when the server ends. */
  exited: Promise<number | null>;
}

/** A server in a separate process. */
export interface ServerProcess extends Service {
  pid: number;
  /** Sends a signal and resolves with the exit code (null when the signal killed it). */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const settingNames = new Set([...Object.keys(settings), ...describeSettings().flatMap(({ names }) => names)]);
const root = join(import.meta.dirname, '..', '..');
// A server that runs from the sources reads it.
await buildAdEngine(root);
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

const inheritedEnv = (): Record<string, string> =>
  Object.fromEntries(inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));

/** Reports a start to test/run.ts, which counts them. */
function countStart(kind: 'process' | 'in process'): void {
  const file = process.env['BROWSERD_TEST_STARTS'];
  if (file !== undefined) appendFileSync(file, `${kind}\n`);
}

/** Runs `src/main.ts` until it exits, for `--help`, `--version` and invalid settings. */
export async function runMain(options: ProcessOptions = {}): Promise<{ code: number | null; output: string }> {
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
  { args = [], under = [], main: entry = ownEntry }: ProcessOptions,
): ChildProcess {
  const [program = '', ...rest] = [...under, ...commandOf(entry), ...args];
  return spawn(program, rest, { cwd: root, env: { ...inheritedEnv(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** A server that has started, however it runs. */
interface Host {
  exited: Promise<number | null>;
  output(): string;
  /** Asks the server to stop. */
  stop(): void;
  tree(): ProcessInfo[];
  /** False in the process of the test, which may have started other processes in the meantime. */
  isOwnProcess: boolean;
}

const logLines = (output: string) => output.split('\n').flatMap((line) => (line === '' ? [] : [parseLine(line)]));

/** Waits until a server listens. When it does not, removes everything that it has left, and throws. */
async function connect(place: Place, host: Host, limitMs = 60_000): Promise<Service> {
  const { baseDir, dataDir, scratchDir, downloadDir, env } = place;
  const { exited, output } = host;
  let ended: { code: number | null } | undefined;
  void exited.then(
    (code) => (ended = { code }),
    () => (ended = { code: null }),
  );
  const logs = () => logLines(output());
  const remove = () => rmSync(baseDir, { recursive: true, force: true, maxRetries: 5 });

  const listening = () => {
    if (ended !== undefined) throw new Error(`the server exited with code ${ended.code}:\n${output()}`);
    return logs().find((line) => line.event === 'listening');
  };
  const line = await until('the server to listen', listening, limitMs).catch((error: unknown) => {
    endProcesses([...host.tree(), ...processesMentioning(baseDir)].filter(({ pid }) => pid !== process.pid));
    remove();
    throw new Error(`${error instanceof Error ? error.message : error}\n${output()}`);
  });
  const port = Number(line['port']);
  const { HOST: bound = '' } = env;
  const url = `http://${bound.startsWith('127.') ? bound : '127.0.0.1'}:${port}`;
  await watchResponses(url, () => send(`${url}/openapi.json`, { signal: AbortSignal.timeout(documentLimitMs) }));

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

  return {
    url,
    port,
    dataDir,
    scratchDir,
    downloadDir,
    baseDir,
    env,
    post: (path, body, given = {}) => call(path, typeof body === 'string' ? body : JSON.stringify(body), given),
    get: (path, given = {}) => call(path, undefined, given),
    logs,
    output,
    tree: () => (ended === undefined ? host.tree() : []),
    leftovers: () => ({ processes: processesMentioning(baseDir), files: files() }),
    exited,
    async stop(isAsked = false) {
      const before = host.isOwnProcess ? host.tree() : [];
      const problems: string[] = [];
      if (ended !== undefined) {
        if (!isAsked || ended.code !== 0) problems.push(`the server had ended before with exit code ${ended.code}`);
      } else {
        host.stop();
        const code = await until('the server to end', () => ended, stopLimitMs).then(
          () => exited,
          () => 'none: it had to be killed',
        );
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
        throw new Error(`${problems.join('; ')}\nThe server's output ended:\n${output().slice(-3_000)}`);
    },
    [Symbol.asyncDispose](this: Service) {
      return this.stop();
    },
  };
}

/** Starts a server in a separate process, and waits until it listens. The test must call `stop()` at the end. */
export async function startProcess(options: ProcessOptions = {}): Promise<ServerProcess> {
  const place = makePlace(options.env);
  const child = spawnMain(place.env, options);
  countStart('process');
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  const exited = exitOf(child);
  const own = child.pid ?? 0;
  const serverPid = () =>
    options.underStays ? (processTree(own).find(({ parent }) => parent === own)?.pid ?? own) : own;
  // Not child.kill(): Deno then reports that the child has exited immediately, no matter how the child handles the
  // signal.
  const signal = (name: NodeJS.Signals) => process.kill(serverPid(), name);
  const host: Host = {
    exited,
    output: () => output,
    isOwnProcess: true,
    stop: () => signal('SIGTERM'),
    tree: () => processTree(serverPid()),
  };
  const service = await connect(place, host, options.startLimitMs);
  let isOver = false;
  void exited.finally(() => (isOver = true)).catch(() => undefined);
  return {
    ...service,
    pid: serverPid(),
    async end(name) {
      signal(name);
      await until(`the server to exit after ${name}`, () => isOver, stopLimitMs);
      return exited;
    },
  };
}

/** True when servers must not run in the process of the test, because the tests are about the program as it ships. */
const isShipped = runsBinary || process.env['BROWSERD_SHIPPED'] !== undefined;

/** Settings that apply to the whole process, not to one server in it. */
const ofProcess = /^(?:OTEL_|CACHE_DIR$)/;

/**
 * Starts a server in the process of the test, from the sources, and waits until it listens; on the bundle or the binary
 * when the tests are to run on it. The test must call `stop()` at the end.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  if (isShipped) return startProcess(options);
  const foreign = Object.keys(options.env ?? {}).filter((name) => !settingNames.has(name) || ofProcess.test(name));
  if (foreign.length > 0) throw new Error(`start a server with ${foreign.join(', ')} by startProcess()`);
  const place = makePlace(options.env);
  /** The other processes of the test, and the test itself. */
  const present = new Set(processTree(process.pid).map(({ pid }) => pid));
  countStart('in process');
  const { openParts, startServer } = await import('../../src/start/server.ts');
  let output = '';
  const ended = Promise.withResolvers<number>();
  let ask: ((signal: string) => void) | undefined;
  const start = async () => {
    const parts = await openParts({ ...inheritedEnv(), ...place.env }, (line) => (output += `${line}\n`));
    await startServer(parts, {
      onStopRequested: (listener) => (ask = listener),
      stopped: (ending) => ended.resolve(ending?.exitCode ?? 0),
    });
  };
  start().catch((error: unknown) => {
    output += error instanceof Error ? (error.stack ?? error.message) : String(error);
    ended.resolve(error instanceof ExitError ? error.exitCode : exitCodes.defect.code);
  });
  return connect(place, {
    exited: ended.promise,
    output: () => output,
    isOwnProcess: false,
    stop: () => ask?.('SIGTERM'),
    tree: () => processTree(process.pid).filter(({ pid }) => !present.has(pid)),
  });
}
