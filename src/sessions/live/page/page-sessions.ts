/**
 * Attaches live views to pages. A session that has restored a page's viewport stays attached and is reused: detaching
 * it would undo the restored size, and the page would take the size of its window.
 */
import { ignoreFailures } from '../../../browser/cdp/auto-attach.ts';
import type { BrowserConnection, CdpSession } from '../../../browser/cdp/connection.ts';

export class PageSessions {
  readonly #connection: BrowserConnection;
  readonly #kept = new Map<string, CdpSession[]>();

  constructor(connection: BrowserConnection) {
    this.#connection = connection;
  }

  /**
   * Returns a server-side session for a page.
   * @throws a browser error when the browser has exited or has no such page
   */
  async take(targetId: string): Promise<CdpSession> {
    const kept = this.#kept.get(targetId)?.pop();
    if (kept && !kept.closed.aborted) return kept;
    const { sessionId } = await this.#connection.root.send('Target.attachToTarget', { targetId, flatten: true });
    return this.#connection.session(sessionId);
  }

  /** @param stays whether the session must stay attached while the page exists */
  giveBack(targetId: string, session: CdpSession, stays: boolean): void {
    if (!stays) {
      if (session.id === undefined) return;
      return ignoreFailures([this.#connection.root.send('Target.detachFromTarget', { sessionId: session.id })]);
    }
    const kept = this.#kept.get(targetId) ?? [];
    this.#kept.set(targetId, kept);
    kept.push(session);
    session.closed.addEventListener('abort', () => this.#kept.delete(targetId), { once: true });
  }
}
