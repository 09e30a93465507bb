/**
 * Tracks the life of a session of any kind: its time limits, its clients, its pages, and its end, which happens exactly
 * once.
 */
import { ServiceError } from '../../base/errors.ts';
import { maxTimerMs } from '../../base/runtime/deadline.ts';
import { now } from '../../base/runtime/machine.ts';

/** The part of a client's connection that a session uses. */
export interface SessionClient {
  /** Ends the connection. No error means that the browser was closed normally. */
  close(error: ServiceError | undefined): void;
  /** True while a command of the client is running. Default: never. */
  busy?(): boolean;
  /** True for a request that runs a document, false for a socket, which may be open but idle. Default: false. */
  isRequest?: boolean;
}

/** An event in the life of a session. `page` is the id of a page: a CDP target id, or Playwright's guid. */
export type LifeEvent =
  | { type: 'page-opened'; page: string }
  | { type: 'page-closed'; page: string }
  /** A line that code of a client has written to its console. */
  | { type: 'console'; level: string; text: string }
  | { type: 'ended'; error: ServiceError | undefined };

/** Time limit for idle clients. */
interface IdleLimit {
  limitMs: number;
  onTimeout(error: ServiceError): void;
}

export class SessionLife {
  readonly #ended = Promise.withResolvers<ServiceError | undefined>();
  /**
   * Resolves when the session starts to end: with the error that ended it, or undefined when its clients have left or
   * its work is done.
   */
  readonly ended = this.#ended.promise;
  readonly #clients = new Set<SessionClient>();
  readonly #pages = new Set<string>();
  readonly #watchers = new Set<(event: LifeEvent) => void>();
  #clock: ReturnType<typeof setTimeout> | undefined;
  #idle: IdleLimit | undefined;
  #idleClock: ReturnType<typeof setTimeout> | undefined;
  /** When a client last sent a command, on the clock of `now`. */
  #lastActivityAt = 0;
  /** Number of running tasks for clients, such as BrowserQL documents. */
  #working = 0;
  #end: { error: ServiceError | undefined } | undefined;
  /** Work that needs the browser once more before it closes. */
  readonly #lastWork = new Set<() => Promise<void>>();

  /** Number of connected clients. */
  get clients(): number {
    return this.#clients.size;
  }

