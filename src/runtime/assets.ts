/**
 * Files that belong to the service: of its own, of its builds, and of packages whose files are read or sent into pages.
 * Every path of the program itself is found here, and nowhere else: the same code runs from a checkout, where this file
 * is src/runtime/assets.ts, and bundled, where it is part of a file of dist/server. Both are two folders below the root.
 */
import { fileURLToPath } from 'node:url';
import { directoryOf, exists, joinPath, readBytes, readText } from './files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const isBundle = !import.meta.url.endsWith('.ts');

/** The service's own files: where they are in a checkout. The bundle has copies beside it, under these names. */
export const ownFiles = {
  'schema.graphql': 'src/bql/language/schema.graphql',
  'ad-engine.bin': 'src/page/ads/lists/engine.bin',
} as const;

/** Files of packages, by what `import` calls them; a second part names a file beside that one. */
const packageFiles = {
  'puppeteer.js': ['puppeteer-core/lib/es5-iife/puppeteer-core-browser.js'],
  'autoconsent.js': ['@duckduckgo/autoconsent', 'autoconsent.playwright.js'],
  'autoconsent-rules.json': ['@duckduckgo/autoconsent/rules/compact-rules.json'],
  'turndown.js': ['turndown/dist/turndown.js'],
  'turndown-gfm.js': ['@joplin/turndown-plugin-gfm'],
  'readability.js': ['@mozilla/readability/Readability.js'],
} as const satisfies Record<string, readonly [string, string?]>;

export type AssetName = keyof typeof ownFiles | keyof typeof packageFiles;

const isOwn = (name: AssetName): name is keyof typeof ownFiles => Object.hasOwn(ownFiles, name);

function assetPath(name: AssetName): string {
  if (isOwn(name)) return joinPath(root, isBundle ? `dist/server/${name}` : ownFiles[name]);
  const [specifier, beside]: readonly [string, string?] = packageFiles[name];
  const path = fileURLToPath(import.meta.resolve(specifier));
  return beside === undefined ? path : joinPath(directoryOf(path), beside);
}

/** @throws the system's error when the file cannot be read, or that of `import` for a package that is not installed */
export async function assetText(name: AssetName): Promise<string> {
  return readText(assetPath(name));
}

/** @throws the same errors as `assetText` */
export async function assetBytes(name: AssetName): Promise<Uint8Array> {
  return readBytes(assetPath(name));
}

/** What a build has written for readers and pages; the directory may be missing. */
export async function builtDirectory(name: 'docs' | 'recorder' | 'ui'): Promise<string> {
  return joinPath(root, 'dist', name);
}

/** The directory of an installed package, found by a file in it; undefined when it is not installed. */
export async function packageDirectory(packageName: string, file: string): Promise<string | undefined> {
  // Some packages hide package.json, and some have no entry to import: look where `import` looks.
  for (let directory = directoryOf(fileURLToPath(import.meta.url)); ; directory = directoryOf(directory)) {
    const candidate = joinPath(directory, 'node_modules', packageName);
    if (await exists(joinPath(candidate, file))) return candidate;
    if (directoryOf(directory) === directory) return undefined;
  }
}

export function isPackageInstalled(packageName: string): boolean {
  try {
    return import.meta.resolve(packageName) !== '';
  } catch {
    return false;
  }
}

/** Imports a package whose name is known only at run time. */
export async function importPackage<Module>(packageName: string): Promise<Module> {
  return import(packageName);
}

/** Where the server and its packages are: what errors of libraries say about files begins with one of them. */
export function ownDirectories(): string[] {
  const packages = fileURLToPath(import.meta.resolve('hono')).replace(/(?<=\/node_modules\/).*$/, '');
  return [packages, root];
}

/** The entry of the program, which also starts its scripts; see `runScript`. */
export const entryPath = joinPath(root, isBundle ? 'dist/server/main.js' : 'src/main.ts');

/** The code of a worker thread, which is an entry of the bundle too. */
export function workerAddress(name: 'regexp-worker'): URL {
  return new URL(isBundle ? `./${name}.js` : `./regexp/${name}.ts`, import.meta.url);
}
