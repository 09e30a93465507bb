/**
 * Opens files and directories under a root step by step, without following links: an open file stays the same even if a
 * directory or file is replaced with a link later. Only Linux can open relative to an open directory (through
 * /proc/self/fd); elsewhere only the last step refuses a link.
 */
import { constants } from 'node:fs';
import { chmod, copyFile, type FileHandle, open, utimes } from 'node:fs/promises';
import { relative } from 'node:path';

/** A file or directory that stays open. */
export interface Held {
  /**
   * Identifies the file and its content, so it changes with the content; for a directory it identifies only the
   * directory.
   */
  readonly stamp: string;
  readonly bytes: number;
  /** A path to the open file, usable by other processes of the same user while it is open. */
  readonly path: string;
  /**
   * Copies the file to a path that does not exist yet, preserving its modification time.
   * @throws the file system error
   */
  copyTo(path: string): Promise<void>;
  close(): Promise<void>;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const relativeOpens = process.platform === 'linux';

/**
 * @param path the root or a path under it, without links; undefined is returned when it is not of this kind, or is a
 *   link by now
 */
export async function openBelow(root: string, path: string, kind: 'file' | 'directory'): Promise<Held | undefined> {
  // A pipe must not block.
  const last = kind === 'directory' ? O_DIRECTORY : O_NONBLOCK;
  const file = await openSteps(root, path, O_RDONLY | O_NOFOLLOW | last).catch(() => undefined);
  if (file === undefined) return undefined;
  const info = await file.stat();
  if (kind === 'file' && !info.isFile()) {
    await file.close();
    return undefined;
  }
  const identity = `${info.dev} ${info.ino}`;
  return {
    stamp: kind === 'file' ? `${identity} ${info.size} ${info.mtimeMs} ${info.ctimeMs}` : identity,
    bytes: info.size,
    path: relativeOpens ? `/proc/${process.pid}/fd/${file.fd}` : path,
    async copyTo(to) {
      const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;
      await copyFile(relativeOpens ? `/proc/self/fd/${file.fd}` : path, to, COPYFILE_EXCL | COPYFILE_FICLONE);
      await chmod(to, 0o600);
      await utimes(to, info.atime, info.mtime);
    },
    close: () => file.close(),
  };
}

async function openSteps(root: string, path: string, flags: number): Promise<FileHandle> {
  const names = relative(root, path).split('/').filter(Boolean);
  const last = names.pop();
  if (!relativeOpens || last === undefined) return open(path, flags);
  const stepFlags = O_RDONLY | O_NOFOLLOW | O_DIRECTORY;
  let directory = await open(root, stepFlags);
  try {
    for (const name of names) {
      const next = await open(`/proc/self/fd/${directory.fd}/${name}`, stepFlags);
      await directory.close();
      directory = next;
    }
    return await open(`/proc/self/fd/${directory.fd}/${last}`, flags);
  } finally {
    await directory.close();
  }
}
