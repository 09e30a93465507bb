/**
 * Starts child processes in process groups of their own, exchanges messages with them over the two pipes of
 * `--remote-debugging-pipe`, and ends them by killing the group. Nothing here knows what a browser is.
 */
import { execFile, spawn, type SpawnOptions } from 'node:child_process';
import { access, readdir, readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { childEnvironment, isRoot, platform, readSystemFile } from './machine.ts';
import { groupMemory } from './process-groups.ts';
import { type MessagePipe, messagePipe } from './message-pipe.ts';

export interface ProcessOptions {
  /** Absolute path of the executable. */
  path: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
  /** Scheduling priority (-20 to 19, higher is weaker); inherited when left out, or where the system forbids it. */
  niceness?: number;
}

export interface ChildProcess {
  pid: number;
  /** Resolves once when the process has ended; never rejects. */
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** Resolves after `exited`, when standard error has been read to its end, 100 ms later at most; never rejects. */
  heard: Promise<void>;
  /** The end of what the process wrote to standard error, at most 8,192 characters. */
  errorOutput(): string;
  /** The first match in standard error; rejects with the signal's reason, or when the process ends. */
  waitForErrorOutput(pattern: RegExp, signal: AbortSignal): Promise<RegExpExecArray>;
  /** Sends a signal to the whole process group; false when it is gone. */
  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): boolean;
  pipe: MessagePipe;
}

/** How much of standard error is kept: its end, counted in characters. */
export const maxErrorOutputBytes = 8192;
/** Longest wait for the end of standard error in milliseconds: children that outlive the process keep it open. */
const lastOutputMs = 100;

/**
 * Starts a process with its own group.
 * @throws when the executable cannot be started (missing, not executable).
 */
