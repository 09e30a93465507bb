/** Converts disk failures (full, or not writable) to errors that name the setting of the directory. */
import { isOutOfSpace, ServiceError } from '../../base/errors.ts';
import { orAborted, startDeadline } from '../../base/runtime/deadline.ts';
import { freeBytes, systemCodeOf, tryWriting } from '../../base/runtime/disk.ts';
import { makeDirectory } from '../../base/runtime/files.ts';
import { now } from '../../base/runtime/machine.ts';

export type StorageSetting =
  'DATA_DIR' | 'SCRATCH_DIR' | 'DOWNLOAD_DIR' | 'CACHE_DIR' | 'RECORDINGS_DIR' | 'PROFILES_DIR';

/** A browser writes up to a few megabytes for its first page; with less free space than this it might not work. */
const neededBytes = 4 * 2 ** 20;

/** Converts a failed write under a directory to an error that names its setting; returns a ServiceError unchanged. */
export function storageFailure(error: unknown, setting: StorageSetting): ServiceError {
  if (error instanceof ServiceError) return error;
  return isOutOfSpace(error)
    ? new ServiceError('storage-full', diskFullMessage(setting), { cause: error })
    : new ServiceError('launch-failed', notWritableMessage(setting, systemCodeOf(error)), { cause: error });
}

/** The error for a client's own profile directory that could not be created. */
export function profileFailure(error: unknown): ServiceError {
  if (isOutOfSpace(error)) return storageFailure(error, 'DATA_DIR');
  const message = `cannot be created (${systemCodeOf(error) ?? 'unknown reason'})`;
  return new ServiceError('invalid-launch', `"launch.userDataDir" ${message}. Use a different name.`, {
    issues: [{ path: 'launch.userDataDir', message }],
    cause: error,
  });
}

type WrittenDirectories = readonly (readonly [setting: StorageSetting, directory: string])[];

/** The error for the first disk that has less free space than a browser needs; undefined when all have enough. */
async function spaceProblem(places: WrittenDirectories, bytes = neededBytes): Promise<ServiceError | undefined> {
  for (const [setting, directory] of places) {
    const free = await freeBytes(directory);
    if (free !== undefined && free < bytes) return new ServiceError('storage-full', diskFullMessage(setting, free));
  }
  return undefined;
}

/** How long to reuse the result that there is enough space, in milliseconds: saves system calls under load. */
const keptMs = 20;

/** Checks the free space of the same disks for every request. */
export class FreeSpace {
  readonly #places: WrittenDirectories;
  #hadRoomAt = -Infinity;

  constructor(places: WrittenDirectories) {
    this.#places = places;
  }

  async problem(): Promise<ServiceError | undefined> {
    if (now() - this.#hadRoomAt < keptMs) return undefined;
    const problem = await spaceProblem(this.#places);
    if (!problem) this.#hadRoomAt = now();
    return problem;
  }
}

/**
 * Checks that each directory has free space and is writable. Returns the error for the first that fails.
 * @param bytes free space that each disk must have. Default: what a browser needs
 * @returns undefined when all directories are usable
 */
export async function storageProblem(
  places: WrittenDirectories,
  bytes = neededBytes,
): Promise<ServiceError | undefined> {
  for (const place of places) {
    const [setting, directory] = place;
    const problem = await spaceProblem([place], bytes);
    if (problem) return problem;
    try {
      await makeDirectory(directory);
      await tryWriting(directory);
    } catch (error) {
      return storageFailure(error, setting);
    }
  }
  return undefined;
}

/** Chromium's errors when it cannot allocate shared memory, which is backed by files in SCRATCH_DIR. */
const noSharedMemory = /\bUnable to capture screenshot\b|\bERR_INSUFFICIENT_RESOURCES\b/;

/** How long to wait for a disk that may hang, in milliseconds. */
const lookMs = 1_000;

/** Error codes of requests whose pages or browsers crash or hang without shared memory. */
const endsWithoutIt: readonly string[] = ['page-crashed', 'browser-crashed', 'timeout'];

/** Returns `storage-full` for an error that a full disk explains, otherwise the error itself. */
export async function explainByDisk(error: unknown, places: WrittenDirectories): Promise<unknown> {
  const isEnd = error instanceof ServiceError && endsWithoutIt.includes(error.code);
  const isRefusal = error instanceof Error && noSharedMemory.test(error.message);
  if (!isEnd && !isRefusal) return error;
  using deadline = startDeadline(lookMs, () => undefined, []);
  return (await orAborted(storageProblem(places), deadline.signal).catch(() => undefined)) ?? error;
}

function diskFullMessage(setting: StorageSetting, free?: number): string {
  const left = free === undefined ? '' : `: ${(free / 2 ** 20).toFixed(1)} MB free`;
  return `The disk of ${setting} is full${left}. Free up space on it, or set ${setting} to a directory on another disk.`;
}

function notWritableMessage(setting: StorageSetting, code = 'unknown reason'): string {
  return `The server cannot write to ${setting} (${code}). Correct its permissions, or set ${setting} to another directory.`;
}
