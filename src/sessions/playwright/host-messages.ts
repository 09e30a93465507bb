/** What the server and a process with Playwright's servers say to each other, each message a line of JSON. */
import type { LaunchOptions } from 'playwright-core';

/** What the server must know of a version to plan a start. */
export interface LibraryFacts {
  /** Where this version expects its own builds. */
  readonly executables: Readonly<Record<'firefox' | 'webkit', string>>;
  /** The switches that it passes to Chromium. */
  readonly chromiumSwitches: readonly string[];
}

/** Options of a start; all of it is plain data. */
export interface ServerOptions extends LaunchOptions {
  /** Path of the Unix socket to listen on. The library's own type knows numbers of ports only. */
  port?: string;
  /** Path of its WebSocket. */
  wsPath?: string;
}

/** Orders of the server; `id` is that of the order, and of the browser that a launch starts. */
export type HostOrder = { readonly id: number } & (
  | { readonly do: 'describe'; readonly packageName: string }
  | {
      readonly do: 'launch';
      readonly packageName: string;
      /** `stock-firefox` for versions that have it as a type. */
      readonly type: 'chromium' | 'firefox' | 'webkit' | 'stock-firefox';
      readonly options: ServerOptions;
      /** Where the library makes profiles and artifacts. */
      readonly temporaryDirectory: string;
    }
  | { readonly do: 'kill'; readonly browser: number }
);

/** How a browser ended. */
export interface BrowserEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to standard error. */
  readonly errorOutput: string;
}

/** Answers to orders, and the ends of browsers. */
export type HostNews =
  | { readonly id: number; readonly result: unknown }
  /** The message of the library's error. */
  | { readonly id: number; readonly error: string }
  | { readonly ended: number; readonly end: BrowserEnd };
