/** Names of the files that the program reads of itself, and what it is asked for, wherever they lie. */

/** The service's own files: where they are in a checkout. Builds have copies of them, under these names. */
export const ownFiles = {
  'schema.graphql': 'src/api/bql/language/schema.graphql',
  'ad-engine.bin': 'src/browser/page/ads/lists/engine.bin',
} as const;

/** Files of packages, by what `import` calls them; a second part names a file beside that one. */
export const packageFiles = {
  'puppeteer.js': ['puppeteer-core/lib/es5-iife/puppeteer-core-browser.js'],
  'autoconsent.js': ['@duckduckgo/autoconsent', 'autoconsent.playwright.js'],
  'autoconsent-rules.json': ['@duckduckgo/autoconsent/rules/compact-rules.json'],
  'turndown.js': ['turndown/dist/turndown.js'],
  'turndown-gfm.js': ['@joplin/turndown-plugin-gfm'],
  'readability.js': ['@mozilla/readability/Readability.js'],
} as const satisfies Record<string, readonly [string, string?]>;

/** The licences of all that is inside; the bundler of the server writes them (src/build/server.ts). */
export const licensesFile = 'licenses.txt';

export type AssetName = keyof typeof ownFiles | keyof typeof packageFiles | typeof licensesFile;

// The keys of a table are what it declares.
export const assetNames = [...Object.keys(ownFiles), ...Object.keys(packageFiles), licensesFile] as AssetName[];

/** Packages that are loaded with `require`, at once, when they are first needed. */
export type RequiredPackage = 're2js' | 'ws';

/** What `npm run build` writes for readers and pages. */
export type BuildName = 'docs' | 'recorder' | 'ui';

/** Files below one folder, which may lie on the disk or in the executable itself. */
export interface FileFolder {
  /** Paths of all files, with `/`. */
  names(): Promise<readonly string[]>;
  /** @throws the system's error when there is no such file */
  bytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** In bytes; undefined when there is no such file. */
  size(path: string): Promise<number | undefined>;
}

/** The code of a worker thread, as `new Worker(…)` takes it. */
export interface WorkerCode {
  code: string | URL;
  /** True when `code` is the text itself. */
  eval: boolean;
}
