/** Declares what a session needs from the browser that its clients drive: a separate process or a virtual browser. */
import type { BrowserConnection } from '../cdp/connection.ts';
import type { Mode } from './catalog.ts';
import type { Routes } from '../network/upstream/routes.ts';
import type { BrowserVersion } from './process.ts';

export interface ClientBrowser {
  /** A UUID. */
  readonly id: string;
  /** Id of the process that it runs in, which leads its process group. */
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
  /** Aborted once the browser has exited or was lost, for any reason. */
  readonly gone: AbortSignal;
  /** Resolves when the browser has exited, with code 0 if this was requested. */
  readonly exited: Promise<{ code: number | null }>;
  readonly space: {
    /** The profile directory; undefined for a browser that does not have one. */
    readonly dataDirectory: string | undefined;
    readonly dataIsTemporary: boolean;
    /** Directory of the session's files. */
    readonly scratchDirectory: string;
  };
  /** Closes the browser and removes its directories. May be called repeatedly; resolves when everything is removed. */
  close(): Promise<void>;
  /**
   * Kills its process immediately, as in a crash.
   * @param why the reason that its clients see, like the last output of a crash
   */
  fail(why: string): void;
  /** Records that closing it was requested. */
  noteClosing(): void;
}
