/**
 * Resolves hostnames with the system's own resolver, which knows the hosts file, search domains and name services. A
 * lookup occupies a thread until it ends and cannot be canceled. Concurrent lookups are therefore limited, in total and
 * per domain, so that neither unresponsive name servers nor a page that invents thousands of names delays others.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { now } from './machine.ts';
import { nameLookupsAtOnce } from './thread-pool.ts';

/**
 * Time in milliseconds after which a caller stops waiting for a name, just before the browser gives up on its proxy.
 */
const waitLimitMs = 9_000;
/** How long a result is reused, in milliseconds; a page opens several connections to a host at the same time. */
const keptMs = 2_000;
const keptAnswers = 1_000;
/** Maximum number of names of one domain that are looked up at the same time. */
const atOncePerDomain = 4;

interface Lookup {
  name: string;
  domain: string;
  /** Resolves with the addresses, in the system's order. */
  answer: PromiseWithResolvers<string[]>;
  /** Number of callers waiting for the result. */
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
   * @param lookup resolves a name to its addresses with the system's resolver
   * @param atOnce maximum number of concurrent lookups
   * @param limitMs longest wait for a result, in milliseconds
   */
  constructor(lookup = lookUp, atOnce = nameLookupsAtOnce(), limitMs = waitLimitMs) {
    this.#lookup = lookup;
    this.#atOnce = atOnce;
    this.#limitMs = limitMs;
  }

  /** Stops caching: a cached result reveals to one tenant that another has looked up the name. */
  keepNothing(): void {
    this.#keepMs = 0;
    this.#kept.clear();
  }

  /**
   * Returns all addresses of a name. Rejects with the resolver's error code, or `EAI_AGAIN` when there is no result in
   * time.
   */
  async resolve(host: string): Promise<string[]> {
    const name = host.toLowerCase();
    const kept = this.#kept.get(name);
    if (kept && kept.until > now()) return kept.addresses;
    const lookup = this.#running.get(name) ?? this.#queue.get(name) ?? this.#enqueue(name);
    lookup.waiting++;
    this.#begin();
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(timeoutError(host)), this.#limitMs);
    try {
      return await Promise.race([lookup.answer.promise, timeout]);
    } finally {
      clearTimeout(timer);
      // No caller is waiting any longer: the lookup need not start.
      if (--lookup.waiting === 0 && this.#queue.get(name) === lookup) this.#queue.delete(name);
    }
  }

  #enqueue(name: string): Lookup {
    const domain = name.replace(/\.$/, '').split('.').slice(-2).join('.');
    const lookup = { name, domain, answer: Promise.withResolvers<string[]>(), waiting: 0 };
    // All callers may have given up by the time it fails: avoid an unhandled rejection.
    lookup.answer.promise.catch(() => {});
    this.#queue.set(name, lookup);
    return lookup;
  }

  /** Starts queued lookups in order, except for domains that have reached their limit. */
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

function timeoutError(host: string): Error {
  return Object.assign(new Error(`the lookup of ${host} did not finish in time`), { code: 'EAI_AGAIN' });
}

/** The resolver of this server. */
export const names = new Names();
