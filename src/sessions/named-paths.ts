/**
 * Decides which paths that CDP clients name mean files of the server: those in the directory of their session, and those
 * below SHARED_FILE_DIRS.
 */
import { ServiceError } from '../errors.ts';
import { sessionFileLimits } from '../limits.ts';
import { directoryState, isAbsolutePath, joinPath, plainFile, realPath } from '../runtime/files.ts';
import { isName } from './file-names.ts';

/** The files that a path may mean. */
export interface NamedFiles {
  /** Id of the session. */
  id: string;
  /** The directory of the session's files. */
  directory: string;
  /** SHARED_FILE_DIRS. */
  sharedDirectories: readonly string[];
}

/**
 * The path of the file that a client names.
 * @param named a name in the session's directory, or an absolute path
 * @returns the path as it was named, or below SHARED_FILE_DIRS the path without links
 * @throws ServiceError `forbidden-destination`, with the same text whether there is such a file on the server or not
 */
export async function pathOfFile(named: string, { id, directory, sharedDirectories }: NamedFiles): Promise<string> {
  const path = isAbsolutePath(named) ? named : isName(named) ? joinPath(directory, named) : undefined;
  const found = path === undefined ? undefined : await realBelow(path, [directory, ...sharedDirectories]);
  if (path !== undefined && found !== undefined && (await plainFile(found.real))) {
    return found.root === directory ? path : found.real;
  }
  throw new ServiceError(
    'forbidden-destination',
    `The browser may not read ${JSON.stringify(named.slice(0, sessionFileLimits.nameBytes))}: it runs on the server, and this session has no such file. ` +
      `Send the file with PUT /session-files/${id}/<name> and give <name> alone as its path, or put it below a directory of SHARED_FILE_DIRS.`,
  );
}

/** The directory that a client names, without links, when it lies below SHARED_FILE_DIRS; undefined for any other. */
export async function sharedDirectory(
  named: string,
  sharedDirectories: readonly string[],
): Promise<string | undefined> {
  if (!isAbsolutePath(named)) return undefined;
  const real = (await realBelow(named, sharedDirectories))?.real;
  return real !== undefined && (await directoryState(real)) === 'writable' ? real : undefined;
}

/**
 * An absolute path without links, and the first root that it lies below or is; undefined when there is none, or no such
 * file. Steps upwards are refused even where they stay below the root.
 */
async function realBelow(path: string, roots: readonly string[]): Promise<{ real: string; root: string } | undefined> {
  if (path.includes('\0') || path.split(/[/\\]/).includes('..')) return undefined;
  const known = (await Promise.all(roots.map(realRoot))).filter((each) => each !== undefined);
  // Compare the text of the path before touching the disk: some file systems never answer, and no client may send the
  // server to one.
  if (!known.some(({ root, real }) => isBelow(path, root) || isBelow(path, real))) return undefined;
  const real = await realPath(path).catch(() => undefined);
  const below = real === undefined ? undefined : known.find((each) => isBelow(real, each.real));
  return real === undefined || below === undefined ? undefined : { real, root: below.root };
}

/** A directory with its path without links; undefined when it does not exist. */
async function realRoot(root: string): Promise<{ root: string; real: string } | undefined> {
  return realPath(root).then(
    (real) => ({ root, real }),
    () => undefined,
  );
}

function isBelow(path: string, root: string): boolean {
  return `${path}/`.startsWith(root.endsWith('/') ? root : `${root}/`);
}
