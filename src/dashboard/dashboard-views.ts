/** Makes the live views that people open from the dashboard; who opens one again gets the same link for a while. */
import { ServiceError } from '../errors.ts';
import type { LiveView } from '../live/live-view.ts';
import type { LiveViews } from '../live/live-views.ts';
import { settingsOf } from '../live/settings.ts';
import type { AttachableSession } from '../sessions/session.ts';
import { mainPage } from './main-page.ts';

/** A link works for this long, and is given out again for half of it, in milliseconds. */
const linkMs = 3_600_000;

/** `act`: the person may act in the page. */
export type ViewKind = 'watch' | 'act';

export class DashboardViews {
  readonly #live: LiveViews;
  readonly #last = new WeakMap<AttachableSession, Partial<Record<ViewKind, LiveView>>>();

  constructor(live: LiveViews) {
    this.#live = live;
  }

  /** @throws ServiceError `session-not-found`, `bad-request` when the session has too many live views */
  async open(session: AttachableSession, kind: ViewKind): Promise<LiveView> {
    const page = mainPage(session);
    if (!page) throw new ServiceError('session-not-found', 'The session has no page to watch.');
    const last = this.#last.get(session) ?? {};
    const before = last[kind];
    if (before && isFresh(before) && before.targetId === page.id) return before;
    const settings = settingsOf({
      timeout: linkMs,
      interactive: kind === 'act',
      // The program that drives the page keeps its viewport.
      resizable: false,
      showBrowserInterface: true,
      type: 'jpeg',
      quality: 70,
    });
    const view = await this.#live.open(session, page.id, settings);
    if (view.outcome) throw new ServiceError('session-not-found', 'The page has been closed.');
    this.#last.set(session, { ...last, [kind]: view });
    return view;
  }
}

function isFresh({ outcome, expiresAt = 0 }: LiveView): boolean {
  return outcome === undefined && expiresAt - Date.now() > linkMs / 2;
}
