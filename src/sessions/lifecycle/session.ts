/**
 * Declares sessions, which `/sessions` lists and `/kill` ends: a session is a browser, or a page in a shared one, that
 * a call owns.
 */
import type { Outcomes } from '../../browser/network/egress.ts';
import { now } from '../../base/runtime/machine.ts';
import type { AllowedDomains } from '../../browser/network/allowed-domains.ts';
import type { ClientBrowser } from '../../browser/processes/client-browser.ts';
import type { SessionClient, SessionLife } from './life.ts';
import type { TargetWatch } from './targets.ts';
import type { SessionFiles } from './session-files.ts';
import type { ClientViewports } from '../../browser/processes/client-viewports.ts';

/** Facts about a session that never change. */
export interface SessionFacts {
  /** A UUID; for CDP browsers it is also the browser's id. */
  readonly id: string;
  /** Class-like name of the kind of browser, as clients know it: `ChromiumCDP`, `ChromeCDP`, `FirefoxPlaywright`. */
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
  /** Epoch milliseconds, to be shown. */
  readonly startedOn: number;
  /** The same moment on the clock `now`, for durations. */
  readonly startedAt: number;
  /** Time limit in milliseconds; 0 is none. */
  readonly ttl: number;
}

/** The facts of a session that begins now. */
export function begunNow(): Pick<SessionFacts, 'startedOn' | 'startedAt'> {
  return { startedOn: Date.now(), startedAt: now() };
}

/** Where the browser of a session keeps its files. */
export interface SessionDirectories {
  /** The profile; undefined for a page in a shared browser, and for Playwright, which does not tell its directory. */
  readonly userDataDir: string | undefined;
  /** True when the profile is deleted with the session. */
  readonly isTempDataDir: boolean;
  /** TMPDIR of the browser. */
  readonly scratchDir: string | undefined;
}

/** The directories of a session that has no browser to itself. */
export const noDirectories: SessionDirectories = { userDataDir: undefined, isTempDataDir: true, scratchDir: undefined };

export interface Session {
  readonly facts: SessionFacts;
  readonly directories: SessionDirectories;
  /** The files that it shares with its clients; undefined for a session without CDP clients. */
  readonly files: SessionFiles | undefined;
  readonly life: SessionLife;
  /** Resolves once the session's browser and directories are gone. */
  readonly gone: Promise<void>;
  /** Clients connected now. */
  readonly numbConnected: number;
  /** False while the session has no browser: one of `POST /session` that no client uses now. */
  readonly running: boolean;
  /**
   * The session whose browser clients may attach to now; undefined for a page in a shared browser, and while no browser
   * runs.
   */
  readonly attachable: AttachableSession | undefined;
}

/** What `Browserless.reconnect` asked for. */
export interface Keep {
  /** How long the browser stays without clients, in milliseconds. */
  timeoutMs: number;
  /** The token that clients must send from now on; undefined for that of the server. */
  auth: string | undefined;
}

/** What clients have done in browsers with the same data, whose code may still be there, such as a service worker. */
export interface Traces {
  /** A CDP client has attached: what it has set up in pages may stay there. */
  driven: boolean;
  /** Code of a BrowserQL document has run in a page. */
  ranScripts: boolean;
  /** The choices of a caller let others stand in for a site, or read its pages: their code may stay. */
  exposed: boolean;
}

export const noTraces = (): Traces => ({ driven: false, ranScripts: false, exposed: false });

/** Who may read what the pages of a browser send, because its caller has chosen so. */
export interface Exposure {
  /** A proxy of the caller's own carries its connections. */
  ownProxy: boolean;
  /** Certificates that cannot be verified are accepted. */
  insecure: boolean;
  /** Why no secret may be filled in at all, as a sentence. */
  refusal: string | undefined;
}

/** A session whose browser clients can attach to. */
export interface AttachableSession extends Session {
  readonly process: ClientBrowser;
  readonly targets: TargetWatch;
  readonly files: SessionFiles;
  /** The viewports that clients have given its pages. */
  readonly viewports: ClientViewports;
  /** Set once a client has come that may record (`record`): people may then record the session too. */
  recordable: boolean;
  /** Those of a stored session stay when its browser ends. */
  readonly traces: Traces;
  readonly exposure: Exposure;
  /** True once a stored secret was filled in: nobody may watch, record or attach to its pages any more. */
  hidden: boolean;
  /** What carries the connections of its browser in place of the egress; undefined for that. */
  readonly way: Outcomes | undefined;
  /** The name of the stored profile that it began with, or is to be saved as. */
  readonly profile: string | undefined;
  /** Set while the browser outlives its clients. */
  readonly keep: Keep | undefined;
  /**
   * The token that clients must send to attach, in place of the server's. The last `keepFor` set it; it stays when the
   * browser is no longer kept, because other clients may still use it.
   */
  readonly auth: string | undefined;
  /**
   * Ends the session after a time in milliseconds from now; 0 for no limit. A kept browser only loses its clients then.
   */
  startClock(limitMs: number): void;
  /** Makes the browser outlive its clients; another call replaces the time and restarts it. */
  keepFor(keep: Keep): void;
  /** Undoes `keepFor`: the browser ends with its last client again. */
  keepNoLonger(): void;
  /**
   * Lets every page of the browser download into the directory of the session's files, or none; for pages that open
   * later too.
   */
  setDownloads(enabled: boolean): Promise<void>;
  /** Adds a client; call the result when it has left. */
  connect(client: SessionClient): () => void;
  /** No client came: the session ends as if its last client had left. */
  unclaimed(): void;
  /** A client has told the browser to close: it ends soon, and that is no crash. */
  closeAsked(): void;
}
