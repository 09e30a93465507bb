/** Declares what a session needs of the browser that its clients drive: a process of its own, or a virtual browser. */
import type { BrowserConnection } from '../cdp/connection.ts';
import type { Mode } from './catalog.ts';
import type { Routes } from '../network/upstream/routes.ts';
import type { BrowserVersion } from './process.ts';

export interface ClientBrowser {
  /** A UUID. */
  readonly id: string;
  /** The process that it runs in, which leads its process group. */
  readonly pid: number;
  /** True for a virtual browser: contexts of a process that it shares with others. */
  readonly shared: boolean;
  readonly mode: Mode;
  /** True for one that hides that a program drives it. */
  readonly stealth: boolean;
  /** Sends its connections through proxies by their host; undefined for one that cannot, or has a proxy. */
  readonly routes: Pick<Routes, 'add'> | undefined;
  readonly version: BrowserVersion;
  readonly connection: BrowserConnection;
  /** Aborted once the browser is gone, for whatever reason. */
  readonly gone: AbortSignal;
  /** Resolves when it has ended: with the code 0 when that was asked for. */
  readonly exited: Promise<{ code: number | null }>;
  readonly space: {
    /** The profile; undefined for a browser that has none of its own. */
    readonly dataDirectory: string | undefined;
    readonly dataIsTemporary: boolean;
    /** Where the session's files are. */
    readonly scratchDirectory: string;
  };
  /** Ends it and removes its directories. May be called repeatedly; resolves when everything is removed. */
  close(): Promise<void>;
  /** Ends its process at once, as a crash does. @param why what a crash leaves as its last words, for its clients */
  fail(why: string): void;
  /** Notes that it ends because someone asked for that. */
  aboutToEnd(): void;
}
