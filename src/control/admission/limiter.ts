// Hands out slots, queues calls and refuses the rest (compatibility.mdx#queue-and-time-limit). Accounts that wait at
// the same time get slots in turn, by their weight: who sends many calls delays his own, not those of others. It is
// long because queue, shares and slots change together.

import { ServiceError } from '../../base/errors.ts';
import { now } from '../../base/runtime/machine.ts';

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

/** What one account may take of the slots and the queue; the same object for all its calls. */
export interface Share {
  /** Undefined for as many as there are. */
  readonly concurrent: number | undefined;
  readonly queued: number | undefined;
  /** Slots that it gets for each one of an account of weight 1, while both wait. */
  readonly weight: number;
}

/** How a call waits. */
export interface Wait {
  /** Called when the call has to wait. */
  onQueued?: (() => void) | undefined;
  /** What `waiting` tells of the call meanwhile. */
  call?: QueuedCall | undefined;
  share?: Share | undefined;
}

interface Waiter {
  call: QueuedCall | undefined;
  party: Party;
  /** Epoch milliseconds, to be shown. */
  since: number;
  /** The same moment on the clock `now`. */
  sinceAt: number;
  enter(): void;
  refuse(error: ServiceError): void;
}

/** The calls of one account. */
interface Party {
  readonly share: Share;
  running: number;
  readonly waiting: Set<Waiter>;
  /** Slots granted by weight: the party with the least is next. */
  served: number;
}

/** All calls that name no share. */
const everybody: Share = { concurrent: undefined, queued: undefined, weight: 1 };

