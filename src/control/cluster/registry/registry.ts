/**
 * Shares state between the servers in a cluster through Valkey: which servers it has, how many free slots each one has,
 * and which request gets a slot next. A claim is a lease on a slot of one server, counted against the limit of one
 * tenant; it expires when it is not renewed. Each server is authoritative for its own sessions: without Valkey they
 * continue, and their ids are still found.
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

/** The load that a server reports. */
export interface Load {
  slots: number;
  running: number;
  queued: number;
  mayQueue: number;
  /** Live sessions, with or without a connected client. */
  sessions: number;
  draining: boolean;
}

export interface RegistryOptions extends StoreOptions {
  /** NODE_URL. */
  address: string;
  /** CLUSTER_SECRET: URLs in Valkey are signed with it. */
  secret: string;
}

/** A request for a slot. */
export interface SlotRequest {
  tenant: string;
  /** Limit on the tenant's slots in the cluster; 0 for no limit. */
  limit: number;
  /** Limit on the tenant's waiting requests. */
  queued: number;
  weight: number;
  /** How long it may wait, in milliseconds. */
  maxWaitMs: number;
  /** True for a request that only this server can serve. */
  isLocal: boolean;
  /** Names of servers that could not be reached. */
  excluded: readonly string[];
  /** Called when the request has to wait. */
  onQueued(): void;
}

export type ClaimResult =
  | { claim: Claim }
  | { refused: 'full' }
  /** Includes how many requests the tenant has running and queued in the cluster. */
  | { refused: 'quota'; running: number; queued: number };

export class Registry implements Nodes {
  /** What sessions on this server hold in Valkey. */
  readonly leases: Leases;
  readonly #options: RegistryOptions;
  readonly #store: Store;
  readonly #addresses = new Map<string, URL>();
  readonly #calls = new WaitingCalls();
  #load: (() => Load) | undefined;
  #beatTimer: ReturnType<typeof setInterval> | undefined;
  #roomTimer: ReturnType<typeof setInterval> | undefined;
  #renewTimer: ReturnType<typeof setInterval> | undefined;
  /** Whether the last heartbeat reported free slots here. */
  #reportedRoom: boolean | undefined;
  /** URLs of the other servers; undefined until Valkey has reported them. */
  #others: readonly URL[] | undefined;
  /** The number of live servers; 0 until Valkey has reported it. */
  #live = 0;
  #changed: () => void = () => {};

