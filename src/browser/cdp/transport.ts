/** Declares what a connection needs of the channel to its browser, and who else may read from it. */
import type { RawMessage } from './raw-message.ts';

/** What a connection needs of its transport: whole messages both ways, and a notice of its end. */
export interface Transport {
  send(message: string): void;
  /** Resolves once the browser has read nearly all that was sent; undefined when it has already. */
  congestion(): Promise<void> | undefined;
  onMessage(listener: (message: RawMessage) => void): void;
  /** Called in place of that for a message that is too long to be kept. */
  onCut(listener: (message: CutMessage) => void): void;
  /** @param listener gets the line in which the browser said why it ended itself, if it wrote one */
  onClose(listener: (fatal?: string) => void): void;
}

/** What is left of a message that was too long: the text of its beginning and of its end, and its length. */
export interface CutMessage {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
  /** How long a message may be. */
  readonly limitBytes: number;
}

/** Gets the messages of a flat session as they come. */
export interface SessionReader {
  message(message: RawMessage, sessionId: string): void;
  /** Called in place of that for a message that is too long to be kept. */
  cut(message: CutMessage, sessionId: string): void;
}
