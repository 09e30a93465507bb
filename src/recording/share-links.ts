/**
 * Keeps the links with which people play recordings without a token: in memory, so a restart of the server ends them.
 * Whoever has the id of a link has the recording.
 */
import { ServiceError } from '../errors.ts';
import { shareLimits } from '../limits.ts';
import { makeKey } from '../runtime/bytes.ts';

export interface ShareLink {
  /** The key. */
  id: string;
  /** Id of the recording. */
  recording: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

interface KeptLink extends ShareLink {
  /** True for one that was made on the way to the player: its address was given to nobody. */
  isVisit: boolean;
}

export class ShareLinks {
  /** In the order of their making. */
  readonly #links = new Map<string, KeptLink>();

  /** @throws ServiceError `bad-request` when there are too many */
  share(recording: string, timeoutMs: number): ShareLink {
    this.#dropExpired();
    const links = [...this.#links.values()].filter(({ isVisit }) => !isVisit);
    if (links.filter((link) => link.recording === recording).length >= shareLimits.ofRecording) {
      throw new ServiceError(
        'bad-request',
        `A recording can have ${shareLimits.ofRecording} links. End one with DELETE /recordings/<id>/share/<shareId>.`,
      );
    }
    if (links.length >= shareLimits.inAll) {
      throw new ServiceError(
        'bad-request',
        `The server keeps ${shareLimits.inAll} links to recordings. End one with DELETE /recordings/<id>/share/<shareId>.`,
      );
    }
    return this.#make(recording, timeoutMs, false);
  }

  /** A link for whoever opens the player now; the oldest of these go for it. */
  visit(recording: string): ShareLink {
    this.#dropExpired();
    const visits = [...this.#links.values()].filter(({ isVisit }) => isVisit);
    const own = visits.filter((link) => link.recording === recording);
    const oldest =
      own.length >= shareLimits.visits ? own[0] : visits.length >= shareLimits.inAll ? visits[0] : undefined;
    if (oldest) this.#links.delete(oldest.id);
    return this.#make(recording, shareLimits.usualMs, true);
  }

  /** By its whole id; undefined for one that is unknown or has ended. */
  find(id: string): ShareLink | undefined {
    const link = this.#links.get(id);
    return link && link.expiresAt > Date.now() ? link : undefined;
  }

  /** @returns false when the recording has no link with this id that works */
  end(recording: string, id: string): boolean {
    return this.find(id)?.recording === recording && this.#links.delete(id);
  }

  /** Ends the links of a recording that has been removed. */
  forget(recording: string): void {
    for (const link of this.#links.values()) if (link.recording === recording) this.#links.delete(link.id);
  }

  #make(recording: string, timeoutMs: number, isVisit: boolean): ShareLink {
    const link: KeptLink = { id: makeKey(), recording, expiresAt: Date.now() + timeoutMs, isVisit };
    this.#links.set(link.id, link);
    return link;
  }

  #dropExpired(): void {
    const now = Date.now();
    for (const { id, expiresAt } of this.#links.values()) if (expiresAt <= now) this.#links.delete(id);
  }
}
