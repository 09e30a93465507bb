/** Declares what a connection needs from the channel to its browser, and the readers of single sessions. */
import type { RawMessage } from './raw-message.ts';

/** The transport of a connection: whole messages in both directions, and a notification when it ends. */
export interface Transport {
  send(message: string): void;
  /** Resolves once the browser has read nearly everything sent to it; undefined when it already has. */
  congestion(): Promise<void> | undefined;
  onMessage(listener: (message: RawMessage) => void): void;
  /** Called instead for a message that is too long to keep. */
  onCut(listener: (message: CutMessage) => void): void;
  /** @param listener receives the line in which the browser logged why it exited, if it wrote one */
  onClose(listener: (fatal?: string) => void): void;
}

/** The parts that are kept of a message that was too long: the text at its beginning and end, and its length. */
export interface CutMessage {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
  /** Maximum length of a message. */
  readonly limitBytes: number;
}

/** Receives the messages of a flat session as they arrive. */
export interface SessionReader {
  message(message: RawMessage, sessionId: string): void;
  /** Called instead for a message that is too long to keep. */
  cut(message: CutMessage, sessionId: string): void;
}
