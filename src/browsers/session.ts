/**
 * What `/sessions` lists and `/kill` ends: a browser, or a place in a shared one, that a call owns. The registry is an
 * interface, because several machines will one day share one (design D14); the default lives in this process.
 */
import { ServiceError } from '../errors.ts';
import type { BrowserSession } from './browser-session.ts';

export interface Session {
  /** A UUID; for CDP browsers it is also the browser's id. */
  readonly id: string;
  /** Class-like name of the kind of browser, as clients know it: `ChromiumCDP`, `ChromeCDP`, `EdgeCDP`. */
  readonly browser: string;
  readonly trackingId: string | undefined;
  /** Public URL of the first request, without its token. */
  readonly initialConnectURL: string;
  readonly routePath: readonly string[];
  readonly launchOptions: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly startedOn: number;
  /** Time limit in milliseconds; 0 is none. */
  readonly ttl: number;
  /** The profile directory when the session has a browser of its own. */
  userDataDir: string | undefined;
  isTempDataDir: boolean;
  /** TMPDIR of that browser. */
  scratchDir: string | undefined;
  /** Clients connected now. */
  readonly numbConnected: number;
  /** False while it has no browser: a session that was created and nobody is connected to. */
  readonly running: boolean;
  /** The browser that clients may attach to now; undefined for places in shared ones, and while none runs. */
  readonly attachable: BrowserSession | undefined;
  /** Ends the session at once. */
  end(reason: ServiceError): void;
}

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
