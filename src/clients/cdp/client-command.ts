/**
 * Parses commands of CDP clients that the server handles itself. Checks every member, because a client may send
 * anything.
 */
import { ConnectionClosed, ProtocolError } from '../../cdp/connection.ts';
import { isPlainObject } from '../../schema/record.ts';
import { errorCodes } from './error-codes.ts';

export type Params = Readonly<Record<string, unknown>>;

export interface ClientCommand {
  id: number;
  method: string;
  params: Params;
  sessionId: string | undefined;
}

/** Parses a client's message; undefined when it is no command. */
export function parseCommand(text: string): ClientCommand | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPlainObject(value)) return undefined;
  const { id, method, params = {}, sessionId } = value;
  if (typeof id !== 'number' || typeof method !== 'string' || !isPlainObject(params)) return undefined;
  if (sessionId !== undefined && typeof sessionId !== 'string') return undefined;
  return { id, method, params, sessionId };
}

/** The server refuses a command; the client gets the message. */
export class Refusal extends Error {}

/** What the client is told when its command fails. */
export function errorOf(method: string, error: unknown): { code: number; message: string } {
  if (error instanceof ProtocolError) {
    // The client adds the name of the method itself.
    return { code: error.code, message: error.message.slice(method.length + 2) };
  }
  const known = error instanceof Refusal || error instanceof ConnectionClosed;
  return { code: errorCodes.serverError, message: known ? error.message : 'The browser did not answer' };
}
