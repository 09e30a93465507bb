/**
 * Decompresses request bodies up to a limit (RFC 9110 section 8.4.1, RFC 9659), and compresses text that is created
 * once and sent often; both off the main thread.
 */
import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliDecompress,
  type BrotliOptions,
  constants,
  gunzip,
  gzip,
  inflate,
  type ZlibOptions,
  zstdDecompress,
  zstdDecompressSync,
  type ZstdOptions,
} from 'node:zlib';

/** The supported content codings, as in `Content-Encoding`. */
export const contentCodings = ['gzip', 'deflate', 'br', 'zstd'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** The result with the `info` option, which the type declarations omit. */
interface Decompressed {
  readonly buffer: Uint8Array;
  /** Counts the bytes that it read. */
  readonly engine: { readonly bytesWritten: number };
}

type Options = ZlibOptions & BrotliOptions & ZstdOptions;
type Done = (error: Error | null, result: unknown) => void;

/** RFC 9659 allows windows of 8 MiB; without a limit, the library would allocate as much as a frame header requests. */
const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
const isDeno = 'Deno' in globalThis;

const decoders: Readonly<Record<ContentCoding, (bytes: Uint8Array, options: Options, done: Done) => void>> = {
  gzip: gunzip,
  deflate: inflate,
  br: brotliDecompress,
  zstd: (bytes, options, done) => {
    if (!isDeno) return zstdDecompress(bytes, { ...options, ...zstdWindow }, done);
    // For a malformed frame, Deno 2.9 throws errors that cannot be caught, except in the synchronous call.
    try {
      done(null, zstdDecompressSync(bytes, { ...options, ...zstdWindow }));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)), undefined);
    }
  },
};

/**
 * Decompresses bytes; returns undefined when there are more than `limitBytes`, and stops as soon as that is known.
 * @throws Error if the data is corrupt, truncated, or followed by other data
 */
export async function decompress(
  bytes: Uint8Array,
  coding: ContentCoding,
  limitBytes: number,
): Promise<Uint8Array | undefined> {
  const input = coding === 'br' ? withSentinel(bytes) : bytes;
  const { promise, resolve, reject } = Promise.withResolvers<Decompressed | undefined>();
  decoders[coding](input, { maxOutputLength: Math.max(1, limitBytes), info: true }, (error, result) => {
    if (error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') resolve(undefined);
    else if (error) reject(error);
    // With `info`, the result is this object.
    else resolve(result as Decompressed);
  });
  const decompressed = await promise;
  if (!decompressed) return undefined;
  const read = decompressed.engine.bytesWritten;
  // Deno counts zstd bytes incorrectly.
  if (read > bytes.length) throw new Error('unexpected end of file');
  if (read < bytes.length && !(isDeno && coding === 'zstd')) throw new Error('trailing data');
  return decompressed.buffer;
}

/**
 * Appends a byte. Deno accepts truncated Brotli data as complete, but then the decoder also reads the byte that
 * follows.
 */
function withSentinel(bytes: Uint8Array): Uint8Array {
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  return longer;
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** For the OpenAPI document, quality 5 takes 6 ms and 20 KB; 11 takes 1.4 s and saves 3 KB. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Encodes the text in UTF-8 and compresses it off the main thread. */
export async function encodeText(text: string, encoding: 'br' | 'gzip' | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.from(text);
  return new Uint8Array(
    encoding === undefined ? bytes : await (encoding === 'br' ? brotli(bytes, quality) : deflate(bytes)),
  );
}
