/** Declares what a session needs from the browser that its clients drive: a separate process or a virtual browser. */
import type { BrowserConnection } from '../cdp/connection.ts';
import type { Mode } from './catalog.ts';
import type { Routes } from '../network/upstream/routes.ts';
import type { BrowserVersion } from './process.ts';

export interface ClientBrowser {
  /** A UUID. */
  readonly id: string;
  /** Id of the process that it runs in, which is the leader of its process group. */
  readonly pid: number;
  /** True for a virtual browser: contexts of a process that it shares with others. */
  readonly shared: boolean;
  readonly mode: Mode;
  /** True for a browser that hides that it is automated. */
  readonly stealth: boolean;
  /**
   * Routes its connections through proxies by host; undefined for a browser that cannot do this, or that has a proxy.
   */
  readonly routes: Pick<Routes, 'add'> | undefined;
  readonly version: BrowserVersion;
  readonly connection: BrowserConnection;
  /** Aborted once the browser is gone, for whatever reason. */
  readonly gone: AbortSignal;
  /** Resolves when the browser has ended, with code 0 if the end was requested. */
  readonly exited: Promise<{ code: number | null }>;
  readonly space: {
    /** The profile directory; undefined for a browser without its own. */
    readonly dataDirectory: string | undefined;
    readonly dataIsTemporary: boolean;
    /** Directory of the session's files. */
    readonly scratchDirectory: string;
  };
  /** Ends the browser and removes its directories. May be called repeatedly; resolves when everything is removed. */
  close(): Promise<void>;
  /**
   * Ends its process immediately, like a crash.
   * @param why the reason that its clients see, like the last output of a crash
   */
  fail(why: string): void;
  /** Notes that its end was requested. */
  aboutToEnd(): void;
}
