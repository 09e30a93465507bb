// Hands out slots, queues requests and refuses the rest (compatibility.mdx#queue-and-time-limit). Accounts that wait at
// the same time receive slots in turn, by weight: an account that sends many requests delays its own, not those of
// others. This file is long because queue, shares and slots change together.

import { ServiceError } from '../../base/errors.ts';
import { now } from '../../base/runtime/machine.ts';

export interface LimiterOptions {
  /** Limit on requests that run at the same time. */
  concurrent: number;
  /** Limit on requests waiting for a slot. */
  queued: number;
}

/** The right to run; dispose it to release it (disposing twice is harmless). */
export interface Slot extends Disposable {
  /** Milliseconds spent in the queue. */
  queueMs: number;
}

/** A queued request, as shown in views of the queue. */
export interface QueuedRequest {
  readonly route: string;
  readonly trackingId: string | undefined;
}

/** The part of the slots and the queue that one account may use; the same object for all its requests. */
export interface Share {
  /** Undefined for no limit other than that of the server. */
  readonly concurrent: number | undefined;
  readonly queued: number | undefined;
  /** Number of slots that it receives for each slot of an account with weight 1, while both wait. */
  readonly weight: number;
}

/** Options for waiting. */
export interface Wait {
  /** Called when the request has to wait. */
  onQueued?: (() => void) | undefined;
  /** The request, as listed in `waiting`. */
  call?: QueuedRequest | undefined;
  share?: Share | undefined;
}

interface Waiter {
  call: QueuedRequest | undefined;
  account: AccountQueue;
  /** Epoch milliseconds, for display. */
  since: number;
  /** The same moment on the clock `now`. */
  sinceAt: number;
  enter(): void;
  refuse(error: ServiceError): void;
}

/** The requests of one account. */
interface AccountQueue {
  readonly share: Share;
  running: number;
  readonly waiting: Set<Waiter>;
  /** Granted slots divided by weight: the account with the lowest value is next. */
  served: number;
}

/** The share of all requests without one. */
const defaultShare: Share = { concurrent: undefined, queued: undefined, weight: 1 };

