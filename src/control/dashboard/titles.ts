/**
 * Knows the titles of the pages that sessions show. Chromium tells of a title that a page sets later only when it is
 * asked: each browser is, every few seconds, one question at a time.
 */
import { dashboardLimits } from '../../base/limits.ts';
import type { AttachableSession } from '../../sessions/lifecycle/session.ts';
import { mainPage } from './main-page.ts';

/** A title is asked for again after so many milliseconds; that of another page at the next look. */
const everyMs = 2_000;
/** With many sessions less often: ten questions a second in all. */
const eachMs = 100;

interface Known {
  page: string;
  address: string;
  title: string;
  askedAt: number;
  isAsking: boolean;
}

export class Titles {
  /** How many sessions are asked. */
  sessions = 0;
  readonly #known = new WeakMap<AttachableSession, Known>();

  /** The last known title of a session's page, otherwise its address; empty without a page. Asks for a newer one. */
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
      // The page has closed, or its browser.
    }
    known.askedAt = performance.now();
    known.isAsking = false;
  }
}
