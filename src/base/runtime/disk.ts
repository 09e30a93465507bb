/** Reads the free space of a disk and tests whether a file can be written there. */
import { open, statfs, unlink } from 'node:fs/promises';
import { isRoot } from './machine.ts';
import { join } from 'node:path';

/** Free bytes on the disk that holds a directory; undefined when the system does not report them. */
export async function freeBytes(directory: string): Promise<number | undefined> {
  return statfs(directory).then(
    // Without a free inode no file can be created, regardless of free bytes; some systems do not count inodes.
    ({ bsize, bfree, bavail, files, ffree }) => (files > 0 && ffree === 0 ? 0 : bsize * (isRoot ? bfree : bavail)),
    () => undefined,
  );
}

/** The fraction of a disk that is free, from 0 to 1; undefined when the system does not report it. */
export async function freeShare(directory: string): Promise<number | undefined> {
  return statfs(directory).then(
    ({ blocks, bfree, bavail }) => (blocks > 0 ? (isRoot ? bfree : bavail) / blocks : undefined),
    () => undefined,
  );
}

/** One block: file systems may store smaller files without allocating a block. */
const trialBytes = 4096;

/**
 * Writes a small file into a directory. It is unlinked before it is written, so that no file is left behind if the
 * server exits.
 * @throws the file system error
 */
export async function tryWriting(directory: string): Promise<void> {
  const path = join(directory, `.write-test-${crypto.randomUUID()}`);
  const file = await open(path, 'wx');
  try {
    await unlink(path);
    await file.write(new Uint8Array(trialBytes));
  } finally {
    await file.close();
  }
}

/** The system error code (`ENOSPC`, `EACCES`) of an error or one of its causes; undefined when there is none. */
export function systemCodeOf(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    if ('code' in each && typeof each.code === 'string' && /^E(?!RR_)[A-Z0-9_]+$/.test(each.code)) return each.code;
  }
  return undefined;
}