export class Limiter {
  readonly options: LimiterOptions;
  readonly #accounts = new Map<Share, AccountQueue>();
  readonly #idle: (() => void)[] = [];
  #running = 0;
  #queued = 0;
  /** `served` of the account that received the last slot: an account gets no credit for the time it was idle. */
  #served = 0;
  /** When a slot was last taken or returned. */
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
    return this.#queued;
  }

  /** The waiting requests, longest wait first; `since` is in epoch milliseconds. */
  get waiting(): readonly { call: QueuedRequest | undefined; since: number }[] {
    const all = [...this.#accounts.values()].flatMap(({ waiting }) => [...waiting]);
    return all.toSorted((a, b) => a.sinceAt - b.sinceAt);
  }

  get full(): boolean {
    return this.#running + this.#queued >= this.options.concurrent + this.options.queued;
  }

  /** How many requests the account has running, and how many queued. */
  usageOf(share: Share): { running: number; queued: number } {
    const account = this.#accounts.get(share);
    return { running: account?.running ?? 0, queued: account?.waiting.size ?? 0 };
  }

  /** Milliseconds since the last change while all slots are taken; 0 while one is free. */
  get stalledMs(): number {
    return this.#running > 0 && this.#running >= this.options.concurrent ? now() - this.#changedAt : 0;
  }

  /** Estimated seconds until a slot is free, 1 to 60: rounds of running requests ahead, times the recent duration. */
  get retryAfterSeconds(): number {
    const rounds = (this.#queued + 1) / Math.max(1, this.options.concurrent);
    return Math.min(60, Math.max(1, Math.ceil((rounds * this.#recentMs) / 1_000)));
  }

  /**
   * Takes a slot, waiting in the queue when none is free. When the queue is full, the newest request of the account
   * that uses it most is evicted for a request of an account that uses it less.
   * @param signal takes the request out of the queue when it aborts (the client left, the server stops)
   * @throws ServiceError `queue-full`; `quota` when the account is at its limits on running and queued requests; the
   *   signal's abort reason
   */
  async acquire(signal: AbortSignal, { onQueued = () => {}, call, share = defaultShare }: Wait = {}): Promise<Slot> {
    signal.throwIfAborted();
    const account = this.#accountOf(share);
    const startedAt = now();
    if (this.#running < this.options.concurrent && mayRun(account)) {
      this.#grant(account);
    } else {
      this.#requireRoom(account);
      onQueued();
      await this.#wait(signal, call, account);
    }
    return this.#slot(now() - startedAt, account);
  }

  /**
   * Takes a slot immediately, even beyond the limit, for work that is already running and must be counted; other
   * requests wait longer.
   */
  enter(share: Share = defaultShare): Slot {
    const account = this.#accountOf(share);
    this.#running++;
    account.running++;
    return this.#slot(0, account);
  }

  /**
   * Changes how many requests run at the same time: a higher limit lets waiting requests start immediately, a lower one
   * does not stop any that are running.
   */
  resize(concurrent: number): void {
    this.options.concurrent = concurrent;
    this.#handOver();
  }

  /** Applies changed shares: starts requests that may run now, and rejects those that never can. */
  applyShares(): void {
    for (const account of this.#accounts.values()) {
      if (account.share.concurrent !== 0) continue;
      for (const waiter of account.waiting) waiter.refuse(this.#overQuota(account, 0));
    }
    this.#handOver();
  }

  /** Resolves when nothing runs and nothing waits. */
  async whenIdle(): Promise<void> {
    while (this.#running > 0 || this.#queued > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Makes room in the queue for a request that has to wait. @throws ServiceError `quota`, `queue-full` */
  #requireRoom(account: AccountQueue): void {
    const { share, waiting } = account;
    const maxQueued = share.concurrent === 0 ? 0 : (share.queued ?? this.options.queued);
    const isOwnLimit = !mayRun(account) || (share.queued !== undefined && waiting.size > 0);
    if (isOwnLimit && waiting.size >= maxQueued) throw this.#overQuota(account, maxQueued);
    if (waiting.size < maxQueued && (!this.full || this.#makeRoom(account))) return;
    throw this.fullQueue();
  }

  /**
   * Removes the newest request of the account with the most waiting requests from the queue, unless that would leave
   * this account with just as many.
   */
  #makeRoom(account: AccountQueue): boolean {
    const load = ({ waiting, share }: AccountQueue) => waiting.size / share.weight;
    const [fullest] = [...this.#accounts.values()].toSorted((a, b) => load(b) - load(a));
    if (!fullest || load(fullest) <= (account.waiting.size + 1) / account.share.weight) return false;
    const newest = [...fullest.waiting].at(-1);
    newest?.refuse(this.fullQueue());
    return newest !== undefined;
  }

  #overQuota({ share, running, waiting }: AccountQueue, maxQueued: number): ServiceError {
    return this.overQuota({ share, running, queued: waiting.size }, maxQueued);
  }

  /** The error for a request that finds neither a slot nor room in the queue. */
  fullQueue(): ServiceError {
    return new ServiceError('queue-full', 'Too many requests', { retryAfterSeconds: this.retryAfterSeconds });
  }

  /**
   * The error for a request of an account at its limits on running and queued requests.
   * @param maxQueued the limit of its queue
   */
  overQuota(use: { share: Share; running: number; queued: number }, maxQueued: number): ServiceError {
    const { share, running, queued } = use;
    const limit = share.concurrent ?? this.options.concurrent;
    return new ServiceError(
      'quota',
      `Too many requests: this token has ${running} running and ${queued} queued requests, which is the limit of its plan (concurrent ${limit}, queued ${maxQueued}).`,
      { retryAfterSeconds: this.retryAfterSeconds, details: { limit, running, queued, reason: 'quota' } },
    );
  }

  #accountOf(share: Share): AccountQueue {
    const known = this.#accounts.get(share);
    if (known) return known;
    const account: AccountQueue = { share, running: 0, waiting: new Set(), served: 0 };
    this.#accounts.set(share, account);
    return account;
  }

  /** Counts a slot granted to an account. */
  #grant(account: AccountQueue): void {
    this.#running++;
    account.running++;
    const from = Math.max(account.served, this.#served);
    this.#served = from;
    account.served = from + 1 / account.share.weight;
  }

  /** Resolves when this waiter has been granted a slot. */
  #wait(signal: AbortSignal, call: QueuedRequest | undefined, account: AccountQueue): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        signal.removeEventListener('abort', onAbort);
        if (account.waiting.delete(waiter)) this.#queued--;
        this.#tidy(account);
        this.#wakeIdle();
        if (reason === undefined) resolve();
        else reject(reason);
      };
      const onAbort = () => leave(signal.reason);
      const waiter: Waiter = {
        call,
        account,
        since: Date.now(),
        sinceAt: now(),
        enter: () => leave(undefined),
        refuse: leave,
      };
      account.waiting.add(waiter);
      this.#queued++;
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** The request that receives the next slot: the first of the account that has been served least. */
  #next(): Waiter | undefined {
    let best: AccountQueue | undefined;
    for (const account of this.#accounts.values()) {
      if (account.waiting.size === 0 || !mayRun(account)) continue;
      if (!best || startLevel(account, this.#served) < startLevel(best, this.#served)) best = account;
    }
    const [first] = best?.waiting ?? [];
    return first;
  }

  #handOver(): void {
    while (this.#running < this.options.concurrent) {
      const next = this.#next();
      if (!next) break;
      this.#grant(next.account);
      next.enter();
    }
    this.#wakeIdle();
  }

  /** Wakes callers of `whenIdle`; they check again. */
  #wakeIdle(): void {
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Forgets an account without requests: its next request adds it again. */
  #tidy(account: AccountQueue): void {
    // Forget past usage once the others have caught up.
    if (account.running === 0 && account.waiting.size === 0 && account.served <= this.#served) {
      this.#accounts.delete(account.share);
    }
  }

  #slot(queueMs: number, account: AccountQueue): Slot {
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
        this.#running--;
        account.running--;
        this.#handOver();
        this.#tidy(account);
      },
    };
  }
}

function mayRun({ share, running }: AccountQueue): boolean {
  return share.concurrent === undefined || running < share.concurrent;
}

/** An account that was idle starts level with the others. */
function startLevel({ served }: AccountQueue, since: number): number {
  return Math.max(served, since);
}
