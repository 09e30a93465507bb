/**
 * What the servers of a cluster know of each other through Valkey: who is there, with how many free slots, and which call
 * gets one next. A claim is a lease on a slot of one server and on a place of one tenant; it ends by itself when nobody
 * renews it. Each server is the truth about its own sessions: without Valkey they go on, and their ids are found.
 */
import { ServiceError } from '../../../base/errors.ts';
import { clusterLimits, registryLimits } from '../../../base/limits.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { nodeUnreachable } from '../nodes.ts';
import { readAddress, signAddress } from '../proof.ts';
import type { Nodes } from '../nodes.ts';
import { type Claim, Leases } from './leases.ts';
import { Store, type StoreOptions } from './store.ts';
import { MessageGap, StoreDown } from './store-down.ts';
import { WaitingCalls } from './waiting-calls.ts';
import { serviceVersion } from '../../../base/version.ts';

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
  /** CLUSTER_SECRET: addresses in Valkey are signed with it. */
  secret: string;
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

export type Answer =
  | { claim: Claim }
  | { refused: 'full' }
  /** With what the tenant runs and queues in the cluster. */
  | { refused: 'quota'; running: number; queued: number };

export class Registry implements Nodes {
  readonly #options: RegistryOptions;
  readonly #store: Store;
  readonly #addresses = new Map<string, URL>();
  readonly #calls = new WaitingCalls();
  readonly #leases: Leases;
  #load: (() => Load) | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  #look: ReturnType<typeof setInterval> | undefined;
  #renew: ReturnType<typeof setInterval> | undefined;
  /** Whether Valkey knows that there is room here. */
  #toldRoom: boolean | undefined;
  /** Undefined until Valkey has told. */
  #others: readonly URL[] | undefined;
  /** How many there are; 0 until Valkey has told. */
  #live = 0;
  #changed: () => void = () => {};

  constructor(options: RegistryOptions) {
    this.#options = options;
    const events = {
      onMessage: (message: unknown) => this.#take(message),
      onUp: () => void this.#announce(),
      onDown: () => {
        this.#calls.giveUp();
        this.#changed();
      },
      onGap: () => this.#calls.askAgain(),
    };
    this.#store = new Store(options, events);
    this.#leases = new Leases(this.#store, options.node);
  }

