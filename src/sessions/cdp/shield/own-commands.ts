/**
 * Sends commands of the server on sessions that a client uses. Their ids are in a range that the client may not use, so
 * that their responses are recognized without a table of the client's commands.
 */
import {
  type CommandParams,
  type Commands,
  type ForwardedCommand,
  ProtocolError,
} from '../../../browser/cdp/connection.ts';
import { responseIdOf, type RawMessage, textOf } from '../../../browser/cdp/raw-message.ts';

/** Chromium's ids are 32-bit integers; ids from here on are reserved for the server. */
export const firstOwnId = 2 ** 30;
const lastOwnId = 2 ** 31 - 1;

/** Position of the last digit of such an id in a response. */
const lastDigitAt = `{"id":${firstOwnId}`.length - 1;
const isDigit = (code: number) => code >= 48 && code <= 57;

/** The session has ended or failed open: nobody needs the response. */
export class AbandonedError extends Error {}

interface PendingCommand {
  method: string;
  sessionId: string;
  onResponse: (() => void) | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface CommandResponse {
  result?: unknown;
  error?: { code: number; message: string };
}

export class OwnCommands {
  readonly #forward: (command: ForwardedCommand) => void;
  readonly #pending = new Map<number, PendingCommand>();
  #lastId = firstOwnId - 1;

  constructor(forward: (command: ForwardedCommand) => void) {
    this.#forward = forward;
  }

  /**
   * @param onResponse called when the response arrives, before any later message is handled
   * @throws ProtocolError when the browser refuses the command, Abandoned when nobody needs the response any longer
   */
  send<M extends keyof Commands>(
    sessionId: string,
    method: M,
    params: CommandParams<M> & object,
    onResponse?: () => void,
  ): Promise<Commands[M]['returnType']> {
    const id = (this.#lastId = this.#lastId === lastOwnId ? firstOwnId : this.#lastId + 1);
    return new Promise((resolve, reject) => {
      // The protocol defines the result type of each method; the browser is trusted to follow it.
      const settle = resolve as (result: unknown) => void;
      this.#pending.set(id, { method, sessionId, onResponse, resolve: settle, reject });
      this.#forward({ id, method, params, sessionId });
    });
  }

  /** Sends a command whose response does not matter. */
  sendAndForget<M extends keyof Commands>(sessionId: string, method: M, params: CommandParams<M> & object): void {
    this.send(sessionId, method, params).catch(() => {});
  }

  /** Handles a response to one of these commands. @returns false for a message for the client */
  take(message: RawMessage, beginning: string): boolean {
    // Most messages are not responses to the shield, whose ids have ten digits.
    if (!isDigit(beginning.charCodeAt(lastDigitAt))) return false;
    const id = responseIdOf(beginning);
    if (id === undefined || id < firstOwnId) return false;
    const command = this.#pending.get(id);
    this.#pending.delete(id);
    if (!command) return true;
    command.onResponse?.();
    const { result, error } = JSON.parse(textOf(message)) as CommandResponse; // The browser wrote it.
    if (error) command.reject(new ProtocolError(command.method, error.code, error.message));
    else command.resolve(result);
    return true;
  }

  /** Fails a command whose response is too long to keep. @returns false for a command of the client */
  takeCut(id: number): boolean {
    if (id < firstOwnId) return false;
    const command = this.#pending.get(id);
    this.#pending.delete(id);
    command?.reject(new Error(`The response to ${command.method} is too long`));
    return true;
  }

  /** Abandons the pending commands of a session. */
  abandon(sessionId: string): void {
    for (const [id, command] of this.#pending) {
      if (command.sessionId !== sessionId) continue;
      this.#pending.delete(id);
      command.reject(new AbandonedError(`${command.method}: nobody needs the response any longer`));
    }
  }
}
