/** Describes a request to this server's API, sends it with the reader's token, and reads the response. */
import { formOf, quoteToken } from '../../samples/quote.ts';
import { messageOf } from '../shell/page-parts.ts';
import { type BqlProblem, problemsOf } from './problems.tsx';

export interface ApiCall {
  method: string;
  /** Path and query on this server, without the base path. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Absent for GET. */
  body?: string;
}

/** A complete response. Bytes are shown with a type from our own list, never with the response's type. */
export interface ApiResponse {
  status: number;
  type: string;
  milliseconds: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** The errors in a BrowserQL response of any status. */
  problems: readonly BqlProblem[];
  /** Whether a token was sent: a 401 then means that this server rejected it. */
  hadToken: boolean;
}

/** Adds a token to a request: as a header, or in the query if a header cannot contain its characters. */
export function withToken(call: ApiCall, token: string): ApiCall {
  if (token === '') return call;
  if (formOf(token) === 'header') return { ...call, headers: { ...call.headers, Authorization: `Bearer ${token}` } };
  const mark = call.path.includes('?') ? '&' : '?';
  return { ...call, path: `${call.path}${mark}token=${quoteToken(token, 'url')}` };
}

/** Returns the media type without its parameters. */
export const plainType = (type: string | null): string => type?.split(';')[0]?.trim().toLowerCase() ?? '';

interface Sending {
  /** Base path of the server's URLs. */
  base: string;
  token: string;
  signal: AbortSignal;
}

/**
 * Sends a request and returns the response, its body unread.
 * @throws Error with a message for the reader when there is no response; the abort reason of the signal
 */
export async function request(call: ApiCall, { base, token, signal }: Sending): Promise<Response> {
  const { path, method, headers, body } = withToken(call, token);
  try {
    return await fetch(base + path, { method, signal, headers, ...(body === undefined ? {} : { body }) });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(
      'The server is not responding. It may have stopped, or the network is down. Press Run to try again.',
      {
        cause: error,
      },
    );
  }
}

/**
 * Sends a request and reads the whole response.
 * @throws Error with a message for the reader when there is no response; the abort reason of the signal
 */
export async function send(call: ApiCall, sending: Sending): Promise<ApiResponse> {
  const began = performance.now();
  const response = await request(call, sending);
  return readResponse(response, { began, hadToken: sending.token !== '', signal: sending.signal });
}

interface Reading {
  /** When the request was sent, from `performance.now()`. */
  began: number;
  hadToken: boolean;
  signal: AbortSignal;
}

/** @throws Error with a message for the reader when the response is cut off; the abort reason of the signal */
export async function readResponse(response: Response, { began, hadToken, signal }: Reading): Promise<ApiResponse> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    signal.throwIfAborted();
    throw new Error('The response was cut off.', { cause: error });
  }
  const type = plainType(response.headers.get('content-type'));
  const problems = type === 'application/json' ? problemsOf(new TextDecoder().decode(bytes)) : [];
  return { status: response.status, type, milliseconds: performance.now() - began, bytes, problems, hadToken };
}

/** Returns the message to show for a run without a response: the error's own, without those of its causes. */
export const failureOf = (error: unknown, signal?: AbortSignal): string =>
  signal?.aborted === true ? 'Stopped.' : messageOf(error).split('\n\nCause:')[0] || 'The run failed.';
