/** Hands out slots, queues calls and refuses the rest (compatibility.mdx#queue-and-time-limit). */
import { ServiceError } from '../errors.ts';
import { now } from '../runtime/machine.ts';

export interface LimiterOptions {
  /** Calls that run at the same time. */
  concurrent: number;
  /** Calls that wait for a slot. */
  queued: number;
}

/** The right to run; give it back by disposing it (twice does no harm). */
export interface Slot extends Disposable {
  /** Milliseconds spent in the queue. */
  queueMs: number;
}

/** A call, for those who look at the queue. */
export interface QueuedCall {
  readonly route: string;
  readonly trackingId: string | undefined;
}

interface Waiter {
  call: QueuedCall | undefined;
  /** Epoch milliseconds. */
  since: number;
  enter(): void;
}

export class Limiter {
  readonly options: LimiterOptions;
  readonly #waiting = new Set<Waiter>();
  readonly #idle: (() => void)[] = [];
  #running = 0;
  /** When a slot was last taken or given back. */
  #changedAt = now();
  /** Moving average of how long slots are held, in milliseconds, for the Retry-After of a refusal. */
  #recentMs = 1_000;

  constructor(options: LimiterOptions) {
    this.options = options;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  /** The calls that wait, the next one first; `since` is epoch milliseconds. */
  get waiting(): readonly { call: QueuedCall | undefined; since: number }[] {
    return [...this.#waiting];
  }

  get full(): boolean {
    return this.#running + this.#waiting.size >= this.options.concurrent + this.options.queued;
  }

  /** Milliseconds since the last change while all slots are taken; 0 while one is free. */
  get stalledMs(): number {
    return this.#running > 0 && this.#running >= this.options.concurrent ? now() - this.#changedAt : 0;
  }

  /** Estimated seconds until a slot is free, 1 to 60: rounds of running calls ahead, times the recent duration. */
  get retryAfterSeconds(): number {
    const rounds = (this.#waiting.size + 1) / Math.max(1, this.options.concurrent);
    return Math.min(60, Math.max(1, Math.ceil((rounds * this.#recentMs) / 1_000)));
  }

  /**
   * Takes a slot, waiting in the queue when none is free.
   * @param signal takes the call out of the queue when it aborts (the client left, the server stops)
   * @param onQueued called when the call has to wait
   * @param call what `waiting` tells of the call meanwhile
   * @throws ServiceError `queue-full`; the signal's reason
   */
  async acquire(signal: AbortSignal, onQueued: () => void = () => {}, call?: QueuedCall): Promise<Slot> {
    signal.throwIfAborted();
    if (this.full) {
      throw new ServiceError('queue-full', 'Too many requests', { retryAfterSeconds: this.retryAfterSeconds });
    }
    const startedAt = now();
    if (this.#running < this.options.concurrent) {
      this.#running++;
    } else {
      onQueued();
      await this.#wait(signal, call);
    }
    return this.#slot(now() - startedAt);
  }

  /** Takes a slot at once, even beyond the limit, for work that already runs and must count; others wait longer. */
  enter(): Slot {
    this.#running++;
    return this.#slot(0);
  }

  /** Resolves when a slot was handed over to this waiter. */
  #wait(signal: AbortSignal, call: QueuedCall | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        call,
        since: Date.now(),
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Resolves when nothing runs and nothing waits. */
  async whenIdle(): Promise<void> {
    while (this.#running > 0 || this.#waiting.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #slot(queueMs: number): Slot {
    const startedAt = now();
    this.#changedAt = startedAt;
    let held = true;
    return {
      queueMs,
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        this.#changedAt = now();
        this.#recentMs += (now() - startedAt - this.#recentMs) * 0.2;
        const [next] = this.#waiting;
        if (next && this.#running <= this.options.concurrent) {
          // Hand the slot over: the count of running calls does not change in between.
          this.#waiting.delete(next);
          next.enter();
        } else {
          this.#running--;
          if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
        }
      },
    };
  }
}
