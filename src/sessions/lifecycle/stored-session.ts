/**
 * A session from `POST /session`, which outlives its browsers: it has a profile and a time to live, and runs a browser
 * only while clients need one.
 */
import { capitalize } from '../../base/text.ts';
import { ServiceError } from '../../base/errors.ts';
import { orAborted } from '../../base/runtime/deadline.ts';
import type { Payer } from '../../base/account/payer.ts';
import type { ProxyChoice } from '../../browser/network/proxy.ts';
import { SessionLife } from './life.ts';
import {
  type AttachableSession,
  startTimes,
  noTraces,
  type Session,
  type SessionDirectories,
  type SessionFacts,
} from './session.ts';
import { type FileSettings, SessionFiles } from './session-files.ts';
import { openStartPage } from './start-page.ts';
import type { BrowserName } from '../../browser/processes/catalog.ts';
import type { BrowserProfile } from '../profiles/state.ts';
import type { ScratchSpace } from '../../browser/processes/directories.ts';
import { now } from '../../base/runtime/machine.ts';
import { SerialQueue } from '../../base/runtime/serial.ts';

export interface StoredSessionOptions {
  browser: BrowserName;
  /** The launch options that the session was created with. */
  launchOptions: Readonly<Record<string, unknown>>;
  /** Time to live in milliseconds. */
  ttlMs: number;
  /** How long a browser stays after its last client has left, in milliseconds. */
  keepAliveMs: number;
  blockAds: boolean;
  /** Whether a replay is recorded for clients that do not specify it. */
  replay: boolean;
  /** The stored profile that its first browser starts with. */
  profile: BrowserProfile | undefined;
  /** The proxy of its browsers. */
  proxy: ProxyChoice | undefined;
  /** The account that is charged for proxy traffic. */
  payer: Payer;
  /** The domains that its browsers may reach, as its creator specified them; the token's own limits apply as well. */
  allowedDomains: readonly string[] | undefined;
  /** The URL that its first browser opens for the first client; already checked against the network policy. */
  startUrl: string | undefined;
  /** Public URL of the request that created it. */
  initialConnectURL: string;
  /** Name of the account that it belongs to; empty for the operator. */
  account: string;
  /** Whose MAX_SESSIONS limit it counts toward: the account, or the operator's token that created it. */
  owner: string;
  fileSettings: FileSettings;
}

export class StoredSession implements Session {
  readonly facts: SessionFacts;
  readonly life = new SessionLife();
  /** Kept when a browser exits. */
  readonly files: SessionFiles;
  readonly options: StoredSessionOptions;
  /** Traces of all its browsers, which share its data. */
  readonly traces = noTraces();
  /** Resolves when the browser is closed and the files are deleted. */
  readonly gone: Promise<void>;
  readonly #space: ScratchSpace;
  #current: AttachableSession | undefined;
  /** Runs browser starts one at a time: two browsers cannot share a profile. */
  readonly #starts = new SerialQueue();
  #reason: ServiceError | undefined;
  /** Undefined once a browser has opened the URL. */
  #startUrl: string | undefined;

  constructor(id: string, options: StoredSessionOptions, space: ScratchSpace) {
    this.facts = {
      id,
      browser: `${capitalize(options.browser)}CDP`,
      trackingId: undefined,
      owner: options.account,
      // Each of its browsers has its own list.
      allowedDomains: undefined,
      initialConnectURL: options.initialConnectURL,
      routePath: ['/session'],
      launchOptions: options.launchOptions,
      ...startTimes(),
      ttl: options.ttlMs,
    };
    this.options = options;
    this.#startUrl = options.startUrl;
    this.#space = space;
    this.files = new SessionFiles({ ...options.fileSettings, id, life: this.life, parent: space.scratchDirectory });
    this.gone = this.life.ended.then(() => this.#remove());
    this.life.watch((event) => {
      if (event.type !== 'ended') return;
      this.#reason = event.error ?? new ServiceError('session-ended', 'The session has ended.');
      this.#current?.life.end(this.#reason);
    });
    const expired = new ServiceError('session-ended', 'The session has reached its time to live.');
    this.life.startClock(options.ttlMs, () => this.life.end(expired));
  }

  get running(): boolean {
    return this.attachable !== undefined;
  }

  /** True once a browser has been started for it. */
  get hadBrowser(): boolean {
    return this.#current !== undefined;
  }

  get attachable(): AttachableSession | undefined {
    return this.#current?.attachable;
  }

  get numbConnected(): number {
    return this.attachable?.numbConnected ?? 0;
  }

  get directories(): SessionDirectories {
    const scratchDir = this.attachable?.directories.scratchDir;
    return { userDataDir: this.#space.dataDirectory, isTempDataDir: true, scratchDir };
  }

  /** The profile directory of its browsers. */
  get dataDirectory(): string {
    return this.#space.dataDirectory;
  }

  /** The remaining time to live in milliseconds. */
  get remainingMs(): number {
    return Math.max(0, this.facts.startedAt + this.facts.ttl - now());
  }

  /**
   * Returns the running browser, or starts a new one on the same profile.
   * @param signal signal of the waiting request; a browser that starts after its abort is closed, unless other clients
   *   use it
   * @param start starts a browser; called when none is running, after the previous one has released the profile
   * @throws any error that `start` throws; ServiceError `session-ended`; the abort reason of the signal, immediately on
   *   abort
   */
  browserFor(signal: AbortSignal, start: () => Promise<AttachableSession>): Promise<AttachableSession> {
    const mine = this.#starts.run(async () => {
      if (this.#reason) throw this.#reason;
      signal.throwIfAborted();
      const current = this.#current;
      if (current?.attachable) return current;
      if (current) await orAborted(current.gone, signal);
      if (this.#reason) throw this.#reason;
      const started = await start();
      this.#current = started;
      this.#tellPagesOf(started);
      // The session may have ended in the meantime.
      if (this.#reason) started.life.end(this.#reason);
      else await this.#openStartPage(started, signal);
      if (signal.aborted) started.unclaimed();
      return started;
    });
    return orAborted(mine, signal);
  }

  async #openStartPage(started: AttachableSession, signal: AbortSignal): Promise<void> {
    if (this.#startUrl === undefined) return;
    await openStartPage(started, this.#startUrl, signal);
    if (this.#reason) throw this.#reason;
    // After an abort, no client has seen the page, so the next browser opens the URL again.
    if (!signal.aborted) this.#startUrl = undefined;
  }

  /** Reports the pages of its browser as pages of this session. */
  #tellPagesOf({ life }: AttachableSession): void {
    // The browser may have reported its first page while it was starting.
    for (const page of life.pages) this.life.pageOpened(page);
    life.watch((event) => {
      if (event.type === 'page-opened') this.life.pageOpened(event.page);
      if (event.type === 'page-closed') this.life.pageClosed(event.page);
    });
  }

  async #remove(): Promise<void> {
    await this.#starts.idle();
    await this.#current?.gone;
    await this.#space.remove();
  }
}
