/** Tracks this server's requests that are waiting for a slot in the cluster. */
import { MessageGap, StoreDown } from './store-down.ts';

/** A request that waits, or has just asked for a slot. */
export interface WaitingCall extends Disposable {
  readonly id: string;
  /** The name of the server whose slot it was granted. Rejects with StoreDown or MessageGap. */
  readonly granted: Promise<string>;
  /** False until Valkey has responded that it must wait. */
  waits: boolean;
}

interface Waiter {
  call: WaitingCall;
  /** A `performance.now()` timestamp. */
  since: number;
  resolve(node: string): void;
  reject(error: StoreDown | MessageGap): void;
}

export class WaitingCalls {
  readonly #waiters = new Map<string, Waiter>();
  /** Called when no requests are left. */
  readonly #empty: (() => void)[] = [];

  /** The number of requests for which Valkey has responded that they must wait. */
  get count(): number {
    return [...this.#waiters.values()].filter(({ call }) => call.waits).length;
  }

  /** Ids of requests that have waited longer than this, in milliseconds. */
  olderThan(ms: number): string[] {
    const since = performance.now() - ms;
    return [...this.#waiters].flatMap(([id, waiter]) => (waiter.call.waits && waiter.since < since ? [id] : []));
  }

  /** Resolves when no requests are left. */
  async whenEmpty(): Promise<void> {
    while (this.#waiters.size > 0) await new Promise<void>((resolve) => this.#empty.push(resolve));
  }

  /** Adds a request that is about to ask for a slot. Dispose it when the request no longer waits. */
  begin(): WaitingCall {
    const id = crypto.randomUUID();
    const { promise: granted, resolve, reject } = Promise.withResolvers<string>();
    granted.catch(() => undefined);
    const end = () => {
      this.#waiters.delete(id);
      if (this.#waiters.size === 0) for (const each of this.#empty.splice(0)) each();
    };
    const call = { id, granted, waits: false, [Symbol.dispose]: end };
    this.#waiters.set(id, { call, since: performance.now(), resolve, reject });
    return call;
  }

  /** @returns false for a request that no longer waits */
  grant(id: string, node: string): boolean {
    const waiter = this.#waiters.get(id);
    waiter?.resolve(node);
    return waiter !== undefined;
  }

  /** Rejects all waiting requests: Valkey cannot be reached. */
  rejectAll(): void {
    for (const { reject } of this.#waiters.values()) reject(new StoreDown('Valkey cannot be reached'));
  }

  /** Makes requests that may have missed a message retry. @param ids the ids of the requests; all when omitted */
  retry(ids: readonly string[] = [...this.#waiters.keys()]): void {
    for (const id of ids) this.#waiters.get(id)?.reject(new MessageGap('a message may have been lost'));
  }
}
