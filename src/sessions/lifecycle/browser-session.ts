/**
 * Manages the session of a browser that clients attach to: decides how long the browser stays after they leave, and
 * what happens when they close it.
 */
import { browserCrashed } from '../../browser/processes/last-words.ts';
import { maxTimerMs } from '../../base/runtime/deadline.ts';
import type { ClientBrowser } from '../../browser/processes/client-browser.ts';
import type { Outcomes } from '../../browser/network/egress.ts';
import { ServiceError } from '../../base/errors.ts';
import { type SessionClient, SessionLife } from './life.ts';
import {
  type AttachableSession,
  directoriesOf,
  type Exposure,
  type ReconnectOptions,
  type SessionDirectories,
  type SessionFacts,
  type Traces,
} from './session.ts';
import { type FileSettings, SessionFiles } from './session-files.ts';
import { type AddressPolicy, TargetWatch } from './targets.ts';
import { ClientViewports } from '../../browser/processes/client-viewports.ts';
import type { CdpSession } from '../../browser/cdp/connection.ts';

/** Allows or denies downloads in all contexts of a browser, including those that clients create later. */
class DownloadPermission {
  readonly #root: CdpSession;
  readonly #directory: string;
  #enabled: boolean | undefined;
  /** Contexts with the permission, besides the default one. */
  readonly #contexts = new Set<string>();

