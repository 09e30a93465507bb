/** Provides access to the machine and this process: environment, signals, standard output, addresses, load. */
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { createInterface } from 'node:readline';
import { cpus, freemem, homedir, networkInterfaces, setPriority, tmpdir, totalmem } from 'node:os';

export const environment: Readonly<Record<string, string | undefined>> = process.env;
const given = process.argv.slice(2);
/** The first argument of a process that runs a script of the service instead of the server. */
export const scriptFlag = '--browserd-script';
/** The name of the script that this process should run; see runScript. */
export const scriptName = given[0] === scriptFlag ? (given[1] ?? '') : undefined;
/** Command-line arguments of the server or of the script. */
export const commandLine: readonly string[] = scriptName === undefined ? given : given.slice(2);
export const platform = process.platform;
export const architecture = process.arch;
export const processId = process.pid;
export const homeDirectory = homedir();
export const temporaryDirectory = tmpdir();

/** Name and version of the runtime: `node 26.10.0` or `deno 2.9.6`. */
export const runtimeName =
  'deno' in process.versions ? `deno ${process.versions['deno']}` : `node ${process.versions.node}`;

/**
 * Environment variables that child processes inherit. The server's other variables may contain tokens and passwords.
 */
const passedOn =
  /^(PATH|HOME|USER|LANG|LANGUAGE|LC_\w+|TZ|TEMP|TMP|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|XDG_\w+|FONTCONFIG_\w+|LD_LIBRARY_PATH|SystemRoot)$/;

/** The environment for browsers. */
export function childEnvironment(): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && passedOn.test(name)) passed[name] = value;
  }
  return passed;
}

/**
 * Sets where libraries in this process create temporary files. Browsers are not affected: they have their own
 * directories.
 */
export function setTemporaryDirectory(path: string): void {
  process.env['TMPDIR'] = path;
}

/** Caches compiled code between starts where the runtime supports it (Node 22 and later); this only saves time. */
export function keepCompiledCode(): void {
  try {
    // Deno's node:module has no such function; Deno caches compiled code on its own.
    if ('enableCompileCache' in nodeModule) nodeModule.enableCompileCache();
  } catch {
    // A read-only home directory only makes startup slower.
  }
}

// Ignore EPIPE: logging the error would fail as well.
process.stdout.on('error', () => {});

export function writeLine(line: string): void {
  process.stdout.write(line + '\n');
}

/** Reports progress, one line, to the process that started this script; see runScript. */
export function writeProgress(line: string): void {
  process.stderr.write(line.replaceAll('\n', ' ') + '\n');
}

/** Prefix of a standard-output line that is a message to the process that started this script. */
export const messageMark = '>';

/** Sends a message, one line, to the process that started this script; see `openChannel` of runScript. */
export function writeMessage(line: string): void {
  process.stdout.write(`${messageMark}${line}\n`);
}

/**
 * Calls the listener with each line of standard input until the returned function is called. Until then this process
 * does not exit on its own.
 * @param ended called at the end of standard input, and by the returned function
 */
export function readLines(listener: (line: string) => void, ended: () => void = () => {}): () => void {
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on('line', listener);
  lines.once('close', ended);
  return () => {
    lines.close();
    process.stdin.destroy();
  };
}

export function exit(code: number): never {
  process.exit(code);
}

/** Calls the listener for SIGTERM, SIGINT, SIGHUP and SIGUSR2 (all mean a graceful stop). */
export function onStopSignal(listener: (signal: string) => void): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) {
    try {
      process.on(signal, () => listener(signal));
    } catch {
      // The platform does not have this signal.
    }
  }
}

/**
 * Raises the scheduling priority of this process where the system allows it (root). Chromium then raises its own
 * priority too, and refusals and health checks must stay fast while pages keep the machine busy.
 * @returns the niceness for browsers: 0, or 5 when the priority of this process could not be raised
 */
export function preferThisProcess(): number {
  try {
    setPriority(-10);
    return 0;
  } catch {
    return 5;
  }
}

/** Calls the listener for uncaught exceptions and unhandled rejections, instead of exiting. */
export function onUncaught(listener: (error: unknown) => void): void {
  process.on('uncaughtException', listener);
  process.on('unhandledRejection', listener);
}

/** True when this process runs as root: Chromium then refuses to start with its sandbox on. */
export const isRoot = process.getuid?.() === 0;

/** Addresses of this machine's own interfaces, without scope ids. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address.split('%', 1)[0] ?? '');
}

export interface HostLoad {
  /** CPU time used so far, in an arbitrary unit: compare two readings. */
  busy: number;
  total: number;
  memoryUsedBytes: number;
  memoryTotalBytes: number;
}

/** CPU time and memory of the whole machine. */
export function hostLoad(): HostLoad {
  let busy = 0;
  let total = 0;
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.idle + times.irq;
    total += all;
    busy += all - times.idle;
  }
  // MemAvailable includes caches that the kernel can reclaim; freemem does not on older runtimes.
  const available = /^MemAvailable:\s+(\d+) kB/m.exec(readText('/proc/meminfo'))?.[1];
  const free = available === undefined ? freemem() : Number(available) * 1024;
  return { busy, total, memoryUsedBytes: totalmem() - free, memoryTotalBytes: totalmem() };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Text of a small system file (`/proc`, `/sys/fs/cgroup`), or undefined when it is not there. */
export function readSystemFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Number of CPUs that the machine reports. */
export const processorCount = cpus().length;

/** Clock for durations: milliseconds with microsecond precision. */
export const now = (): number => performance.now();
