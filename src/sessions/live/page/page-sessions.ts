/**
 * Attaches live views to pages. A session that has given a page another viewport stays attached and is used again: with
 * it would go the size that it has given back, and the page would get that of its window.
 */
import { quietly } from '../../../browser/cdp/auto-attach.ts';
import type { BrowserConnection, CdpSession } from '../../../browser/cdp/connection.ts';

export class PageSessions {
  readonly #connection: BrowserConnection;
  readonly #kept = new Map<string, CdpSession[]>();

  constructor(connection: BrowserConnection) {
    this.#connection = connection;
  }

  /** A session of the server with a page. @throws what the browser throws: it is gone, or has no such page */
  async take(targetId: string): Promise<CdpSession> {
    const kept = this.#kept.get(targetId)?.pop();
    if (kept && !kept.closed.aborted) return kept;
    const { sessionId } = await this.#connection.root.send('Target.attachToTarget', { targetId, flatten: true });
    return this.#connection.session(sessionId);
  }

  /** @param stays whether it must stay attached while the page lives */
  giveBack(targetId: string, session: CdpSession, stays: boolean): void {
    if (!stays) {
      if (session.id === undefined) return;
      return quietly([this.#connection.root.send('Target.detachFromTarget', { sessionId: session.id })]);
    }
    const kept = this.#kept.get(targetId) ?? [];
    this.#kept.set(targetId, kept);
    kept.push(session);
    session.closed.addEventListener('abort', () => this.#kept.delete(targetId), { once: true });
  }
}
