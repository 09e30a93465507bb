/** What `/sessions` lists and `/kill` ends: a browser, or a place in a shared one, that a call owns. */
import type { BrowserProcess } from '../browsers/process.ts';
import type { ServiceError } from '../errors.ts';

export interface Session {
  /** A UUID; for CDP browsers it is also the browser's id. */
  readonly id: string;
  /** Class-like name of the kind of browser, as clients know it: `ChromiumCDP`, `ChromeCDP`, `EdgeCDP`. */
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
  /** The profile directory when the session has a browser of its own. */
  userDataDir: string | undefined;
  isTempDataDir: boolean;
  /** TMPDIR of that browser. */
  scratchDir: string | undefined;
  /** Clients connected now. */
  readonly numbConnected: number;
  /** False while it has no browser: a session that was created and nobody is connected to. */
  readonly running: boolean;
  /** The browser that clients may attach to now; undefined for places in shared ones, and while none runs. */
  readonly attachable: AttachableSession | undefined;
  /** Ends the session at once. */
  end(reason: ServiceError): void;
}

/** A client's connection, as far as its session is concerned. */
export interface SessionClient {
  /** Ends the connection; without an error its browser was closed in good order. */
  close(error: ServiceError | undefined): void;
}

/** What `Browserless.reconnect` asked for (contract section 14.3). */
export interface Keep {
  /** How long the browser stays without clients, in milliseconds. */
  timeoutMs: number;
  /** The token that clients must send to come back, in place of the server's. */
  auth: string | undefined;
}

/** What the registry shows of a session and the pipeline knows of its call. */
export type SessionFacts = Omit<
  Session,
  'userDataDir' | 'isTempDataDir' | 'scratchDir' | 'numbConnected' | 'attachable' | 'end' | 'running'
>;

/** A session whose browser clients can attach to. */
export interface AttachableSession extends Session {
  readonly scratchDir: string;
  readonly process: BrowserProcess;
  /** Resolves when its end begins; with the error that ended it, or undefined when its clients did. */
  readonly ended: Promise<ServiceError | undefined>;
  /** Resolves once all of it is gone, its browser and its directories too. */
  readonly gone: Promise<void>;
  /** Set while the browser outlives its clients. */
  readonly keep: Keep | undefined;
  /** True from the moment its end began. */
  readonly ending: boolean;
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
  /** Watches for pages that show files of the server, until the browser ends. */
  guardFiles(): void;
}
