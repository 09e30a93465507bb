/** Converts recorded MP4 files to WebM without re-encoding. */
import type { OpenFile } from '../../base/runtime/files.ts';

/** Loaded for the first conversion: most servers never need it. */
const library = () => import('mediabunny');

/**
 * Returns the whole video with its duration and an index, for players that seek.
 * @throws Error for an unsuitable file
 */
export async function toWebm(file: OpenFile): Promise<Uint8Array> {
  const { BufferTarget } = await library();
  const target = new BufferTarget();
  await convert(file, target, false, undefined);
  return new Uint8Array(target.buffer ?? new ArrayBuffer());
}

/**
 * Streams the video in chunks, with only one chunk in memory: without duration and index, which belong at the beginning
 * but are known only at the end. The file is closed at the end, and when the reader cancels.
 * @param ended called once when the stream has ended or was canceled
 */
export function streamWebm(file: OpenFile, ended: () => void): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const { readable, writable } = new TransformStream<{ data: Uint8Array }, Uint8Array>(
    { transform: ({ data }, controller) => controller.enqueue(data.slice()) },
    { highWaterMark: 1 },
    { highWaterMark: 0 },
  );
  const reader = readable.getReader();
  const running = library().then(({ StreamTarget }) => convert(file, new StreamTarget(writable), true, left.signal));
  running
    .catch((error: unknown) => writable.abort(error))
    .catch(() => {})
    .finally(() => {
      ended();
      return file.close();
    });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        left.abort(reason);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

async function convert(
  file: OpenFile,
  target: import('mediabunny').Target,
  appendOnly: boolean,
  left: AbortSignal | undefined,
): Promise<void> {
  const { Conversion, CustomSource, Input, MP4, Output, WebMOutputFormat } = await library();
  const source = new CustomSource({ getSize: () => file.bytes, read: (from, to) => file.read(from, to) });
  const input = new Input({ source, formats: [MP4] });
  const output = new Output({ format: new WebMOutputFormat({ appendOnly }), target });
  const conversion = await Conversion.init({ input, output, showWarnings: false });
  if (!conversion.isValid) throw new Error('the file has no track that WebM supports');
  left?.addEventListener('abort', () => void conversion.cancel().catch(() => {}), { once: true });
  try {
    await conversion.execute();
  } finally {
    input.dispose();
  }
}
