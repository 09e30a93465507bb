/**
 * Detects servers in the cluster that stop responding while requests wait for them: a machine that is frozen or cut off
 * keeps its connections open.
 */
import { clusterLimits } from '../../base/limits.ts';

/** A request that waits for a server; disposed when the wait ends. */
export interface Watching extends Disposable {
  /** Aborted when the server stops responding. */
  readonly lost: AbortSignal;
}

interface Watched {
  readonly waiting: Set<AbortController>;
  readonly timer: ReturnType<typeof setInterval>;
}

export class NodeWatch {
  readonly #isThere: (address: URL, signal: AbortSignal) => Promise<boolean>;
  readonly #watched = new Map<string, Watched>();

  /** @param isThere checks whether a server responds */
  constructor(isThere: (address: URL, signal: AbortSignal) => Promise<boolean>) {
    this.#isThere = isThere;
  }

  begin(address: URL): Watching {
    const watched = this.#watched.get(address.href) ?? this.#start(address);
    const lost = new AbortController();
    watched.waiting.add(lost);
    return {
      lost: lost.signal,
      [Symbol.dispose]: () => {
        if (!watched.waiting.delete(lost) || watched.waiting.size > 0) return;
        clearInterval(watched.timer);
        if (this.#watched.get(address.href) === watched) this.#watched.delete(address.href);
      },
    };
  }

  #start(address: URL): Watched {
    let [asking, missed] = [false, 0];
    const check = async () => {
      if (asking) return;
      asking = true;
      const limit = AbortSignal.timeout(clusterLimits.askMs);
      missed = (await this.#isThere(address, limit).catch(() => false)) ? 0 : missed + 1;
      asking = false;
      if (missed < clusterLimits.missedAnswers) return;
      for (const each of watched.waiting) each.abort(new Error(`${address.origin} is not responding`));
    };
    const timer = setInterval(() => void check(), clusterLimits.watchEveryMs);
    timer.unref();
    const watched: Watched = { waiting: new Set(), timer };
    this.#watched.set(address.href, watched);
    return watched;
  }
}
