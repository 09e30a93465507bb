/**
 * Creates a profile and a scratch directory for each browser process, each with a marker file that names its server.
 * Removes both after the process has exited; the next server start removes those that a dead server left
 * (compatibility.mdx#profiles-and-scratch-directories).
 */
import {
  fileInfo,
  joinPath,
  listDirectory,
  makeDirectory,
  makePrivateDirectory,
  readTextIfThere,
  removeDirectory,
  writeText,
} from '../../base/runtime/files.ts';
import { processId, readSystemFile } from '../../base/runtime/machine.ts';
import { processExists } from '../../base/runtime/process.ts';
import { profileFailure, storageFailure, type StorageSetting } from './storage.ts';

/**
 * Suffix of the marker file. The file is next to the directory, so that it survives when a browser clears its profile.
 */
export const ownerSuffix = '.owner';
/** Age in milliseconds until which a profile without a marker is treated as one whose browser is starting. */
const unmarkedGraceMs = 10 * 60_000;
export const profilePrefix = 'browserless-data-dir-';

export interface ScratchSpace {
  /** The profile: temporary, or the client's own directory, which is kept. */
  dataDirectory: string;
  dataIsTemporary: boolean;
  /** TMPDIR of the browser. */
  scratchDirectory: string;
  remove(): Promise<void>;
}

/** The directory for files that pages download and clients upload, in a scratch directory. */
export function filesDirectory(scratchDirectory: string): string {
  return joinPath(scratchDirectory, 'files');
}

/**
 * Creates the directories for one browser. On failure, removes those already created.
 * @param ownDirectory a profile directory that the client named: created when absent, kept afterward
 * @throws ServiceError `storage-full`; `launch-failed` that names the setting when a root is not writable;
 *   `invalid-launch` when the client's own directory cannot be created
 */
export async function createScratchSpace(
  dataRoot: string,
  scratchRoot: string,
  ownDirectory: string | undefined,
): Promise<ScratchSpace> {
  const dataDirectory = ownDirectory ?? joinPath(dataRoot, `${profilePrefix}${crypto.randomUUID()}`);
  const scratch = { directory: scratchPath(scratchRoot), root: scratchRoot, setting: 'SCRATCH_DIR' } as const;
  const data = { directory: dataDirectory, root: dataRoot, setting: 'DATA_DIR' } as const;
  const remove = await makeOwned(ownDirectory === undefined ? [data, scratch] : [scratch]);
  try {
    if (ownDirectory !== undefined) await makeDirectory(ownDirectory);
  } catch (error) {
    await remove();
    throw profileFailure(error);
  }
  return { dataDirectory, dataIsTemporary: ownDirectory === undefined, scratchDirectory: scratch.directory, remove };
}

/** Creates a directory with a marker in a root, for files other than a browser's profile. */
export async function createOwnedDirectory(
  root: string,
  setting: StorageSetting,
): Promise<{ path: string; remove(): Promise<void> }> {
  const directory = scratchPath(root);
  return { path: directory, remove: await makeOwned([{ directory, root, setting }]) };
}

/**
 * Creates a directory in the scratch directory of a process; it is removed with that directory at the latest.
 * @throws ServiceError `storage-full`, `launch-failed`
 */
export async function createInnerDirectory(
  scratchDirectory: string,
): Promise<{ path: string; remove(): Promise<unknown> }> {
  const path = scratchPath(scratchDirectory);
  try {
    await makePrivateDirectory(path);
  } catch (error) {
    throw storageFailure(error, 'SCRATCH_DIR');
  }
  return { path, remove: () => removeDirectory(path) };
}

/** Short, because the path of a Unix socket in it may have at most 107 characters. */
function scratchPath(root: string): string {
  return joinPath(root, crypto.randomUUID().replaceAll('-', '').slice(0, 12));
}

/** Creates all directories with their markers, or none. Returns a function that removes them. */
async function makeOwned(
  places: readonly { directory: string; root: string; setting: StorageSetting }[],
): Promise<() => Promise<void>> {
  const mark = ownerMark();
  const remove = async () => {
    await Promise.all(
      places.map(async ({ directory }) => {
        // Remove the marker last, so that the next sweep finds a directory that could not be removed.
        if (await removeDirectory(directory)) await removeDirectory(directory + ownerSuffix);
      }),
    );
  };
  // Wait for all before removing any, so that no directory appears after the removal.
  const made = await Promise.allSettled(
    places.map(async ({ directory, root, setting }) => {
      try {
        await makeDirectory(root);
        // Write the marker first, so that the next sweep finds the directory of a server that was killed in between.
        await writeText(directory + ownerSuffix, mark);
        // Profiles contain secrets, and a scratch directory contains the socket of a server that trusts its clients.
        await makePrivateDirectory(directory);
      } catch (error) {
        throw storageFailure(error, setting);
      }
    }),
  );
  const failed = made.find((result) => result.status === 'rejected');
  if (failed === undefined) return remove;
  await remove();
  throw failed.reason;
}

/**
 * Removes the directories that dead servers left in a root, and keeps those of running servers. Returns how many were
 * removed.
 */
export async function sweepDirectories(root: string): Promise<number> {
  const names = await listDirectory(root);
  const marks = new Set(names.filter((name) => name.endsWith(ownerSuffix)));
  let removed = 0;
  for (const name of names) {
    const path = joinPath(root, name);
    if (marks.has(name)) {
      const directory = name.slice(0, -ownerSuffix.length);
      if (ownerLives(await readTextIfThere(path))) continue;
      if (names.includes(directory) && (await removeDirectory(joinPath(root, directory)))) removed++;
      await removeDirectory(path);
    } else if (name.startsWith(profilePrefix) && !marks.has(name + ownerSuffix)) {
      const info = await fileInfo(path);
      if (info && Date.now() - info.changedMs > unmarkedGraceMs && (await removeDirectory(path))) removed++;
    }
  }
  return removed;
}

/**
 * Identifies this process by its id and its start time, because the system may later give the id to another process.
 */
export function ownerMark(): string {
  return `${processId} ${startTimeOf(processId) ?? ''}`;
}

/** Whether the process that a marker names is still running. */
export function ownerLives(mark: string | undefined): boolean {
  const [id, startTime] = (mark ?? '').split(' ');
  if (!id || !processExists(Number(id))) return false;
  return !startTime || startTimeOf(Number(id)) === startTime;
}

/** Field 22 of /proc/<pid>/stat, counted after the command's closing parenthesis. */
function startTimeOf(id: number): string | undefined {
  const stat = readSystemFile(`/proc/${id}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}
