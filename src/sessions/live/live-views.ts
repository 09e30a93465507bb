/** Stores the live views of all sessions by id, which is a key. Ended views are kept until their browser exits. */
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
  /** Limit for the total size of the files that a person uploads to a page at one time, in bytes. */
  maxUploadBytes: number;
  /** Whether a URL may be opened. */
  mayOpen(address: string): boolean;
  log: Log;
}

/** Maximum number of live views per session at a time. */
const maxViews: Readonly<Record<LiveViewOwner, number>> = {
  client: liveViewLimits.views,
  dashboard: liveViewLimits.dashboardViews,
};

/** State of one session. */
interface SessionViews {
  /** Directories of files delivered to its pages, oldest first. */
  delivered: string[];
  sessions: PageSessions;
  /** Active and ended views, in the order of their creation. */
  views: Map<string, LiveView>;
  listeners: Set<(view: LiveView) => void>;
}

export class LiveViews {
  readonly #options: LiveViewsOptions;
  readonly #byId = new Map<string, LiveView>();
  readonly #bySession = new Map<AttachableSession, SessionViews>();

  constructor(options: LiveViewsOptions) {
    this.#options = options;
  }

  /**
   * Creates a live view of a page. If the page does not exist, the returned view has already ended.
   * @param owner each owner has a separate limit
   * @throws ServiceError `bad-request` when the session has too many, `session-not-found` when it is ending
   */
  async open(
    session: AttachableSession,
    targetId: string,
    settings: LiveViewSettings,
    owner: LiveViewOwner = 'client',
  ): Promise<LiveView> {
    // Loaded when it is needed: most servers start long before somebody watches.
    const { LiveView: View } = await import('./live-view.ts');
    if (session.hidden) {
      throw new ServiceError(
        'bad-request',
        'loadSecret has filled in a secret in this browser, so it can no longer be watched.',
      );
    }
    if (session.life.ending) throw new ServiceError('session-not-found', 'The session is ending.');
    const of = this.#of(session);
    const live = [...of.views.values()].filter((view) => view.outcome === undefined && view.owner === owner);
    if (live.length >= maxViews[owner]) throw tooMany(owner);
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

  /** Finds a view by its full id; undefined when it is unknown or has ended. */
  find(id: string): LiveView | undefined {
    return this.#byId.get(id);
  }

  /** Finds a view of a session, including ended ones. */
  ofSession(session: AttachableSession, id: string): LiveView | undefined {
    return this.#bySession.get(session)?.views.get(id);
  }

  /** Number of people who are watching pages of a session. */
  viewersOf(session: AttachableSession): number {
    const views = this.#bySession.get(session)?.views.values() ?? [];
    return [...views].reduce((sum, { viewerCount }) => sum + viewerCount, 0);
  }

  /** Ends all views of a session. */
  closeAll(session: AttachableSession): void {
    for (const view of this.#bySession.get(session)?.views.values() ?? []) view.end('closed');
  }

  /** Ends a view of a session. @returns false when the session has no active view with this id */
  close(session: AttachableSession, id: string): boolean {
    const view = this.ofSession(session, id);
    if (!view || view.outcome) return false;
    view.end('closed');
    return true;
  }

  /** Calls the listener when a live view of a session's clients ends, until the returned function is called. */
  onEnded(session: AttachableSession, listener: (view: LiveView) => void): () => void {
    const { listeners } = this.#of(session);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  #of(session: AttachableSession): SessionViews {
    const known = this.#bySession.get(session);
    if (known) return known;
    const of: SessionViews = {
      delivered: [],
      sessions: new PageSessions(session.process.connection),
      views: new Map(),
      listeners: new Set(),
    };
    this.#bySession.set(session, of);
    session.life.watch(({ type }) => {
      if (type !== 'ended') return;
      for (const view of of.views.values()) view.end('page-closed', '', 'The browser has closed.');
      this.#bySession.delete(session);
    });
    return of;
  }

  #ended(of: SessionViews, view: LiveView): void {
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
  const whose = owner === 'dashboard' ? ' opened from the dashboard' : '';
  return new ServiceError(
    'bad-request',
    `A session can have at most ${maxViews[owner]} live views${whose}. Close one first.`,
  );
}
