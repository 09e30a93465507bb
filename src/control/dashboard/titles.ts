/**
 * Caches the titles of the pages that sessions show. Chromium does not push title changes made after load, so each
 * browser is polled every few seconds, one request at a time.
 */
import { dashboardLimits } from '../../base/limits.ts';
import type { AttachableSession } from '../../sessions/lifecycle/session.ts';
import type { ListedPage } from '../../sessions/lifecycle/targets.ts';

/** How long a title is reused, in milliseconds; after a navigation it is refreshed at the next check. */
const refreshMs = 2_000;
/** Time per session when there are many, in milliseconds: at most ten requests a second in total. */
const refreshMsPerSession = 100;

interface CachedTitle {
  page: string;
  address: string;
  title: string;
  requestedAt: number;
  isPending: boolean;
}

export class Titles {
  /** The number of sessions whose titles are requested. */
  sessions = 0;
  readonly #known = new WeakMap<AttachableSession, CachedTitle>();

  /**
   * The last known title of a session's page, otherwise its URL; empty if there is no page. Also requests a fresh
   * title.
   */
  of(session: AttachableSession): string {
    const page = mainPage(session);
    if (!page || session.hidden) return '';
    const { id, address } = page;
    const before = this.#known.get(session);
    const isSame = before?.page === id && before.address === address;
    const known =
      before && isSame ? before : { page: id, address, title: '', requestedAt: -Infinity, isPending: false };
    if (!isSame) this.#known.set(session, known);
    if (!known.isPending && performance.now() - known.requestedAt >= this.#refreshMs)
      void this.#refresh(session, known);
    return known.title || address;
  }

  get #refreshMs(): number {
    return Math.max(refreshMs, this.sessions * refreshMsPerSession);
  }

  async #refresh({ process }: AttachableSession, known: CachedTitle): Promise<void> {
    known.isPending = true;
    try {
      const { targetInfo } = await process.connection.root.send('Target.getTargetInfo', { targetId: known.page });
      known.title = targetInfo.title.slice(0, dashboardLimits.titleCharacters);
    } catch {
      // The page or its browser was closed.
    }
    known.requestedAt = performance.now();
    known.isPending = false;
  }
}

/** The page opened last that is not empty, otherwise the last page; undefined when there is none. */
export function mainPage({ targets }: AttachableSession): ListedPage | undefined {
  const { pages } = targets;
  return pages.findLast(({ address }) => address !== 'about:blank' && address !== '') ?? pages.at(-1);
}
