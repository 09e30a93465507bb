/** Writes files that grow during recording. */
import { open } from 'node:fs/promises';
import { SerialQueue } from '../serial.ts';

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
  const writes = new SerialQueue();
  return {
    get bytes() {
      return bytes;
    },
    append: (chunk) =>
      writes.run(async () => {
        await file.writeFile(chunk);
        bytes += chunk.length;
      }),
    close: () => writes.run(() => file.close()),
  };
}