  /** True while a client that sent a request is connected. */
  get hasRequests(): boolean {
    return [...this.#clients].some(({ isRequest = false }) => isRequest);
  }

  /**
   * True when no work and no command of a client is running, and no command has arrived for a while.
   * @param ms how long without a command, in milliseconds
   */
  isQuiet(ms: number): boolean {
    if (this.#working > 0 || this.hasRequests || now() - this.#lastActivityAt < ms) return false;
    return ![...this.#clients].some((client) => client.busy?.() ?? false);
  }

  /**
   * Adds work that needs the browser once more before it closes, until the returned function is called. The work must
   * finish soon, must not reject, and may be called twice.
   */
  beforeClose(work: () => Promise<void>): () => void {
    this.#lastWork.add(work);
    return () => void this.#lastWork.delete(work);
  }

  /** Runs the work added with `beforeClose`; undefined when there is none. */
  lastWork(): Promise<unknown> | undefined {
    if (this.#lastWork.size === 0) return undefined;
    return Promise.all([...this.#lastWork].map((work) => work()));
  }

  /** True once the session has started to end. */
  get ending(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Calls the watcher for each event, in order, until the returned function is called. If the session has already
   * ended, calls it immediately.
   */
  watch(watcher: (event: LifeEvent) => void): () => void {
    if (this.#end) watcher({ type: 'ended', error: this.#end.error });
    else this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /**
   * Starts the time limit, replacing an earlier one.
   * @param limitMs time limit from now on, in milliseconds; 0 for no limit
   * @param onTimeout called at the limit; by default the session ends with `timeout`
   */
  startClock(limitMs: number, onTimeout: (error: ServiceError) => void = (error) => this.end(error)): void {
    this.stopClock();
    if (limitMs <= 0 || limitMs > maxTimerMs || this.#end) return;
    this.#clock = setTimeout(() => onTimeout(new ServiceError('timeout', 'Request has timed out')), limitMs);
  }

  stopClock(): void {
    clearTimeout(this.#clock);
  }

  /**
   * Limits how long clients may go without sending a command. The time counts while clients are connected and no work
   * is running.
   * @param limitMs time limit in milliseconds; 0 for no limit
   * @param onTimeout called at the limit; by default the session ends with `timeout`
   */
  startIdleClock(limitMs: number, onTimeout: (error: ServiceError) => void = (error) => this.end(error)): void {
    if (limitMs <= 0 || this.#end) return;
    this.#idle = { limitMs, onTimeout };
    if (this.#clients.size > 0) this.#watchIdle();
  }

  /** Records that a client has sent a command. Called for every message, so it does not set a timer. */
  recordActivity(): void {
    this.#lastActivityAt = now();
  }

  /**
   * Records that work for a client is running, until the result is disposed. The session is not idle during that time.
   */
  working(): Disposable {
    this.#working++;
    return {
      [Symbol.dispose]: () => {
        this.#working--;
        this.recordActivity();
      },
    };
  }

  /**
   * Adds a client; call the returned function when it has left.
   * @param onLast called when the last client has left and the session has not ended
   */
  connect(client: SessionClient, onLast: () => void): () => void {
    this.#clients.add(client);
    this.recordActivity();
    this.#watchIdle();
    return () => {
      if (!this.#clients.delete(client) || this.#clients.size > 0) return;
      this.#stopIdleClock();
      if (!this.#end) onLast();
    };
  }

  /** Disconnects every client; the session continues. */
  closeClients(error: ServiceError | undefined): void {
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes during the loop
    for (const client of [...this.#clients]) client.close(error);
  }

  /** Disconnects the clients with sockets; requests and the session continue. */
  closeSockets(error: ServiceError): void {
    for (const client of [...this.#clients].filter(({ isRequest = false }) => !isRequest)) client.close(error);
  }

  pageOpened(page: string): void {
    if (this.#end || this.#pages.has(page)) return;
    this.#pages.add(page);
    this.#notify({ type: 'page-opened', page });
  }

  /** True while the session has a page with this id. */
  hasPage(page: string): boolean {
    return this.#pages.has(page);
  }

  /** The ids of the session's open pages. */
  get pages(): readonly string[] {
    return [...this.#pages];
  }

  pageClosed(page: string): void {
    if (this.#pages.delete(page)) this.#notify({ type: 'page-closed', page });
  }

  /** Reports a line that code of a client has written to its console. */
  codeLogged(level: string, text: string): void {
    this.#notify({ type: 'console', level, text });
  }

  /**
   * Starts to end the session: reports its pages as closed, notifies the watchers, then disconnects the clients. Later
   * calls do nothing.
   */
  end(error: ServiceError | undefined): void {
    if (this.#end) return;
    this.#end = { error };
    this.stopClock();
    this.#stopIdleClock();
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes during the loop
    for (const page of [...this.#pages]) this.pageClosed(page);
    this.#notify({ type: 'ended', error });
    this.#watchers.clear();
    this.#ended.resolve(error);
    this.closeClients(error);
  }

  /** Restarts the idle time. */
  #watchIdle(): void {
    if (!this.#idle || this.#end) return;
    this.recordActivity();
    this.#idleClock ??= this.#checkIdleAfter(this.#idle, this.#idle.limitMs);
  }

  /** Checks for idle clients after a time in milliseconds, and repeats the check until they are idle. */
  #checkIdleAfter(idle: IdleLimit, ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(
      () => {
        const remainingMs = this.#working > 0 ? idle.limitMs : this.#lastActivityAt + idle.limitMs - now();
        if (remainingMs > 0) {
          this.#idleClock = this.#checkIdleAfter(idle, remainingMs);
          return;
        }
        this.#idleClock = undefined;
        const limit = `No client has sent a command for ${idle.limitMs} ms, the limit that SESSION_IDLE_MS sets.`;
        idle.onTimeout(new ServiceError('timeout', limit));
      },
      Math.min(ms, maxTimerMs),
    );
  }

  #stopIdleClock(): void {
    clearTimeout(this.#idleClock);
    this.#idleClock = undefined;
  }

  #notify(event: LifeEvent): void {
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes during the loop
    for (const watcher of [...this.#watchers]) watcher(event);
  }
}
