/**
 * Process 1 of a container without an init. The kernel gives it the children of processes that have ended, and expects
 * it to ask for them; a runtime asks for its own only, so that each browser would leave entries in the process table
 * for good. A shell collects whatever it is given: it takes the place of this process, and starts the server below it.
 */
import { accessSync, constants } from 'node:fs';
import { processId } from './machine.ts';

const shell = '/bin/sh';

/**
 * Job control gives the server a group of its own: a Ctrl-C then reaches it once, through the shell, and not twice. A
 * signal interrupts `wait`, which is why that is asked again for as long as the server is there.
 */
const script = `set -m 2>/dev/null
for signal in HUP INT TERM USR2; do trap "kill -$signal \\"\\$server\\" 2>/dev/null" "$signal"; done
"$@" &
server=$!
while wait "$server"; code=$?; [ "$code" -gt 128 ] && kill -0 "$server" 2>/dev/null; do :; done
exit "$code"`;

/**
 * Replaces process 1 by a shell with the server below it; does not return then.
 * @returns true when this is process 1 and stays it: ended processes stay in its table
 */
export function leaveProcessOne(): boolean {
  if (processId !== 1) return false;
  // Deno has no such function.
  if (typeof process.execve !== 'function') return true;
  try {
    accessSync(shell, constants.X_OK);
  } catch {
    return true;
  }
  const server = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(shell, ['sh', '-c', script, 'browserd', ...server], process.env);
  return true;
}
