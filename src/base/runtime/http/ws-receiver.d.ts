// Declares the frame parser of `ws`, which the package exports but its type declarations omit.
import type { Writable } from 'node:stream';

declare module 'ws' {
  export interface ReceiverOptions {
    isServer: boolean;
    /** Longest message in bytes, including all fragments. */
    maxPayload: number;
    maxFragments: number;
    maxBufferedChunks: number;
  }

  /** Receives the bytes of a connection; emits `message`, `ping`, `pong`, `conclude` (a close frame) and `error`. */
  export class Receiver extends Writable {
    constructor(options: ReceiverOptions);
  }
}
