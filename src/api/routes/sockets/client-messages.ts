/** Checks the messages of a Playwright client in order. */
import { isLong } from '../../../base/runtime/deadline.ts';
import type { PassingMessage } from '../../../base/runtime/http/frame-stream.ts';
import type { PlaywrightGuard, Verdict } from '../../../sessions/playwright/guard.ts';

export interface ClientMessagesOptions {
  guard: PlaywrightGuard;
  /** Acts on a verdict. @returns whether the message itself may pass */
  follow(verdict: Verdict): boolean;
  /** Forwards a message that had to wait. */
  send(message: string | Uint8Array): void;
  /** Stops reading from the client until the promise resolves. */
  hold(until: Promise<void>): void;
  /** True when the session is ending: waiting messages are dropped. */
  ending(): boolean;
}

export class ClientMessages {
  readonly #options: ClientMessagesOptions;
  #waiting = 0;
  /** Resolves when the last waiting message has been checked. */
  #judged = Promise.resolve();

  constructor(options: ClientMessagesOptions) {
    this.#options = options;
  }

  /**
   * Checks a message immediately, unless it is long or queued behind a long one: those are checked over several turns
   * of the event loop.
   * @returns whether the message may pass now
   */
  take(message: PassingMessage): boolean {
    const { guard, follow, hold } = this.#options;
    if (this.#waiting === 0 && !isLong(message)) return follow(guard.fromClient(message.text()));
    this.#waiting++;
    this.#judged = isLong(message)
      ? this.#judgeLong(message.payloadInTurns(), this.#judged)
      : this.#judgeNext(message.text(), this.#judged);
    hold(this.#judged);
    return false;
  }

  async #judgeNext(text: string, before: Promise<void>): Promise<void> {
    // oxlint-disable-next-line browserd/raced-await -- arithmetic, in turns
    await before;
    this.#pass(this.#options.guard.fromClient(text), text);
  }

  async #judgeLong(reading: Promise<Uint8Array>, before: Promise<void>): Promise<void> {
    // oxlint-disable-next-line browserd/raced-await -- arithmetic, in turns
    const [bytes] = await Promise.all([reading, before]);
    // oxlint-disable-next-line browserd/raced-await -- arithmetic, in turns
    this.#pass(await this.#options.guard.fromLongMessage(bytes), bytes);
  }

  #pass(verdict: Verdict, message: string | Uint8Array): void {
    this.#waiting--;
    const { ending, follow, send } = this.#options;
    if (!ending() && follow(verdict)) send(message);
  }
}
