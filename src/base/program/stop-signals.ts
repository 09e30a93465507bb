/**
 * Reports when the server should stop: after a signal, or when the package manager that runs it has exited. npm passes
 * SIGTERM and SIGINT on to the script, but no other signal; if npm is killed, the script keeps running and keeps its
 * port.
 */
import { environment, now, onStopSignal, readSystemFile } from '../runtime/machine.ts';

const { npm_lifecycle_event, NODE_RUN_SCRIPT_NAME } = environment;
/** npm, pnpm, yarn, npx and `node --run` set one of these for the scripts that they run. */
const isScript = (npm_lifecycle_event ?? NODE_RUN_SCRIPT_NAME) !== undefined;

/** Time in milliseconds within which a repeat of the same signal is the one that npm has passed on. */
const passedOnMs = 1_000;
const pollMs = 500;

/** Read at startup, so that a parent that exits later is noticed. */
const parent = process.ppid;
const shell = isScript ? shellParent(parent) : undefined;

/** The parent of a process, if that process is a shell (Linux): package managers run scripts in one. */
function shellParent(pid: number): string | undefined {
  return /^\d+ \((?:a|ba|da|z)?sh\) \S (\d+)/.exec(readSystemFile(`/proc/${pid}/stat`) ?? '')?.[1];
}

const isAlone = () => process.ppid !== parent || (shell !== undefined && shellParent(parent) !== shell);

/**
 * Calls the listener for each stop signal, and once when the package manager has exited without one.
 * @param listener receives the name of the signal, or `parent-gone`
 */
export function onStopRequested(listener: (signal: string) => void): void {
  if (!isScript) return onStopSignal(listener);
  let last: { signal: string; at: number } | undefined;
  let isStopRequested = false;
  onStopSignal((signal) => {
    isStopRequested = true;
    // Ctrl-C reaches the whole process group, and npm also passes the signal on: treat both as one request.
    const isPassedOn = last?.signal === signal && now() - last.at < passedOnMs;
    last = isPassedOn ? undefined : { signal, at: now() };
    if (!isPassedOn) listener(signal);
  });
  const looking = setInterval(() => {
    if (!isAlone()) return;
    clearInterval(looking);
    if (!isStopRequested) listener('parent-gone');
  }, pollMs);
  looking.unref();
}
