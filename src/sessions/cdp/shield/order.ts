/**
 * Keeps the order in which a client without the shield would see the messages of a session: the contexts of a document
 * come right after its `Page.frameNavigated`, so what follows waits until they are known, for a while.
 */
import { methodOf, type RawMessage } from '../../../browser/cdp/raw-message.ts';
import { Abandoned } from './own-commands.ts';
import type { SharedTools } from './sides.ts';

interface HeldMessage {
  message: RawMessage;
  beginning: string;
}

export interface OrderOptions {
  tools: Pick<SharedTools, 'limits' | 'held'>;
  /** Handles a message whose turn it is. */
  handle(message: RawMessage, beginning: string): void;
  /** True while the page waits for its client, and cannot answer. */
  stopped(): boolean;
  /** A lookup failed, or took too long. */
  failed(reason: string): void;
}

/** Events that stop the page until the client acts, so they cannot wait for an answer of the page. */
const urgent: ReadonlySet<string | undefined> = new Set(['Page.javascriptDialogOpening', 'Debugger.paused']);

export class Order {
  readonly #options: OrderOptions;
  /** Lookups that run, each with the timer that ends it. */
  readonly #lookups = new Set<{ timer: ReturnType<typeof setTimeout> }>();
  /** What came since contexts are being looked for; undefined while nothing waits. */
  #held: HeldMessage[] | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Set while messages overtake the contexts that are being looked for. */
  #overtaking = false;

  constructor(options: OrderOptions) {
    this.#options = options;
  }

  /** Handles a message now, or after others that wait. */
  hear(message: RawMessage, beginning: string): void {
    if (!this.#held) return this.#options.handle(message, beginning);
    const { held, limits } = this.#options.tools;
    this.#held.push({ message, beginning });
    held.bytes += message.bytes;
    if (held.bytes > limits.heldBytes || urgent.has(methodOf(beginning))) this.#overtake();
  }

  /** What comes waits from now on, until no lookup runs. */
  hold(): void {
    if (this.#overtaking || this.#held) return;
    this.#held = [];
    this.#timer = setTimeout(() => this.#overtake(), this.#options.tools.limits.holdMs);
  }

  /** Looks for contexts. */
  lookUp(look: () => Promise<void>): void {
    const { tools, stopped, failed } = this.#options;
    const { lookupMs } = tools.limits;
    const late = () => {
      if (stopped()) lookup.timer = setTimeout(late, lookupMs);
      else failed(`The page did not answer within ${lookupMs} ms`);
    };
    const lookup = { timer: setTimeout(late, lookupMs) };
    this.#lookups.add(lookup);
    void look()
      .catch((error: unknown) => {
        if (!(error instanceof Abandoned)) failed(error instanceof Error ? error.message : String(error));
      })
      .finally(() => {
        clearTimeout(lookup.timer);
        this.#lookups.delete(lookup);
        if (this.#lookups.size === 0) this.#resume();
      });
  }

  /** Nothing waits any more. */
  end(): void {
    for (const { timer } of this.#lookups) clearTimeout(timer);
    this.#overtake();
  }

  /** Drops what waits. */
  drop(): void {
    for (const { message } of this.#held ?? []) this.#options.tools.held.bytes -= message.bytes;
    this.#held = [];
    this.end();
  }

  #overtake(): void {
    this.#overtaking = this.#lookups.size > 0;
    this.#release();
  }

  #resume(): void {
    this.#overtaking = false;
    this.#release();
  }

  #release(): void {
    clearTimeout(this.#timer);
    const waiting = this.#held ?? [];
    this.#held = undefined;
    for (const { message, beginning } of waiting) {
      this.#options.tools.held.bytes -= message.bytes;
      // One of them may begin another wait.
      this.hear(message, beginning);
    }
  }
}
