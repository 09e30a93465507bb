// Reads, writes and removes files and directories. Removal retries, because a browser may still write to its directory.
// The file is long because it contains all file system access of the program.

import { constants } from 'node:fs';
import {
  access,
  chmod,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { systemCodeOf } from './disk.ts';

export { join as joinPath };
export { appendFile as appendText, rename as renamePath, truncate as truncateFile } from 'node:fs/promises';
export { basename as nameOf, dirname as directoryOf } from 'node:path';
export { isAbsolute as isAbsolutePath, resolve as resolvePath } from 'node:path';

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Creates a directory and its parents. @throws the file system error; `EEXIST` when the path is a file */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = systemCodeOf(error);
    // The `recursive` option of mkdir never returns where no directory can be created, such as under /proc.
    if (code === 'ENOENT' && dirname(path) !== path) {
      await makeDirectory(dirname(path));
      await mkdir(path).catch(ignoreExisting);
    } else if (code !== 'EEXIST' || !(await stat(path)).isDirectory()) {
      throw error;
    }
  }
}

/** Creates a directory that only the server's user may enter; its parent must exist. @throws the file system error */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, 0o700);
}

/** Ignores that another process or call has created the directory in the meantime. */
function ignoreExisting(error: unknown): void {
  if (systemCodeOf(error) !== 'EEXIST') throw error;
}

/**
 * Resolves all links in a path; if the path does not exist, those in its existing part.
 * @throws the file system error
 */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await realPath(dirname(path)), basename(path));
  }
}

/** Whether a path is a directory that the server can use. */
export async function directoryState(path: string): Promise<'absent' | 'writable' | 'not-writable' | 'no-directory'> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return 'absent';
  if (!info.isDirectory()) return 'no-directory';
  return access(path, constants.W_OK | constants.X_OK).then(
    () => 'writable',
    () => 'not-writable',
  );
}

export async function listDirectory(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}

/** Names in a directory; empty when there is no such directory. @throws any other file system error */
export async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch((error: unknown) => unlessMissing(error) ?? []);
}

/** Content of a file; undefined when there is none. @throws any other file system error */
export async function readBytesUnlessMissing(path: string): Promise<Uint8Array | undefined> {
  return readFile(path).catch(unlessMissing);
}

/** @throws the error, unless it says that the file does not exist */
function unlessMissing(error: unknown): undefined {
  if (systemCodeOf(error) !== 'ENOENT') throw error;
}

/** Names of the subdirectories, without links; empty when the directory cannot be read. */
export async function directoriesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

export async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8');
}

/**
 * The files of a directory and all its subdirectories, as relative paths with slashes. Links are neither listed nor
 * followed.
 * @throws the file system error
 */
export async function filesBelow(directory: string, prefix = ''): Promise<string[]> {
  const entries = await readdir(join(directory, prefix), { withFileTypes: true });
  const lists = await Promise.all(
    entries.map(async (entry) => {
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory()) return filesBelow(directory, `${path}/`);
      return entry.isFile() ? [path] : [];
    }),
  );
  return lists.flat();
}

/** Content of a file, in a separate ArrayBuffer. */
export async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readFile(path);
  return new Uint8Array(bytes);
}

/** Text of a file, or undefined when it cannot be read. */
export async function readTextIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

/** Bytes of a file, or undefined when it cannot be read. */
export async function readBytesIfThere(path: string): Promise<Uint8Array | undefined> {
  return readFile(path).catch(() => undefined);
}

/** An open file; it stays readable even if it is removed. */
export interface OpenFile {
  readonly bytes: number;
  /**
   * The bytes from one offset up to, but not including, another; fewer at the end of the file.
   * @throws the file system error
   */
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Like `read`, but in chunks, on demand; the file is closed at the end and by `cancel`. Default: the whole file.
   */
  stream(from?: number, to?: number): ReadableStream<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

const pieceBytes = 2 ** 18;

/** Opens a file for reading. @throws the file system error */
export async function openFile(path: string): Promise<OpenFile> {
  const file = await open(path, 'r');
  return asOpenFile(file, (await file.stat()).size);
}

/**
 * Opens a regular file for reading; undefined for anything else, such as a link, a directory, a pipe or a missing file.
 * @throws the file system error
 */
export async function openPlainFile(path: string): Promise<OpenFile | undefined> {
  if ((await plainFile(path)) === undefined) return undefined;
  // Something else may have replaced the file since: do not follow a link, do not block on a pipe.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const info = await file.stat();
  if (info.isFile()) return asOpenFile(file, info.size);
  await file.close();
  return undefined;
}

function asOpenFile(file: FileHandle, size: number): OpenFile {
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= file.close());
  const read = async (from: number, to: number): Promise<Uint8Array<ArrayBuffer>> => {
    const chunk = new Uint8Array(Math.max(0, Math.min(to, size) - from));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
    return chunk.subarray(0, bytesRead);
  };
  return {
    bytes: size,
    read,
    stream(from = 0, to = size) {
      let at = from;
      return new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          async pull(controller) {
            const chunk = await read(at, Math.min(to, at + pieceBytes));
            at += chunk.length;
            if (chunk.length > 0) return controller.enqueue(chunk);
            await close();
            controller.close();
          },
          cancel: close,
        },
        { highWaterMark: 0 },
      );
    },
    close,
  };
}

