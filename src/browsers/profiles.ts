/**
 * Profiles that callers name (`userDataDir`): a name, or a path below a directory that the operator lets them use. One
 * browser has a profile at a time: Chromium would otherwise hand a second start over to the first process, and end.
 */
import { ServiceError } from '../errors.ts';
import { directoryState, isAbsolutePath, joinPath, realPath, resolvePath } from '../runtime/files.ts';
import { orAborted } from '../runtime/deadline.ts';
import type { LaunchOptions } from '../schema/launch.ts';
import { ownerSuffix, profilePrefix } from './directories.ts';

export interface ProfileRoots {
  /** Directory of profiles that are given by name. */
  DATA_DIR: string;
  /** Further directories below which profiles may be named by path. */
  USER_DATA_DIRS: readonly string[];
}

const maxNameLength = 128;
const maxPathLength = 512;

/**
 * The directory of a profile that a caller names, its links resolved; it need not be there yet.
 * @param asked `shop`, `team/shop` (both below DATA_DIR) or a path
 * @throws ServiceError `invalid-launch` naming the settings when it lies elsewhere or cannot be a profile
 */
export async function profileDirectory(asked: string, { DATA_DIR, USER_DATA_DIRS }: ProfileRoots): Promise<string> {
  if (/[\0-\x1f\x7f]/.test(asked) || asked.trim() === '') throw refused('it is blank, or has a control character');
  const path = isAbsolutePath(asked) ? resolvePath(asked) : resolvePath(joinPath(DATA_DIR, asked));
  const names = path.split(/[/\\]/);
  if (path.length > maxPathLength || names.some((name) => name.length > maxNameLength)) throw refused('it is too long');
  const given = [DATA_DIR, ...USER_DATA_DIRS].map((root) => resolvePath(root));
  const roots = await Promise.all(given.map(realPath));
  // By its letters first: there are file systems that never answer, and nobody may send us there.
  if (![...given, ...roots].some((root) => isBelow(path, root))) throw refused('it lies elsewhere');
  const real = await realPath(path).catch(() => {
    throw refused('it cannot be read');
  });
  const root = roots.find((each) => isBelow(real, each));
  if (root === undefined) throw refused('it lies elsewhere');
  // The server's own directories: temporary profiles with the data of others, and their marks.
  const inside = real.slice(root.length + 1).split(/[/\\]/);
  if (inside.some((name) => name.startsWith(profilePrefix) || name.endsWith(ownerSuffix))) {
    throw refused('such names belong to the server');
  }
  const state = await directoryState(real);
  if (state === 'no-directory') throw refused('it is a file');
  if (state === 'not-writable') throw refused('the server may not write there');
  return real;
}

/** Launch options with the path of the profile in place of what the caller named. @throws as `profileDirectory` */
export async function withProfilePath(launch: LaunchOptions, roots: ProfileRoots): Promise<LaunchOptions> {
  const { userDataDir } = launch;
  return userDataDir === undefined ? launch : { ...launch, userDataDir: await profileDirectory(userDataDir, roots) };
}

function isBelow(path: string, root: string): boolean {
  return path !== root && path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

function refused(reason: string): ServiceError {
  const message = `must be a name, or a path below DATA_DIR or a directory of USER_DATA_DIRS: ${reason}`;
  return new ServiceError('invalid-launch', `"launch.userDataDir" ${message}.`, {
    issues: [{ path: 'launch.userDataDir', message }],
  });
}

const lastOf = new Map<string, Promise<void>>();

/**
 * Starts a browser on a profile once no other browser of this server has it; it is free again when that process has
 * written it out and ended.
 * @param directory of the profile; undefined for a browser that has a temporary one
 * @throws what `start` throws; ServiceError `timeout` that names the reason when the signal aborts for its limit; else
 *   the signal's reason
 */
export async function startOnProfile<B extends { gone: AbortSignal; close(): Promise<void> }>(
  directory: string | undefined,
  start: () => Promise<B>,
  signal: AbortSignal,
): Promise<B> {
  if (directory === undefined) return start();
  const release = await takeProfile(directory, signal);
  try {
    const browser = await start();
    const free = () => void browser.close().finally(release);
    if (browser.gone.aborted) free();
    else browser.gone.addEventListener('abort', free, { once: true });
    return browser;
  } catch (error) {
    release();
    throw error;
  }
}

/** Waits until the profile is free, and takes it. @returns gives it back; the next in line gets it then */
async function takeProfile(directory: string, signal: AbortSignal): Promise<() => void> {
  const before = lastOf.get(directory) ?? Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const mine = before.then(() => promise);
  lastOf.set(directory, mine);
  void mine.then(() => lastOf.get(directory) === mine && lastOf.delete(directory));
  try {
    await orAborted(before, signal);
    return resolve;
  } catch (error) {
    resolve();
    if (!(error instanceof ServiceError) || error.code !== 'timeout') throw error;
    throw new ServiceError(
      'timeout',
      'Request has timed out: another session has the profile of "launch.userDataDir".',
    );
  }
}
