/**
 * Tracks the leases that sessions on this server hold in Valkey: claims on slots, and tracking ids. Each expires some
 * time after its last renewal, so that a server that crashes leaves nothing behind.
 */
import { registryLimits } from '../../../base/limits.ts';
import type { Store } from './store.ts';

/** A lease on a slot of one server, counted against the limit of one tenant. */
export interface Claim {
  readonly id: string;
  readonly tenant: string;
  /** Name of the server that owns the slot. */
  readonly node: string;
}

type PendingRelease = readonly ['release' | 'untrack' | 'leave', ...string[]];

export class Leases {
  readonly #store: Store;
  readonly #node: string;
  /** Claims on this server's slots that local requests are using: claim id to tenant. */
  readonly #used = new Map<string, string>();
  /** Tracking ids held by local sessions: name to holder. */
  readonly #tracked = new Map<string, string>();

  /** Commands that could not be sent yet. */
  readonly #pendingReleases: PendingRelease[] = [];

  /** @param node the name of this server */
  constructor(store: Store, node: string) {
    this.#store = store;
    this.#node = node;
  }

  /** Number of claims that local requests are using. */
  get used(): number {
    return this.#used.size;
  }

  /**
   * Marks a claim on a slot of this server as used by a request.
   * @returns a Disposable that releases the claim
   */
  use({ id, tenant }: Pick<Claim, 'id' | 'tenant'>): Disposable {
    this.#used.set(id, tenant);
    return { [Symbol.dispose]: () => this.#used.delete(id) && void this.release({ id, tenant, node: this.#node }) };
  }

  /** Releases an unused claim. */
  async release({ id, tenant, node }: Claim): Promise<void> {
    await this.#free('release', node, tenant, id);
  }

  /** Stops a request from waiting, and releases any slot it was granted in the meantime. */
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
   * Holds a tracking id of a tenant, so that none of the tenant's other sessions in the cluster can use it.
   * @param queriesStore false when Valkey is known to be down
   * @returns a Disposable that releases the id; undefined when another session has it. Without Valkey, every id is
   *   treated as available
   */
  async track(tenant: string, trackingId: string, queriesStore: boolean): Promise<Disposable | undefined> {
    const name = `${tenant} ${trackingId}`;
    const holder = crypto.randomUUID();
    const asking = queriesStore ? this.#store.run('track', registryLimits.leaseMs, name, holder) : undefined;
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

  /** Renews all leases, including those that Valkey has lost, and retries the commands that failed earlier. */
  async renew(): Promise<void> {
    const pending = this.#pendingReleases.splice(0);
    for (const each of pending) await this.#free(...each);
    for (const some of chunks(this.#used)) {
      // A claim released in the meantime must not be renewed.
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
