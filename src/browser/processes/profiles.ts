/**
 * Resolves the profile that a client specifies in `userDataDir`: a name, or a path under a directory that the operator
 * allows. Gives each profile to one request at a time: a second Chromium process on it would leave its startup to the
 * first one and exit.
 */
import { ServiceError } from '../../base/errors.ts';
import { directoryState, isAbsolutePath, joinPath, realPath, resolvePath } from '../../base/runtime/files.ts';
import { onAbort, orAborted } from '../../base/runtime/deadline.ts';
import type { LaunchOptions } from '../../base/schema/request/launch.ts';
import { ownerSuffix, profilePrefix } from './directories.ts';

/**
 * The profile roots of an account: a separate directory in DATA_DIR, `@` and the name of the account. The operator's
 * own profiles do not need one and are directly in the roots.
 */
export function rootsOf(account: string, roots: ProfileRoots): ProfileRoots {
  if (account === '') return roots;
  return { DATA_DIR: joinPath(roots.DATA_DIR, `@${account}`), USER_DATA_DIRS: [] };
}

export interface ProfileRoots {
  /** Directory of profiles that are specified by name. */
  DATA_DIR: string;
  /** Further directories under which profiles may be specified by path. */
  USER_DATA_DIRS: readonly string[];
}

const maxNameLength = 128;
const maxPathLength = 512;

/**
 * The directory of a profile that a client specifies, with symbolic links resolved; it need not exist yet.
 * @param requested `shop`, `team/shop` (both under DATA_DIR) or a path
 * @throws ServiceError `invalid-launch` that names the settings when it is outside these directories or cannot be a
 *   profile
 */
async function profileDirectory(requested: string, { DATA_DIR, USER_DATA_DIRS }: ProfileRoots): Promise<string> {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  if (/[\0-\x1f\x7f]/.test(requested) || requested.trim() === '')
    throw refused('it is blank or contains a control character');
  const path = isAbsolutePath(requested) ? resolvePath(requested) : resolvePath(joinPath(DATA_DIR, requested));
  const names = path.split(/[/\\]/);
  if (path.length > maxPathLength || names.some((name) => name.length > maxNameLength)) throw refused('it is too long');
  const given = [DATA_DIR, ...USER_DATA_DIRS].map((root) => resolvePath(root));
  const roots = await Promise.all(given.map(realPath));
  // Compare the text of the path before touching the disk: some file systems never respond, and no client may send the
  // server to one.
  if (![...given, ...roots].some((root) => isBelow(path, root))) throw refused('it is outside these directories');
  const real = await realPath(path).catch(() => {
    throw refused('it cannot be read');
  });
  const root = roots.find((each) => isBelow(real, each));
  if (root === undefined) throw refused('it is outside these directories');
  // The server's own names: temporary profiles, which contain other clients' data, and their markers.
  const inside = real.slice(root.length + 1).split(/[/\\]/);
  if (inside.some((name) => name.startsWith(profilePrefix) || name.endsWith(ownerSuffix))) {
    throw refused('such names are reserved for the server');
  }
  const state = await directoryState(real);
  if (state === 'no-directory') throw refused('it is a file');
  if (state === 'not-writable') throw refused('the server cannot write there');
  return real;
}

/**
 * Returns the launch options with the path of the profile instead of the client's value.
 * @throws the errors documented for `profileDirectory`
 */
export async function withProfilePath(launch: LaunchOptions, roots: ProfileRoots): Promise<LaunchOptions> {
  const { userDataDir } = launch;
  return userDataDir === undefined ? launch : { ...launch, userDataDir: await profileDirectory(userDataDir, roots) };
}

function isBelow(path: string, root: string): boolean {
  return path !== root && path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

function refused(reason: string): ServiceError {
  const message = `must be a name, or a path under DATA_DIR or a directory in USER_DATA_DIRS: ${reason}`;
  return new ServiceError('invalid-launch', `"launch.userDataDir" ${message}.`, {
    issues: [{ path: 'launch.userDataDir', message }],
  });
}

/** By directory: resolves when the last request in line has released the profile. */
const lastOf = new Map<string, Promise<void>>();

/**
 * A request's hold on a profile. It lasts until all browsers that the request started on the profile have written it
 * and exited.
 */
export interface Profile {
  /** Holds the profile until the browser that is starting has exited, or has failed to start. */
  useFor(starting: Promise<ProfileUser>): void;
  /** Holds the profile until the work has settled. */
  useDuring(work: Promise<unknown>): void;
}

interface ProfileUser {
  readonly gone: AbortSignal;
  close(): Promise<void>;
}

/** For requests that do not specify a profile: theirs is temporary and not shared with other requests. */
const ownProfile: Profile = { useFor: () => {}, useDuring: () => {} };

/**
 * Waits until no other request holds the profile, then takes it. The profile is free again when its last use has ended.
 * @param directory the directory of the profile; undefined for a request that specifies none
 * @throws ServiceError `timeout` that names the reason when the signal aborts for its limit; else the signal's abort
 *   reason
 */
export async function openProfile(directory: string | undefined, signal: AbortSignal): Promise<Profile> {
  if (directory === undefined) return ownProfile;
  const before = lastOf.get(directory) ?? Promise.resolve();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const mine = before.then(() => promise);
  lastOf.set(directory, mine);
  void mine.then(() => lastOf.get(directory) === mine && lastOf.delete(directory));
  try {
    await orAborted(before, signal);
  } catch (error) {
    release();
    if (!(error instanceof ServiceError) || error.code !== 'timeout') throw error;
    throw new ServiceError(
      'timeout',
      'Request has timed out: another session is using the profile of "launch.userDataDir".',
    );
  }
  let uses = 0;
  const useDuring = (work: Promise<unknown>) => {
    uses++;
    const done = () => --uses === 0 && release();
    work.then(done, done);
  };
  return { useDuring, useFor: (starting) => useDuring(starting.then(ended)) };
}

/** Resolves when a browser has exited and its files are written. */
function ended(browser: ProfileUser): Promise<void> {
  return new Promise((resolve) => void onAbort(browser.gone, () => resolve(browser.close())));
}
