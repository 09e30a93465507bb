/** Tracks the running sessions and notifies subscribers of their events. */
import { ServiceError } from '../../base/errors.ts';
import type { LifeEvent } from './life.ts';
import type { Session } from './session.ts';

export type SessionEvent = { session: Session } & ({ type: 'opened' } | LifeEvent);

export class SessionRegistry {
  readonly #byId = new Map<string, Session>();
  /** By `trackingKey`. */
  readonly #byTrackingId = new Map<string, Session>();
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  /** Ended sessions whose browser or directories are still being removed. */
  readonly #leaving = new Set<Promise<void>>();
  #closed: ServiceError | undefined;

  /**
   * Adds a session; it is removed when it starts to end.
   * @throws ServiceError `invalid-tracking-id` when a live session of its owner has the same tracking id
   */
  add(session: Session): void {
    const { id, owner, trackingId } = session.facts;
    this.checkTrackingId(trackingId, owner);
    if (trackingId !== undefined) this.#byTrackingId.set(trackingKey(trackingId, owner), session);
    this.#byId.set(id, session);
    this.#notify({ type: 'opened', session });
    session.life.watch((event) => {
      if (event.type === 'ended') this.#remove(session);
      this.#notify({ ...event, session });
    });
    if (this.#closed) session.life.end(this.#closed);
  }

  /** @throws ServiceError `invalid-tracking-id` when a live session of the same owner already has this tracking id */
  checkTrackingId(trackingId: string | undefined, owner: string): void {
    if (trackingId === undefined || !this.findTracked(trackingId, owner)) return;
    throw trackingIdInUse(trackingId);
  }

  /** Finds a session by its full id. */
  find(id: string): Session | undefined {
    return this.#byId.get(id);
  }

  /** Finds a session by its full tracking id; each owner has a separate set of tracking ids. */
  findTracked(trackingId: string, owner: string): Session | undefined {
    return this.#byTrackingId.get(trackingKey(trackingId, owner));
  }

  list(): readonly Session[] {
    return [...this.#byId.values()];
  }

  /** Calls the listener for each event of each session until the returned function is called. It must not throw. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends all sessions, including those that are added later. */
  endAll(reason: ServiceError): void {
    this.#closed = reason;
    for (const session of this.list()) session.life.end(reason);
  }

  /** Resolves once the browsers of all sessions that have ended so far are closed and their directories removed. */
  async whenGone(): Promise<void> {
    await Promise.all(this.#leaving);
  }

  #remove({ facts: { id, owner, trackingId }, gone }: Session): void {
    this.#byId.delete(id);
    if (trackingId !== undefined) this.#byTrackingId.delete(trackingKey(trackingId, owner));
    const leaving = gone.finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  #notify(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** Account names contain no spaces, so a space separates the parts. */
function trackingKey(trackingId: string, owner: string): string {
  return `${owner} ${trackingId}`;
}

export const trackingIdInUse = (trackingId: string): ServiceError =>
  new ServiceError('invalid-tracking-id', `A browser session with trackingId "${trackingId}" already exists`);
