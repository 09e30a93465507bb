// Runs the project's tools (compiler, formatter, linter …) as command lines, and asserts that they find nothing.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { temporaryDirectory } from '../temporary-directory.ts';

/** The root directory of the repository. */
export const root = join(import.meta.dirname, '../../..');

export interface ToolRun {
  code: number | null;
  /** What the tool wrote to stdout and stderr. */
  output: string;
}

/** Runs a program of node_modules/.bin. @param signal kills the program */
export async function runTool(name: string, args: string[], cwd: string, signal: AbortSignal): Promise<ToolRun> {
  const child = spawn(process.execPath, [join(root, 'node_modules/.bin', name), ...args], {
    cwd,
    signal,
    killSignal: 'SIGKILL',
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = Promise.withResolvers<number | null>();
  child.on('error', ended.reject);
  child.on('close', ended.resolve);
  return { code: await ended.promise, output };
}

/** Fails when the tool finds something; the error contains the tool's output, which names files and lines. */
export async function findsNothing(name: string, args: string[], signal: AbortSignal): Promise<void> {
  const { code, output } = await runTool(name, args, root, signal);
  if (code !== 0) throw new Error(`${name} exited with code ${code}:\n${output.trim()}`);
}

/** Creates a directory with these files, by their paths in it; disposing removes it. */
export function scratchTree(files: Readonly<Record<string, string>>): Disposable & { path: string } {
  const path = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
