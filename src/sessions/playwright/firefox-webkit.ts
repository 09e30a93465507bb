/**
 * Finds Firefox and WebKit, which only Playwright clients use. Playwright's own builds are in its browser folder
 * (`PLAYWRIGHT_BROWSERS_PATH`), stock Firefox is in the usual locations.
 */
import { ServiceError } from '../../base/errors.ts';
import { isExecutable, joinPath, listDirectory } from '../../base/runtime/files.ts';
import { environment, homeDirectory, platform } from '../../base/runtime/machine.ts';
import { readOutput } from '../../base/runtime/process.ts';

export interface OtherBrowserPaths {
  FIREFOX_PATH: string | undefined;
  WEBKIT_PATH: string | undefined;
}

export interface OtherBrowser {
  path: string;
  /** True for one of Playwright's own builds, which speak their own protocol; false for stock Firefox. */
  patched: boolean;
}

type OtherName = 'firefox' | 'webkit';

const stockFirefoxPlaces = [
  // Debian's /usr/bin/firefox-esr is a link to it.
  '/usr/lib/firefox-esr/firefox-esr',
  '/usr/lib/firefox/firefox',
  '/usr/lib64/firefox/firefox',
  '/usr/bin/firefox-esr',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];

/** Paths of the executable under `<folder>/<name>-<revision>`. */
const insideBuild: Record<OtherName, string[]> = {
  firefox: ['firefox/firefox', 'firefox/Nightly.app/Contents/MacOS/firefox'],
  webkit: ['pw_run.sh'],
};

const advice: Record<OtherName, string> = {
  firefox: 'Install Firefox (on Debian: apt-get install firefox-esr), or set FIREFOX_PATH to its executable.',
  webkit:
    "Only Playwright's own build works here: run npx playwright-core install webkit, or set WEBKIT_PATH to the pw_run.sh of such a build.",
};

const titles: Record<OtherName, string> = { firefox: 'Firefox', webkit: 'WebKit' };

export class FirefoxAndWebKit {
  readonly #paths: OtherBrowserPaths;
  readonly #folder: string;
  readonly #versions = new Map<string, Promise<string | undefined>>();

  /** @param folder Playwright's browser folder, if it is not the default one */
  constructor(paths: OtherBrowserPaths, folder: string = registryFolder()) {
    this.#paths = paths;
    this.#folder = folder;
  }

  /**
   * Returns the browser for a version of Playwright. Searches each time, because a build may be installed while the
   * server runs.
   * @param wanted path of this version's own build; if it is missing, the nearest older build is used, then the nearest
   *   newer one (compatibility.mdx#playwright-versions)
   * @throws ServiceError `browser-missing` with what to install
   */
  async find(name: OtherName, wanted?: string): Promise<OtherBrowser> {
    const variable = name === 'firefox' ? 'FIREFOX_PATH' : 'WEBKIT_PATH';
    const configured = this.#paths[variable];
    if (configured !== undefined) {
      if (await isExecutable(configured)) return { path: configured, patched: isPatched(name, configured) };
      throw new ServiceError(
        'browser-missing',
        `${variable} names ${configured}, which is not an executable file. Correct the variable or unset it.`,
      );
    }
    const revision = revisionOf(name, wanted ?? '');
    for (const build of nearestFirst(await this.#builds(name), revision)) return { path: build.path, patched: true };
    for (const path of name === 'firefox' ? stockFirefoxPlaces : []) {
      if (await isExecutable(path)) return { path, patched: false };
    }
    throw new ServiceError('browser-missing', `${titles[name]} is not installed on this server. ${advice[name]}`);
  }

  /** Returns the version text for `/meta`; null when the browser is not installed. */
  async version(name: OtherName): Promise<string | null> {
    const found = await this.find(name).catch(() => undefined);
    if (!found) return null;
    // WebKit's script would start the browser, so its build number serves as the version.
    if (name === 'webkit') return revisionOf(name, found.path)?.toString() ?? 'unknown';
    let version = this.#versions.get(found.path);
    if (!version) this.#versions.set(found.path, (version = readOutput(found.path, ['--version'], 5_000)));
    return (await version)?.match(/(?<!\d)\d+(\.\d+)+/)?.[0] ?? 'unknown';
  }

  async #builds(name: OtherName): Promise<Build[]> {
    const builds: Build[] = [];
    for (const entry of await listDirectory(this.#folder)) {
      const revision = revisionOf(name, `/${entry}/`);
      if (revision === undefined) continue;
      for (const inside of insideBuild[name]) {
        const path = joinPath(this.#folder, entry, inside);
        if (await isExecutable(path)) builds.push({ revision, path });
      }
    }
    return builds;
  }
}

interface Build {
  revision: number;
  path: string;
}

/** Returns the revision in a path: 1438 for `/root/.cache/ms-playwright/firefox-1438/firefox/firefox`. */
function revisionOf(name: OtherName, path: string): number | undefined {
  const digits = new RegExp(`[/\\\\]${name}-(\\d+)[/\\\\]`).exec(path)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function isPatched(name: OtherName, path: string): boolean {
  return name === 'webkit' || revisionOf(name, path) !== undefined;
}

function nearestFirst(builds: Build[], revision = Infinity): Build[] {
  const older = builds.filter((build) => build.revision <= revision).toSorted((a, b) => b.revision - a.revision);
  const newer = builds.filter((build) => build.revision > revision).toSorted((a, b) => a.revision - b.revision);
  return [...older, ...newer];
}

/** Returns the folder where Playwright installs browsers. */
function registryFolder(): string {
  const named = environment['PLAYWRIGHT_BROWSERS_PATH'];
  if (named !== undefined && named !== '' && named !== '0') return named;
  if (platform === 'darwin') return joinPath(homeDirectory, 'Library/Caches/ms-playwright');
  if (platform === 'win32') return joinPath(environment['LOCALAPPDATA'] ?? homeDirectory, 'ms-playwright');
  return joinPath(environment['XDG_CACHE_HOME'] ?? joinPath(homeDirectory, '.cache'), 'ms-playwright');
}
