/** Keeps the sign-ins to the dashboard in memory: a restart signs everyone out. */
import { dashboardLimits } from '../../base/limits.ts';
import type { Ids } from '../../base/runtime/ids.ts';
import { now } from '../../base/runtime/machine.ts';

export interface SignIn {
  /** The secret in the cookie. */
  readonly id: string;
  /** Name of the account whose token was used; empty for the operator. */
  readonly owner: string;
  /** Hash of that token: the sign-in ends with this token, even if the account has others. */
  readonly tokenHash: string;
  /** Time on the clock `now`. */
  readonly endsAt: number;
  /** Aborted when the person signs out, or when too many others have signed in. */
  readonly ended: AbortSignal;
}

interface ActiveSignIn extends SignIn {
  end(): void;
}

export class SignIns {
  /** Sign-ins by id, the oldest first. */
  readonly #signIns = new Map<string, ActiveSignIn>();
  readonly #ids: Ids;
  readonly #clock: () => number;

  /** @param clock returns a time in milliseconds that never goes back */
  constructor(ids: Ids, clock: () => number = now) {
    this.#ids = ids;
    this.#clock = clock;
  }

  /** Signs in. At the limit, the oldest sign-in of the account with the most sign-ins is revoked. */
  begin({ owner, tokenHash }: Pick<SignIn, 'owner' | 'tokenHash'>): SignIn {
    for (const { id, endsAt } of this.#signIns.values()) if (endsAt <= this.#clock()) this.end(id);
    if (this.#signIns.size >= dashboardLimits.signIns) this.#makeRoom();
    const ending = new AbortController();
    const kept: ActiveSignIn = {
      id: this.#ids.makeSecret(),
      owner,
      tokenHash,
      endsAt: this.#clock() + dashboardLimits.signInMs,
      ended: ending.signal,
      end: () => ending.abort(),
    };
    this.#signIns.set(kept.id, kept);
    return kept;
  }

  #makeRoom(): void {
    const byOwner = Map.groupBy(this.#signIns.values(), ({ owner }) => owner);
    const [most = []] = [...byOwner.values()].toSorted((a, b) => b.length - a.length);
    const [oldest] = most;
    if (oldest) this.end(oldest.id);
  }

  /** Undefined for an id that is unknown or has expired. */
  find(id: string): SignIn | undefined {
    const kept = this.#signIns.get(id);
    if (kept === undefined || kept.endsAt > this.#clock()) return kept;
    this.end(id);
    return undefined;
  }

  /** Signs out; does nothing for an unknown id. */
  end(id: string): void {
    this.#signIns.get(id)?.end();
    this.#signIns.delete(id);
  }
}
