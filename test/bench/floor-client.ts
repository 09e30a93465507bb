// A minimal CDP client over --remote-debugging-pipe, enough to do a job. It deliberately shares no code with src/:
// changes to the server must not make the baseline that it is compared with faster or slower.
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

interface Message {
  id?: number;
  method?: string;
  sessionId?: string;
  result?: unknown;
  error?: { message: string };
}

export class FloorClient {
  readonly #output: Writable;
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #events = new Map<string, () => void>();
  #lastId = 0;

  constructor(browser: ChildProcess) {
    // The baseline starts its browser with pipes at descriptors 3 and 4; Node's types do not say which one is readable.
    this.#output = browser.stdio[3] as Writable;
    const input = browser.stdio[4] as Readable;
    let pending: Buffer[] = [];
    input.on('data', (chunk: Buffer) => {
      let start = 0;
      for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
        const text = Buffer.concat([...pending, chunk.subarray(start, end)]).toString();
        pending = [];
        start = end + 1;
        this.#receive(JSON.parse(text));
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
    });
  }

  /** Sends a command; rejects with the browser's message when the browser reports an error. */
  send<M extends keyof Commands>(
    method: M,
    params: Commands[M]['paramsType'][0],
    sessionId?: string,
  ): Promise<Commands[M]['returnType']> {
    const { promise, resolve, reject } = Promise.withResolvers<Commands[M]['returnType']>();
    const id = ++this.#lastId;
    this.#answers.set(id, (message) => {
      if (message.error !== undefined) reject(new Error(`${method}: ${message.error.message}`));
      // The protocol defines what each method returns.
      else resolve(message.result as Commands[M]['returnType']);
    });
    this.#output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return promise;
  }

  /** Waits for the next event with this name in a session. */
  next(event: keyof Events, sessionId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#events.set(`${sessionId} ${event}`, resolve);
    return promise;
  }

  #receive(message: Message): void {
    if (message.id !== undefined) {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
      return;
    }
    const key = `${message.sessionId} ${message.method}`;
    this.#events.get(key)?.();
    this.#events.delete(key);
  }
}
