/**
 * Parses commands of CDP clients that the server handles itself. Checks every property, because a client may send
 * anything.
 */
import { ServiceError } from '../../base/errors.ts';
import { messageLimits } from '../../base/limits.ts';
import { ConnectionClosed, ProtocolError } from '../../browser/cdp/connection.ts';
import { JsonTooLarge, parseJson, readJson } from '../../base/schema/json-text.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import { errorCodes } from './error-codes.ts';
import type { Params } from './rules/verdict.ts';

export interface ClientCommand {
  id: number;
  method: string;
  params: Params;
  sessionId: string | undefined;
}

/** A browser's response to a message that is JSON but not a command. */
interface InvalidCommand {
  id?: number;
  error: { code: number; message: string };
}

/** Properties that a command may have; Chromium rejects others. */
const members = new Set(['id', 'method', 'params', 'sessionId']);
/** Chromium's ids are 32-bit integers. */
const largestId = 2 ** 31 - 1;

/**
 * Maximum nesting depth of params. Chromium parses 300 levels, including the message itself, and responds to deeper
 * messages without their id.
 */
const maxDepth = 298;

/** Why a message cannot be read at all, and the close code for it (RFC 6455 section 7.4.1). */
interface Unreadable {
  closeCode: 1007 | 1009;
  reason: string;
}

export type ReadCommand = ClientCommand | InvalidCommand | Unreadable;

/** Parses a client's message; errors use Chromium's wording. */
export function parseCommand(text: string): ReadCommand {
  try {
    return toCommand(parseJson(text, messageLimits));
  } catch (error) {
    return toUnreadable(error);
  }
}

/** Like `parseCommand`, for a long message, spread over several turns of the event loop. */
export async function readCommand(text: string): Promise<ReadCommand> {
  try {
    return toCommand(await readJson(text, messageLimits));
  } catch (error) {
    return toUnreadable(error);
  }
}

function toUnreadable(error: unknown): Unreadable {
  if (error instanceof JsonTooLarge) return { closeCode: 1009, reason: `A message ${error.message}` };
  return { closeCode: 1007, reason: 'A message is no JSON' };
}

function toCommand(value: unknown): ClientCommand | InvalidCommand {
  if (!isPlainObject(value)) return invalid(undefined, 'Message must be an object');
  const { id, method, params = {}, sessionId } = value;
  if (typeof id !== 'number' || !Number.isInteger(id) || Math.abs(id) > largestId) {
    return invalid(undefined, "Message must have integer 'id' property");
  }
  if (typeof method !== 'string') return invalid(id, "Message must have string 'method' property");
  if (!isPlainObject(params)) return invalid(id, "Message may have an object 'params' property");
  if (sessionId !== undefined && typeof sessionId !== 'string') {
    return invalid(id, "Message may have a string 'sessionId' property");
  }
  if (isDeeper(params, maxDepth))
    return { id, error: { code: errorCodes.parseError, message: 'JSON: stack limit exceeded' } };
  for (const name in value) {
    if (!members.has(name)) return invalid(id, "Message has property other than 'id', 'method', 'sessionId', 'params'");
  }
  return { id, method, params, sessionId };
}

/** True when a value is nested deeper than `levels`. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  const isTooDeep = (member: unknown) => typeof member === 'object' && member !== null && isDeeper(member, levels - 1);
  // `Object.values` would copy a list.
  return Array.isArray(value) ? value.some(isTooDeep) : Object.values(value).some(isTooDeep);
}

function invalid(id: number | undefined, message: string): InvalidCommand {
  return { ...(id === undefined ? {} : { id }), error: { code: errorCodes.invalidRequest, message } };
}

/** Thrown when the server refuses a command; the client receives the message. */
export class Refusal extends Error {}

/** Returns the error for a client whose command failed. The text of unknown errors stays on the server. */
export function errorOf(error: unknown): { code: number; message: string } {
  if (error instanceof ProtocolError) {
    // The client adds the name of the method itself.
    return { code: error.code, message: error.reason };
  }
  const known = error instanceof Refusal || error instanceof ConnectionClosed || error instanceof ServiceError;
  return { code: errorCodes.serverError, message: known ? error.message : 'The browser did not respond' };
}

/**
 * Commands that may take a long time and do not hold back the commands after them. Reaching a proxy may take seconds,
 * and nothing can depend on a context before its id is known. A captcha may take minutes to solve. If pages hang, it
 * may take seconds until a profile is saved without them.
 */
export const nonBlockingCommands: ReadonlySet<string> = new Set([
  'Target.createBrowserContext',
  'Browserless.solveCaptcha',
  'Browserless.saveProfile',
  'Browserless.refreshProfile',
]);

/** The error for a command on a session that the client does not have, in Chromium's wording. */
export const noSuchSession = { code: errorCodes.noSession, message: 'Session with given id not found.' };
