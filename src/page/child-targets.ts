/**
 * The targets below a page: frames of other sites and workers. They are attached once for the whole page, and whatever
 * needs them (settings, rules, records, frames) shares these sessions. Popups are not among them.
 */
import { networkBuffers } from '../browsers/page-target.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { Page } from './page.ts';

/** A frame of another site, or a worker. */
export interface ChildTarget {
  session: CdpSession;
  /** Chromium's word: `iframe`, `worker`, `shared_worker`, `service_worker` … */
  type: string;
  /** Of a frame also its frame id. */
  targetId: string;
}

/** Commands for a child, sent before it is let go; what a kind of target does not know is skipped. */
export type ChildSetup = (child: ChildTarget) => Promise<unknown>[];

const known = new WeakMap<Page, PageSessions>();

/** The children of a page; the same object for the same page. */
export function sessionsOf(page: Page): PageSessions {
  let sessions = known.get(page);
  if (!sessions) known.set(page, (sessions = new PageSessions(page)));
  return sessions;
}

class PageSessions {
  readonly #page: Page;
  readonly #children = new Map<string, ChildTarget>();
  readonly #setups = new Set<ChildSetup>();
  #attached: Promise<unknown> | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Children that live now; none before the first `attach`. */
  get children(): readonly ChildTarget[] {
    return [...this.#children.values()];
  }

  /** Attaches to every child, also to children of children (Target.setAutoAttach). Later calls cost nothing. */
  attach(): Promise<unknown> {
    if (this.#attached) return this.#attached;
    const { session } = this.#page;
    this.#listen(session);
    return (this.#attached = session.send('Target.setAutoAttach', autoAttach));
  }

  /** Applies the setup to the children that live and to those that come, until the returned function is called. */
  apply(setup: ChildSetup): { ready: Promise<unknown>; stop: () => void } {
    this.#setups.add(setup);
    for (const child of this.#children.values()) quietly(setup(child));
    return { ready: this.attach(), stop: () => this.#setups.delete(setup) };
  }

  #listen(parent: CdpSession): void {
    const { connection } = parent;
    this.#page.undo(
      parent.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
        const session = connection.session(sessionId);
        const child: ChildTarget = { session, type: targetInfo.type, targetId: targetInfo.targetId };
        this.#children.set(sessionId, child);
        session.closed.addEventListener('abort', () => this.#children.delete(sessionId), { once: true });
        this.#listen(session);
        quietly([
          // Without it a worker takes no extra headers, and its requests have no kind.
          session.send('Network.enable', { ...networkBuffers }),
          ...[...this.#setups].flatMap((setup) => setup(child)),
          session.send('Target.setAutoAttach', autoAttach),
          session.send('Runtime.runIfWaitingForDebugger'),
        ]);
      }),
    );
  }
}

/** A child that is gone already, or has no such domain, is no failure of the page. */
function quietly(commands: readonly Promise<unknown>[]): void {
  for (const command of commands) command.catch(() => {});
}

const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true } as const;