  /** The server takes calls from now on. @param load what it tells of itself, each time anew */
  async join(load: () => Load): Promise<void> {
    this.#load = load;
    this.#beat = setInterval(() => void this.beat(), registryLimits.beatMs);
    this.#look = setInterval(() => this.#tellOfRoom(), registryLimits.lookMs);
    this.#renew = setInterval(() => void this.#leases.renew(), registryLimits.renewMs);
    for (const timer of [this.#beat, this.#look, this.#renew]) timer.unref();
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
    return this.#calls.count;
  }

  /** How many servers there were when Valkey last told. */
  get servers(): number {
    return Math.max(1, this.#live);
  }

  async addressOf(node: string, signal: AbortSignal): Promise<URL | undefined> {
    const known = this.#addresses.get(node);
    if (known) return known;
    try {
      const told = await orAborted(this.#store.hashGet(`node:${node}`, 'addr'), signal);
      return this.#remember(node, told ?? '');
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
    if (!Array.isArray(told)) {
      if (this.#others) return this.#others;
      throw new ServiceError(
        'registry-down',
        'The other servers of the cluster are not known now: their Valkey does not answer.',
      );
    }
    const pairs = Array.from(
      { length: told.length / 2 },
      (_, at) => [String(told[2 * at]), String(told[2 * at + 1])] as const,
    );
    // A server that has started again has another name; for some seconds both are there.
    const addresses = pairs.flatMap(([node, address]) => this.#remember(node, address) ?? []);
    const others = new Map(addresses.map((url) => [url.href, url]));
    others.delete(new URL(this.#options.address).href);
    return (this.#others = [...others.values()]);
  }

  /** Tells the others what is free here now. */
  async beat(): Promise<void> {
    if (!this.#load) return;
    const { node, address: url, secret } = this.#options;
    const address = signAddress(secret, node, url);
    const { slots, running, queued, mayQueue, sessions, draining } = this.#load();
    const own = Math.max(0, running - this.#leases.used);
    const { lifeMs } = registryLimits;
    this.#toldRoom = running < slots;
    const told = [node, address, slots, own, queued, draining ? 1 : 0, serviceVersion, lifeMs, mayQueue, sessions];
    const live = await this.#store.run('beat', ...told).catch(() => undefined);
    if (this.up && this.#store.silentMs > registryLimits.lifeMs) this.#store.listenAgain();
    await this.#lookForLost();
    if (typeof live !== 'number') return;
    const isNew = live !== this.#live;
    this.#live = live;
    // When Valkey is gone, ids are found by what is known already.
    if (isNew && live <= registryLimits.knownServers) await this.others().catch(() => undefined);
  }

  /**
   * Claims a slot of the server that has most of them free, and waits for one in turn.
   * @throws StoreDown when Valkey cannot be asked; the reason of the signal
   */
  async claim(ask: Ask, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      try {
        return await this.#claimOnce(ask, signal);
      } catch (error) {
        if (!(error instanceof MessageGap)) throw error;
      }
    }
  }

  /** Resolves when no call of this server waits for a slot of the cluster. */
  whenNobodyWaits(): Promise<void> {
    return this.#calls.whenEmpty();
  }

  /** @throws MessageGap when the call must ask again */
  async #claimOnce(ask: Ask, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const { node } = this.#options;
    using call = this.#calls.begin();
    const { id } = call;
    try {
      const told = await this.#store.run(
        'claim',
        ...([ask.tenant, ask.limit, id, registryLimits.leaseMs, node, ask.queued] as const),
        ...([clusterLimits.waiting, ask.patienceMs, ask.weight, node] as const),
        ...([ask.isLocal ? node : '', ask.without.join()] as const),
      );
      const [said, found, queued] = Array.isArray(told) ? told.map(String) : [];
      if (said === 'ok' && found !== undefined) return { claim: { id, tenant: ask.tenant, node: found } };
      if (said === 'quota') return { refused: 'quota', running: Number(found), queued: Number(queued) };
      if (said !== 'wait') return { refused: 'full' };
      call.waits = true;
      ask.onQueued();
      return { claim: { id, tenant: ask.tenant, node: await orAborted(call.granted, signal) } };
    } catch (error) {
      // It may have been granted meanwhile: `leave` gives that back too.
      void this.#leases.leave(id, ask.tenant);
      throw error;
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
  track(tenant: string, trackingId: string, asks: boolean): Promise<Disposable | undefined> {
    return this.#leases.track(tenant, trackingId, asks);
  }

  /** Gives back a claim that nobody uses. */
  giveBack(claim: Claim): Promise<void> {
    return this.#leases.giveBack(claim);
  }

  /** The server leaves: nobody is sent to it any more. */
  async part(): Promise<void> {
    clearInterval(this.#beat);
    clearInterval(this.#look);
    clearInterval(this.#renew);
    await this.#store.run('part', this.#options.node).catch(() => undefined);
    this.#store.close();
  }

  /** @returns undefined unless a server of this name has signed the address */
  #remember(node: string, address: string): URL | undefined {
    const url = readAddress(this.#options.secret, node, address);
    if (url === undefined) {
      if (address !== '') this.#options.log.warn('cluster.false-entry', { node, address: address.slice(0, 200) });
      return undefined;
    }
    this.#options.onAddress(url.hostname, Number(url.port || 80));
    this.#addresses.set(node, url);
    return url;
  }

  #take(message: unknown): void {
    if (message === null || typeof message !== 'object' || !('granted' in message) || !('node' in message)) return;
    const { granted, node } = message;
    if (typeof granted !== 'string' || typeof node !== 'string') return;
    // The call may have gone, and could not say so.
    const isHere = this.#calls.grant(granted, node);
    if (!isHere && 'tenant' in message && typeof message.tenant === 'string')
      void this.#leases.leave(granted, message.tenant);
  }

  /** Calls that Valkey has forgotten ask again: this server was silent for too long, or Valkey has lost something. */
  async #lookForLost(): Promise<void> {
    const ids = this.#calls.olderThan(registryLimits.beatMs).slice(0, registryLimits.renewedAtOnce);
    if (ids.length === 0) return;
    const lost = await this.#store.run('lost', ...ids).catch(() => undefined);
    if (Array.isArray(lost)) this.#calls.askAgain(lost.map(String));
  }

  /** There is room again, or none any more: calls that wait should not wait for the next heartbeat. */
  #tellOfRoom(): void {
    if (!this.#load || !this.up) return;
    const { running, slots } = this.#load();
    if (running < slots !== this.#toldRoom) void this.beat();
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
