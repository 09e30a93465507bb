/**
 * What the servers of a cluster know of each other through Valkey: who is there, with how many free slots, and which call
 * gets one next. A claim is a lease on a slot of one server and on a place of one tenant; it ends by itself when nobody
 * renews it. Each server is the truth about its own sessions: without Valkey they go on, and their ids are found.
 */
import { clusterLimits, registryLimits } from '../../limits.ts';
import { orAborted } from '../../runtime/deadline.ts';
import { nodeUnreachable } from '../node-gone.ts';
import type { Nodes } from '../nodes.ts';
import { type Claim, Leases } from './leases.ts';
import { Store, type StoreOptions } from './store.ts';
import { StoreDown } from './store-down.ts';
import { serviceVersion } from '../../version.ts';

/** What a server tells of itself. */
export interface Load {
  slots: number;
  running: number;
  queued: number;
  mayQueue: number;
  /** Sessions that live with or without a client. */
  sessions: number;
  draining: boolean;
}

export interface RegistryOptions extends StoreOptions {
  /** NODE_URL. */
  address: string;
}

/** A call that asks for a slot. */
export interface Ask {
  tenant: string;
  /** Slots that the tenant may have in the cluster; 0 for as many as there are. */
  limit: number;
  /** Calls of the tenant that may wait. */
  queued: number;
  weight: number;
  /** How long it may wait, in milliseconds. */
  patienceMs: number;
  /** True for a call that this server itself must answer. */
  isLocal: boolean;
  /** Names of servers that it has not reached. */
  without: readonly string[];
  /** Called when the call has to wait. */
  onQueued(): void;
}

export type Answer = { claim: Claim } | { refused: 'quota' | 'full' };

interface Waiter {
  /** False until Valkey has said that it must wait. */
  waits: boolean;
  resolve(node: string): void;
  reject(error: StoreDown): void;
}

export class Registry implements Nodes {
  readonly #options: RegistryOptions;
  readonly #store: Store;
  readonly #addresses = new Map<string, URL>();
  readonly #waiters = new Map<string, Waiter>();
  readonly #leases: Leases;
  #load: (() => Load) | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  #renew: ReturnType<typeof setInterval> | undefined;
  #others: readonly URL[] = [];
  #live = 1;
  #changed: () => void = () => {};

  constructor(options: RegistryOptions) {
    this.#options = options;
    const events = {
      onMessage: (message: unknown) => this.#take(message),
      onUp: () => void this.#announce(),
      onDown: () => {
        this.#giveUpWaiting();
        this.#changed();
      },
      onGap: () => this.#giveUpWaiting(),
    };
    this.#store = new Store(options, events);
    this.#leases = new Leases(this.#store, options.node);
  }

