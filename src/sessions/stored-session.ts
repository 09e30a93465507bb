/**
 * A session that outlives its browsers: it has a profile and a time to live, and a browser while clients need one. Made
 * by `POST /session`. Contract section 13.1.
 */
import { ServiceError } from '../errors.ts';
import { orAborted } from '../runtime/deadline.ts';
import type { ProxyChoice } from '../network/proxy.ts';
import type { AttachableSession } from './session.ts';
import type { BrowserName } from '../browsers/catalog.ts';
import type { ScratchSpace } from '../browsers/directories.ts';
import type { Session } from './session.ts';

export interface StoredSessionOptions {
  browser: BrowserName;
  /** `launch` as the session was created with. */
  launchOptions: Readonly<Record<string, unknown>>;
  /** Time to live in milliseconds. */
  ttlMs: number;
  /** How long a browser stays after its last client left, in milliseconds. */
  keepAliveMs: number;
  blockAds: boolean;
  /** The proxy of its browsers, and the token of whoever created it. */
  proxy: { choice: ProxyChoice; credential: string | undefined } | undefined;
  /** Public URL of the request that created it. */
  initialConnectURL: string;
  /** The token that it was created with; empty on a server that asks for none. */
  owner: string;
}

export class StoredSession implements Session {
  readonly id: string;
  readonly browser: string;
  readonly trackingId = undefined;
  readonly initialConnectURL: string;
  readonly routePath = ['/session'];
  readonly launchOptions: Readonly<Record<string, unknown>>;
  readonly startedOn = Date.now();
  readonly ttl: number;
  readonly userDataDir: string;
  readonly isTempDataDir = true;
  readonly options: StoredSessionOptions;
  /** Resolves when browser and files are gone. */
  readonly ended: Promise<void>;
  readonly #space: ScratchSpace;
  readonly #clock: ReturnType<typeof setTimeout>;
  readonly #onEnd: () => void;
  readonly #resolveEnded: () => void;
  #current: AttachableSession | undefined;
  /** One start after the other: two browsers cannot share a profile. */
  #turn: Promise<unknown> = Promise.resolve();
  #reason: ServiceError | undefined;

  /** @param onEnd called once when the session begins to end */
  constructor(id: string, options: StoredSessionOptions, space: ScratchSpace, onEnd: () => void) {
    this.id = id;
    this.options = options;
    this.browser = `${options.browser[0]?.toUpperCase()}${options.browser.slice(1)}CDP`;
    this.initialConnectURL = options.initialConnectURL;
    this.launchOptions = options.launchOptions;
    this.ttl = options.ttlMs;
    this.userDataDir = space.dataDirectory;
    this.#space = space;
    this.#onEnd = onEnd;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.#clock = setTimeout(
      () => this.end(new ServiceError('session-ended', 'The session has reached its time to live.')),
      options.ttlMs,
    );
  }

  get running(): boolean {
    return this.attachable !== undefined;
  }

  get attachable(): AttachableSession | undefined {
    return this.#current?.attachable;
  }

  get numbConnected(): number {
    return this.attachable?.numbConnected ?? 0;
  }

  get scratchDir(): string | undefined {
    return this.attachable?.scratchDir;
  }

  /** Milliseconds that it has still to live. */
  get leftMs(): number {
    return Math.max(0, this.startedOn + this.ttl - Date.now());
  }

  /**
   * The browser that runs, or a new one on the same profile.
   * @param signal of whoever wants it; a browser that comes too late for him ends, unless others use it
   * @param start makes one; called when none runs, after the one before has let go of the profile
   * @throws what `start` throws; ServiceError `session-ended`; the signal's reason at once
   */
  browserFor(signal: AbortSignal, start: () => Promise<AttachableSession>): Promise<AttachableSession> {
    const mine = this.#turn.then(async () => {
      if (this.#reason) throw this.#reason;
      signal.throwIfAborted();
      const current = this.#current;
      if (current?.attachable) return current;
      if (current) await orAborted(current.gone, signal);
      if (this.#reason) throw this.#reason;
      const started = await start();
      this.#current = started;
      // It may have come to its end meanwhile.
      if (this.#reason) started.end(this.#reason);
      if (signal.aborted) started.unclaimed();
      return started;
    });
    this.#turn = mine.catch(() => undefined);
    return orAborted(mine, signal);
  }

  end(reason: ServiceError): void {
    if (this.#reason) return;
    this.#reason = reason;
    clearTimeout(this.#clock);
    this.#onEnd();
    void this.#end(reason).finally(() => this.#resolveEnded());
  }

  async #end(reason: ServiceError): Promise<void> {
    this.#current?.end(reason);
    await this.#turn;
    await this.#current?.gone;
    await this.#space.remove();
  }
}
