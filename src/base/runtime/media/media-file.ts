/** Writes files that grow during recording, and reads any part of a file. */
import { constants } from 'node:fs';
import { open, truncate } from 'node:fs/promises';

/** A file that only grows. */
export interface GrowingFile {
  /** Bytes written so far. */
  readonly bytes: number;
  /** Appends to the file, one call at a time. @throws the file system error */
  append(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Creates a file that only the server's user may read. @throws the file system error, `EEXIST` when the path exists */
export async function createGrowingFile(path: string): Promise<GrowingFile> {
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    get bytes() {
      return bytes;
    },
    append(chunk) {
      const write = async () => {
        await file.writeFile(chunk);
        bytes += chunk.length;
      };
      const mine = turn.then(write);
      turn = mine.catch(() => undefined);
      return mine;
    },
    close: () => turn.then(() => file.close()),
  };
}

/** A file of which any part can be read; it stays readable even if it is removed. */
export interface RangedFile {
  readonly bytes: number;
  /**
   * The bytes from one offset up to, but not including, another; fewer at the end of the file.
   * @throws the file system error
   */
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Like `read`, but in chunks, on demand; the file is closed at the end and by `cancel`. */
  stream(from: number, to: number): ReadableStream<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

const pieceBytes = 2 ** 18;

/** Opens a regular file; undefined when there is none. @throws the file system error */
export async function openRangedFile(path: string): Promise<RangedFile | undefined> {
  // Do not follow a link, do not block on a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  const info = await file?.stat();
  if (!file || !info?.isFile()) {
    await file?.close();
    return undefined;
  }
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= file.close());
  const read = async (from: number, to: number): Promise<Uint8Array<ArrayBuffer>> => {
    const chunk = new Uint8Array(Math.max(0, Math.min(to, info.size) - from));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
    return chunk.subarray(0, bytesRead);
  };
  return {
    bytes: info.size,
    read,
    stream(from, to) {
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

/** Truncates a file to a number of bytes. @throws the file system error */
export async function truncateFile(path: string, bytes: number): Promise<void> {
  await truncate(path, bytes);
}
