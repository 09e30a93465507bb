/**
 * Decides which paths specified by CDP clients may refer to files on the server: those in the directory of their
 * session, and those under SHARED_FILE_DIRS.
 */
import { storageFailure } from '../../browser/processes/storage.ts';
import { ServiceError } from '../../base/errors.ts';
import { sessionFileLimits } from '../../base/limits.ts';
import {
  directoryOf,
  directoryState,
  isAbsolutePath,
  joinPath,
  makePrivateDirectory,
  nameOf,
  plainFile,
  realPath,
  removeDirectory,
} from '../../base/runtime/files.ts';
import { type Held, openBelow } from '../../base/runtime/held/below.ts';
import { tooLarge, tooMany } from './file-errors.ts';
import { isName } from './file-names.ts';
import type { SessionLife } from './life.ts';

/** The files that a path may refer to. */
export interface NamedFiles {
  /** Id of the session. */
  id: string;
  /** The directory of the session's files; copies of shared files are stored next to it. */
  directory: string;
  /** SHARED_FILE_DIRS. */
  sharedDirectories: readonly string[];
  /** Limit for the total size of all copies of shared files, in bytes; 0 for no limit. */
  maxBytes: number;
  life: SessionLife;
}

/**
 * Resolves the paths that the clients of one session specify. Other programs may write under SHARED_FILE_DIRS, so a
 * path is opened only once, when it is checked.
 */
export class NamedPaths {
  readonly #files: NamedFiles;
  /** Paths of the copies of shared files, by the stamp of the file and its name. */
  readonly #copies = new Map<string, Promise<string>>();
  #copiedBytes = 0;
  /** Directories for downloads, by stamp. They stay open until the session ends. */
  readonly #held = new Map<string, Held>();

  constructor(files: NamedFiles) {
    this.#files = files;
    files.life.watch(({ type }) => {
      if (type === 'ended') for (const held of this.#held.values()) void held.close();
    });
  }

  /**
   * Returns the path of the file that a client specifies.
   * @param named a name in the session's directory, or an absolute path
   * @returns the path as the client specified it, or for a file under SHARED_FILE_DIRS the path of a copy with the same
   *   name
   * @throws ServiceError `forbidden-destination`, with the same text whether or not such a file exists on the server;
   *   `session-files-full`
   */
  async pathOf(named: string): Promise<string> {
    const { id, directory, sharedDirectories } = this.#files;
    const path = isAbsolutePath(named) ? named : isName(named) ? joinPath(directory, named) : undefined;
    const found = path === undefined ? undefined : await realBelow(path, [directory, ...sharedDirectories]);
    if (path !== undefined && found !== undefined && (await plainFile(found.real))) {
      if (found.root === directory) return path;
      const copy = await this.#copyOf(found);
      if (copy !== undefined) return copy;
    }
    throw new ServiceError(
      'forbidden-destination',
      `The browser cannot read ${JSON.stringify(named.slice(0, sessionFileLimits.nameBytes))}: it runs on the server, and this session has no such file. ` +
        `Upload the file with PUT /session-files/${id}/<name> and use only <name> as its path, or put it in a directory of SHARED_FILE_DIRS.`,
    );
  }

  /** Returns a path to the directory that a client specifies if it is under SHARED_FILE_DIRS, otherwise undefined. */
  async downloadDirectory(named: string): Promise<string | undefined> {
    if (!isAbsolutePath(named)) return undefined;
    const found = await realBelow(named, this.#files.sharedDirectories);
    if (found === undefined || (await directoryState(found.real)) !== 'writable') return undefined;
    const opened = await openBelow(found.realRoot, found.real, 'directory');
    if (opened === undefined) return undefined;
    const known = this.#held.get(opened.stamp);
    if (known !== undefined || this.#held.size >= sessionFileLimits.downloadDirectories || this.#files.life.ending) {
      await opened.close();
      return known?.path;
    }
    this.#held.set(opened.stamp, opened);
    return opened.path;
  }

  /**
   * Copies a shared file to a directory that only the server's user may write to.
   * @returns undefined when it is no longer a regular file
   */
  async #copyOf({ real, realRoot }: ResolvedPath): Promise<string | undefined> {
    const file = await openBelow(realRoot, real, 'file');
    if (file === undefined) return undefined;
    try {
      const key = `${file.stamp} ${real}`;
      let copy = this.#copies.get(key);
      if (copy === undefined) {
        copy = this.#copy(file, nameOf(real));
        this.#copies.set(key, copy);
        copy.catch(() => this.#copies.delete(key));
      }
      return await copy;
    } finally {
      await file.close();
    }
  }

  async #copy(file: Held, name: string): Promise<string> {
    const { directory, maxBytes } = this.#files;
    if (this.#copies.size >= sessionFileLimits.files) throw tooMany();
    if (maxBytes > 0 && this.#copiedBytes + file.bytes > maxBytes) throw tooLarge(maxBytes);
    this.#copiedBytes += file.bytes;
    const parent = joinPath(directoryOf(directory), `shared-${crypto.randomUUID()}`);
    try {
      await makePrivateDirectory(parent);
      await file.copyTo(joinPath(parent, name));
    } catch (error) {
      this.#copiedBytes -= file.bytes;
      await removeDirectory(parent);
      throw storageFailure(error, 'SCRATCH_DIR');
    }
    return joinPath(parent, name);
  }
}

interface ResolvedPath {
  real: string;
  /** As given by the caller. */
  root: string;
  realRoot: string;
}

/**
 * Resolves the links in an absolute path and finds the first root that equals or contains it; undefined when there is
 * no such root or file. `..` segments are refused even if the path stays under the root.
 */
async function realBelow(path: string, roots: readonly string[]): Promise<ResolvedPath | undefined> {
  if (path.includes('\0') || path.split(/[/\\]/).includes('..')) return undefined;
  const known = (await Promise.all(roots.map(resolved))).filter((each) => each !== undefined);
  // Compare the text of the path before touching the disk: some file systems never respond, and no client may make the
  // server access one.
  if (!known.some(({ root, real }) => isBelow(path, root) || isBelow(path, real))) return undefined;
  const real = await realPath(path).catch(() => undefined);
  const below = real === undefined ? undefined : known.find((each) => isBelow(real, each.real));
  return real === undefined || below === undefined ? undefined : { real, root: below.root, realRoot: below.real };
}

/** Returns a directory and its path with links resolved; undefined when it does not exist. */
async function resolved(root: string): Promise<{ root: string; real: string } | undefined> {
  return realPath(root).then(
    (real) => ({ root, real }),
    () => undefined,
  );
}

function isBelow(path: string, root: string): boolean {
  return `${path}/`.startsWith(root.endsWith('/') ? root : `${root}/`);
}
