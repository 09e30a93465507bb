/**
 * Keeps the leases that sessions on this server hold in Valkey: claims on slots, and tracking ids. Each expires some
 * time after its last renewal, so that a server that crashes leaves nothing behind.
 */
import { registryLimits } from '../../../base/limits.ts';
import type { Store } from './store.ts';

/** A lease on a slot of one server, counted against the limit of one tenant. */
export interface Claim {
  readonly id: string;
  readonly tenant: string;
  /** Name of the server whose slot it is. */
  readonly node: string;
}

type PendingRelease = readonly ['release' | 'untrack' | 'leave', ...string[]];

export class Leases {
  readonly #store: Store;
  readonly #node: string;
  /** Claims on slots of this server that requests here use: tenants by id. */
  readonly #used = new Map<string, string>();
  /** Tracking ids of sessions here: their holders by name. */
  readonly #tracked = new Map<string, string>();

  /** Commands that could not be sent yet. */
  readonly #pendingReleases: PendingRelease[] = [];

  /** @param node the name of this server */
  constructor(store: Store, node: string) {
    this.#store = store;
    this.#node = node;
  }

  /** The number of claims that requests here use. */
  get used(): number {
    return this.#used.size;
  }

  /**
   * Marks a claim on a slot of this server as used by a request.
   * @returns an object that gives the claim back when disposed
   */
  use({ id, tenant }: Pick<Claim, 'id' | 'tenant'>): Disposable {
    this.#used.set(id, tenant);
    return { [Symbol.dispose]: () => this.#used.delete(id) && void this.giveBack({ id, tenant, node: this.#node }) };
  }

  async giveBack({ id, tenant, node }: Claim): Promise<void> {
    await this.#free('release', node, tenant, id);
  }

  /** Ends the wait of a request; a slot it was given in the meantime is given back. */
  async leave(id: string, tenant: string): Promise<void> {
    await this.#free('leave', id, tenant);
  }

  async #free(...command: PendingRelease): Promise<void> {
    const [script, ...values] = command;
    await this.#store.run(script, ...values).catch(() => {
      // Beyond the limit, leases are left to expire.
      if (this.#pendingReleases.length < registryLimits.pendingReleases) this.#pendingReleases.push(command);
    });
  }

  /**
   * Holds a tracking id of a tenant, so that no other session of the tenant in the cluster can have it.
   * @param asks false when Valkey is known not to respond
   * @returns an object that gives the id back when disposed; undefined when another session has it. Without Valkey
   *   every id counts as free
   */
  async track(tenant: string, trackingId: string, asks: boolean): Promise<Disposable | undefined> {
    const name = `${tenant} ${trackingId}`;
    const holder = crypto.randomUUID();
    const asking = asks ? this.#store.run('track', registryLimits.leaseMs, name, holder) : undefined;
    const held = await asking?.catch(() => undefined);
    if (held === 0) return undefined;
    this.#tracked.set(name, holder);
    return {
      [Symbol.dispose]: () => {
        if (this.#tracked.get(name) === holder) this.#tracked.delete(name);
        void this.#free('untrack', name, holder);
      },
    };
  }

  /** Renews all leases, including those that Valkey has lost, and repeats the commands that failed before. */
  async renew(): Promise<void> {
    const owed = this.#pendingReleases.splice(0);
    for (const each of owed) await this.#free(...each);
    for (const some of chunks(this.#used)) {
      // A claim given back in the meantime must not be renewed.
      const claims = some.filter(([id]) => this.#used.has(id)).flatMap(([id, tenant]) => [tenant, id]);
      await this.#store.run('renew', this.#node, registryLimits.leaseMs, ...claims).catch(() => undefined);
    }
    for (const some of chunks(this.#tracked)) {
      const held = some.filter(([name, holder]) => this.#tracked.get(name) === holder).flat();
      await this.#store.run('track', registryLimits.leaseMs, ...held).catch(() => undefined);
    }
  }
}

/** Splits the entries into chunks, small enough that each blocks Valkey for only a millisecond or two. */
function chunks(all: ReadonlyMap<string, string>): [string, string][][] {
  const entries = [...all];
  const count = Math.ceil(entries.length / registryLimits.renewedAtOnce);
  return Array.from({ length: count }, (_, at) =>
    entries.slice(at * registryLimits.renewedAtOnce, (at + 1) * registryLimits.renewedAtOnce),
  );
}
