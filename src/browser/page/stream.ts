/** Reads a stream of the browser (IO.read) in chunks, so that the server never holds it whole in memory. */
import type { Page } from './page.ts';
import { fromBase64 } from '../../base/runtime/bytes.ts';

/** Size of one IO.read in bytes. */
const chunkBytes = 2 ** 20;

export interface Chunk {
  bytes: Uint8Array;
  eof: boolean;
}

/** @param offset where to read, in bytes. Default: after the chunk before */
export async function readChunk(page: Page, handle: string, offset?: number): Promise<Chunk> {
  const { data, eof, base64Encoded } = await page.send('IO.read', { handle, size: chunkBytes, offset });
  return { bytes: base64Encoded ? fromBase64(data) : new TextEncoder().encode(data), eof };
}

/** Frees a stream in the browser. */
export function closeStream(page: Page, handle: string): void {
  page.session.send('IO.close', { handle }).catch(() => {});
}

/**
 * Returns a stream that reads on demand; the page must live until the stream ends.
 * @param read chunks already read, delivered first
 */
export function streamOf(page: Page, handle: string, read: Chunk[] = []): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = read.shift() ?? (await readChunk(page, handle));
        if (chunk.bytes.length > 0) controller.enqueue(chunk.bytes);
        if (!chunk.eof) return;
        controller.close();
        closeStream(page, handle);
      },
      cancel: () => closeStream(page, handle),
    },
    { highWaterMark: 0 },
  );
}
