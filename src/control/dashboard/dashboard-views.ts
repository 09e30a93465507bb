/** Creates the live views that people open from the dashboard; opening one again returns the same link for a while. */
import { ServiceError } from '../../base/errors.ts';
import type { LiveView } from '../../sessions/live/live-view.ts';
import type { LiveViews } from '../../sessions/live/live-views.ts';
import { settingsOf } from '../../sessions/live/settings.ts';
import type { AttachableSession } from '../../sessions/lifecycle/session.ts';
import { mainPage } from './titles.ts';

/** How long a link works, in milliseconds; it is reused for half of that time. */
const linkMs = 3_600_000;

/** `act`: the person may interact with the page. */
export type ViewKind = 'watch' | 'act';

/** The views of one session. */
interface OfSession {
  /** The last view of each kind, from the moment it is requested: concurrent requests share it. */
  last: Map<ViewKind, Promise<LiveView>>;
  /** Views of pages that are no longer shown but were still being watched. */
  replaced: Set<LiveView>;
}

export class DashboardViews {
  readonly #live: LiveViews;
  readonly #bySession = new WeakMap<AttachableSession, OfSession>();

  constructor(live: LiveViews) {
    this.#live = live;
  }

  /** @throws ServiceError `session-not-found`, `bad-request` when the session has too many live views */
  open(session: AttachableSession, kind: ViewKind): Promise<LiveView> {
    const of = this.#bySession.get(session) ?? { last: new Map(), replaced: new Set() };
    this.#bySession.set(session, of);
    const opening = this.#open(session, of, kind);
    of.last.set(kind, opening);
    opening.catch(() => of.last.get(kind) === opening && of.last.delete(kind));
    return opening;
  }

  async #open(session: AttachableSession, of: OfSession, kind: ViewKind): Promise<LiveView> {
    const before = await of.last.get(kind)?.catch(() => undefined);
    const page = mainPage(session);
    if (!page) throw new ServiceError('session-not-found', 'The session has no page to watch.');
    if (before?.targetId === page.id && isFresh(before)) return before;
    // An old view of the same page expires on its own: people may have received its link a moment ago.
    if (before && before.targetId !== page.id) of.replaced.add(before);
    for (const view of of.replaced) {
      if (view.viewerCount > 0) continue;
      view.end('closed');
      of.replaced.delete(view);
    }
    const settings = settingsOf({
      timeout: linkMs,
      interactive: kind === 'act',
      // The program that controls the page keeps its viewport.
      resizable: false,
      showBrowserInterface: true,
      type: 'jpeg',
      quality: 70,
    });
    const view = await this.#live.open(session, page.id, settings, 'dashboard');
    if (view.outcome) throw new ServiceError('session-not-found', 'The page has been closed.');
    return view;
  }
}

function isFresh({ outcome, remainingMs }: LiveView): boolean {
  return outcome === undefined && remainingMs > linkMs / 2;
}
