/**
 * Declares sessions, which `/sessions` lists and `/kill` ends: a session is a browser, or a page in a shared browser,
 * that belongs to a request.
 */
import type { Outcomes } from '../../browser/network/egress.ts';
import { now } from '../../base/runtime/machine.ts';
import type { AllowedDomains } from '../../browser/network/allowed-domains.ts';
import type { ClientBrowser } from '../../browser/processes/client-browser.ts';
import type { SessionClient, SessionLife } from './life.ts';
import type { TargetWatch } from './targets.ts';
import type { SessionFiles } from './session-files.ts';
import type { ClientViewports } from '../../browser/processes/client-viewports.ts';

/** Information about a session that never changes. */
export interface SessionFacts {
  /** A UUID; for CDP browsers it is also the browser's id. */
  readonly id: string;
  /** Class-like name of the browser type, as clients know it: `ChromiumCDP`, `ChromeCDP`, `FirefoxPlaywright`. */
  readonly browser: string;
  readonly trackingId: string | undefined;
  /** Name of the account that it belongs to; empty for the operator. */
  readonly owner: string;
  /** The domains that its pages may reach; undefined for all. */
  readonly allowedDomains: AllowedDomains | undefined;
  /** Public URL of the first request, without its token. */
  readonly initialConnectURL: string;
  readonly routePath: readonly string[];
  readonly launchOptions: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds, for display. */
  readonly startedOn: number;
  /** `startedOn` on the clock `now`, for durations. */
  readonly startedAt: number;
  /** Time limit in milliseconds; 0 for no limit. */
  readonly ttl: number;
}

/** Start times for a session that begins now. */
export function startTimes(): Pick<SessionFacts, 'startedOn' | 'startedAt'> {
  return { startedOn: Date.now(), startedAt: now() };
}

/** The directories in which the browser of a session keeps its files. */
export interface SessionDirectories {
  /** The profile; undefined for a page in a shared browser, and for Playwright, which does not report its directory. */
  readonly userDataDir: string | undefined;
  /** True when the profile is deleted with the session. */
  readonly isTempDataDir: boolean;
  /** TMPDIR of the browser. */
  readonly scratchDir: string | undefined;
}

/** The directories of a browser, as sessions report them. */
export const directoriesOf = ({ space }: Pick<ClientBrowser, 'space'>): SessionDirectories => ({
  userDataDir: space.dataDirectory,
  isTempDataDir: space.dataIsTemporary,
  scratchDir: space.scratchDirectory,
});

/** The directories of a session that does not have its own browser. */
export const noDirectories: SessionDirectories = { userDataDir: undefined, isTempDataDir: true, scratchDir: undefined };

export interface Session {
  readonly facts: SessionFacts;
  readonly directories: SessionDirectories;
  /** The files that it shares with its clients; undefined for a session without CDP clients. */
  readonly files: SessionFiles | undefined;
  readonly life: SessionLife;
  /** Resolves once the session's browser is closed and its directories are removed. */
  readonly gone: Promise<void>;
  /** Number of connected clients. */
  readonly numbConnected: number;
  /** False while the session has no browser: a session from `POST /session` that no client is using. */
  readonly running: boolean;
  /**
   * The session whose browser clients may attach to now; undefined for a page in a shared browser, and while no browser
   * is running.
   */
  readonly attachable: AttachableSession | undefined;
}

/** The parameters of `Browserless.reconnect`. */
export interface ReconnectOptions {
  /** How long the browser stays without clients, in milliseconds. */
  timeoutMs: number;
  /** The token that clients must send from now on; undefined for the server's token. */
  auth: string | undefined;
}

/**
 * Records what clients have done in browsers that share data. Their code, such as a service worker, may still be there.
 */
export interface Traces {
  /** A CDP client has attached: what it set up in pages may persist. */
  driven: boolean;
  /** Code of a BrowserQL document has run in a page. */
  ranScripts: boolean;
  /** A client's options let others impersonate a site or read its pages: their code may persist. */
  exposed: boolean;
}

export const noTraces = (): Traces => ({ driven: false, ranScripts: false, exposed: false });

/** Ways in which others can read what a browser's pages send, because its client chose so. */
export interface Exposure {
  /** The client's own proxy carries its connections. */
  ownProxy: boolean;
  /** Certificates that cannot be verified are accepted. */
  insecure: boolean;
  /** Message that says why no secret may be filled in at all. */
  refusal: string | undefined;
}

/** A session whose browser clients can attach to. */
export interface AttachableSession extends Session {
  readonly process: ClientBrowser;
  readonly targets: TargetWatch;
  readonly files: SessionFiles;
  /** The viewports that clients have set for its pages. */
  readonly viewports: ClientViewports;
  /** Set once a client that may record (`record`) has connected: people may then record the session too. */
  recordable: boolean;
  /** A stored session keeps its traces when its browser exits. */
  readonly traces: Traces;
  readonly exposure: Exposure;
  /** True once a stored secret was filled in: nobody may watch, record or attach to its pages from then on. */
  hidden: boolean;
  /** Carries the browser's connections instead of the egress; undefined to use the egress. */
  readonly outcomes: Outcomes | undefined;
  /** Name of the stored profile that it started with or will be saved as. */
  readonly profile: string | undefined;
  /** Set while the browser outlives its clients. */
  readonly keep: ReconnectOptions | undefined;
  /**
   * The token that clients must send to attach, instead of the server's. The last `keepFor` set it; it stays when the
   * browser is no longer kept, because other clients may still use it.
   */
  readonly auth: string | undefined;
  /** Ends the session this many milliseconds from now; 0 for no limit. A kept browser only loses its clients. */
  startClock(limitMs: number): void;
  /** Makes the browser outlive its clients; another call replaces and restarts the timeout. */
  keepFor(keep: ReconnectOptions): void;
  /** Undoes `keepFor`: the browser closes when its last client leaves. */
  stopKeeping(): void;
  /**
   * Allows or denies downloads for every page of the browser, including pages that open later. Downloads are saved in
   * the directory of the session's files.
   */
  setDownloads(enabled: boolean): Promise<void>;
  /** Adds a client; call the returned function when it has left. */
  connect(client: SessionClient): () => void;
  /** Ends the session as if its last client had left, because no client has connected. */
  unclaimed(): void;
  /** Records that a client has asked the browser to close: it will exit soon, which is not a crash. */
  closeRequested(): void;
}
