/**
 * Reads request bodies up to a size limit, decompressing them if necessary; a larger body results in a 400, not a 413
 * (compatibility.mdx#request-bodies).
 */
import { ServiceError } from '../../../base/errors.ts';
import { isLong, turnBefore } from '../../../base/runtime/deadline.ts';
import { type ContentCoding, contentCodings, decompress } from '../../../base/runtime/http/compression.ts';
import { JsonTooLarge, readJson } from '../../../base/schema/json-text.ts';
import { requireMatch } from './match.ts';

/**
 * @throws ServiceError `payload-too-large`, `invalid-body` when it cannot be decompressed, is not a JSON object or
 *   array, or has too many parts
 */
export async function readJsonBody(request: Request, limitBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, limitBytes);
  let json: unknown;
  try {
    json = await readJson(withoutMark(bytes));
  } catch (cause) {
    throw unreadableJson(cause);
  }
  if (typeof json !== 'object' || json === null) throw new ServiceError('invalid-body', "Couldn't parse JSON body");
  return json;
}

/** The error for a body that is not JSON, or has too many parts. */
export function unreadableJson(cause: unknown): ServiceError {
  return cause instanceof JsonTooLarge
    ? new ServiceError('invalid-body', `The JSON body ${cause.message}`)
    : new ServiceError('invalid-body', "Couldn't parse JSON body", { cause });
}

/** The bytes without a byte order mark, which some clients put in front of their JSON. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * Like `readJsonBody`, but the body is optional: returns {} if there is none, so that the defaults apply.
 * @param name name of the route, for error messages
 * @throws ServiceError `not-found` for a body that is not declared as JSON
 */
export async function readOptionalBody(name: string, request: Request, limitBytes: number): Promise<unknown> {
  if (request.headers.get('content-length') === '0' || request.body === null) return {};
  requireMatch({ name, answers: ['application/json'] }, request);
  return readJsonBody(request, limitBytes);
}

/** The body as text. @throws ServiceError `payload-too-large`, `invalid-body` when it cannot be decompressed */
export async function readTextBody(request: Request, limitBytes: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(request, limitBytes));
}

/**
 * The content coding of the body; undefined when it is not compressed.
 * @throws ServiceError `invalid-body` for an unsupported coding
 */
function contentCodingOf({ headers }: Request): ContentCoding | undefined {
  const header = headers.get('content-encoding');
  if (header === null) return undefined;
  const named = header.trim().toLowerCase();
  if (named === '' || named === 'identity') return undefined;
  const name = named === 'x-gzip' ? 'gzip' : named;
  const coding = contentCodings.find((known) => known === name);
  if (coding) return coding;
  throw new ServiceError(
    'invalid-body',
    `The body cannot be read: unsupported Content-Encoding ${JSON.stringify(header.slice(0, 60))}. ` +
      `Send it uncompressed, or compressed once with one of ${contentCodings.join(', ')}.`,
  );
}

async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const coding = contentCodingOf(request);
  const sent = await readSentBytes(request, limitBytes);
  if (!coding) return sent;
  let bytes: Uint8Array | undefined;
  try {
    bytes = await decompress(sent, coding, limitBytes);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'the data is corrupt';
    throw new ServiceError(
      'invalid-body',
      `The body cannot be decompressed with its Content-Encoding ${coding}: ${reason}. ` +
        'Send it uncompressed, or compressed once.',
      { cause },
    );
  }
  if (bytes) return bytes;
  throw new ServiceError(
    'payload-too-large',
    `Request payload size (${sent.length} bytes, more than ${limitBytes} when decompressed) exceeds maximum allowed size of ` +
      `${limitBytes} bytes. Send less, or raise MAX_PAYLOAD_SIZE.`,
  );
}

/** The body as it was sent. @throws ServiceError `payload-too-large` */
async function readSentBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? NaN);
  if (declared > limitBytes) throw tooLarge(declared, limitBytes);
  // The HTTP parser enforces a declared length, so a short body can be read in one go, even though that copies it twice
  // in the same event-loop turn.
  if (declared >= 0 && !isLong({ length: declared })) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Canceling the body would close the connection before the client has its response.
  for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge(size, limitBytes);
    chunks.push(chunk);
  }
  await turnBefore({ length: size });
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function tooLarge(size: number, limitBytes: number): ServiceError {
  return new ServiceError(
    'payload-too-large',
    `Request payload size (${size} bytes) exceeds maximum allowed size of ${limitBytes} bytes. ` +
      'Send less, or raise MAX_PAYLOAD_SIZE.',
  );
}
