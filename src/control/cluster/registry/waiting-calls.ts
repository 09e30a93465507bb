/** Calls of this server that wait for a slot of the cluster. */
import { MessageGap, StoreDown } from './store-down.ts';

/** One that waits, or has asked a moment ago. */
export interface WaitingCall extends Disposable {
  readonly id: string;
  /** The name of the server whose slot it has been given. It rejects with StoreDown or MessageGap. */
  readonly granted: Promise<string>;
  /** False until Valkey has said that it must wait. */
  waits: boolean;
}

interface Waiter {
  call: WaitingCall;
  /** By the clock of performance. */
  since: number;
  resolve(node: string): void;
  reject(error: StoreDown | MessageGap): void;
}

export class WaitingCalls {
  readonly #waiters = new Map<string, Waiter>();
  /** Called when there is none any more. */
  readonly #empty: (() => void)[] = [];

  /** How many Valkey has told to wait. */
  get count(): number {
    return [...this.#waiters.values()].filter(({ call }) => call.waits).length;
  }

  /** Those that have waited for so long, in milliseconds. */
  olderThan(ms: number): string[] {
    const since = performance.now() - ms;
    return [...this.#waiters].flatMap(([id, waiter]) => (waiter.call.waits && waiter.since < since ? [id] : []));
  }

  /** Resolves when there is none any more. */
  async whenEmpty(): Promise<void> {
    while (this.#waiters.size > 0) await new Promise<void>((resolve) => this.#empty.push(resolve));
  }

  /** A call is about to ask. Dispose it when it waits no more. */
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

  /** @returns false for a call that waits no more */
  grant(id: string, node: string): boolean {
    const waiter = this.#waiters.get(id);
    waiter?.resolve(node);
    return waiter !== undefined;
  }

  /** Valkey is gone. */
  giveUp(): void {
    for (const { reject } of this.#waiters.values()) reject(new StoreDown('Valkey is not reached'));
  }

  /** These may have missed a message. @param ids all when left out */
  askAgain(ids: readonly string[] = [...this.#waiters.keys()]): void {
    for (const id of ids) this.#waiters.get(id)?.reject(new MessageGap('it may have been lost'));
  }
}