  /**
   * @param root browser-level session with target discovery enabled
   * @param directory where downloads are saved
   */
  constructor(root: CdpSession, directory: string) {
    this.#root = root;
    this.#directory = directory;
    root.on('Target.targetCreated', ({ targetInfo: { browserContextId } }) => {
      if (this.#enabled === undefined || browserContextId === undefined || this.#contexts.has(browserContextId)) return;
      // The context may already have been disposed.
      this.#apply(browserContextId).catch(() => {});
    });
  }

  /** @throws ProtocolError, ConnectionClosed */
  async set(enabled: boolean): Promise<void> {
    this.#enabled = enabled;
    this.#contexts.clear();
    const { browserContextIds } = await this.#root.send('Target.getBrowserContexts');
    // A context may be disposed in the meantime; the default one stays.
    await Promise.all([this.#apply(undefined), ...browserContextIds.map((id) => this.#apply(id).catch(() => {}))]);
  }

  async #apply(browserContextId: string | undefined): Promise<void> {
    if (browserContextId !== undefined) this.#contexts.add(browserContextId);
    const behavior = this.#enabled ? 'allow' : 'deny';
    const downloadPath = this.#enabled ? this.#directory : undefined;
    await this.#root.send('Browser.setDownloadBehavior', { behavior, downloadPath, browserContextId });
  }
}

/** Time in milliseconds after which a browser that a client asked to close is killed if it has not exited. */
const closeLimitMs = 5_000;

export interface BrowserSessionOptions {
  /** Releases what the session holds, such as its slot; called as soon as the session starts to end, possibly twice. */
  release: () => void;
  /** How long the browser stays after its last client has left, in milliseconds; 0 to close it immediately. */
  staysMs: number;
  /** How long its clients may go without sending a command, in milliseconds; 0 for no limit. */
  idleMs: number;
  /** Decides which URLs its pages may show. */
  addresses: AddressPolicy;
  /**
   * Files of the stored session that the browser belongs to, or the limits for files that are deleted with the browser.
   */
  files: SessionFiles | FileSettings;
  /** Name of its stored profile. */
  profile: string | undefined;
  /** Carries the browser's connections instead of the egress; undefined to use the egress. */
  outcomes: Outcomes | undefined;
  traces: Traces;
  exposure: Exposure;
}

export class BrowserSession implements AttachableSession {
  readonly facts: SessionFacts;
  readonly directories: SessionDirectories;
  readonly files: SessionFiles;
  readonly life = new SessionLife();
  readonly running = true;
  readonly process: ClientBrowser;
  readonly targets: TargetWatch;
  readonly viewports = new ClientViewports();
  recordable = false;
  hidden = false;
  readonly profile: string | undefined;
  readonly outcomes: Outcomes | undefined;
  readonly traces: Traces;
  readonly exposure: Exposure;
  readonly gone: Promise<void>;
  readonly #options: BrowserSessionOptions;
  readonly #downloads: DownloadPermission;
  keep: ReconnectOptions | undefined;
  auth: string | undefined;
  #parked: ReturnType<typeof setTimeout> | undefined;
  #closing: ReturnType<typeof setTimeout> | undefined;
  #closeRequested = false;

  constructor(facts: SessionFacts, browser: ClientBrowser, options: BrowserSessionOptions) {
    this.facts = facts;
    this.directories = directoriesOf(browser);
    const { files } = options;
    this.files =
      files instanceof SessionFiles
        ? files
        : new SessionFiles({ ...files, id: facts.id, life: this.life, parent: browser.space.scratchDirectory });
    this.profile = options.profile;
    this.outcomes = options.outcomes;
    this.traces = options.traces;
    this.exposure = options.exposure;
    this.process = browser;
    this.targets = new TargetWatch(browser.connection.root, options.addresses);
    this.#options = options;
    this.#downloads = new DownloadPermission(browser.connection.root, this.files.directory);
    this.gone = this.life.ended.then(() => this.life.lastWork()).then(() => browser.close());
    this.life.watch((event) => {
      if (event.type === 'page-closed') this.viewports.forget(event.page);
      if (event.type !== 'ended') return;
      clearTimeout(this.#parked);
      clearTimeout(this.#closing);
      options.release();
    });
    this.life.startIdleClock(options.idleMs, (late) => this.#onTimeout(late));
    browser.gone.addEventListener('abort', () => void this.#browserGone(), { once: true });
    if (browser.gone.aborted) void this.#browserGone();
    else void this.#watchTargets();
  }

  /** Undefined once a client has asked the browser to close: a new client would attach to a browser that is exiting. */
  get attachable(): AttachableSession | undefined {
    return this.life.ending || this.#closeRequested ? undefined : this;
  }

  get numbConnected(): number {
    return this.life.clients;
  }

  startClock(limitMs: number): void {
    this.life.startClock(limitMs, (late) => this.#onTimeout(late));
  }

  keepFor(keep: ReconnectOptions): void {
    this.keep = keep;
    this.auth = keep.auth;
    if (this.#parked !== undefined) this.#park(keep.timeoutMs);
  }

  stopKeeping(): void {
    this.keep = undefined;
  }

  async setDownloads(enabled: boolean): Promise<void> {
    if (enabled) await this.files.open();
    await this.#downloads.set(enabled);
  }

  connect(client: SessionClient): () => void {
    clearTimeout(this.#parked);
    this.#parked = undefined;
    return this.life.connect(client, () => {
      this.life.stopClock();
      const staysMs = this.keep?.timeoutMs ?? this.#options.staysMs;
      if (staysMs > 0) this.#park(staysMs);
      else this.life.end(undefined);
    });
  }

  unclaimed(): void {
    this.connect({ close: () => {} })();
  }

  closeRequested(): void {
    this.#closeRequested = true;
    this.process.noteClosing();
    this.#options.release();
    this.#closing ??= setTimeout(() => this.life.end(undefined), closeLimitMs);
  }

  async #watchTargets(): Promise<void> {
    const forbidden = () => new ServiceError('forbidden-destination', 'Navigation to a file: address is not allowed');
    try {
      await this.targets.start({
        opened: (page) => this.life.pageOpened(page),
        closed: (page) => this.life.pageClosed(page),
        fileShown: () => this.life.end(forbidden()),
      });
    } catch (cause) {
      this.life.end(new ServiceError('browser-crashed', 'The browser could not be watched.', { cause }));
    }
  }

  /** Handles an expired time limit: the session ends, but a kept browser only loses its clients. */
  #onTimeout(error: ServiceError): void {
    if (this.keep) this.life.closeClients(error);
    else this.life.end(error);
  }

  #park(timeoutMs: number): void {
    clearTimeout(this.#parked);
    this.#parked = setTimeout(() => this.life.end(undefined), Math.min(timeoutMs, maxTimerMs));
  }

  async #browserGone(): Promise<void> {
    if (this.life.ending) return;
    const { code } = await this.process.exited;
    const inOrder = this.#closeRequested || code === 0;
    this.life.end(inOrder ? undefined : browserCrashed(this.process.connection.fatal));
  }
}
