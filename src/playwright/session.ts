/**
 * The session of a Playwright client: one client and the browser that was started for it. The registry's entry; it ends
 * exactly once, whatever brought its end about.
 */
import { ServiceError } from '../errors.ts';
import type { SessionClient, SessionFacts } from '../sessions/session.ts';
import { browserCrashed } from '../browsers/last-words.ts';
import type { PlaywrightBrowser } from './launcher.ts';
import type { Session } from '../sessions/session.ts';

/** The longest time that a timer takes (2^31 - 1 ms). */
const maxTimerMs = 2 ** 31 - 1;

export class PlaywrightSession implements Session {
  readonly id: string;
  readonly browser: string;
  readonly trackingId: string | undefined;
  readonly initialConnectURL: string;
  readonly routePath: readonly string[];
  readonly launchOptions: Readonly<Record<string, unknown>>;
  readonly startedOn: number;
  readonly ttl: number;
  // Playwright keeps the profile to itself (contract 3.5).
  readonly userDataDir = undefined;
  readonly isTempDataDir = true;
  readonly scratchDir: string;
  readonly running = true;
  readonly attachable = undefined;
  readonly server: PlaywrightBrowser;
  /** Resolves when its end begins; with the error that ended it, or undefined when its client did. */
  readonly ended: Promise<ServiceError | undefined>;
  /** Resolves once all of it is gone, its browser and its directories too. */
  readonly gone: Promise<void>;
  readonly #release: () => void;
  readonly #resolveEnded: (error: ServiceError | undefined) => void;
  readonly #resolveGone: () => void;
  #client: SessionClient | undefined;
  #clock: ReturnType<typeof setTimeout> | undefined;
  #ending = false;

  /** @param release gives back what the session held, such as its slot; called as soon as its end begins */
  constructor(facts: SessionFacts, server: PlaywrightBrowser, release: () => void) {
    this.id = facts.id;
    this.browser = facts.browser;
    this.trackingId = facts.trackingId;
    this.initialConnectURL = facts.initialConnectURL;
    this.routePath = facts.routePath;
    this.launchOptions = facts.launchOptions;
    this.startedOn = facts.startedOn;
    this.ttl = facts.ttl;
    this.server = server;
    this.scratchDir = server.scratchDirectory;
    this.#release = release;
    const { promise, resolve } = Promise.withResolvers<ServiceError | undefined>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    const gone = Promise.withResolvers<void>();
    this.gone = gone.promise;
    this.#resolveGone = gone.resolve;
    server.gone.addEventListener('abort', () => this.#browserGone(), { once: true });
    if (server.gone.aborted) this.#browserGone();
  }

  get numbConnected(): number {
    return this.#client === undefined ? 0 : 1;
  }

  /** True from the moment its end began. */
  get ending(): boolean {
    return this.#ending;
  }

  /** Ends the session after a time in milliseconds from now; 0 for none. */
  startClock(limitMs: number): void {
    if (limitMs <= 0 || limitMs > maxTimerMs || this.#ending) return;
    this.#clock = setTimeout(() => this.end(new ServiceError('timeout', 'Request has timed out')), limitMs);
  }

  /** The client connected; call the result when it has left, which ends the session. */
  connect(client: SessionClient): () => void {
    this.#client = client;
    return () => {
      this.#client = undefined;
      this.#finish(undefined);
    };
  }

  end(reason: ServiceError): void {
    this.#finish(reason);
  }

  #browserGone(): void {
    // A client may close its browser; only an end that nobody asked for is a crash.
    this.#finish(this.server.exitCode() === 0 ? undefined : browserCrashed(this.server.fatal()));
  }

  #finish(error: ServiceError | undefined): void {
    if (this.#ending) return;
    this.#ending = true;
    clearTimeout(this.#clock);
    this.#release();
    this.#resolveEnded(error);
    this.#client?.close(error);
    void this.server.close().finally(() => this.#resolveGone());
  }
}