export class Limiter {
  readonly options: LimiterOptions;
  readonly #parties = new Map<Share, Party>();
  readonly #idle: (() => void)[] = [];
  #running = 0;
  #queued = 0;
  /** `served` of the party that got the last slot: one that has been away does not make up for it. */
  #served = 0;
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
    return this.#queued;
  }

  /** The calls that wait, the one that has waited longest first; `since` is epoch milliseconds. */
  get waiting(): readonly { call: QueuedCall | undefined; since: number }[] {
    const all = [...this.#parties.values()].flatMap(({ waiting }) => [...waiting]);
    return all.toSorted((a, b) => a.sinceAt - b.sinceAt);
  }

  get full(): boolean {
    return this.#running + this.#queued >= this.options.concurrent + this.options.queued;
  }

  /** What an account runs and queues now. */
  usageOf(share: Share): { running: number; queued: number } {
    const party = this.#parties.get(share);
    return { running: party?.running ?? 0, queued: party?.waiting.size ?? 0 };
  }

  /** Milliseconds since the last change while all slots are taken; 0 while one is free. */
  get stalledMs(): number {
    return this.#running > 0 && this.#running >= this.options.concurrent ? now() - this.#changedAt : 0;
  }

  /** Estimated seconds until a slot is free, 1 to 60: rounds of running calls ahead, times the recent duration. */
  get retryAfterSeconds(): number {
    const rounds = (this.#queued + 1) / Math.max(1, this.options.concurrent);
    return Math.min(60, Math.max(1, Math.ceil((rounds * this.#recentMs) / 1_000)));
  }

  /**
   * Takes a slot, waiting in the queue when none is free. In a full queue the last call of the account that fills it
   * most makes room for a call of one that fills it less.
   * @param signal takes the call out of the queue when it aborts (the client left, the server stops)
   * @throws ServiceError `queue-full`; `quota` when the account runs and queues as many calls as it may; the signal's
   *   reason
   */
  async acquire(signal: AbortSignal, { onQueued = () => {}, call, share = everybody }: Wait = {}): Promise<Slot> {
    signal.throwIfAborted();
    const party = this.#partyOf(share);
    const startedAt = now();
    if (this.#running < this.options.concurrent && mayRun(party)) {
      this.#grant(party);
    } else {
      this.#requireRoom(party);
      onQueued();
      await this.#wait(signal, call, party);
    }
    return this.#slot(now() - startedAt, party);
  }

  /** Takes a slot at once, even beyond the limit, for work that already runs and must count; others wait longer. */
  enter(share: Share = everybody): Slot {
    const party = this.#partyOf(share);
    this.#running++;
    party.running++;
    return this.#slot(0, party);
  }

  /** Changes how many calls run at the same time: more let waiting calls enter at once, fewer end none. */
  resize(concurrent: number): void {
    this.options.concurrent = concurrent;
    this.#handOver();
  }

  /** The shares have changed: lets those enter that may now, and refuses those that never may. */
  reconsider(): void {
    for (const party of this.#parties.values()) {
      if (party.share.concurrent !== 0) continue;
      for (const waiter of party.waiting) waiter.refuse(this.#overQuota(party, 0));
    }
    this.#handOver();
  }

  /** Resolves when nothing runs and nothing waits. */
  async whenIdle(): Promise<void> {
    while (this.#running > 0 || this.#queued > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Makes room in the queue for a call that has to wait. @throws ServiceError `quota`, `queue-full` */
  #requireRoom(party: Party): void {
    const { share, waiting } = party;
    const most = share.concurrent === 0 ? 0 : (share.queued ?? this.options.queued);
    const isOwnLimit = !mayRun(party) || (share.queued !== undefined && waiting.size > 0);
    if (isOwnLimit && waiting.size >= most) throw this.#overQuota(party, most);
    if (waiting.size < most && (!this.full || this.#makeRoom(party))) return;
    throw this.#tooMany();
  }

  /** Takes the newest call of the account with the most waiting calls out of the queue, unless that is this one. */
  #makeRoom(party: Party): boolean {
    const load = ({ waiting, share }: Party) => waiting.size / share.weight;
    const [fullest] = [...this.#parties.values()].toSorted((a, b) => load(b) - load(a));
    if (!fullest || load(fullest) <= (party.waiting.size + 1) / party.share.weight) return false;
    const newest = [...fullest.waiting].at(-1);
    newest?.refuse(this.#tooMany());
    return newest !== undefined;
  }

  #overQuota({ share, running, waiting }: Party, most: number): ServiceError {
    return this.overQuota({ share, running, queued: waiting.size }, most);
  }

  /** The error for a call that finds no slot. */
  fullQueue(): ServiceError {
    return this.#tooMany();
  }

  /** The error for a call of an account that runs and queues as many as it may. @param most calls that it may queue */
  overQuota(use: { share: Share; running: number; queued: number }, most: number): ServiceError {
    const { share, running, queued } = use;
    const limit = share.concurrent ?? this.options.concurrent;
    return new ServiceError(
      'quota',
      `Too many requests: this token runs ${running} and queues ${queued} calls, as many as its plan allows (concurrent ${limit}, queued ${most}).`,
      { retryAfterSeconds: this.retryAfterSeconds, facts: { limit, running, queued, reason: 'quota' } },
    );
  }

  #tooMany(): ServiceError {
    return new ServiceError('queue-full', 'Too many requests', { retryAfterSeconds: this.retryAfterSeconds });
  }

  #partyOf(share: Share): Party {
    const known = this.#parties.get(share);
    if (known) return known;
    const party: Party = { share, running: 0, waiting: new Set(), served: 0 };
    this.#parties.set(share, party);
    return party;
  }

  /** Counts a slot that a party gets. */
  #grant(party: Party): void {
    this.#running++;
    party.running++;
    const from = Math.max(party.served, this.#served);
    this.#served = from;
    party.served = from + 1 / party.share.weight;
  }

  /** Resolves when a slot was handed over to this waiter. */
  #wait(signal: AbortSignal, call: QueuedCall | undefined, party: Party): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        signal.removeEventListener('abort', onAbort);
        if (party.waiting.delete(waiter)) this.#queued--;
        this.#tidy(party);
        this.#wakeIdle();
        if (reason === undefined) resolve();
        else reject(reason);
      };
      const onAbort = () => leave(signal.reason);
      const waiter: Waiter = {
        call,
        party,
        since: Date.now(),
        sinceAt: now(),
        enter: () => leave(undefined),
        refuse: leave,
      };
      party.waiting.add(waiter);
      this.#queued++;
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** The call that gets the next slot: the first of the party that has been served least. */
  #next(): Waiter | undefined {
    let best: Party | undefined;
    for (const party of this.#parties.values()) {
      if (party.waiting.size === 0 || !mayRun(party)) continue;
      if (!best || turnOf(party, this.#served) < turnOf(best, this.#served)) best = party;
    }
    const [first] = best?.waiting ?? [];
    return first;
  }

  #handOver(): void {
    while (this.#running < this.options.concurrent) {
      const next = this.#next();
      if (!next) break;
      this.#grant(next.party);
      next.enter();
    }
    this.#wakeIdle();
  }

  /** Wakes those who wait until nothing runs; they look again. */
  #wakeIdle(): void {
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Forgets a party without calls: the next call of its account makes it anew. */
  #tidy(party: Party): void {
    // What it was served counts no more once others have been served as much.
    if (party.running === 0 && party.waiting.size === 0 && party.served <= this.#served) {
      this.#parties.delete(party.share);
    }
  }

  #slot(queueMs: number, party: Party): Slot {
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
        party.running--;
        this.#handOver();
        this.#tidy(party);
      },
    };
  }
}

function mayRun({ share, running }: Party): boolean {
  return share.concurrent === undefined || running < share.concurrent;
}

/** A party that was away begins where the others are. */
function turnOf({ served }: Party, since: number): number {
  return Math.max(served, since);
}
