/**
 * The life of a session, whatever its kind: its clock, its clients, its pages, and its end, which comes exactly once.
 */
import { ServiceError } from '../errors.ts';
import { maxTimerMs } from '../runtime/deadline.ts';

/** A client's connection, as far as its session is concerned. */
export interface SessionClient {
  /** Ends the connection; without an error its browser was closed in good order. */
  close(error: ServiceError | undefined): void;
}

/** What happens to a session. `page` is the id of a page: a CDP target id, or Playwright's guid. */
export type LifeEvent =
  | { type: 'page-opened'; page: string }
  | { type: 'page-closed'; page: string }
  | { type: 'ended'; error: ServiceError | undefined };

export class SessionLife {
  /** Resolves when its end begins; with the error that ended it, or undefined when its clients or its work did. */
  readonly ended: Promise<ServiceError | undefined>;
  readonly #resolveEnded: (error: ServiceError | undefined) => void;
  readonly #clients = new Set<SessionClient>();
  readonly #pages = new Set<string>();
  readonly #watchers = new Set<(event: LifeEvent) => void>();
  #clock: ReturnType<typeof setTimeout> | undefined;
  #end: { error: ServiceError | undefined } | undefined;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<ServiceError | undefined>();
    this.ended = promise;
    this.#resolveEnded = resolve;
  }

  /** Clients connected now. */
  get clients(): number {
    return this.#clients.size;
  }

  /** True from the moment its end began. */
  get ending(): boolean {
    return this.#end !== undefined;
  }

  /** Calls the watcher at each event, in order, until the returned function is called; at once for an end that was. */
  watch(watcher: (event: LifeEvent) => void): () => void {
    if (this.#end) watcher({ type: 'ended', error: this.#end.error });
    else this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /**
   * Starts the clock anew.
   * @param limitMs from now on, in milliseconds; 0 for no limit
   * @param late what happens then; the session ends with `timeout` unless it says otherwise
   */
  startClock(limitMs: number, late: (error: ServiceError) => void = (error) => this.end(error)): void {
    this.stopClock();
    if (limitMs <= 0 || limitMs > maxTimerMs || this.#end) return;
    this.#clock = setTimeout(() => late(new ServiceError('timeout', 'Request has timed out')), limitMs);
  }

  stopClock(): void {
    clearTimeout(this.#clock);
  }

  /**
   * A client connected; call the result when it has left.
   * @param onLast called when it was the last one and the session has not ended
   */
  connect(client: SessionClient, onLast: () => void): () => void {
    this.#clients.add(client);
    return () => {
      if (this.#clients.delete(client) && this.#clients.size === 0 && !this.#end) onLast();
    };
  }

  /** Cuts every client off; the session goes on. */
  closeClients(error: ServiceError | undefined): void {
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes meanwhile
    for (const client of [...this.#clients]) client.close(error);
  }

  pageOpened(page: string): void {
    if (this.#end || this.#pages.has(page)) return;
    this.#pages.add(page);
    this.#tell({ type: 'page-opened', page });
  }

  pageClosed(page: string): void {
    if (this.#pages.delete(page)) this.#tell({ type: 'page-closed', page });
  }

  /** Begins its end: pages first, then whoever watches, then its clients. Once; later calls do nothing. */
  end(error: ServiceError | undefined): void {
    if (this.#end) return;
    this.#end = { error };
    this.stopClock();
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes meanwhile
    for (const page of [...this.#pages]) this.pageClosed(page);
    this.#tell({ type: 'ended', error });
    this.#watchers.clear();
    this.#resolveEnded(error);
    this.closeClients(error);
  }

  #tell(event: LifeEvent): void {
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes meanwhile
    for (const watcher of [...this.#watchers]) watcher(event);
  }
}
