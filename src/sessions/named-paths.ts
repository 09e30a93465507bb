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
  const real = path !== undefined && isPlainPath(path) ? await realPath(path).catch(() => undefined) : undefined;
  if (path !== undefined && real !== undefined && (await plainFile(real))) {
    if (await isBelow(real, directory)) return path;
    for (const shared of sharedDirectories) if (await isBelow(real, shared)) return real;
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
  if (!isAbsolutePath(named) || !isPlainPath(named)) return undefined;
  const real = await realPath(named).catch(() => undefined);
  if (real === undefined || (await directoryState(real)) !== 'writable') return undefined;
  for (const shared of sharedDirectories) if (await isBelow(`${real}/`, shared)) return real;
  return undefined;
}

/** True for an absolute path without steps upwards and without NUL, which ends a path for the system. */
function isPlainPath(path: string): boolean {
  return !path.includes('\0') && !path.split(/[/\\]/).includes('..');
}

/** @param real a path without links */
async function isBelow(real: string, directory: string): Promise<boolean> {
  const root = await realPath(directory).catch(() => undefined);
  return root !== undefined && real.startsWith(root.endsWith('/') ? root : `${root}/`);
}
