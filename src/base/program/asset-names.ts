/** Defines the names of the program's own files and of package files, independent of where they are stored. */

/** The service's own files and their paths in a checkout. Builds contain copies under the same names. */
export const ownFiles = {
  'schema.graphql': 'src/api/bql/language/schema.graphql',
  'ad-engine.bin': 'dist/ads/engine.bin',
} as const;

/** Files of packages, by import specifier; a second part specifies a file next to that one. */
export const packageFiles = {
  'puppeteer.js': ['puppeteer-core/lib/es5-iife/puppeteer-core-browser.js'],
  'autoconsent.js': ['@duckduckgo/autoconsent', 'autoconsent.playwright.js'],
  'autoconsent-rules.json': ['@duckduckgo/autoconsent/rules/compact-rules.json'],
  'turndown.js': ['turndown/dist/turndown.js'],
  'turndown-gfm.js': ['@joplin/turndown-plugin-gfm'],
  'readability.js': ['@mozilla/readability/Readability.js'],
} as const satisfies Record<string, readonly [string, string?]>;

/** The licenses of all bundled packages; the server bundler writes this file (src/build/server.ts). */
export const licensesFile = 'licenses.txt';

export type AssetName = keyof typeof ownFiles | keyof typeof packageFiles | typeof licensesFile;

// Object.keys is typed as string[]; these tables have exactly the declared keys.
export const assetNames = [...Object.keys(ownFiles), ...Object.keys(packageFiles), licensesFile] as AssetName[];

/** Packages that are loaded synchronously with `require`, when they are first needed. */
export type RequiredPackage = '@eslint-community/regexpp' | 're2js' | 'ws';

/** Outputs of `npm run build` that are served to readers and pages. */
export type BuildName = 'docs' | 'recorder' | 'ui';

/** The files under one folder, on disk or inside the executable. */
export interface FileFolder {
  /** Paths of all files, with `/`. */
  names(): Promise<readonly string[]>;
  /** @throws Error when there is no such file */
  bytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Size in bytes; undefined when there is no such file. */
  size(path: string): Promise<number | undefined>;
}

/** The code of a worker thread, as `new Worker(…)` accepts it. */
export interface WorkerCode {
  code: string | URL;
  /** True when `code` is source text rather than a URL. */
  eval: boolean;
}
