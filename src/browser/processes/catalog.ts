/**
 * Finds the browsers on this machine and chooses the one that serves a route. /chromium gets the headless shell,
 * installed or embedded, unless the request asks for a full browser: the shell starts in a fifth of the time, and pages
 * behave the same on every machine. /chrome and /edge prefer their own browser. A path that the operator configures
 * takes precedence over the usual locations, and an installed shell over the embedded one.
 */
import { ServiceError } from '../../base/errors.ts';
import { isExecutable } from '../../base/runtime/files.ts';
import { environment, platform } from '../../base/runtime/machine.ts';
import { readOutput } from '../../base/runtime/process.ts';
import type { Engine, Executable } from './executable.ts';
import { embeddedShell, embeddedShellAvailable } from './embedded.ts';
import { displayAvailable } from './display/display.ts';

/** A route's prefix. */
export type BrowserName = 'chromium' | 'chrome' | 'edge';
/** How an executable is run: the headless shell, a full browser without a window, a full browser with one. */
export type Mode = 'shell' | 'new' | 'headful';

export interface BrowserPaths {
  CHROMIUM_PATH: string | undefined;
  SHELL_PATH: string | undefined;
  CHROME_PATH: string | undefined;
  EDGE_PATH: string | undefined;
  /** Where the embedded shell is unpacked. */
  CACHE_DIR: string;
}

interface EngineEntry {
  variable: 'CHROMIUM_PATH' | 'SHELL_PATH' | 'CHROME_PATH' | 'EDGE_PATH';
  title: string;
  /** The usual locations, best first. Wrapper scripts that stay as the parent process are left out where possible. */
  places: string[];
}

const mac = (name: string) => `/Applications/${name}.app/Contents/MacOS/${name}`;
const windows = (path: string) => `${environment['ProgramFiles'] ?? 'C:\\Program Files'}\\${path}`;

export const engines: Record<Engine, EngineEntry> = {
  shell: {
    variable: 'SHELL_PATH',
    title: 'Chromium headless shell',
    places: [
      // Debian's /usr/bin/chromium-headless-shell is a script that stays as the parent of the browser.
      '/usr/lib/chromium/chromium-headless-shell',
      '/usr/lib64/chromium-browser/headless_shell',
      '/usr/bin/chrome-headless-shell',
    ],
  },
  chromium: {
    variable: 'CHROMIUM_PATH',
    title: 'Chromium',
    places: [
      '/usr/lib/chromium/chromium',
      '/usr/lib/chromium-browser/chromium-browser',
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      mac('Chromium'),
    ],
  },
  chrome: {
    variable: 'CHROME_PATH',
    title: 'Google Chrome',
    places: [
      '/opt/google/chrome/chrome',
      '/usr/bin/google-chrome-stable',
      '/usr/bin/google-chrome',
      mac('Google Chrome'),
      windows('Google\\Chrome\\Application\\chrome.exe'),
    ],
  },
  edge: {
    variable: 'EDGE_PATH',
    title: 'Microsoft Edge',
    places: [
      '/opt/microsoft/msedge/msedge',
      '/usr/bin/microsoft-edge-stable',
      '/usr/bin/microsoft-edge',
      mac('Microsoft Edge'),
      windows('Microsoft\\Edge\\Application\\msedge.exe'),
    ],
  },
};

/** Engines that may serve a prefix when no mode is asked for, best first. */
const preference: Record<BrowserName, Engine[]> = {
  chromium: ['shell', 'chromium', 'chrome'],
  chrome: ['chrome', 'shell', 'chromium'],
  edge: ['edge'],
};

export class BrowserCatalog {
  readonly #paths: BrowserPaths;
  readonly #known: typeof engines;
  readonly #found = new Map<Engine, Promise<Executable | undefined>>();
  readonly #versions = new Map<string, Promise<string | undefined>>();

  /** @param known where to look for each engine when no variable specifies its path */
  constructor(paths: BrowserPaths, known = engines) {
    this.#paths = paths;
    this.#known = known;
  }

