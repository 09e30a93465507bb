/** What `/sessions` lists and `/kill` ends: a browser, or a place in a shared one, that a call owns. */
import type { BrowserProcess } from '../browsers/process.ts';
import type { SessionClient, SessionLife } from './life.ts';

/** What a session is, from its beginning to its end. */
export interface SessionFacts {
  /** A UUID; for CDP browsers it is also the browser's id. */
  readonly id: string;
  /** Class-like name of the kind of browser, as clients know it: `ChromiumCDP`, `ChromeCDP`, `FirefoxPlaywright`. */
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
}

/** Where the browser of a session keeps its files. */
export interface SessionFiles {
  /** The profile; undefined for a place in a shared browser, and for Playwright, which keeps it to itself. */
  readonly userDataDir: string | undefined;
  /** True when the profile goes with the session. */
  readonly isTempDataDir: boolean;
  /** TMPDIR of the browser. */
  readonly scratchDir: string | undefined;
}

/** The files of a session that has no browser to itself. */
export const noFiles: SessionFiles = { userDataDir: undefined, isTempDataDir: true, scratchDir: undefined };

export interface Session {
  readonly facts: SessionFacts;
  readonly files: SessionFiles;
  readonly life: SessionLife;
  /** Resolves once all of it is gone, its browser and its directories too. */
  readonly gone: Promise<void>;
  /** Clients connected now. */
  readonly numbConnected: number;
  /** False while it has no browser: a session that was created and nobody is connected to. */
  readonly running: boolean;
  /** The browser that clients may attach to now; undefined for places in shared ones, and while none runs. */
  readonly attachable: AttachableSession | undefined;
}

/** What `Browserless.reconnect` asked for. */
export interface Keep {
  /** How long the browser stays without clients, in milliseconds. */
  timeoutMs: number;
  /** The token that clients must send to come back, in place of the server's. */
  auth: string | undefined;
}

/** A session whose browser clients can attach to. */
export interface AttachableSession extends Session {
  readonly process: BrowserProcess;
  /** Set while the browser outlives its clients. */
  readonly keep: Keep | undefined;
  /** Ends the session after a time in milliseconds from now; 0 for none. Clients of a kept browser are only cut off. */
  startClock(limitMs: number): void;
  /** Makes the browser outlive its clients; asked again, it starts anew with the new time. */
  keepFor(keep: Keep): void;
  /** Takes `keepFor` back: the browser ends with its last client again. */
  keepNoLonger(): void;
  /** A client connected; call the result when it has left. */
  connect(client: SessionClient): () => void;
  /** Nobody came to it: it ends as if its last client had left. */
  unclaimed(): void;
  /** A client has told the browser to close: its end is no crash, and comes soon. */
  closeAsked(): void;
}
