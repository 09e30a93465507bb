/** Packs files into a zip archive while the client reads it: compresses one file at a time, without temporary files. */
import { configure, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js';

// The runtime's compression already runs outside the main thread: the library needs no workers.
configure({ useWebWorkers: false });

export interface ArchiveFile {
  path: string;
  bytes: Uint8Array | ReadableStream<Uint8Array>;
}

/** Files that are already compressed: compressing them again costs time and gains nothing. */
const packed = /\.(png|jpe?g|gif|webp|avif|woff2?|zip|gz|br|mp[34]|webm|pdf)$/i;

export function zipOf(files: readonly ArchiveFile[]): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const write = async (): Promise<void> => {
    const writer = new ZipWriter(writable);
    for (const { path, bytes } of files) {
      await writer.add(path, bytes instanceof ReadableStream ? bytes : new Uint8ArrayReader(bytes), {
        level: packed.test(path) ? 0 : 6,
      });
    }
    await writer.close();
  };
  // When a file fails or the reader leaves, abort the stream: its reader receives the error.
  write().catch((error: unknown) => writable.abort(error).catch(() => {}));
  return readable;
}