export async function startProcess(options: ProcessOptions): Promise<ChildProcess> {
  const child = spawn(options.path, options.args, {
    env: options.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    // A process group of its own: a browser is a tree of processes, and only killing the group ends all of them.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Uint8Array) => {
    errorOutput = (errorOutput + chunk.toString()).slice(-maxErrorOutputBytes);
  });
  child.stderr?.on('error', () => {});
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: null, signal: null }));
  });
  const heard = exited.then(
    () =>
      new Promise<void>((resolve) => {
        if (child.stderr?.readableEnded !== false) return resolve();
        const timer = setTimeout(resolve, lastOutputMs);
        child.stderr.once('end', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  );
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${options.path} started without a process id`);
  if (options.niceness !== undefined) {
    try {
      setPriority(pid, options.niceness);
    } catch {
      // Containers may forbid it; the priority only keeps refusals quick under load.
    }
  }
  // `stdio` above makes descriptors 3 and 4 pipes; Node types them by position only.
  const outgoing = child.stdio[3] as Writable;
  const incoming = child.stdio[4] as Readable;
  return {
    pid,
    exited,
    heard,
    errorOutput: () => errorOutput,
    waitForErrorOutput: (pattern, signal) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(errorOutput);
          if (match) settle(() => resolve(match));
        };
        const ended = () => settle(() => reject(new Error('the process ended')));
        const aborted = () => settle(() => reject(signal.reason));
        const settle = (finish: () => void) => {
          child.stderr?.off('data', look);
          child.off('exit', ended);
          signal.removeEventListener('abort', aborted);
          finish();
        };
        child.stderr?.on('data', look);
        child.once('exit', ended);
        signal.addEventListener('abort', aborted, { once: true });
        if (signal.aborted) aborted();
        else if (child.exitCode !== null) ended();
        else look();
      }),
    signalGroup: (signal) => signalGroup(pid, signal),
    pipe: messagePipe(outgoing, incoming),
  };
}

/** What a short command prints, or undefined when it fails or takes longer than the limit in milliseconds. */
export function readOutput(path: string, args: string[], limitMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, args, { timeout: limitMs, killSignal: 'SIGKILL', env: childEnvironment() }, (error, output) => {
      resolve(error ? undefined : output);
    });
  });
}

let sandbox: Promise<string | undefined> | undefined;

/** Whether Chromium's own sandbox can work here. */
export async function sandboxAvailable(): Promise<boolean> {
  return (await sandboxObstacle()) === undefined;
}

/**
 * What keeps Chromium's own sandbox from working here, as a clause; undefined when it can work: not as root, and only
 * where user namespaces can be created. Containers forbid them with a filter that no setting shows, so `unshare`
 * (util-linux) tries to create one, once.
 */
export function sandboxObstacle(): Promise<string | undefined> {
  sandbox ??= findSandboxObstacle();
  return sandbox;
}

/** Settings of the kernel that forbid user namespaces, each with the value that does. */
const forbidding = [
  ['/proc/sys/user/max_user_namespaces', '0'],
  ['/proc/sys/kernel/unprivileged_userns_clone', '0'],
  ['/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'],
] as const;

async function findSandboxObstacle(): Promise<string | undefined> {
  if (platform !== 'linux') return undefined;
  if (isRoot) return 'the server runs as root';
  const found = forbidding.find(([path, value]) => readSystemFile(path)?.trim() === value);
  if (found) return `${found[0]} is ${found[1]}, which forbids user namespaces`;
  const unshare = '/usr/bin/unshare';
  const present = await access(unshare).then(
    () => true,
    () => false,
  );
  // Without unshare only the settings above can tell.
  const works = !present || (await readOutput(unshare, ['--user', 'true'], 5_000)) !== undefined;
  return works ? undefined : 'user namespaces cannot be created, as in a container with a filter of system calls';
}

/** Sends a signal to a process group by its leader's id; false when no such group exists. */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Kills every process that was started with this variable (`NAME=value`) in its environment, and the groups that they
 * lead; needs /proc. Returns how many it found.
 */
export async function endProcessesWith(variable: string): Promise<number> {
  const found: number[] = [];
  for (const id of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const variables = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
    if (variables.split('\0').includes(variable)) found.push(Number(id));
  }
  // Last, because Deno 2.9 closes the pipes of a killed child twice: the second time it may meet a file opened meanwhile.
  for (const id of found) if (!signalGroup(id, 'SIGKILL')) killProcess(id);
  return found.length;
}

/** True while a process with this id exists (a zombie counts). */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The command line of a process, with spaces between its arguments; empty once it has ended, and without /proc. */
export async function commandLineOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
}

/** Sets the scheduling priority of all processes of a group; where the system forbids it, nothing happens. */
export async function setGroupPriority(group: number, niceness: number): Promise<void> {
  for (const { pid } of await groupMemory(new Set([group]), 'afresh')) {
    try {
      setPriority(pid, niceness);
    } catch {
      // The process has just ended, or the container forbids it.
    }
  }
}

/** Sets the scheduling priority of all threads of a process; where the system forbids it, nothing happens. */
export async function setThreadPriorities(pid: number, niceness: number): Promise<void> {
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    try {
      setPriority(Number(thread), niceness);
    } catch {
      // The thread has just ended, or the container forbids it.
    }
  }
}

/** Kills one process (SIGKILL); false when it is gone. */
export const killProcess = (pid: number): boolean => signalProcess(pid, 'SIGKILL');

/** Pauses one process until `resumeProcess`; false when it is gone. */
export const pauseProcess = (pid: number): boolean => signalProcess(pid, 'SIGSTOP');

/**
 * Lets a paused process go on when this process ends, killed or not: a paused one would not notice the end of its parent.
 * @returns the same, now
 */
export function resumeAtEnd(pid: number): () => void {
  const options: SpawnOptions = { detached: true, stdio: ['pipe', 'ignore', 'ignore'] };
  const watcher = spawn('/bin/sh', ['-c', `read -r _; kill -CONT ${pid}`], options);
  watcher.on('error', () => undefined);
  watcher.stdin?.on('error', () => undefined);
  watcher.unref();
  return () => {
    resumeProcess(pid);
    watcher.stdin?.end();
  };
}

/** Lets a paused process go on; false when it is gone. */
export const resumeProcess = (pid: number): boolean => signalProcess(pid, 'SIGCONT');

function signalProcess(pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
