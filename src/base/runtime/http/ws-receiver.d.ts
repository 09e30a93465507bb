// Declares the frame parser of `ws`, which the package exports and its types leave out.
import type { Writable } from 'node:stream';

declare module 'ws' {
  export interface ReceiverOptions {
    isServer: boolean;
    /** Longest message in bytes, its fragments together. */
    maxPayload: number;
    maxFragments: number;
    maxBufferedChunks: number;
  }

  /** Takes the bytes of a connection; emits `message`, `ping`, `pong`, `conclude` (a close frame) and `error`. */
  export class Receiver extends Writable {
    constructor(options: ReceiverOptions);
  }
}
