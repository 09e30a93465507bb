/**
 * A browser that clients attach to: who is connected, how long it lives, what happens when the last one leaves. It is
 * the entry of the registry, and ends exactly once, whatever brought its end about.
 */
import { ServiceError } from '../errors.ts';
import { browserCrashed } from '../browsers/last-words.ts';
import type { BrowserProcess } from '../browsers/process.ts';
import type { AttachableSession, Keep, SessionClient, SessionFacts } from './session.ts';

/** A file address, also behind any number of `view-source:`; a page that shows one ends its browser. */
const fileAddress = /^\s*(?:view-source:\s*)*file:/i;

/** A browser that was told to close and has not ended after this time is ended, in milliseconds. */
const closeLimitMs = 5_000;

export class BrowserSession implements AttachableSession {
  readonly id: string;
  readonly browser: string;
  readonly trackingId: string | undefined;
  readonly initialConnectURL: string;
  readonly routePath: readonly string[];
  readonly launchOptions: Readonly<Record<string, unknown>>;
  readonly startedOn: number;
  readonly ttl: number;
  readonly scratchDir: string;
  readonly userDataDir: string;
  readonly isTempDataDir: boolean;
  readonly running = true;
  readonly process: BrowserProcess;
  /** Resolves when its end begins; with the error that ended it, or undefined when its clients did. */
  readonly ended: Promise<ServiceError | undefined>;
  /** Resolves once all of it is gone, its browser and its directories too. */
  readonly gone: Promise<void>;
  readonly #clients = new Set<SessionClient>();
  readonly #release: () => void;
  readonly #resolveEnded: (error: ServiceError | undefined) => void;
  readonly #resolveGone: () => void;
  #keep: Keep | undefined;
  #clock: ReturnType<typeof setTimeout> | undefined;
  #parked: ReturnType<typeof setTimeout> | undefined;
  #ending = false;
  #closeAsked = false;
  #closing: ReturnType<typeof setTimeout> | undefined;
  /** Milliseconds without clients after which a browser ends that nobody asked to keep; 0 for at once. */
  readonly #idleMs: number;

  /**
   * @param release gives back what the session held, such as its slot; called as soon as its end begins, perhaps twice
   * @param idleMs how long the browser stays after its last client left, in milliseconds
   */
  constructor(facts: SessionFacts, browser: BrowserProcess, release: () => void, idleMs = 0) {
    this.id = facts.id;
    this.browser = facts.browser;
    this.trackingId = facts.trackingId;
    this.initialConnectURL = facts.initialConnectURL;
    this.routePath = facts.routePath;
    this.launchOptions = facts.launchOptions;
    this.startedOn = facts.startedOn;
    this.ttl = facts.ttl;
    this.process = browser;
    this.userDataDir = browser.space.dataDirectory;
    this.isTempDataDir = browser.space.dataIsTemporary;
    this.scratchDir = browser.space.scratchDirectory;
    this.#release = release;
    this.#idleMs = idleMs;
    const { promise, resolve } = Promise.withResolvers<ServiceError | undefined>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    const gone = Promise.withResolvers<void>();
    this.gone = gone.promise;
    this.#resolveGone = gone.resolve;
    browser.gone.addEventListener('abort', () => void this.#browserGone(), { once: true });
    if (browser.gone.aborted) void this.#browserGone();
  }

  /** Not once a client has told the browser to close: whoever comes then would meet a browser that goes. */
  get attachable(): AttachableSession | undefined {
    return this.#ending || this.#closeAsked ? undefined : this;
  }

  get numbConnected(): number {
    return this.#clients.size;
  }

  /** Set while the browser outlives its clients. */
  get keep(): Keep | undefined {
    return this.#keep;
  }

  /** True from the moment its end began. */
  get ending(): boolean {
    return this.#ending;
  }

  /** Ends the session after a time in milliseconds from now; 0 for none. Clients of a kept browser are only cut off. */
  startClock(limitMs: number): void {
    clearTimeout(this.#clock);
    if (limitMs <= 0 || limitMs > 2 ** 31 - 1) return;
    this.#clock = setTimeout(() => {
      const error = new ServiceError('timeout', 'Request has timed out');
      if (this.#keep) this.#closeClients(error);
      else this.end(error);
    }, limitMs);
  }

  /** Makes the browser outlive its clients; asked again, it starts anew with the new time (contract section 14.3). */
  keepFor(keep: Keep): void {
    this.#keep = keep;
    if (this.#parked !== undefined) this.#park(keep.timeoutMs);
  }

  /** Takes `keepFor` back: the browser ends with its last client again. */
  keepNoLonger(): void {
    this.#keep = undefined;
  }

  /** A client connected; call the result when it has left. */
  connect(client: SessionClient): () => void {
    clearTimeout(this.#parked);
    this.#parked = undefined;
    this.#clients.add(client);
    return () => {
      if (!this.#clients.delete(client) || this.#clients.size > 0 || this.#ending) return;
      clearTimeout(this.#clock);
      const staysMs = this.#keep?.timeoutMs ?? this.#idleMs;
      if (staysMs > 0) this.#park(staysMs);
      else this.#finish(undefined);
    };
  }

  /** Nobody came to it: it ends as if its last client had left. */
  unclaimed(): void {
    this.connect({ close: () => {} })();
  }

  /** A client has told the browser to close: its end is no crash, and comes soon. */
  closeAsked(): void {
    this.#closeAsked = true;
    this.process.aboutToEnd();
    this.#release();
    this.#closing ??= setTimeout(() => this.#finish(undefined), closeLimitMs);
  }

  /** Watches for pages that show files of the server, until the browser ends. */
  guardFiles(): void {
    const { root } = this.process.connection;
    const look = ({ targetInfo }: { targetInfo: { url: string } }) => {
      if (!fileAddress.test(targetInfo.url)) return;
      this.end(new ServiceError('forbidden-destination', 'Navigation to a file: address is not allowed'));
    };
    root.on('Target.targetCreated', look);
    root.on('Target.targetInfoChanged', look);
    root.send('Target.setDiscoverTargets', { discover: true }).catch((cause: unknown) => {
      this.end(new ServiceError('browser-crashed', 'The browser could not be watched.', { cause }));
    });
  }

  end(reason: ServiceError): void {
    this.#finish(reason);
  }

  #park(timeoutMs: number): void {
    clearTimeout(this.#parked);
    this.#parked = setTimeout(() => this.#finish(undefined), Math.min(timeoutMs, 2 ** 31 - 1));
  }

  #closeClients(error: ServiceError | undefined): void {
    for (const client of [...this.#clients]) client.close(error);
  }

  async #browserGone(): Promise<void> {
    if (this.#ending) return;
    const { code } = await this.process.exited;
    if (this.#closeAsked || code === 0) this.#finish(undefined);
    else this.#finish(browserCrashed(this.process.connection.fatal));
  }

  #finish(error: ServiceError | undefined): void {
    if (this.#ending) return;
    this.#ending = true;
    clearTimeout(this.#clock);
    clearTimeout(this.#parked);
    clearTimeout(this.#closing);
    this.#release();
    this.#resolveEnded(error);
    this.#closeClients(error);
    void this.process.close().finally(() => this.#resolveGone());
  }
}
