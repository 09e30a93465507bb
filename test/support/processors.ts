// A load for all processors.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';

/** Keeps every processor busy. @returns what ends that. Processes do it: Deno does not end a worker that never waits. */
export function busyProcessors(): () => void {
  const busy = cpus().map(() => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
  return () => busy.forEach((process) => process.kill('SIGKILL'));
}
