/**
 * Exchanges messages with a process over the two pipes of `--remote-debugging-pipe`, each terminated by a NUL byte.
 * Does not decode them: a message may be larger than the longest JavaScript string.
 */
import { Buffer } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';

/** A whole message as the chunks in which it arrived, in order. */
interface PipeMessage {
  readonly parts: readonly Buffer[];
  readonly bytes: number;
}

/** The kept parts of a message that was too long: its beginning, its end and its length. */
interface CutMessage {
  readonly head: string;
  readonly tail: string;
  readonly bytes: number;
  /** Maximum length of a message. */
  readonly limitBytes: number;
}

export interface MessagePipe {
  send(message: string): void;
  /** Resolves once the process has read nearly everything that was sent; undefined when it already has. */
  congestion(): Promise<void> | undefined;
  /** Called with each whole message, in order. */
  onMessage(listener: (message: PipeMessage) => void): void;
  /** Called instead of `onMessage` for a message of more than `maxMessageBytes`. */
  onCut(listener: (message: CutMessage) => void): void;
  onClose(listener: () => void): void;
}

/** Longest message that is kept, in bytes: twice a screenshot of 100 MB in base64. */
const maxMessageBytes = 2 ** 28;
/** How much of the beginning and the end of a longer message is kept, in bytes. */
const keptBytes = 256;
/** A process that leaves more bytes than this unread is congested. */
const congestedBytes = 2 ** 24;

export function messagePipe(outgoing: Writable, incoming: Readable): MessagePipe {
  let onMessage: (message: PipeMessage) => void = () => {};
  let onCut: (message: CutMessage) => void = () => {};
  const closeListeners: (() => void)[] = [];
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    for (const listener of closeListeners) listener();
  };
  const reader = new MessageReader(
    (message) => onMessage(message),
    (message) => onCut(message),
  );
  incoming.on('data', (chunk: Buffer) => reader.feed(chunk));
  incoming.on('close', close);
  incoming.on('error', close);
  outgoing.on('error', close);
  return {
    send(message) {
      if (!closed) outgoing.write(message + '\0');
    },
    congestion() {
      if (closed || outgoing.writableLength <= congestedBytes) return undefined;
      return new Promise((resolve) => {
        outgoing.once('drain', resolve);
        closeListeners.push(resolve);
      });
    },
    onMessage(listener) {
      onMessage = listener;
    },
    onCut(listener) {
      onCut = listener;
    },
    onClose(listener) {
      if (closed) listener();
      else closeListeners.push(listener);
    },
  };
}

/** Assembles messages. A large one arrives in hundreds of chunks, which are not joined. */
class MessageReader {
  readonly #whole: (message: PipeMessage) => void;
  readonly #cut: (message: CutMessage) => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Set while the rest of a message that is too long is being skipped. */
  #long: { head: string; tail: Buffer } | undefined;

  constructor(whole: (message: PipeMessage) => void, cut: (message: CutMessage) => void) {
    this.#whole = whole;
    this.#cut = cut;
  }

  feed(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      this.#add(chunk.subarray(start, end));
      start = end + 1;
      this.#end();
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#long) {
      this.#long.tail = Buffer.concat([this.#long.tail, part]).subarray(-keptBytes);
      return;
    }
    if (part.length > 0) this.#parts.push(part);
    if (this.#bytes <= maxMessageBytes) return;
    // No chunk is empty, so this many chunks are enough.
    const beginning = this.#parts.slice(0, keptBytes).map((piece) => piece.subarray(0, keptBytes));
    const end = this.#parts.slice(-keptBytes).map((piece) => piece.subarray(-keptBytes));
    this.#long = {
      head: Buffer.concat(beginning).toString('latin1', 0, keptBytes),
      tail: Buffer.concat(end).subarray(-keptBytes),
    };
    this.#parts = [];
  }

  #end(): void {
    const [parts, bytes, long] = [this.#parts, this.#bytes, this.#long];
    this.#parts = [];
    this.#bytes = 0;
    this.#long = undefined;
    if (long) this.#cut({ head: long.head, tail: long.tail.toString('latin1'), bytes, limitBytes: maxMessageBytes });
    else this.#whole({ parts, bytes });
  }
}
