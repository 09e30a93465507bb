/** Locks the build against other processes. The lock is a directory, which only one process can create. */
import { systemCodeOf } from '../base/runtime/disk.ts';
import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 100;
const refreshMs = 5_000;
/** A lock that was not refreshed for this long belongs to a killed process. */
const staleMs = 30_000;

/** Waits until the lock is free and takes it; disposing releases it. */
export async function acquireLock(path: string): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true });
  while (!(await tryToMake(path))) {
    const since = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - since > staleMs) await rm(path, { recursive: true, force: true });
    else await delay(pollMs);
  }
  const alive = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), refreshMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(alive);
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function tryToMake(path: string): Promise<boolean> {
  return mkdir(path).then(
    () => true,
    (error: unknown) => {
      if (systemCodeOf(error) === 'EEXIST') return false;
      throw error;
    },
  );
}