  /** The server takes calls from now on. @param load what it tells of itself, each time anew */
  async join(load: () => Load): Promise<void> {
    this.#load = load;
    this.#beat = setInterval(() => void this.beat(), registryLimits.beatMs);
    this.#renew = setInterval(() => void this.#leases.renew(), registryLimits.renewMs);
    for (const timer of [this.#beat, this.#renew]) timer.unref();
    await this.#store.whenKnown();
    await this.beat();
  }

  /** Calls the listener when Valkey is reached, and when it is no more. */
  whenChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /** True while Valkey answers. */
  get up(): boolean {
    return this.#store.up;
  }

  /** Calls of this server that wait for a slot of the cluster. */
  get waiting(): number {
    return [...this.#waiters.values()].filter(({ waits }) => waits).length;
  }

  /** How many servers there were when Valkey last told. */
  get servers(): number {
    return this.#live;
  }

  async addressOf(node: string, signal: AbortSignal): Promise<URL | undefined> {
    const known = this.#addresses.get(node);
    if (known) return known;
    try {
      const told = await orAborted(this.#store.hashGet(`node:${node}`, 'addr'), signal);
      return told === undefined ? undefined : this.#remember(node, told);
    } catch (error) {
      throw error instanceof StoreDown ? nodeUnreachable() : error;
    }
  }

  async hasLeft(node: string): Promise<boolean> {
    const beats = await this.#store.run('beats', node).catch(() => undefined);
    return beats === 0;
  }

  async others(): Promise<readonly URL[]> {
    const told = await this.#store.run('members').catch(() => undefined);
    if (!Array.isArray(told)) return this.#others;
    const pairs = Array.from(
      { length: told.length / 2 },
      (_, at) => [String(told[2 * at]), String(told[2 * at + 1])] as const,
    );
    const others = pairs.filter(([node]) => node !== this.#options.node);
    this.#others = others.map(([node, address]) => this.#remember(node, address));
    return this.#others;
  }

  /** Tells the others what is free here now. */
  async beat(): Promise<void> {
    if (!this.#load) return;
    const { node, address } = this.#options;
    const { slots, running, queued, mayQueue, sessions, draining } = this.#load();
    const own = Math.max(0, running - this.#leases.used);
    const { lifeMs } = registryLimits;
    const told = [node, address, slots, own, queued, draining ? 1 : 0, serviceVersion, lifeMs, mayQueue, sessions];
    const live = await this.#store.run('beat', ...told).catch(() => undefined);
    if (this.up && this.#store.silentMs > registryLimits.lifeMs) this.#store.listenAgain();
    if (typeof live !== 'number') return;
    const isNew = live !== this.#live;
    this.#live = Math.max(1, live);
    // When Valkey is gone, ids are found by what is known already.
    if (isNew && live <= registryLimits.knownServers) await this.others();
  }

  /**
   * Claims a slot of the server that has most of them free, and waits for one in turn.
   * @throws StoreDown when Valkey cannot be asked; the reason of the signal
   */
  async claim(ask: Ask, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const { node } = this.#options;
    const id = crypto.randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    promise.catch(() => undefined);
    const waiter = { waits: false, resolve, reject };
    this.#waiters.set(id, waiter);
    try {
      const told = await this.#store.run(
        'claim',
        ...([ask.tenant, ask.limit, id, registryLimits.leaseMs, node, ask.queued] as const),
        ...([clusterLimits.waiting, ask.patienceMs, ask.weight, node] as const),
        ...([ask.isLocal ? node : '', ask.without.join()] as const),
      );
      const [said, found] = Array.isArray(told) ? told.map(String) : [];
      if (said === 'ok' && found !== undefined) return { claim: { id, tenant: ask.tenant, node: found } };
      if (said !== 'wait') return { refused: said === 'quota' ? 'quota' : 'full' };
      waiter.waits = true;
      ask.onQueued();
      return { claim: { id, tenant: ask.tenant, node: await orAborted(promise, signal) } };
    } catch (error) {
      // It may have been granted meanwhile: `leave` gives that back too.
      void this.#store.run('leave', id, ask.tenant).catch(() => undefined);
      throw error;
    } finally {
      this.#waiters.delete(id);
    }
  }

  /** The better of two servers chosen at random, for a call that finds no room here; undefined when there is none. */
  async other(): Promise<string | undefined> {
    const told = await this.#store.run('better', this.#options.node).catch(() => undefined);
    return typeof told === 'string' ? told : undefined;
  }

  /** As `Leases.use`. */
  use(claim: Pick<Claim, 'id' | 'tenant'>): Disposable {
    return this.#leases.use(claim);
  }

  /** The server with the fewest sessions; undefined while Valkey cannot be asked. */
  async roomiest(): Promise<string | undefined> {
    const told = await this.#store.run('place', this.#options.node).catch(() => undefined);
    return typeof told === 'string' ? told : undefined;
  }

  /** As `Leases.track`. */
  track(tenant: string, trackingId: string): Promise<Disposable | undefined> {
    return this.#leases.track(tenant, trackingId);
  }

  /** Gives back a claim that nobody uses. */
  giveBack(claim: Claim): Promise<void> {
    return this.#leases.giveBack(claim);
  }

  /** The server leaves: nobody is sent to it any more. */
  async part(): Promise<void> {
    clearInterval(this.#beat);
    clearInterval(this.#renew);
    await this.#store.run('part', this.#options.node).catch(() => undefined);
    this.#store.close();
  }

  #remember(node: string, address: string): URL {
    const url = new URL(address);
    this.#options.onAddress(url.hostname, Number(url.port || 80));
    this.#addresses.set(node, url);
    return url;
  }

  #take(message: unknown): void {
    if (message === null || typeof message !== 'object' || !('granted' in message) || !('node' in message)) return;
    const { granted, node } = message;
    if (typeof granted === 'string' && typeof node === 'string') this.#waiters.get(granted)?.resolve(node);
  }

  #giveUpWaiting(): void {
    for (const { reject } of this.#waiters.values()) reject(new StoreDown('Valkey is not reached'));
  }

  /** Valkey may have lost everything: tell it what runs here. */
  async #announce(): Promise<void> {
    await this.beat();
    // Not all at the same moment: to renew the claims of a server takes Valkey half a millisecond.
    await new Promise((resolve) =>
      setTimeout(resolve, Math.random() * Math.min(this.#live, registryLimits.announceMs)),
    );
    await this.#leases.renew();
    this.#changed();
  }
}
