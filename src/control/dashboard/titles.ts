/**
 * Caches the titles of the pages that sessions show. Chromium does not push title changes made after load, so each
 * browser is polled every few seconds, one request at a time.
 */
import { dashboardLimits } from '../../base/limits.ts';
import type { AttachableSession } from '../../sessions/lifecycle/session.ts';
import { mainPage } from './main-page.ts';

/** How long a title is reused, in milliseconds; after a navigation it is refreshed at the next check. */
const everyMs = 2_000;
/** Time per session when there are many, in milliseconds: at most ten requests a second in total. */
const eachMs = 100;

interface Known {
  page: string;
  address: string;
  title: string;
  askedAt: number;
  isAsking: boolean;
}

export class Titles {
  /** The number of sessions whose titles are requested. */
  sessions = 0;
  readonly #known = new WeakMap<AttachableSession, Known>();

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
    const known = before && isSame ? before : { page: id, address, title: '', askedAt: -Infinity, isAsking: false };
    if (!isSame) this.#known.set(session, known);
    if (!known.isAsking && performance.now() - known.askedAt >= this.#everyMs) void this.#ask(session, known);
    return known.title || address;
  }

  get #everyMs(): number {
    return Math.max(everyMs, this.sessions * eachMs);
  }

  async #ask({ process }: AttachableSession, known: Known): Promise<void> {
    known.isAsking = true;
    try {
      const { targetInfo } = await process.connection.root.send('Target.getTargetInfo', { targetId: known.page });
      known.title = targetInfo.title.slice(0, dashboardLimits.titleCharacters);
    } catch {
      // The page or its browser was closed.
    }
    known.askedAt = performance.now();
    known.isAsking = false;
  }
}
