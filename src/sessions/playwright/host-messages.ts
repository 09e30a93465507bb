/** Declares the messages between the server and a process with Playwright's servers; each is one line of JSON. */
import type { LaunchOptions } from 'playwright-core';

/** What the server needs to know about a version to plan a launch. */
export interface LibraryFacts {
  /** Where this version expects its own builds. */
  readonly executables: Readonly<Record<'firefox' | 'webkit', string>>;
  /** The switches that this version passes to Chromium. */
  readonly chromiumSwitches: readonly string[];
}

/** Options of a launch; all of them are plain data. */
export interface ServerOptions extends LaunchOptions {
  /** Path of the Unix socket to listen on. The library's own type allows only port numbers. */
  port?: string;
  /** Path of the WebSocket. */
  wsPath?: string;
}

/** Commands from the server; `id` identifies the command, and the browser that a launch starts. */
export type HostCommand = { readonly id: number } & (
  | { readonly do: 'describe'; readonly packageName: string }
  | {
      readonly do: 'launch';
      readonly packageName: string;
      /** `stock-firefox` for versions that have it as a browser type. */
      readonly type: 'chromium' | 'firefox' | 'webkit' | 'stock-firefox';
      readonly options: ServerOptions;
      /** Where the library creates profiles and artifacts. */
      readonly temporaryDirectory: string;
    }
  | { readonly do: 'kill'; readonly browser: number }
);

/** How a browser exited. */
export interface BrowserEnd {
  /** Null when a signal terminated it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The last part of its standard error output. */
  readonly errorOutput: string;
}

/** Responses to commands, and reports of browsers that have exited. */
export type HostMessage =
  | { readonly id: number; readonly result: unknown }
  /** The error message from the library. */
  | { readonly id: number; readonly error: string }
  | { readonly ended: number; readonly end: BrowserEnd };
