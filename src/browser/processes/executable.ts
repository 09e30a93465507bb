/** Describes a browser executable on this machine. */

/** A kind of executable. `shell` is Chromium's headless-only build. */
export type Engine = 'shell' | 'chromium' | 'chrome' | 'edge';

export interface Executable {
  engine: Engine;
  path: string;
}
