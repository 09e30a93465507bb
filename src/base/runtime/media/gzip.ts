/** Compresses growing text, and repairs compressed files that were cut off. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { nextTurn } from '../deadline.ts';
import { createGrowingFile } from './growing-file.ts';

/** Compresses one text in chunks. */
export interface GrowingGzip {
  write(text: string | Uint8Array): void;
  /** The output since the last call: together with everything before it, it decompresses to the text so far. */
  flush(): Promise<Uint8Array>;
  /** The remaining output, including the end of the file. */
  end(): Promise<Uint8Array>;
}

export function startGzip(): GrowingGzip {
  const gzip = createGzip();
  let chunks: Uint8Array[] = [];
  gzip.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  const taken = () => {
    const all = Buffer.concat(chunks);
    chunks = [];
    return all;
  };
  return {
    write: (text) => void gzip.write(text),
    async flush() {
      await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
      // The stream may emit its last chunk after the callback.
      await nextTurn();
      return taken();
    },
    async end() {
      gzip.end();
      await once(gzip, 'end');
      return taken();
    },
  };
}

/** Decompresses an intact file as a stream. */
export function gunzipped(file: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array> {
  return file.pipeThrough(new DecompressionStream('gzip'));
}

const newline = 10;
/** If a line is longer than this, only the content before it is kept. */
const maxLineBytes = 2 ** 27;

/**
 * Copies the complete lines of a compressed file into a new file, even if the original is truncated.
 * @returns the number of lines, and the size of the new file
 * @throws the file system error
 */
export async function copyWholeLines(from: string, to: string): Promise<{ lines: number; bytes: number }> {
  const file = await createGrowingFile(to);
  const gzip = startGzip();
  let lines = 0;
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  try {
    for await (const chunk of contentOf(from)) {
      const end = chunk.lastIndexOf(newline) + 1;
      if (end > 0) {
        for (const each of [...rest, chunk.subarray(0, end)]) gzip.write(each);
        rest = [];
        restBytes = 0;
        for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++;
        await file.append(await gzip.flush());
      }
      rest.push(chunk.subarray(end));
      restBytes += chunk.length - end;
      if (restBytes > maxLineBytes) break;
    }
    await file.append(await gzip.end());
    return { lines, bytes: file.bytes };
  } finally {
    await file.close();
  }
}

/** The content of a compressed file, as far as it can be read. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  const source = createReadStream(path);
  const text = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 2 ** 18 });
  let unreadable: Error | undefined;
  source.on('error', (error) => {
    unreadable = error;
    text.destroy(error);
  });
  source.pipe(text);
  try {
    yield* text;
  } catch {
    // Everything before the damage has been read; a file that cannot be read at all is an error.
    if (unreadable) throw unreadable;
  } finally {
    source.destroy();
    text.destroy();
  }
}
