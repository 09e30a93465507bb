/**
 * The sessions that run now. An interface, because several machines will one day share one; the default lives in this
 * process.
 */
import { ServiceError } from '../errors.ts';
import type { Session } from './session.ts';

export interface SessionRegistry {
  /** @throws ServiceError `invalid-tracking-id` when a live session has the same tracking id */
  add(session: Session): void;
  /** @throws ServiceError `invalid-tracking-id` when a live session has it */
  checkTrackingId(trackingId: string | undefined): void;
  /** Safe to call often. */
  remove(session: Session): void;
  /** By whole session id or whole tracking id. */
  find(id: string): Session | undefined;
  list(): readonly Session[];
}

export class LocalSessionRegistry implements SessionRegistry {
  readonly #byId = new Map<string, Session>();
  readonly #byTrackingId = new Map<string, Session>();

  add(session: Session): void {
    const { trackingId } = session;
    this.checkTrackingId(trackingId);
    if (trackingId !== undefined) this.#byTrackingId.set(trackingId, session);
    this.#byId.set(session.id, session);
  }

  checkTrackingId(trackingId: string | undefined): void {
    if (trackingId === undefined || !this.#byTrackingId.has(trackingId)) return;
    throw new ServiceError('invalid-tracking-id', `A browser session with trackingId "${trackingId}" already exists`);
  }

  remove(session: Session): void {
    const { id, trackingId } = session;
    if (this.#byId.get(id) === session) this.#byId.delete(id);
    // Its tracking id may be another's by now.
    if (trackingId !== undefined && this.#byTrackingId.get(trackingId) === session) {
      this.#byTrackingId.delete(trackingId);
    }
  }

  find(id: string): Session | undefined {
    return this.#byId.get(id) ?? this.#byTrackingId.get(id);
  }

  list(): readonly Session[] {
    return [...this.#byId.values()];
  }
}
