/**
 * What sessions of this server hold in Valkey: claims on slots, and tracking ids. Each ends by itself some time after it
 * was renewed last, so that a server that dies takes nothing with it.
 */
import { registryLimits } from '../../../base/limits.ts';
import type { Store } from './store.ts';

/** A lease on a slot of one server, and on a place of one tenant. */
export interface Claim {
  readonly id: string;
  readonly tenant: string;
  /** Name of the server whose slot it is. */
  readonly node: string;
}

type Owed = readonly ['release' | 'untrack' | 'leave', ...string[]];

export class Leases {
  readonly #store: Store;
  readonly #node: string;
  /** Claims on slots of this server that calls here use: tenants by ids. */
  readonly #used = new Map<string, string>();
  /** Tracking ids of sessions here: who holds them by their names. */
  readonly #tracked = new Map<string, string>();

  /** What could not be given back yet. */
  readonly #owed: Owed[] = [];

  /** @param node name of this server */
  constructor(store: Store, node: string) {
    this.#store = store;
    this.#node = node;
  }

  /** Claims that calls here use. */
  get used(): number {
    return this.#used.size;
  }

  /** A call here uses a claim on a slot of this server. @returns gives the claim back */
  use({ id, tenant }: Pick<Claim, 'id' | 'tenant'>): Disposable {
    this.#used.set(id, tenant);
    return { [Symbol.dispose]: () => this.#used.delete(id) && void this.giveBack({ id, tenant, node: this.#node }) };
  }

  async giveBack({ id, tenant, node }: Claim): Promise<void> {
    await this.#free('release', node, tenant, id);
  }

  /** A call waits no more; if it has been given a slot meanwhile, that is given back. */
  async leave(id: string, tenant: string): Promise<void> {
    await this.#free('leave', id, tenant);
  }

  async #free(...command: Owed): Promise<void> {
    const [script, ...values] = command;
    await this.#store.run(script, ...values).catch(() => {
      // More end by themselves.
      if (this.#owed.length < registryLimits.owed) this.#owed.push(command);
    });
  }

  /**
   * Holds a tracking id of a tenant, which no other session of the tenant in the cluster has then.
   * @param asks false when it is known that Valkey does not answer
   * @returns gives it back; undefined when another session has it. Without Valkey every one is free
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

  /** Renews all, also what Valkey has lost, and gives back what it could not give back before. */
  async renew(): Promise<void> {
    const owed = this.#owed.splice(0);
    for (const each of owed) await this.#free(...each);
    for (const some of chunks(this.#used)) {
      // What was given back meanwhile must not come back.
      const claims = some.filter(([id]) => this.#used.has(id)).flatMap(([id, tenant]) => [tenant, id]);
      await this.#store.run('renew', this.#node, registryLimits.leaseMs, ...claims).catch(() => undefined);
    }
    for (const some of chunks(this.#tracked)) {
      const held = some.filter(([name, holder]) => this.#tracked.get(name) === holder).flat();
      await this.#store.run('track', registryLimits.leaseMs, ...held).catch(() => undefined);
    }
  }
}

/** Entries, so few at a time that Valkey does nothing else for a millisecond or two. */
function chunks(all: ReadonlyMap<string, string>): [string, string][][] {
  const entries = [...all];
  const count = Math.ceil(entries.length / registryLimits.renewedAtOnce);
  return Array.from({ length: count }, (_, at) =>
    entries.slice(at * registryLimits.renewedAtOnce, (at + 1) * registryLimits.renewedAtOnce),
  );
}
