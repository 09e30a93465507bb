/** Describes a call of this server's API, sends it with the reader's token, and reads its answer. */
import { formOf, quoteToken } from '../../samples/quote.ts';
import { messageOf } from '../shell/page-parts.ts';
import { type BqlProblem, problemsOf } from './problems.tsx';

export interface ApiCall {
  method: string;
  /** Path of this server with its query, without the base path. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** None for GET. */
  body?: string;
}

/** A finished answer. Bytes are shown with a type from our own list, never with the answer's own type. */
export interface Answer {
  status: number;
  type: string;
  milliseconds: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** The errors in a BrowserQL answer of any status. */
  problems: readonly BqlProblem[];
  /** Whether a token was sent: a 401 then means that this server refused it. */
  hadToken: boolean;
}

/** Adds a token to a call: as a header, or in the query where a header cannot hold its characters. */
export function withToken(call: ApiCall, token: string): ApiCall {
  if (token === '') return call;
  if (formOf(token) === 'header') return { ...call, headers: { ...call.headers, Authorization: `Bearer ${token}` } };
  const mark = call.path.includes('?') ? '&' : '?';
  return { ...call, path: `${call.path}${mark}token=${quoteToken(token, 'url')}` };
}

/** The media type without its parameters. */
export const plainType = (type: string | null): string => type?.split(';')[0]?.trim().toLowerCase() ?? '';

interface Sending {
  /** Where the server's addresses begin. */
  base: string;
  token: string;
  signal: AbortSignal;
}

/**
 * The server's response, its body unread.
 * @throws Error in plain words when there is none; the signal's reason
 */
export async function request(call: ApiCall, { base, token, signal }: Sending): Promise<Response> {
  const { path, method, headers, body } = withToken(call, token);
  try {
    return await fetch(base + path, { method, signal, headers, ...(body === undefined ? {} : { body }) });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error('The server does not answer. It may have stopped, or the network is down. Run tries it again.', {
      cause: error,
    });
  }
}

/**
 * Sends a call and reads the whole answer.
 * @throws Error in plain words when there is none; the signal's reason
 */
export async function send(call: ApiCall, sending: Sending): Promise<Answer> {
  const began = performance.now();
  const response = await request(call, sending);
  return readAnswer(response, { began, hadToken: sending.token !== '', signal: sending.signal });
}

interface Reading {
  /** When the call was sent, by the clock of `performance`. */
  began: number;
  hadToken: boolean;
  signal: AbortSignal;
}

/** @throws Error in plain words when the answer breaks off; the signal's reason */
export async function readAnswer(response: Response, { began, hadToken, signal }: Reading): Promise<Answer> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    signal.throwIfAborted();
    throw new Error('The answer broke off before its end.', { cause: error });
  }
  const type = plainType(response.headers.get('content-type'));
  const problems = type === 'application/json' ? problemsOf(new TextDecoder().decode(bytes)) : [];
  return { status: response.status, type, milliseconds: performance.now() - began, bytes, problems, hadToken };
}

/** What to tell the reader about a run that has no answer: the first of the error's messages. */
export const failureOf = (error: unknown, signal?: AbortSignal): string =>
  signal?.aborted === true ? 'Stopped.' : messageOf(error).split('\n\nCause:')[0] || 'The run failed.';
