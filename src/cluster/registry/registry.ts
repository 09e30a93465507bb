/**
 * What the servers of a cluster know of each other through Valkey: who is there, with how many free slots, and which call
 * gets one next. A claim is a lease on a slot of one server and on a place of one tenant; it ends by itself when nobody
 * renews it. Each server is the truth about its own sessions: without Valkey they go on, and their ids are found.
 */
import { clusterLimits, registryLimits } from '../../limits.ts';
import { orAborted } from '../../runtime/deadline.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Nodes } from '../nodes.ts';
import { Store } from './store.ts';
import { StoreDown } from './store-down.ts';
import { serviceVersion } from '../../version.ts';

/** What a server tells of itself. */
export interface Load {
  slots: number;
  running: number;
  queued: number;
  mayQueue: number;
  draining: boolean;
}

export interface RegistryOptions {
  /** CLUSTER_URL. */
  url: string;
  /** Name of this server. */
  node: string;
  /** NODE_URL. */
  address: string;
  log: Log;
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
}

export interface Claim {
  readonly id: string;
  readonly tenant: string;
  /** Name of the server whose slot it is. */
  readonly node: string;
}

export type Answer = { claim: Claim } | { refused: 'quota' | 'full' };

interface Waiter {
  resolve(node: string): void;
  reject(error: StoreDown): void;
}

export class Registry implements Nodes {
  readonly #options: RegistryOptions;
  readonly #store: Store;
  readonly #addresses = new Map<string, URL>();
  readonly #waiters = new Map<string, Waiter>();
  /** Claims on slots of this server that calls here use: tenants by ids. */
  readonly #used = new Map<string, string>();
  #load: (() => Load) | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  #renew: ReturnType<typeof setInterval> | undefined;
  #others: readonly URL[] = [];
  #live = 1;

  constructor(options: RegistryOptions) {
    this.#options = options;
    const events = {
      onMessage: (message: unknown) => this.#take(message),
      onUp: () => void this.#announce(),
      onDown: () => this.#giveUpWaiting(),
    };
    this.#store = new Store(options.url, options.node, events, options.log);
  }

  /** The server takes calls from now on. @param load what it tells of itself, each time anew */
  async join(load: () => Load): Promise<void> {
    this.#load = load;
    this.#beat = setInterval(() => void this.beat(), registryLimits.beatMs);
    this.#renew = setInterval(() => void this.#renewAll(), registryLimits.renewMs);
    for (const timer of [this.#beat, this.#renew]) timer.unref();
    await this.beat();
  }

  /** True while Valkey answers. */
  get up(): boolean {
    return this.#store.up;
  }

  /** How many servers there were when Valkey last told. */
  get servers(): number {
    return this.#live;
  }

  async addressOf(node: string, signal: AbortSignal): Promise<URL | undefined> {
    const known = this.#addresses.get(node);
    if (known) return known;
    const told = await orAborted(this.#store.hashGet(`node:${node}`, 'addr'), signal);
    return told === undefined ? undefined : this.#remember(node, told);
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
    const { slots, running, queued, mayQueue, draining } = this.#load();
    const own = Math.max(0, running - this.#used.size);
    const told = [node, address, slots, own, queued, draining ? 1 : 0, serviceVersion, registryLimits.lifeMs, mayQueue];
    const live = await this.#store.run('beat', ...told).catch(() => undefined);
    if (typeof live === 'number') this.#live = Math.max(1, live);
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
    this.#waiters.set(id, { resolve, reject });
    try {
      const told = await this.#store.run(
        'claim',
        ...[ask.tenant, ask.limit, id, registryLimits.leaseMs, node, ask.queued, clusterLimits.waiting],
        ...[ask.patienceMs, ask.weight, node, ask.isLocal ? node : ''],
      );
      const [said, found] = Array.isArray(told) ? told.map(String) : [];
      if (said === 'ok' && found !== undefined) return { claim: { id, tenant: ask.tenant, node: found } };
      if (said !== 'wait') return { refused: said === 'quota' ? 'quota' : 'full' };
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

  /** A call here uses a claim on a slot of this server. @returns gives the claim back */
  use({ id, tenant }: Pick<Claim, 'id' | 'tenant'>): Disposable {
    this.#used.set(id, tenant);
    return {
      [Symbol.dispose]: () => this.#used.delete(id) && void this.giveBack({ id, tenant, node: this.#options.node }),
    };
  }

  /** Gives back a claim that nobody uses. */
  async giveBack({ id, tenant, node }: Claim): Promise<void> {
    await this.#store.run('release', node, tenant, id).catch(() => undefined);
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
    await this.#renewAll();
    await this.beat();
  }

  async #renewAll(): Promise<void> {
    const claims = [...this.#used].flatMap(([id, tenant]) => [tenant, id]);
    if (claims.length > 0)
      await this.#store.run('renew', this.#options.node, registryLimits.leaseMs, ...claims).catch(() => undefined);
  }
}
