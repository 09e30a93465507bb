/**
 * Lists the versions of Playwright that are installed side by side, and chooses the one for a client. A Playwright
 * server refuses clients of a different minor version, so the client's own version decides. A version that no client
 * requests is never loaded and costs only disk space (decisions.mdx#many-playwright-versions).
 */
import type { BrowserServer, BrowserType } from 'playwright-core';
import { ServiceError } from '../../base/errors.ts';
import { importPackage, isPackageInstalled } from '../../base/program/assets.ts';
import type { ServerOptions } from './host-messages.ts';

interface LibraryType extends Omit<BrowserType, 'launchServer'> {
  launchServer(options: ServerOptions): Promise<BrowserServer>;
}

/** The part of the library that is used here; the same in all versions of the table. */
export interface PlaywrightLibrary {
  readonly chromium: LibraryType;
  readonly firefox: LibraryType;
  readonly webkit: LibraryType;
  /** Firefox over WebDriver BiDi, in versions that do not have it as a channel of `firefox` yet. */
  readonly _bidiFirefox?: LibraryType;
}

export interface PlaywrightVersion {
  /** The full version, such as `1.65.1`. */
  readonly version: string;
  /** The package in node_modules that contains it. */
  readonly packageName: string;
  /** How to start stock Firefox: as a separate, undocumented browser type (up to 1.56), or as a channel. */
  readonly stockFirefox: 'type' | 'channel';
}

const newestPackage = 'playwright-core';

/**
 * Newest first. Each row is a dependency of package.json under its own alias
 * (`"playwright-core-1.64": "npm:playwright-core@1.64.1"`); the newest is the package under its own name.
 */
export const playwrightVersions: readonly PlaywrightVersion[] = [
  { version: '1.65.1', packageName: newestPackage, stockFirefox: 'channel' },
  ...['1.64.1', '1.63.0', '1.62.1', '1.61.1', '1.60.0', '1.59.1', '1.58.2', '1.57.0'].map(aliased('channel')),
  ...['1.56.1', '1.55.1', '1.54.2', '1.53.2', '1.52.0', '1.51.1', '1.50.1'].map(aliased('type')),
];

function aliased(stockFirefox: PlaywrightVersion['stockFirefox']) {
  return (version: string): PlaywrightVersion => ({
    version,
    packageName: `${newestPackage}-${minorOf(version)}`,
    stockFirefox,
  });
}

const stealthPackage = 'patchright-core';

/**
 * Versions for clients that request stealth, newest first. They are versions of Patchright, a variant of Playwright
 * that pages do not detect. The first two are dependencies of package.json; the others are available if the operator
 * has installed them under these names (`npm install patchright-core-1.60@npm:patchright-core@1.60.2`).
 */
export const stealthVersions: readonly PlaywrightVersion[] = [
  { version: '1.63.0', packageName: stealthPackage, stockFirefox: 'channel' },
  ...['1.62.3', '1.61.1', '1.60.2', '1.59.4', '1.58.2', '1.57.0', '1.56.1', '1.55.3', '1.52.5', '1.51.1', '1.50.1'].map(
    (version): PlaywrightVersion => ({
      version,
      packageName: `${stealthPackage}-${minorOf(version)}`,
      stockFirefox: 'channel',
    }),
  ),
];

/** Returns the minor version: `1.65` for `1.65.1`. */
export function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/**
 * Returns the version for a client.
 * @param stealth true for a client that requests stealth
 * @param userAgent the client's User-Agent: `Playwright/1.65.1 (x64; debian 12) node/20.20`, from a client in any
 *   language. A Playwright client that does not specify a version is served by the newest.
 * @throws ServiceError `bad-request` for a client other than Playwright, or a version that is not installed
 */
export function versionForClient(userAgent: string | null, stealth = false): PlaywrightVersion {
  const versions = stealth
    ? stealthVersions.filter(({ packageName }) => isPackageInstalled(packageName))
    : playwrightVersions;
  const [newest] = versions;
  if (!newest || userAgent === null || !/playwright/i.test(userAgent)) {
    throw new ServiceError(
      'bad-request',
      'Only playwright is allowed to work with this route. Other clients connect to /chromium, /chrome or /edge.',
    );
  }
  const requestedVersion = /playwright\/(\d+\.\d+)/i.exec(userAgent)?.[1];
  if (requestedVersion === undefined) return newest;
  const found = versions.find(({ version }) => minorOf(version) === requestedVersion);
  if (found) return found;
  throw new ServiceError(
    'bad-request',
    `Playwright ${requestedVersion} is not supported here${stealth ? ' with stealth' : ''}. ` +
      `Use one of ${versions.map(({ version }) => minorOf(version)).join(', ')}, ` +
      `or connectOverCDP to ${stealth ? '/stealth' : '/chromium'}, which accepts any version.`,
  );
}

const loaded = new Map<string, Promise<PlaywrightLibrary>>();

/** Loads a version on its first use: takes 0.2 to 1 s, and 2 to 38 MB of memory from then on. */
export function loadPlaywright({ packageName }: Pick<PlaywrightVersion, 'packageName'>): Promise<PlaywrightLibrary> {
  let library = loaded.get(packageName);
  if (!library) {
    library = importLibrary(packageName);
    // Forget the failure: a file that could not be read now may be readable on the next call.
    library.catch(() => loaded.delete(packageName));
    loaded.set(packageName, library);
  }
  return library;
}

async function importLibrary(packageName: string): Promise<PlaywrightLibrary> {
  // The name is a variable, so that the compiler need not read the types of sixteen versions; the table lists them.
  const module = await importPackage<{ default: PlaywrightLibrary }>(packageName);
  return module.default;
}
