/** Finds the servers in a cluster from URLs that the operator has listed: it asks each URL for the server's name. */
import { clusterLimits } from '../../base/limits.ts';
import { orAborted } from '../../base/runtime/deadline.ts';
import type { Nodes } from './nodes.ts';

export class ListedNodes implements Nodes {
  readonly #addresses: readonly URL[];
  readonly #ask: (address: URL, signal: AbortSignal) => Promise<string | undefined>;
  readonly #known = new Map<string, URL>();
  /** The current or last round of questions. */
  #asking: Promise<void> = Promise.resolve();
  /** The next round, not started yet. */
  #next: Promise<void> | undefined;
  #askedAt = -Infinity;

  /**
   * @param addresses the URLs of the other servers
   * @param ask requests the name of the server at a URL; undefined when there is none
   */
  constructor(addresses: readonly URL[], ask: (address: URL, signal: AbortSignal) => Promise<string | undefined>) {
    this.#addresses = addresses;
    this.#ask = ask;
  }

  others(): Promise<readonly URL[]> {
    return Promise.resolve(this.#addresses);
  }

  /** Unknown here: only the server's machine can report it, by refusing the connection. */
  hasLeft(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async addressOf(node: string, signal: AbortSignal): Promise<URL | undefined> {
    if (!this.#known.has(node)) {
      // Made-up ids must not cause a round of questions each: they wait together for the next round.
      this.#next ??= this.#askSoon();
      await orAborted(this.#next, signal);
    }
    return this.#known.get(node);
  }

  /** Asks all servers, at the earliest `askEveryMs` after the last round. */
  async #askSoon(): Promise<void> {
    await this.#asking;
    const waitMs = this.#askedAt + clusterLimits.askEveryMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    this.#askedAt = performance.now();
    this.#next = undefined;
    this.#asking = Promise.all(this.#addresses.map((address) => this.#askOne(address))).then(() => undefined);
    await this.#asking;
  }

  async #askOne(address: URL): Promise<void> {
    const name = await this.#ask(address, AbortSignal.timeout(clusterLimits.askMs)).catch(() => undefined);
    if (name === undefined) return;
    // A restarted server has a new name: its old ids are no longer valid.
    for (const [node, known] of this.#known) if (known.href === address.href) this.#known.delete(node);
    this.#known.set(name, address);
  }
}
