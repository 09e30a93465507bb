/** Reports changes in a directory, no matter which process makes them. */
import { watch } from 'node:fs';

/** How often a directory that the system cannot watch is assumed to have changed, in milliseconds. */
const pollMs = 1_000;

/**
 * Calls `changed` after each change to the directory's files, until the returned function is called. When the system
 * has no watches left (inotify limits them per user), calls `changed` every second instead.
 */
export function watchDirectory(path: string, changed: () => void): () => void {
  let stop = () => {};
  const poll = () => {
    const timer = setInterval(changed, pollMs);
    stop = () => clearInterval(timer);
  };
  try {
    const watcher = watch(path, { persistent: false }, () => changed());
    stop = () => watcher.close();
    watcher.on('error', () => {
      watcher.close();
      poll();
    });
  } catch {
    poll();
  }
  return () => stop();
}
