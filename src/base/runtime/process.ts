/**
 * Starts child processes in their own process groups, exchanges messages with them over the two pipes of
 * `--remote-debugging-pipe`, and terminates them by killing the group. Nothing here is specific to browsers.
 */
import { execFile, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
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
  /** Scheduling priority (-20 to 19, higher is weaker); inherited when omitted, or when the system forbids it. */
  niceness?: number;
}

export interface ChildProcess {
  pid: number;
  /** Resolves once the process has exited; never rejects. */
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** Resolves after `exited`, when standard error has been read to its end, at most 100 ms later; never rejects. */
  heard: Promise<void>;
  /** The end of the process's standard error, at most 8,192 characters. */
  errorOutput(): string;
  /** The first match in standard error; rejects with the abort reason of the signal, or when the process exits. */
  waitForErrorOutput(pattern: RegExp, signal: AbortSignal): Promise<RegExpExecArray>;
  /** Sends a signal to the whole process group; false when it no longer exists. */
  signalGroup(signal: 'SIGTERM' | 'SIGKILL'): boolean;
  pipe: MessagePipe;
}

/** How much of the end of standard error is kept, in characters. */
export const maxErrorOutputBytes = 8192;
/** Longest wait for the end of standard error, in milliseconds: children that outlive the process keep it open. */
const lastOutputMs = 100;

/**
 * Starts a process in its own process group.
 * @throws when the executable cannot be started (missing, not executable)
 */
export async function startProcess(options: ProcessOptions): Promise<ChildProcess> {
  const child = spawn(options.path, options.args, {
    env: options.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    // Use a separate process group: a browser is a tree of processes, and only killing the group ends all of them.
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
  await once(child, 'spawn');
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${options.path} started without a process id`);
  if (options.niceness !== undefined) tryPriority(pid, options.niceness);
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
        const ended = () => settle(() => reject(new Error('the process exited')));
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

/** The output of a short command; undefined when it fails or exceeds the time limit in milliseconds. */
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
 * Why Chromium's own sandbox cannot work here, as a clause; undefined when it can: not as root, and only where user
 * namespaces can be created. Containers forbid them with a filter that no setting reveals, so `unshare` (util-linux)
 * tries to create one, once.
 */
export function sandboxObstacle(): Promise<string | undefined> {
  sandbox ??= findSandboxObstacle();
  return sandbox;
}

/** Kernel settings that forbid user namespaces, each with the forbidding value. */
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
  // Without unshare, only the settings above can be checked.
  const works = !present || (await readOutput(unshare, ['--user', 'true'], 5_000)) !== undefined;
  return works ? undefined : 'user namespaces cannot be created, as in a container with a system call filter';
}

/** Sends a signal to the process group with this leader id; false when it does not exist. */
export const signalGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean => signalProcess(-pid, signal);

/**
 * Kills every process that was started with this variable (`NAME=value`) in its environment, and the groups that they
 * lead; needs /proc. Returns the number of processes found.
 */
export async function endProcessesWith(variable: string): Promise<number> {
  const found: number[] = [];
  for (const id of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const variables = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
    if (variables.split('\0').includes(variable)) found.push(Number(id));
  }
  // Kill last, because Deno 2.9 closes the pipes of a killed child twice: the second close may hit a file opened in the
  // meantime.
  for (const id of found) if (!signalGroup(id, 'SIGKILL')) killProcess(id);
  return found.length;
}

/** True while a process with this id exists (a zombie counts). */
export const processExists = (pid: number): boolean => signalProcess(pid, 0);

/** The command line of a process, its arguments joined by spaces; empty once it has exited, and without /proc. */
export async function commandLineOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
}

/** Sets the scheduling priority of all processes of a group; does nothing where the system forbids it. */
export async function setGroupPriority(group: number, niceness: number): Promise<void> {
  for (const { pid } of await groupMemory(new Set([group]), 'afresh')) tryPriority(pid, niceness);
}

/** Sets the scheduling priority of all threads of a process; does nothing where the system forbids it. */
export async function setThreadPriorities(pid: number, niceness: number): Promise<void> {
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) tryPriority(Number(thread), niceness);
}

/** Sets a priority, unless the process or thread has just ended, or the container forbids it. */
function tryPriority(id: number, niceness: number): void {
  try {
    setPriority(id, niceness);
  } catch {
    // The priority only keeps refusals fast under load.
  }
}

/** Kills one process (SIGKILL); false when it no longer exists. */
export const killProcess = (pid: number): boolean => signalProcess(pid, 'SIGKILL');

/** Pauses one process until `resumeProcess`; false when it no longer exists. */
export const pauseProcess = (pid: number): boolean => signalProcess(pid, 'SIGSTOP');

/**
 * Resumes a paused process when this process exits, even if killed: a paused process would not notice that its parent
 * has exited.
 * @returns a function that resumes it now
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

/** Resumes a paused process; false when it no longer exists. */
export const resumeProcess = (pid: number): boolean => signalProcess(pid, 'SIGCONT');

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
