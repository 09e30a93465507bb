/** Keeps the live views of all sessions: by their ids, which are keys, and the ended ones until their browser ends. */
import type { Log } from '../../base/telemetry/log.ts';
import { ServiceError } from '../../base/errors.ts';
import { liveViewLimits } from '../../base/limits.ts';
import type { Ids } from '../../base/runtime/ids.ts';
import type { AttachableSession } from '../lifecycle/session.ts';
import type { LiveView, LiveViewOwner } from './live-view.ts';
import type { LiveViewSettings } from './settings.ts';
import { PageSessions } from './page/page-sessions.ts';

export interface LiveViewsOptions {
  ids: Ids;
  /** How many people may watch one live view at a time. */
  maxViewers: number;
  /** Bytes that the files which a person gives a page at once may have together. */
  maxUploadBytes: number;
  /** Whether an address may be opened. */
  mayOpen(address: string): boolean;
  log: Log;
}

/** Live views that one session may have at a time. */
const mostViews: Readonly<Record<LiveViewOwner, number>> = {
  client: liveViewLimits.views,
  dashboard: liveViewLimits.dashboardViews,
};

/** What is kept for one session. */
interface OfSession {
  /** Directories of files that its pages have got, the oldest first. */
  delivered: string[];
  sessions: PageSessions;
  /** Live ones and ended ones, in the order of their beginning. */
  views: Map<string, LiveView>;
  listeners: Set<(view: LiveView) => void>;
}

export class LiveViews {
  readonly #options: LiveViewsOptions;
  readonly #byId = new Map<string, LiveView>();
  readonly #bySession = new Map<AttachableSession, OfSession>();

  constructor(options: LiveViewsOptions) {
    this.#options = options;
  }

  /**
   * Makes a live view of a page; one that has ended already when the page is not there.
   * @param owner each has a limit of its own
   * @throws ServiceError `bad-request` when the session has too many, `session-not-found` when it is ending
   */
  async open(
    session: AttachableSession,
    targetId: string,
    settings: LiveViewSettings,
    owner: LiveViewOwner = 'client',
  ): Promise<LiveView> {
    // Most servers start long before somebody watches.
    const { LiveView: View } = await import('./live-view.ts');
    if (session.hidden) {
      throw new ServiceError(
        'bad-request',
        'loadSecret has filled a secret into this browser: nobody can watch it any more.',
      );
    }
    if (session.life.ending) throw new ServiceError('session-not-found', 'The session is ending.');
    const of = this.#of(session);
    const live = [...of.views.values()].filter((view) => view.outcome === undefined && view.owner === owner);
    if (live.length >= mostViews[owner]) throw tooMany(owner);
    const id = this.#options.ids.makeKey();
    const view = new View({
      ...settings,
      ...this.#options,
      id,
      owner,
      session,
      sessions: of.sessions,
      delivered: of.delivered,
      targetId,
      ended: (ended) => this.#ended(of, ended),
    });
    of.views.set(id, view);
    this.#byId.set(id, view);
    await view.start();
    return view;
  }

  /** By its whole id; undefined for one that is unknown or has ended. */
  find(id: string): LiveView | undefined {
    return this.#byId.get(id);
  }

  /** One of a session, also when it has ended. */
  ofSession(session: AttachableSession, id: string): LiveView | undefined {
    return this.#bySession.get(session)?.views.get(id);
  }

  /** How many people watch pages of a session now. */
  viewersOf(session: AttachableSession): number {
    const views = this.#bySession.get(session)?.views.values() ?? [];
    return [...views].reduce((sum, { viewerCount }) => sum + viewerCount, 0);
  }

  /** Ends all of a session. */
  closeAll(session: AttachableSession): void {
    for (const view of this.#bySession.get(session)?.views.values() ?? []) view.end('closed');
  }

  /** Ends one of a session. @returns false when it has none with this id that works */
  close(session: AttachableSession, id: string): boolean {
    const view = this.ofSession(session, id);
    if (!view || view.outcome) return false;
    view.end('closed');
    return true;
  }

  /** Calls the listener with each live view of a session's clients that ends, until the returned function is called. */
  onEnded(session: AttachableSession, listener: (view: LiveView) => void): () => void {
    const { listeners } = this.#of(session);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  #of(session: AttachableSession): OfSession {
    const known = this.#bySession.get(session);
    if (known) return known;
    const of: OfSession = {
      delivered: [],
      sessions: new PageSessions(session.process.connection),
      views: new Map(),
      listeners: new Set(),
    };
    this.#bySession.set(session, of);
    session.life.watch(({ type }) => {
      if (type !== 'ended') return;
      for (const view of of.views.values()) view.end('page-closed', '', 'The browser has ended.');
      this.#bySession.delete(session);
    });
    return of;
  }

  #ended(of: OfSession, view: LiveView): void {
    this.#byId.delete(view.id);
    if (view.owner === 'dashboard') {
      of.views.delete(view.id);
      return;
    }
    for (const listener of of.listeners) listener(view);
    const ended = [...of.views.values()].filter(({ outcome }) => outcome !== undefined);
    for (const { id } of ended.slice(0, -liveViewLimits.endedViews)) of.views.delete(id);
  }
}

function tooMany(owner: LiveViewOwner): ServiceError {
  const whose = owner === 'dashboard' ? ' that were opened on the dashboard' : '';
  return new ServiceError('bad-request', `A session can have ${mostViews[owner]} live views${whose}. Close one first.`);
}
