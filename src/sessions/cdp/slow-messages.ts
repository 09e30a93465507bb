/** Delays the messages of a client that requested `slowMo` (compatibility.mdx#launch-options). */
import { pause } from '../../base/runtime/deadline.ts';

/** While more characters than this are waiting, nothing more is read from the client. */
const maxWaitingCharacters = 2 ** 20;

export class SlowMessages implements Disposable {
  readonly #delayMs: number;
  readonly #forward: (text: string) => Promise<void> | undefined;
  readonly #left = new AbortController();
  readonly #waiting: string[] = [];
  #waitingCharacters = 0;
  #passing: Promise<void> | undefined;

  /**
   * @param delayMs how long each message waits after the previous one has been forwarded, in milliseconds
   * @param pass handles a message; the next message waits for its promise
   */
  constructor(delayMs: number, pass: (text: string) => Promise<void> | undefined) {
    this.#delayMs = delayMs;
    this.#forward = pass;
  }

  /**
   * @returns a promise to wait for before more is read; undefined while little is waiting, because only reading shows
   *   that the client has disconnected
   */
  receive(text: string): Promise<void> | undefined {
    this.#waiting.push(text);
    this.#waitingCharacters += text.length;
    this.#passing ??= this.#passAll();
    return this.#waitingCharacters > maxWaitingCharacters ? this.#passing : undefined;
  }

  /** Drops the waiting messages. */
  [Symbol.dispose](): void {
    this.#left.abort(new Error('the client disconnected'));
    this.#waiting.length = 0;
  }

  async #passAll(): Promise<void> {
    for (let text = this.#waiting[0]; text !== undefined; text = this.#waiting[0]) {
      await pause(this.#delayMs, this.#left.signal).catch(() => {});
      this.#waiting.shift();
      this.#waitingCharacters -= text.length;
      if (!this.#left.signal.aborted) await this.#forward(text);
    }
    this.#passing = undefined;
  }
}
