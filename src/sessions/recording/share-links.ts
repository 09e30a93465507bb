/**
 * Keeps the links with which people play recordings without a token: in memory, so a restart of the server ends them.
 * Whoever has the id of a link has the recording.
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
  /** Epoch milliseconds, to be shown. */
  expiresAt: number;
}

/** What a link leads to. */
type Shared = Pick<RecordingMeta, 'id' | 'account'>;

interface KeptLink extends ShareLink {
  /** The end on the clock `now`. */
  endsAt: number;
  /** To whom the recording belongs. */
  account: string;
  /** True for one that was made on the way to the player: its address was given to nobody. */
  isVisit: boolean;
}

export class ShareLinks {
  /** In the order of their making. */
  readonly #links = new Map<string, KeptLink>();
  readonly #ids: Ids;
  readonly #inAll: number;

  /** @param inAll most links, and most of those that are visits */
  constructor(ids: Ids, inAll: number = shareLimits.inAll) {
    this.#ids = ids;
    this.#inAll = inAll;
  }

  /**
   * When the server keeps as many links as it may, the account that has the most loses its oldest one, unless it is
   * (almost) the one that asks.
   * @throws ServiceError `bad-request` when there are too many
   */
  share(recording: Shared, timeoutMs: number): ShareLink {
    this.#dropExpired();
    const links = [...this.#links.values()].filter(({ isVisit }) => !isVisit);
    if (links.filter((link) => link.recording === recording.id).length >= shareLimits.ofRecording) {
      throw new ServiceError(
        'bad-request',
        `A recording can have ${shareLimits.ofRecording} links. End one with DELETE /recordings/<id>/share/<shareId>.`,
      );
    }
    if (links.length >= this.#inAll) {
      const most = ofBusiest(links);
      const own = links.filter(({ account }) => account === recording.account);
      // With a link more it must not be the next to lose one.
      if (most[0] && own.length + 1 < most.length) this.#links.delete(most[0].id);
      else
        throw new ServiceError(
          'bad-request',
          `The server keeps ${this.#inAll} links to recordings. End one with DELETE /recordings/<id>/share/<shareId>.`,
        );
    }
    return this.#make(recording, timeoutMs, false);
  }

  /** A link for whoever opens the player now; the oldest of these go for it, of the recording or of the busiest account. */
  visit(recording: Shared): ShareLink {
    this.#dropExpired();
    const visits = [...this.#links.values()].filter(({ isVisit }) => isVisit);
    const own = visits.filter((link) => link.recording === recording.id);
    const oldest =
      own.length >= shareLimits.visits ? own[0] : visits.length >= this.#inAll ? ofBusiest(visits)[0] : undefined;
    if (oldest) this.#links.delete(oldest.id);
    return this.#make(recording, shareLimits.usualMs, true);
  }

  /** By its whole id; undefined for one that is unknown or has ended. */
  find(id: string): ShareLink | undefined {
    const link = this.#links.get(id);
    return link && link.endsAt > now() ? link : undefined;
  }

  /** @returns false when the recording has no link with this id that works */
  end(recording: string, id: string): boolean {
    return this.find(id)?.recording === recording && this.#links.delete(id);
  }

  /** Ends the links of a recording that has been removed. */
  forget(recording: string): void {
    for (const link of this.#links.values()) if (link.recording === recording) this.#links.delete(link.id);
  }

  #make({ id: recording, account }: Shared, timeoutMs: number, isVisit: boolean): ShareLink {
    const link: KeptLink = {
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

/** The links of the account that has the most, the oldest first. */
function ofBusiest(links: readonly KeptLink[]): readonly KeptLink[] {
  const accounts = Map.groupBy(links, ({ account }) => account);
  return [...accounts.values()].reduce((most, each) => (each.length > most.length ? each : most), []);
}
