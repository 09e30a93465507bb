/**
 * Replaces this process with a shell when it is process 1 of a container without an init. The kernel makes process 1
 * the parent of orphaned processes and expects it to wait for them. Node waits only for its own children, so each
 * browser would leave zombies in the process table; a shell waits for all children and runs the server as one of them.
 */
import { accessSync, constants } from 'node:fs';
import { processId } from '../runtime/machine.ts';
import { ownArguments } from './assets.ts';

const shell = '/bin/sh';

/**
 * Job control (`set -m`) puts the server in its own process group, so that Ctrl-C reaches it once, through the shell,
 * and not twice. A signal interrupts `wait`, so the loop keeps waiting as long as the server runs.
 */
const script = `set -m 2>/dev/null
for signal in HUP INT TERM USR2; do trap "kill -$signal \\"\\$server\\" 2>/dev/null" "$signal"; done
"$@" &
server=$!
while wait "$server"; code=$?; [ "$code" -gt 128 ] && kill -0 "$server" 2>/dev/null; do :; done
exit "$code"`;

/**
 * Replaces process 1 with a shell that runs the server; does not return in that case.
 * @returns true when this process remains process 1, so that zombies stay in the process table
 */
export function leaveProcessOne(): boolean {
  if (processId !== 1) return false;
  // Deno has no execve.
  if (typeof process.execve !== 'function') return true;
  try {
    accessSync(shell, constants.X_OK);
  } catch {
    return true;
  }
  const server = [process.execPath, ...process.execArgv, ...ownArguments, ...process.argv.slice(2)];
  process.execve(shell, ['sh', '-c', script, 'browserd', ...server], process.env);
  return true;
}
