/** Copies a directory with untrusted content: no links, no devices, and only up to a limit. */
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface TreeLimits {
  /** Number of files and directories. */
  readonly entries: number;
  readonly bytes: number;
}

/** Thrown when a directory cannot be copied; the message names the offending entry or the exceeded limit. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/**
 * Copies a directory recursively into a new directory.
 * @throws NotCopied if an entry is neither a file nor a directory, or a limit is exceeded; otherwise the file system
 *   error (such as ENOSPC)
 */
export async function copyTree(from: string, to: string, limits: TreeLimits): Promise<void> {
  let [entries, bytes] = [0, 0];
  const copy = async (path: string): Promise<void> => {
    await mkdir(join(to, path), { mode: 0o700 });
    for (const name of await readdir(join(from, path))) {
      const inner = join(path, name);
      const source = join(from, inner);
      const info = await lstat(source);
      entries++;
      bytes += info.isFile() ? info.size : 0;
      if (entries > limits.entries) throw new CopyError(`it has more than ${limits.entries} files`);
      if (bytes > limits.bytes) throw new CopyError(`it is larger than ${limits.bytes / 2 ** 20} MB`);
      if (info.isDirectory()) await copy(inner);
      else if (info.isFile()) await copyFile(source, join(to, inner));
      else throw new CopyError(`${JSON.stringify(inner.slice(0, 100))} is a link or a special file`);
    }
  };
  await copy('');
}
