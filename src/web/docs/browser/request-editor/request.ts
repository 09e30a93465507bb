/** Builds the request of a draft, sends it with the reader's token, and reads the response. */
import { type ApiCall, plainType, withToken } from '../../samples/snippets.ts';
import { isJson, parseJson } from '../../site/json.ts';
import type { EditorError } from '../editor/editor.ts';
import { currentToken } from '../run/token.ts';
import { base } from '../shell/page-context.ts';
import { messageOf } from '../shell/page-parts.ts';
import type { Draft } from './draft.ts';
import type { Operation } from './operations.ts';

/** An error in a response, with its position in the document or the code if the server reports one. */
export interface Problem extends EditorError {
  /** The BrowserQL operation, by its name in the document. */
  path: string;
}

/** A complete response. Bytes are shown with a type from our own list, never with the response's type. */
export interface ApiResponse {
  status: number;
  type: string;
  milliseconds: number;
  bytes: Uint8Array<ArrayBuffer>;
  /** The errors in a BrowserQL response of any status. */
  problems: readonly Problem[];
  /** What to mark in the editor: the problems, or where the code failed. */
  mistakes: readonly EditorError[];
  /** Whether a token was sent: a 401 then means that this server rejected it. */
  hadToken: boolean;
}

/** What a request needs to know about its route. */
export interface Target extends Pick<Operation, 'method' | 'path' | 'query'> {
  /** Default: those of JSON. */
  headers?: Readonly<Record<string, string>>;
}

const json = { 'Content-Type': 'application/json' };

/**
 * Parses a JSON object; returns undefined for empty text.
 * @param what name of the object in error messages
 * @throws Error when the text is not a JSON object
 */
function objectIn(text: string, what: string): object | undefined {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON in the ${what}: ${messageOf(error)}`, { cause: error });
  }
  if (!isJson(value)) {
    throw new Error(`The ${what} must be a JSON object, such as {"url": "https://example.com"}.`);
  }
  return value;
}

/**
 * Returns the path with the options that the route has; others, such as from an old link, are left out.
 * @param query the query parameters of the route
 */
export function pathWith(path: string, query: Target['query'], options: Draft['options']): string {
  const known = Object.entries(options).filter(([name]) => query.some((field) => field.name === name));
  return known.length === 0 ? path : `${path}?${new URLSearchParams(known)}`;
}

/** @throws Error naming the text that is invalid for the request */
export function callOf({ kind, text, variables, options }: Draft, { method, path, query, headers }: Target): ApiCall {
  const call = { method, path: pathWith(path, query, options), headers: headers ?? json };
  if (method === 'GET') return { ...call, headers: headers ?? {} };
  if (kind === 'bql') {
    return { ...call, body: JSON.stringify({ query: text, variables: objectIn(variables, 'variables') }) };
  }
  if (kind === 'rest') return { ...call, body: text.trim() || '{}' };
  const context = objectIn(variables, 'context');
  if (context === undefined) return { ...call, headers: { 'Content-Type': 'application/javascript' }, body: text };
  return { ...call, body: JSON.stringify({ code: text, context }) };
}

/**
 * Sends a request and reads the whole response.
 * @throws Error with a message for the reader when there is no response; the abort reason of the signal
 */
export async function send(call: ApiCall, signal: AbortSignal): Promise<ApiResponse> {
  const began = performance.now();
  const token = currentToken();
  const { path, ...init } = withToken(call, token);
  const failed = (message: string) => (cause: unknown) => {
    signal.throwIfAborted();
    throw new Error(message, { cause });
  };
  const response = await fetch(base + path, { ...init, signal }).catch(
    failed('The server is not responding. It may have stopped, or the network is down. Press Run to try again.'),
  );
  const bytes = new Uint8Array(await response.arrayBuffer().catch(failed('The response was cut off.')));
  const type = plainType(response.headers.get('content-type'));
  const milliseconds = performance.now() - began;
  const text = response.ok && type !== 'application/json' ? '' : new TextDecoder().decode(bytes);
  const problems = problemsIn(text);
  const mistakes = problems.length > 0 ? problems : mistakesOfCode(text);
  return { status: response.status, type, milliseconds, bytes, problems, mistakes, hadToken: token !== '' };
}

interface GraphqlError {
  message?: unknown;
  locations?: { line?: number; column?: number }[];
  path?: (string | number)[];
}

/** Returns the errors in a response; empty when it is not a GraphQL response. */
function problemsIn(text: string): Problem[] {
  const answer = parseJson(text);
  const errors = isJson(answer) ? answer['errors'] : undefined;
  if (!Array.isArray(errors)) return [];
  return errors.map(({ message, locations, path }: GraphqlError) => ({
    message: String(message),
    line: locations?.[0]?.line,
    column: locations?.[0]?.column,
    path: path?.join('.') ?? '',
  }));
}

/** Returns the error of code that failed, with the position that its message names. */
function mistakesOfCode(text: string): EditorError[] {
  const [, message = '', line, column] = /^(.*) \(line (\d+), column (\d+) of the code\)$/ms.exec(text) ?? [];
  return line === undefined ? [] : [{ message, line: Number(line), column: Number(column) }];
}

/** Returns the message to show for a run without a response: the error's own, without those of its causes. */
export const failureOf = (error: unknown, signal?: AbortSignal): string =>
  signal?.aborted === true ? 'Stopped.' : messageOf(error).split('\n\nCause:')[0] || 'The run failed.';
