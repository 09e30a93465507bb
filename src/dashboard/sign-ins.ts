/** Keeps who is signed in to the dashboard, in memory: a restart signs everybody out. */
import { dashboardLimits } from '../limits.ts';
import { toBase64Url } from '../runtime/bytes.ts';

/** 256 bits cannot be guessed. */
const idBytes = 32;

export interface SignIn {
  /** The secret of the cookie. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Aborted when the person signs out, or when too many others have signed in. */
  readonly ended: AbortSignal;
}

interface Kept extends SignIn {
  end(): void;
}

export class SignIns {
  /** By their ids, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #clock: () => number;

  /** @param clock epoch milliseconds */
  constructor(clock: () => number = Date.now) {
    this.#clock = clock;
  }

  begin(): SignIn {
    for (const { id, expiresAt } of this.#kept.values()) if (expiresAt <= this.#clock()) this.end(id);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= dashboardLimits.signIns) this.end(oldest);
    const ending = new AbortController();
    const kept: Kept = {
      id: toBase64Url(crypto.getRandomValues(new Uint8Array(idBytes))),
      expiresAt: this.#clock() + dashboardLimits.signInMs,
      ended: ending.signal,
      end: () => ending.abort(),
    };
    this.#kept.set(kept.id, kept);
    return kept;
  }

  /** Undefined for an id that is unknown, or whose time is over. */
  find(id: string): SignIn | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.expiresAt > this.#clock()) return kept;
    this.end(id);
    return undefined;
  }

  /** Signs out; does nothing for an id that is unknown. */
  end(id: string): void {
    this.#kept.get(id)?.end();
    this.#kept.delete(id);
  }
}
