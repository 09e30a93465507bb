/**
 * Resolves host names with the system's own resolver, which knows the hosts file, search domains and name services. A
 * look-up occupies a thread until it ends and cannot be cancelled. Concurrent look-ups are therefore limited, in total
 * and per domain: neither names whose servers do not answer nor a page that invents thousands of names delays others.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { now } from './machine.ts';
import { nameLookupsAtOnce } from './thread-pool.ts';

/** A caller stops waiting for a name after this time in milliseconds, just before the browser gives up on its proxy. */
const waitLimitMs = 9_000;
/** An answer is reused for this time in milliseconds: a page opens several connections to a host at once. */
const keptMs = 2_000;
const keptAnswers = 1_000;
/** Names of one domain that may be looked up at the same time. */
const atOncePerDomain = 4;

interface Lookup {
  name: string;
  domain: string;
  /** Resolves with the addresses, in the system's order. */
  answer: PromiseWithResolvers<string[]>;
  /** Number of callers that wait for the answer. */
  waiting: number;
}

export class Names {
  readonly #lookup: (name: string) => Promise<string[]>;
  readonly #atOnce: number;
  readonly #limitMs: number;
  readonly #running = new Map<string, Lookup>();
  readonly #queue = new Map<string, Lookup>();
  readonly #kept = new Map<string, { addresses: string[]; until: number }>();
  #keepMs = keptMs;

  /**
   * @param lookup the addresses of a name, as the system knows them
   * @param atOnce look-ups that may run at the same time
   * @param limitMs longest wait for an answer in milliseconds
   */
  constructor(lookup = lookUp, atOnce = nameLookupsAtOnce(), limitMs = waitLimitMs) {
    this.#lookup = lookup;
    this.#atOnce = atOnce;
    this.#limitMs = limitMs;
  }

  /** Stops caching: a cached answer reveals to one tenant that another has looked up the name. */
  keepNothing(): void {
    this.#keepMs = 0;
    this.#kept.clear();
  }

  /**
   * All addresses of a name. Rejects with the resolver's error code, or `EAI_AGAIN` when there is no answer in time.
   */
  async resolve(host: string): Promise<string[]> {
    const name = host.toLowerCase();
    const kept = this.#kept.get(name);
    if (kept && kept.until > now()) return kept.addresses;
    const lookup = this.#running.get(name) ?? this.#queue.get(name) ?? this.#enqueue(name);
    lookup.waiting++;
    this.#begin();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(noAnswer(host)), this.#limitMs);
    try {
      return await Promise.race([lookup.answer.promise, late]);
    } finally {
      clearTimeout(timer);
      // No caller waits any more: the look-up need not start.
      if (--lookup.waiting === 0 && this.#queue.get(name) === lookup) this.#queue.delete(name);
    }
  }

  #enqueue(name: string): Lookup {
    const domain = name.replace(/\.$/, '').split('.').slice(-2).join('.');
    const lookup = { name, domain, answer: Promise.withResolvers<string[]>(), waiting: 0 };
    // All callers may have given up when it fails: no unhandled rejection then.
    lookup.answer.promise.catch(() => {});
    this.#queue.set(name, lookup);
    return lookup;
  }

  /** Starts queued look-ups in order, except those of domains that have reached their limit. */
  #begin(): void {
    for (const lookup of this.#queue.values()) {
      if (this.#running.size >= this.#atOnce) return;
      const siblings = [...this.#running.values()].filter(({ domain }) => domain === lookup.domain).length;
      if (siblings >= Math.min(atOncePerDomain, Math.ceil(this.#atOnce / 2))) continue;
      this.#queue.delete(lookup.name);
      this.#running.set(lookup.name, lookup);
      void this.#run(lookup);
    }
  }

  async #run({ name, answer }: Lookup): Promise<void> {
    try {
      const addresses = await this.#lookup(name);
      this.#keep(name, addresses);
      answer.resolve(addresses);
    } catch (error) {
      answer.reject(error);
    } finally {
      this.#running.delete(name);
      this.#begin();
    }
  }

  #keep(name: string, addresses: string[]): void {
    if (this.#keepMs === 0) return;
    this.#kept.delete(name);
    this.#kept.set(name, { addresses, until: now() + this.#keepMs });
    if (this.#kept.size > keptAnswers) this.#kept.delete(this.#kept.keys().next().value ?? '');
  }
}

async function lookUp(name: string): Promise<string[]> {
  const found = await systemLookup(name, { all: true });
  return found.map(({ address }) => address);
}

function noAnswer(host: string): Error {
  return Object.assign(new Error(`no answer to the look-up of ${host} in time`), { code: 'EAI_AGAIN' });
}

/** The names of this server. */
export const names = new Names();

/** All addresses of a name, in the system's order. Rejects with the resolver's error code. */
export function resolveName(host: string): Promise<string[]> {
  return names.resolve(host);
}