  /**
   * The installed executable of an engine; undefined when there is none. Remembers the result, except for a failure.
   */
  find(engine: Engine): Promise<Executable | undefined> {
    const found = this.#found.get(engine);
    if (found) return found;
    const searching = this.#search(engine);
    this.#found.set(engine, searching);
    // The operator may still put the missing file at the configured path: look again at the next call.
    searching.catch(() => this.#found.delete(engine));
    return searching;
  }

  /**
   * The executable that serves a prefix.
   * @param headless `launch.headless` of the request: undefined and `'shell'` prefer the headless shell, true asks for
   *   the full browser without a window, false for one with a window
   * @throws ServiceError `browser-missing` that names the variable that would supply the browser; `invalid-launch` for
   *   a window without a display
   */
  async forRoute(
    name: BrowserName,
    headless: boolean | 'shell' | undefined,
  ): Promise<{ executable: Executable; mode: Mode }> {
    if (headless === false && !(await displayAvailable())) {
      throw new ServiceError(
        'invalid-launch',
        'launch.headless=false needs a display, and this server has none. Leave it out, or install Xvfb or set DISPLAY on the server.',
        { issues: [{ path: 'launch.headless', message: 'needs a display' }] },
      );
    }
    const full = headless === true || headless === false;
    const order = full ? preference[name].filter((engine) => engine !== 'shell') : preference[name];
    for (const engine of order) {
      const executable = (await this.find(engine)) ?? (engine === 'shell' ? await this.#embedded(headless) : undefined);
      if (executable) return { executable, mode: modeOf(engine, headless) };
    }
    if (name !== 'edge' && headless !== false) {
      const executable = (await this.find('shell')) ?? (await embeddedShell(this.#paths.CACHE_DIR));
      if (executable) return { executable, mode: 'shell' };
    }
    throw missing(name);
  }

  /**
   * The executable of a stealth browser: a full browser, with a window if the server has a display. Chrome first,
   * because most people have it, unless the operator specifies a Chromium executable.
   * @throws ServiceError `browser-missing`
   */
  async forStealth(name: BrowserName): Promise<{ executable: Executable; mode: 'new' | 'headful' }> {
    const full: Engine[] = this.#paths.CHROMIUM_PATH === undefined ? ['chrome', 'chromium'] : ['chromium', 'chrome'];
    const mode = (await displayAvailable()) ? 'headful' : 'new';
    for (const engine of name === 'edge' ? (['edge'] as const) : full) {
      const executable = await this.find(engine);
      if (executable) return { executable, mode };
    }
    if (name === 'edge') throw missing(name);
    throw new ServiceError(
      'browser-missing',
      'Stealth needs a full browser, and this server has only the headless shell, which every detector recognizes. Install Google Chrome or Chromium on the server, or set CHROME_PATH or CHROMIUM_PATH.',
    );
  }

  /** The full browser that the operator has configured. */
  get #named(): string | undefined {
    return this.#paths.CHROMIUM_PATH ?? this.#paths.CHROME_PATH;
  }

  /**
   * The embedded shell, unless the operator has configured a full browser and the request does not insist on a shell.
   */
  async #embedded(headless: boolean | 'shell' | undefined): Promise<Executable | undefined> {
    if (this.#named !== undefined && headless !== 'shell') return undefined;
    // When unpacking fails, a full browser may still serve; without one, the second attempt in `forRoute` throws the
    // reason.
    return embeddedShell(this.#paths.CACHE_DIR).catch(() => undefined);
  }

  /**
   * The executable that serves a prefix when no mode is asked for; undefined for the embedded shell. Does not unpack or
   * start anything.
   * @throws ServiceError `browser-missing`
   */
  async require(name: BrowserName): Promise<Executable | undefined> {
    const embedded = name !== 'edge' && (await embeddedShellAvailable());
    for (const engine of preference[name]) {
      const executable = await this.find(engine);
      if (executable) return executable;
      if (engine === 'shell' && embedded && this.#named === undefined) return undefined;
    }
    if (!embedded) throw missing(name);
    return undefined;
  }

  /**
   * The browsers as `/meta` reports them: versions, null for a browser that is missing, and which browser serves the
   * /chrome routes.
   */
  async describe() {
    const [shell, chromium, chrome, edge] = await Promise.all(
      (['shell', 'chromium', 'chrome', 'edge'] as const).map((engine) => this.#versionOf(this.find(engine))),
    );
    const embedded = shell ? null : await this.#versionOf(embeddedShell(this.#paths.CACHE_DIR));
    return {
      chromium: chromium ?? shell ?? embedded,
      chromiumHeadlessShell: shell ?? embedded,
      chrome: chrome ?? null,
      chromeServedBy: chrome ? ('chrome' as const) : ('chromium' as const),
      edge: edge ?? null,
    };
  }

  /** The version text of an executable, such as `156.0.8078.79`; undefined when it does not print one. */
  version(executable: Executable): Promise<string | undefined> {
    let version = this.#versions.get(executable.path);
    if (!version) this.#versions.set(executable.path, (version = readVersion(executable)));
    return version;
  }

  async #versionOf(finding: Promise<Executable | undefined>): Promise<string | null> {
    const executable = await finding.catch(() => undefined);
    return executable ? ((await this.version(executable)) ?? 'unknown') : null;
  }

  async #search(engine: Engine): Promise<Executable | undefined> {
    const { variable, places } = this.#known[engine];
    const configured = this.#paths[variable];
    for (const path of configured === undefined ? places : [configured]) {
      if (await isExecutable(path)) return { engine, path };
    }
    if (configured !== undefined) {
      throw new ServiceError(
        'browser-missing',
        `${variable} names ${configured}, which is not an executable file. Correct the variable or unset it.`,
      );
    }
    return undefined;
  }
}

function missing(name: BrowserName): ServiceError {
  const { title, variable } = engines[name];
  return new ServiceError(
    'browser-missing',
    `${title} is not installed on this server. Install it, or set ${variable} to its executable.`,
  );
}

function modeOf(engine: Engine, headless: boolean | 'shell' | undefined): Mode {
  if (engine === 'shell') return 'shell';
  return headless === false ? 'headful' : 'new';
}

async function readVersion(executable: Executable): Promise<string | undefined> {
  // Windows builds open a window instead of printing their version.
  if (platform === 'win32') return undefined;
  const output = await readOutput(executable.path, ['--version', '--no-sandbox'], 5_000);
  return output?.match(/(?<!\d)\d+(\.\d+)+/)?.[0];
}
