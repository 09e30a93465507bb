/** Runs a module through `/function` and reports frames of its page and lines of its console while it runs. */
import { type ApiResponse, type ApiCall, plainType, readResponse, request, send } from '../call/api-call.ts';
import { typeOfBytes } from '../call/media.ts';
import type { EditorError } from '../editor/editor.ts';
import { runWatched, watchedType } from './run-watched.ts';

/** A line that the code wrote to the console. */
export interface ConsoleLine {
  level: string;
  text: string;
}

export interface Watching {
  base: string;
  token: string;
  signal: AbortSignal;
  onFrame: (jpeg: Uint8Array<ArrayBuffer>) => void;
  onLine: (line: ConsoleLine) => void;
}

/** A failure of the code itself, with its position. */
export class CodeFailure extends Error {
  readonly mistake: EditorError;
  constructor(mistake: EditorError) {
    const { message, line, column } = mistake;
    super(`${message}${line === undefined ? '' : ` (line ${line}, column ${column ?? 1} of the code)`}`);
    this.mistake = mistake;
  }
}

/** Maximum length of a message in bytes: one that claims a greater length is not from our code. */
const maxMessageBytes = 2 ** 26;

/** Returns the request with the reader's module wrapped in the streaming module. */
function wrapped(call: ApiCall, code: string, context: unknown): ApiCall {
  return {
    ...call,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code: `export default ${runWatched.toString()}`, context: { code, context } }),
  };
}

interface Message {
  kind: string;
  payload: Uint8Array<ArrayBuffer>;
}

/** @throws Error for a stream that is cut off or not in our format */
async function* messagesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Message> {
  const reader = body.getReader();
  let held = new Uint8Array();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const joined = new Uint8Array(held.length + value.length);
      joined.set(held);
      joined.set(value, held.length);
      held = joined;
      for (;;) {
        if (held.length < 5) break;
        const length = new DataView(held.buffer, held.byteOffset).getUint32(1);
        if (length > maxMessageBytes) throw new Error('The response is not in the format that the playground expects.');
        if (held.length < 5 + length) break;
        yield { kind: String.fromCharCode(held[0] ?? 0), payload: held.slice(5, 5 + length) };
        held = held.slice(5 + length);
      }
    }
  } finally {
    // Canceling early tells the server that the result is no longer needed.
    reader.cancel().catch(() => undefined);
  }
}

const jsonIn = (payload: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(payload));

function mistakeIn(payload: Uint8Array): EditorError {
  const given: { message?: unknown; line?: number | null; column?: number | null } = Object(jsonIn(payload));
  const message = String(given.message ?? '') || 'The code failed without a message';
  return { message, line: given.line ?? undefined, column: given.column ?? undefined };
}

/**
 * @param call the plain request, sent when the code cannot be watched
 * @throws CodeFailure when the code fails; Error with a message for the reader when there is no response; the abort
 *   reason of the signal
 */
export async function watchCode(
  call: ApiCall,
  code: string,
  context: unknown,
  watching: Watching,
): Promise<ApiResponse> {
  const { token, signal, onFrame, onLine } = watching;
  const began = performance.now();
  const hadToken = token !== '';
  const response = await request(wrapped(call, code, context), watching);
  if (plainType(response.headers.get('content-type')) !== watchedType || response.body === null)
    return readResponse(response, { began, hadToken, signal });
  let type: string | undefined;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  try {
    for await (const { kind, payload } of messagesOf(response.body)) {
      if (kind === 'f') onFrame(payload);
      else if (kind === 'l') onLine(lineIn(payload));
      else if (kind === 'r') type = plainType(String(jsonIn(payload)));
      else if (kind === 'd') pieces.push(payload);
      else if (kind === 'x') throw new CodeFailure(mistakeIn(payload));
      // A module that could not be parsed has not run: the plain request returns the server's own error message.
      else if (kind === 's') return await send(call, watching);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CodeFailure || type === undefined) throw error;
    throw new Error('The response was cut off.', { cause: error });
  }
  if (type === undefined) {
    throw new Error('The server ended the request before the code finished: it timed out, or the server is stopping.');
  }
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  const milliseconds = performance.now() - began;
  const shown = type === '' ? (typeOfBytes(bytes) ?? 'application/octet-stream') : type;
  return { status: response.status, type: shown, milliseconds, bytes, problems: [], hadToken };
}

function lineIn(payload: Uint8Array): ConsoleLine {
  const value = jsonIn(payload);
  const [level, text] = Array.isArray(value) ? value : [];
  return { level: String(level), text: String(text) };
}
