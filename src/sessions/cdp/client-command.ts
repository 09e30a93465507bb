/**
 * Parses commands of CDP clients that the server handles itself. Checks every member, because a client may send
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

/** What a browser answers to a message that is JSON and no command. */
interface InvalidCommand {
  id?: number;
  error: { code: number; message: string };
}

/** Members that a command may have; Chromium refuses others. */
const members = new Set(['id', 'method', 'params', 'sessionId']);
/** Chromium's ids are 32-bit integers. */
const largestId = 2 ** 31 - 1;

/** Chromium parses 300 levels, the message itself included, and answers to deeper ones without their id. */
const deepest = 298;

/** Why a message is not read at all, and the close code for it (RFC 6455 section 7.4.1). */
interface Unreadable {
  closeCode: 1007 | 1009;
  reason: string;
}

export type ReadCommand = ClientCommand | InvalidCommand | Unreadable;

/** Parses a client's message, and says what is wrong with it in Chromium's words. */
export function parseCommand(text: string): ReadCommand {
  try {
    return toCommand(parseJson(text, messageLimits));
  } catch (error) {
    return toUnreadable(error);
  }
}

/** The same for a long message, in turns of the event loop. */
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
  if (isDeeper(params, deepest))
    return { id, error: { code: errorCodes.parseError, message: 'JSON: stack limit exceeded' } };
  for (const name in value) {
    if (!members.has(name)) return invalid(id, "Message has property other than 'id', 'method', 'sessionId', 'params'");
  }
  return { id, method, params, sessionId };
}

/** True when a value nests deeper than so many levels. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  const isTooDeep = (member: unknown) => typeof member === 'object' && member !== null && isDeeper(member, levels - 1);
  // `Object.values` would copy a list.
  return Array.isArray(value) ? value.some(isTooDeep) : Object.values(value).some(isTooDeep);
}

function invalid(id: number | undefined, message: string): InvalidCommand {
  return { ...(id === undefined ? {} : { id }), error: { code: errorCodes.invalidRequest, message } };
}

/** The server refuses a command; the client gets the message. */
export class Refusal extends Error {}

/** What the client is told when its command fails. Text of unknown errors stays in the server. */
export function errorOf(error: unknown): { code: number; message: string } {
  if (error instanceof ProtocolError) {
    // The client adds the name of the method itself.
    return { code: error.code, message: error.reason };
  }
  const known = error instanceof Refusal || error instanceof ConnectionClosed || error instanceof ServiceError;
  return { code: errorCodes.serverError, message: known ? error.message : 'The browser did not answer' };
}

/**
 * Commands that may take long and do not hold back those that come after them. A proxy may take seconds to be reached,
 * and nothing can depend on a context before its id is known; a captcha may take minutes, and pages that hang
 * seconds until a profile is saved without them.
 */
export const holdsNothingBack: ReadonlySet<string> = new Set([
  'Target.createBrowserContext',
  'Browserless.solveCaptcha',
  'Browserless.saveProfile',
  'Browserless.refreshProfile',
]);

/** The error for a command of a session that the client does not have, in Chromium's words. */
export const noSuchSession = { code: errorCodes.noSession, message: 'Session with given id not found.' };
