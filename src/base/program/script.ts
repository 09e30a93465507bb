/**
 * Runs this service's scripts in child processes, using the server's own runtime, for work that would block the server
 * for seconds or must not run twice in one process.
 */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { childEnvironment, messageMark, scriptFlag } from '../runtime/machine.ts';
import { signalGroup } from '../runtime/process.ts';
import { ownArguments, programEnvironment } from './assets.ts';

export interface ScriptOptions {
  args?: readonly string[];
  /** Written to standard input, which is then closed unless `openChannel` is set. */
  input?: string;
  /**
   * Exchanges messages with the script while it runs, one per line: the script reads them with `readLines` and replies
   * with `writeMessage`. Returns the function that receives those replies.
   */
  openChannel?: (send: (message: readonly Uint8Array[]) => void) => (line: string) => void;
  /** Kills the process and its children when it aborts. */
  signal: AbortSignal;
  /** Called with each line of standard error, where the script reports progress. */
  onProgress?: (line: string) => void;
  /** Called with the process-group leader's id when the script has started. */
  onStart?: (pid: number) => void;
}

/** Names of the scripts; see src/start/scripts.ts. */
export type ScriptName = 'audit' | 'compile-ad-lists' | 'playwright';

/** How much of standard error is kept for an error message, in characters. */
const maxStderrTail = 2_000;

/** Largest output of a script in bytes, well above what our scripts write; the audited page determines the size. */
const maxOutputBytes = 128 * 2 ** 20;

/**
 * Runs a script to completion and returns its standard output.
 * @throws the signal's abort reason; an Error with the tail of standard error when the script fails
 */
export async function runScript(
  script: ScriptName,
  { args = [], input = '', signal, onProgress, onStart, openChannel }: ScriptOptions,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [...ownArguments, scriptFlag, script, ...args], {
    env: { ...childEnvironment(), ...programEnvironment() },
    // Use a separate process group, as for browsers: only killing the group ends all of its processes.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid !== undefined) onStart?.(pid);
  try {
    // The server may have raised its own priority; long-running work must not inherit it.
    if (pid !== undefined) setPriority(pid, 0);
  } catch {
    // Not permitted by the system; in that case the server's priority was not raised either.
  }
  const end = () => pid !== undefined && signalGroup(pid, 'SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  const output: Buffer[] = [];
  let stderrTail = '';
  let line = '';
  let outputBytes = 0;
  const keep = (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes <= maxOutputBytes) output.push(chunk);
    else end();
  };
  if (openChannel) {
    const handleMessage = openChannel((message) => {
      for (const part of message) child.stdin.write(part);
      child.stdin.write('\n');
    });
    const lines = createInterface({ input: child.stdout, crlfDelay: Infinity });
    lines.on('line', (text) => {
      if (text.startsWith(messageMark)) handleMessage(text.slice(messageMark.length));
      else keep(Buffer.from(`${text}\n`));
    });
  } else child.stdout.on('data', keep);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-maxStderrTail);
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    for (const one of lines) if (one !== '') onProgress?.(one);
  });
  // Ignore EPIPE: a script may exit without reading its input.
  child.stdin.on('error', () => {});
  if (openChannel) child.stdin.write(input);
  else child.stdin.end(input);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (outputBytes > maxOutputBytes) throw new Error(`${script} wrote more than ${maxOutputBytes} bytes`);
    if (code !== 0) throw new Error(`${script} exited with ${code ?? 'a signal'}: ${stderrTail.trim()}`);
    return Buffer.concat(output).toString('utf8');
  } finally {
    signal.removeEventListener('abort', end);
    // Kill the children that the script left behind.
    end();
  }
}