  constructor(options: RegistryOptions) {
    this.#options = options;
    const events = {
      onMessage: (message: unknown) => this.#handleMessage(message),
      onUp: () => void this.#announce(),
      onDown: () => {
        this.#calls.rejectAll();
        this.#changed();
      },
      onGap: () => this.#calls.retry(),
    };
    this.#store = new Store(options, events);
    this.leases = new Leases(this.#store, options.node);
  }

  /**
   * Joins the cluster: this server accepts requests from now on.
   * @param load returns the current load for each heartbeat
   */
  async join(load: () => Load): Promise<void> {
    this.#load = load;
    this.#beatTimer = setInterval(() => void this.beat(), registryLimits.beatMs);
    this.#roomTimer = setInterval(() => this.#reportRoom(), registryLimits.roomCheckMs);
    this.#renewTimer = setInterval(() => void this.leases.renew(), registryLimits.renewMs);
    for (const timer of [this.#beatTimer, this.#roomTimer, this.#renewTimer]) timer.unref();
    await this.#store.whenKnown();
    await this.beat();
  }

  /** Calls the listener when Valkey becomes reachable or unreachable. */
  whenChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /** True while Valkey responds. */
  get up(): boolean {
    return this.#store.up;
  }

  /** The number of this server's requests that are waiting for a slot in the cluster. */
  get waiting(): number {
    return this.#calls.count;
  }

  /** The number of servers that Valkey last reported; at least 1. */
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
        'The other servers in the cluster are currently unknown: Valkey is not responding.',
      );
    }
    const pairs = Array.from(
      { length: told.length / 2 },
      (_, at) => [String(told[2 * at]), String(told[2 * at + 1])] as const,
    );
    // A restarted server has a new name; for a few seconds, both entries exist.
    const addresses = pairs.flatMap(([node, address]) => this.#remember(node, address) ?? []);
    const others = new Map(addresses.map((url) => [url.href, url]));
    others.delete(new URL(this.#options.address).href);
    return (this.#others = [...others.values()]);
  }

  /** Sends a heartbeat: reports to the other servers how many slots are free here now. */
  async beat(): Promise<void> {
    if (!this.#load) return;
    const { node, address: url, secret } = this.#options;
    const address = signAddress(secret, node, url);
    const { slots, running, queued, mayQueue, sessions, draining } = this.#load();
    const own = Math.max(0, running - this.leases.used);
    const { lifeMs } = registryLimits;
    this.#reportedRoom = running < slots;
    const told = [node, address, slots, own, queued, draining ? 1 : 0, serviceVersion, lifeMs, mayQueue, sessions];
    const live = await this.#store.run('beat', ...told).catch(() => undefined);
    if (this.up && this.#store.msSinceLastMessage > registryLimits.lifeMs) this.#store.listenAgain();
    await this.#lookForLost();
    if (typeof live !== 'number') return;
    const isNew = live !== this.#live;
    this.#live = live;
    // Fetch the URLs now: while Valkey is down, ids can be looked up only with URLs that are already known.
    if (isNew && live <= registryLimits.knownServers) await this.others().catch(() => undefined);
  }

  /**
   * Claims a slot on the server with the most free slots, and waits its turn if there is none.
   * @throws StoreDown when Valkey is unavailable; the signal's abort reason
   */
  async claim(ask: SlotRequest, signal: AbortSignal): Promise<ClaimResult> {
    for (;;) {
      try {
        return await this.#claimOnce(ask, signal);
      } catch (error) {
        if (!(error instanceof MessageGap)) throw error;
      }
    }
  }

  /** Resolves when no requests on this server are waiting for a slot in the cluster. */
  whenNobodyWaits(): Promise<void> {
    return this.#calls.whenEmpty();
  }

  /** @throws MessageGap when the request must be retried */
  async #claimOnce(ask: SlotRequest, signal: AbortSignal): Promise<ClaimResult> {
    signal.throwIfAborted();
    const { node } = this.#options;
    using call = this.#calls.begin();
    const { id } = call;
    try {
      const told = await this.#store.run(
        'claim',
        ...([ask.tenant, ask.limit, id, registryLimits.leaseMs, node, ask.queued] as const),
        ...([clusterLimits.waiting, ask.maxWaitMs, ask.weight, node] as const),
        ...([ask.isLocal ? node : '', ask.excluded.join()] as const),
      );
      const [said, found, queued] = Array.isArray(told) ? told.map(String) : [];
      if (said === 'ok' && found !== undefined) return { claim: { id, tenant: ask.tenant, node: found } };
      if (said === 'quota') return { refused: 'quota', running: Number(found), queued: Number(queued) };
      if (said !== 'wait') return { refused: 'full' };
      call.waits = true;
      ask.onQueued();
      return { claim: { id, tenant: ask.tenant, node: await orAborted(call.granted, signal) } };
    } catch (error) {
      // The slot may have been granted in the meantime: `leave` releases that too.
      void this.leases.leave(id, ask.tenant);
      throw error;
    }
  }

  /**
   * The better of two servers chosen at random, for a request that cannot get a slot here; undefined when there is
   * none.
   */
  async other(): Promise<string | undefined> {
    const told = await this.#store.run('better', this.#options.node).catch(() => undefined);
    return typeof told === 'string' ? told : undefined;
  }

  /** The server with the fewest sessions; undefined while Valkey is unavailable. */
  async leastLoaded(): Promise<string | undefined> {
    const told = await this.#store.run('place', this.#options.node).catch(() => undefined);
    return typeof told === 'string' ? told : undefined;
  }

  /** Leaves the cluster: no more requests are sent to this server. */
  async leave(): Promise<void> {
    clearInterval(this.#beatTimer);
    clearInterval(this.#roomTimer);
    clearInterval(this.#renewTimer);
    await this.#store.run('part', this.#options.node).catch(() => undefined);
    this.#store.close();
  }

  /** @returns undefined unless the server with this name has signed the URL */
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

  #handleMessage(message: unknown): void {
    if (message === null || typeof message !== 'object' || !('granted' in message) || !('node' in message)) return;
    const { granted, node } = message;
    if (typeof granted !== 'string' || typeof node !== 'string') return;
    // The request may have been abandoned without being able to report that.
    const isHere = this.#calls.grant(granted, node);
    if (!isHere && 'tenant' in message && typeof message.tenant === 'string')
      void this.leases.leave(granted, message.tenant);
  }

  /** Retries requests that Valkey has forgotten because this server was silent for too long or Valkey lost data. */
  async #lookForLost(): Promise<void> {
    const ids = this.#calls.olderThan(registryLimits.beatMs).slice(0, registryLimits.renewedAtOnce);
    if (ids.length === 0) return;
    const lost = await this.#store.run('lost', ...ids).catch(() => undefined);
    if (Array.isArray(lost)) this.#calls.retry(lost.map(String));
  }

  /**
   * Sends a heartbeat early when slots become free or run out, so that waiting requests need not wait for the next
   * heartbeat.
   */
  #reportRoom(): void {
    if (!this.#load || !this.up) return;
    const { running, slots } = this.#load();
    if (running < slots !== this.#reportedRoom) void this.beat();
  }

  /** Reports to Valkey what is running here, because it may have lost everything. */
  async #announce(): Promise<void> {
    await this.beat();
    // Stagger the servers: renewing the claims of one server takes Valkey half a millisecond.
    await new Promise((resolve) =>
      setTimeout(resolve, Math.random() * Math.min(this.#live, registryLimits.announceMs)),
    );
    await this.leases.renew();
    this.#changed();
  }
}
