/** Files as a zip archive, made while it is read: one file at a time is compressed, none is copied to disk. */
import { configure, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js';

// Compression of the runtime, outside of the main thread already: no workers of the library's own.
configure({ useWebWorkers: false });

export interface ArchiveFile {
  path: string;
  bytes: Uint8Array | ReadableStream<Uint8Array>;
}

/** What is compressed already: trying again costs time and gains nothing. */
const packed = /\.(png|jpe?g|gif|webp|avif|woff2?|zip|gz|br|mp[34]|webm|pdf)$/i;

export function zipOf(files: readonly ArchiveFile[]): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const write = async (): Promise<void> => {
    const writer = new ZipWriter(writable);
    for (const { path, bytes } of files) {
      // oxlint-disable-next-line browserd/raced-await -- goes on as the answer is read, and ends with it
      await writer.add(path, bytes instanceof ReadableStream ? bytes : new Uint8ArrayReader(bytes), {
        level: packed.test(path) ? 0 : 6,
      });
    }
    // oxlint-disable-next-line browserd/raced-await -- goes on as the answer is read, and ends with it
    await writer.close();
  };
  // A reader that leaves, or a failure, ends the stream: whoever reads it is told there.
  write().catch((error: unknown) => writable.abort(error).catch(() => {}));
  return readable;
}
