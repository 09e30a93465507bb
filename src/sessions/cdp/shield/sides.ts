/**
 * Declares the two sides that the shield connects (client and browser), and what the sessions of a connection share.
 */
import type { ForwardedCommand } from '../../../browser/cdp/connection.ts';
import { type RawMessage, utf8 } from '../../../browser/cdp/raw-message.ts';
import type { Params, ShieldLimits } from './limits.ts';
import type { Names } from './names.ts';
import type { OwnCommands } from './own-commands.ts';

export interface ClientCommand extends ForwardedCommand {
  params: Params;
}

export interface ShieldEndpoints {
  /** Sends a command to the browser. */
  forward(command: ForwardedCommand): void;
  /** Delivers a browser message to the client. */
  deliver(message: RawMessage, sessionId: string): void;
  /** Responds to a client command. */
  reply(command: ForwardedCommand, outcome: { result: object } | { error: { code: number; message: string } }): void;
  /** Sends the client an event of a session. */
  emit(sessionId: string, method: string, params: object): void;
}

export interface SharedTools {
  endpoints: ShieldEndpoints;
  own: OwnCommands;
  names: Names;
  limits: ShieldLimits;
  /** Bytes of the messages held on all sessions. */
  held: { bytes: number };
  /** Called when a session fails open. */
  opened(reason: string): void;
}

/** Returns a string as a browser message. */
export function messageOf(text: string): RawMessage {
  const bytes = utf8(text);
  return { parts: [bytes], bytes: bytes.length };
}
