/**
 * Keeps the order in which a client without the shield would see the messages of a session. The contexts of a document
 * come right after its `Page.frameNavigated`, so later messages wait for a while until the contexts are known.
 */
import { methodOf, type RawMessage } from '../../../browser/cdp/raw-message.ts';
import { AbandonedError } from './own-commands.ts';
import type { SharedTools } from './sides.ts';

interface HeldMessage {
  message: RawMessage;
  beginning: string;
}

export interface OrderOptions {
  tools: Pick<SharedTools, 'limits' | 'held'>;
  /** Handles a message whose turn it is. */
  handle(message: RawMessage, beginning: string): void;
  /** True while the page waits for its client, and cannot respond. */
  stopped(): boolean;
  /** Called when a lookup has failed, or has taken too long. */
  failed(reason: string): void;
}

/** Events that stop the page until the client acts, so they cannot wait for a response from the page. */
const urgent: ReadonlySet<string | undefined> = new Set(['Page.javascriptDialogOpening', 'Debugger.paused']);

export class Order {
  readonly #options: OrderOptions;
  /** Running lookups, each with the timer that ends it. */
  readonly #lookups = new Set<{ timer: ReturnType<typeof setTimeout> }>();
  /** Messages that arrived since the lookup of contexts began; undefined while nothing waits. */
  #held: HeldMessage[] | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** True while messages are delivered ahead of the contexts that are still being looked up. */
  #overtaking = false;

  constructor(options: OrderOptions) {
    this.#options = options;
  }

  /** Handles a message now, or after the waiting messages. */
  receive(message: RawMessage, beginning: string): void {
    if (!this.#held) return this.#options.handle(message, beginning);
    const { held, limits } = this.#options.tools;
    this.#held.push({ message, beginning });
    held.bytes += message.bytes;
    if (held.bytes > limits.heldBytes || urgent.has(methodOf(beginning))) this.#overtake();
  }

  /** Holds messages from now on, until no lookup runs. */
  hold(): void {
    if (this.#overtaking || this.#held) return;
    this.#held = [];
    this.#timer = setTimeout(() => this.#overtake(), this.#options.tools.limits.holdMs);
  }

  /** Runs a lookup of contexts. */
  lookUp(look: () => Promise<void>): void {
    const { tools, stopped, failed } = this.#options;
    const { lookupMs } = tools.limits;
    const onTimeout = () => {
      if (stopped()) lookup.timer = setTimeout(onTimeout, lookupMs);
      else failed(`The page did not respond within ${lookupMs} ms`);
    };
    const lookup = { timer: setTimeout(onTimeout, lookupMs) };
    this.#lookups.add(lookup);
    void look()
      .catch((error: unknown) => {
        if (!(error instanceof AbandonedError)) failed(error instanceof Error ? error.message : String(error));
      })
      .finally(() => {
        clearTimeout(lookup.timer);
        this.#lookups.delete(lookup);
        if (this.#lookups.size === 0) this.#overtake();
      });
  }

  /** Stops the timers and releases the waiting messages. */
  end(): void {
    for (const { timer } of this.#lookups) clearTimeout(timer);
    this.#overtake();
  }

  /** Drops the waiting messages. */
  drop(): void {
    for (const { message } of this.#held ?? []) this.#options.tools.held.bytes -= message.bytes;
    this.#held = [];
    this.end();
  }

  /** Releases the waiting messages; until the running lookups end, later ones do not wait. */
  #overtake(): void {
    this.#overtaking = this.#lookups.size > 0;
    clearTimeout(this.#timer);
    const waiting = this.#held ?? [];
    this.#held = undefined;
    for (const { message, beginning } of waiting) {
      this.#options.tools.held.bytes -= message.bytes;
      // One of these messages may start another wait.
      this.receive(message, beginning);
    }
  }
}
