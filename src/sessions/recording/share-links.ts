/**
 * Manages the links that let people play recordings without a token. They are kept in memory, so a server restart
 * invalidates them. The id of a link is all that is needed to access the recording.
 */
import { ServiceError } from '../../base/errors.ts';
import { shareLimits } from '../../base/limits.ts';
import type { Ids } from '../../base/runtime/ids.ts';
import type { RecordingMeta } from './meta.ts';
import { now } from '../../base/runtime/machine.ts';

export interface ShareLink {
  /** The key. */
  id: string;
  /** Id of the recording. */
  recording: string;
  /** Epoch milliseconds, for display. */
  expiresAt: number;
}

/** The recording that a link leads to. */
type Shared = Pick<RecordingMeta, 'id' | 'account'>;

interface StoredLink extends ShareLink {
  /** Expiry time on the clock `now`. */
  endsAt: number;
  /** Account that the recording belongs to. */
  account: string;
  /** True for a link that was created when opening the player: its URL was not given to anyone. */
  isVisit: boolean;
}

export class ShareLinks {
  /** In the order of creation. */
  readonly #links = new Map<string, StoredLink>();
  readonly #ids: Ids;
  readonly #inAll: number;

  /** @param maxLinks maximum number of shared links, and separately of visit links */
  constructor(ids: Ids, maxLinks: number = shareLimits.inAll) {
    this.#ids = ids;
    this.#inAll = maxLinks;
  }

  /**
   * Creates a link. At the server's limit, the account with the most links loses its oldest one, unless the requesting
   * account has (almost) as many.
   * @throws ServiceError `bad-request` when there are too many
   */
  share(recording: Shared, timeoutMs: number): ShareLink {
    this.#dropExpired();
    const links = [...this.#links.values()].filter(({ isVisit }) => !isVisit);
    if (links.filter((link) => link.recording === recording.id).length >= shareLimits.ofRecording) {
      throw new ServiceError(
        'bad-request',
        `A recording can have at most ${shareLimits.ofRecording} links. Delete one with DELETE /recordings/<id>/share/<shareId>.`,
      );
    }
    if (links.length >= this.#inAll) {
      const most = linksOfBusiestAccount(links);
      const own = links.filter(({ account }) => account === recording.account);
      // With the new link, the requesting account must not become the next one to lose a link.
      if (most[0] && own.length + 1 < most.length) this.#links.delete(most[0].id);
      else
        throw new ServiceError(
          'bad-request',
          `The server keeps at most ${this.#inAll} links to recordings. Delete one with DELETE /recordings/<id>/share/<shareId>.`,
        );
    }
    return this.#make(recording, timeoutMs, false);
  }

  /**
   * Creates a link for opening the player. At a limit, removes the oldest such link of the recording or of the busiest
   * account.
   */
  visit(recording: Shared): ShareLink {
    this.#dropExpired();
    const visits = [...this.#links.values()].filter(({ isVisit }) => isVisit);
    const own = visits.filter((link) => link.recording === recording.id);
    const oldest =
      own.length >= shareLimits.visits
        ? own[0]
        : visits.length >= this.#inAll
          ? linksOfBusiestAccount(visits)[0]
          : undefined;
    if (oldest) this.#links.delete(oldest.id);
    return this.#make(recording, shareLimits.defaultMs, true);
  }

  /** Finds a link by its full id; undefined when it is unknown or no longer valid. */
  find(id: string): ShareLink | undefined {
    const link = this.#links.get(id);
    return link && link.endsAt > now() ? link : undefined;
  }

  /** Ends a link. @returns false when the recording has no active link with this id */
  end(recording: string, id: string): boolean {
    return this.find(id)?.recording === recording && this.#links.delete(id);
  }

  /** Ends the links of a recording that has been removed. */
  forget(recording: string): void {
    for (const link of this.#links.values()) if (link.recording === recording) this.#links.delete(link.id);
  }

  #make({ id: recording, account }: Shared, timeoutMs: number, isVisit: boolean): ShareLink {
    const link: StoredLink = {
      id: this.#ids.makeKey(),
      recording,
      account,
      expiresAt: Date.now() + timeoutMs,
      endsAt: now() + timeoutMs,
      isVisit,
    };
    this.#links.set(link.id, link);
    return link;
  }

  #dropExpired(): void {
    const time = now();
    for (const { id, endsAt } of this.#links.values()) if (endsAt <= time) this.#links.delete(id);
  }
}

/** The links of the account that has the most, oldest first. */
function linksOfBusiestAccount(links: readonly StoredLink[]): readonly StoredLink[] {
  const accounts = Map.groupBy(links, ({ account }) => account);
  return [...accounts.values()].reduce((most, each) => (each.length > most.length ? each : most), []);
}
