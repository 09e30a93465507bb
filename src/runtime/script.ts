/**
 * Our own scripts in processes of their own: what would keep the server busy for seconds, or may not run twice in one
 * process. The runtime is the one that runs the server.
 */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from './machine.ts';
import { signalGroup } from './process.ts';

export interface ScriptOptions {
  args?: readonly string[];
  /** Written to its standard input, which is then closed. */
  input?: string;
  /** Ends the process and all that it started. */
  signal: AbortSignal;
  /** Called with each line of its standard error: news of its progress. */
  onNews?: (line: string) => void;
}

/** What is kept of the standard error for the message of a failure, in characters. */
const maxLastWords = 2_000;

/** More than any script of ours has to say, in bytes: what it looks at decides how much that is. */
const maxOutputBytes = 128 * 2 ** 20;

/**
 * Runs a script (a `file:` URL) to its end and gives what it wrote to its standard output.
 * @throws the signal's reason, an Error with the end of its standard error when it fails
 */
export async function runScript(
  script: string,
  { args = [], input = '', signal, onNews }: ScriptOptions,
): Promise<string> {
  signal.throwIfAborted();
  const path = fileURLToPath(script);
  const runtime = 'deno' in process.versions ? ['run', '-A', '--quiet'] : [];
  const child = spawn(process.execPath, [...runtime, path, ...args], {
    env: childEnvironment(),
    // A group of its own, as browsers have: only the group can be ended for certain.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  try {
    // The server may have raised its own priority, which is not meant for long work.
    if (pid !== undefined) setPriority(pid, 0);
  } catch {
    // A system that does not allow it; then ours was not raised either.
  }
  const end = () => pid !== undefined && signalGroup(pid, 'SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  const output: Buffer[] = [];
  let lastWords = '';
  let line = '';
  let outputBytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes <= maxOutputBytes) output.push(chunk);
    else end();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-maxLastWords);
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    for (const one of lines) if (one !== '') onNews?.(one);
  });
  // A script that ends without reading its input is no failure of the pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (outputBytes > maxOutputBytes) throw new Error(`${path} wrote more than ${maxOutputBytes} bytes`);
    if (code !== 0) throw new Error(`${path} ended with ${code ?? 'a signal'}: ${lastWords.trim()}`);
    return Buffer.concat(output).toString('utf8');
  } finally {
    signal.removeEventListener('abort', end);
    // What it started and left behind.
    end();
  }
}