/** Information about a regular file. */
export interface PlainFile {
  bytes: number;
  /** Modification time in epoch milliseconds. */
  changedMs: number;
  /** Changes when the file is replaced or modified; stays the same when it is renamed. */
  stamp: string;
}

/** Information about a regular file; undefined for a link, a directory, anything else, or nothing. */
export async function plainFile(path: string): Promise<PlainFile | undefined> {
  const info = await lstat(path).catch(() => undefined);
  if (!info?.isFile()) return undefined;
  return { bytes: info.size, changedMs: info.mtimeMs, stamp: `${info.ino} ${info.size} ${info.mtimeMs}` };
}

/**
 * Writes a new file that only the server's user may read. Removes it when writing or producing the content fails.
 * @throws the file system error, `EEXIST` when the path exists; any error that the content throws
 */
export async function writeNewFile(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await writeNew(path, content, async () => {});
}

async function writeNew(
  path: string,
  content: AsyncIterable<Uint8Array>,
  finish: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    try {
      for await (const chunk of content) await file.writeFile(chunk);
      await finish(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/**
 * Writes or replaces a file that only the server's user may read. A crash leaves the old or the new content, never part
 * of it.
 * @throws the file system error
 */
export async function replaceDurably(path: string, bytes: Uint8Array): Promise<void> {
  await durably(path, bytes, (draft) => rename(draft, path));
}

/**
 * Creates a file as `replaceDurably` does, unless it exists: of several callers, in any process, exactly one creates
 * it.
 * @returns whether this call created it
 * @throws the file system error, also when hard links are not supported
 */
export async function createDurably(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    // Unlike `rename`, `link` fails if the file exists.
    await durably(path, bytes, (draft) => link(draft, path));
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function durably(path: string, bytes: Uint8Array, publish: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  async function* content() {
    yield bytes;
  }
  try {
    await writeNew(draft, content(), (file) => file.sync());
    await publish(draft);
  } finally {
    await rm(draft, { force: true });
  }
  // The file name is on disk only once its directory is synced.
  await using directory = await open(dirname(path), 'r');
  await directory.sync();
}

export async function writeText(path: string, text: string): Promise<void> {
  await writeFile(path, text);
}

/** Appends to a file, creating it if necessary, and returns when the data is on disk. */
export async function appendDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'a', 0o600);
  await file.appendFile(text);
  await file.sync();
}

export async function writeBytes(path: string, bytes: Uint8Array, mode = 0o644): Promise<void> {
  await writeFile(path, bytes);
  await chmod(path, mode);
}

/** Removes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** The `file:` URL of a path. */
export function urlOf(path: string): string {
  return pathToFileURL(path).href;
}

/** Size in bytes and modification time in epoch milliseconds; undefined when the file does not exist. */
export async function fileInfo(path: string): Promise<{ bytes: number; changedMs: number } | undefined> {
  return stat(path).then(
    (info) => ({ bytes: info.size, changedMs: info.mtimeMs }),
    () => undefined,
  );
}

/** Delays before the second, third and fourth attempt, in milliseconds. */
const removalDelaysMs = [200, 400, 800];

/** Removes a directory and its content; false when it still exists after the retries. */
export async function removeDirectory(path: string): Promise<boolean> {
  for (const delayMs of [...removalDelaysMs, undefined]) {
    try {
      await rm(path, { recursive: true, force: true });
      return true;
    } catch {
      if (delayMs === undefined) return false;
      await delay(delayMs);
    }
  }
  return false;
}

/** Reads a whole Brotli-compressed file and decompresses it off the main thread. */
export async function readBrotli(path: string): Promise<Uint8Array> {
  return unpackBrotli(await readFile(path));
}

/** Decompresses Brotli data off the main thread. */
export const unpackBrotli: (packed: Uint8Array) => Promise<Uint8Array> = promisify(brotliDecompress);
