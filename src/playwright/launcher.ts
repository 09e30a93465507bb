/**
 * Starts browsers for Playwright clients: runs a Playwright server of the client's version in this process, which
 * starts a browser of its own. The library handles the protocol; this file decides which browser runs, with which
 * switches, what it may reach and when it ends.
 *
 *   client ──route──▶ Playwright server (loopback port, secret path) ──pipe──▶ browser
 */
import type { BrowserServer } from 'playwright-core';
import { joinPath } from '../runtime/files.ts';
import { childEnvironment, now } from '../runtime/machine.ts';
import { orAborted, orGivenBack, startDeadline } from '../runtime/deadline.ts';
import {
  endProcessesWith,
  exitOf,
  maxErrorOutputBytes,
  sandboxAvailable,
  setGroupPriority,
  signalGroup,
} from '../runtime/process.ts';
import type { LaunchOptions } from '../schema/request/launch.ts';
import type { BrowserCatalog, BrowserName } from '../browsers/catalog.ts';
import { createOwnedDirectory } from '../browsers/directories.ts';
import { storageProblem } from '../browsers/storage.ts';
import { type BidiRelay, endStartingFirefox, startBidiRelay, writeFirefoxScript } from './firefox-bidi.ts';
import { fatalReason } from '../browsers/last-words.ts';
import { LibraryDirectory } from './library-directory.ts';
import { playwrightFailure } from './failure.ts';
import { defaultSwitchesOf } from './defaults.ts';
import type { FirefoxAndWebKit } from './firefox-webkit.ts';
import {
  type BrowserOptions,
  chromiumOptions,
  firefoxOptions,
  headlessOf,
  type Surroundings,
  webkitOptions,
} from './options.ts';
import { loadPlaywright, type PlaywrightLibrary, type PlaywrightVersion, playwrightVersions } from './versions.ts';
import type { BrowserHost } from '../browsers/process.ts';

export type PlaywrightBrowserName = BrowserName | 'firefox' | 'webkit';

export interface PlaywrightRequest {
  browser: PlaywrightBrowserName;
  version: PlaywrightVersion;
  /** `downloadsPath` and `tracesDir` have no effect: such files go to the session's own directory and end with it. */
  launch: LaunchOptions;
  /** Address of the call's own local proxy; undefined for the egress proxy. */
  proxyServer: string | undefined;
}

/** A browser that Playwright started. */
export interface PlaywrightBrowser extends AsyncDisposable {
  readonly id: string;
  /** Leader of the browser's process group. */
  readonly pid: number;
  /** Where the Playwright server listens: `port` on 127.0.0.1, `path` with its secret. */
  readonly endpoint: { readonly port: number; readonly path: string };
  /** TMPDIR of the browser. */
  readonly scratchDirectory: string;
  /** Aborted once the browser is gone, for whatever reason. */
  readonly gone: AbortSignal;
  /** The browser's exit code; null when a signal ended it, or while it runs. */
  exitCode(): number | null;
  /** The fatal line that the browser wrote before it ended itself; undefined when it wrote none. */
  fatal(): string | undefined;
  /** Ends the process group and removes its directories; may be called often, resolves when all is removed. */
  close(): Promise<void>;
}

/** A start that takes longer has failed, in milliseconds. Firefox makes a profile first, which takes 8 s of CPU. */
const startLimitMs = { chromium: 30_000, firefox: 120_000, webkit: 60_000 } as const;
/** Longest wait for Playwright to remove its directories after the browser's end, in milliseconds. */
const cleanUpLimitMs = 10_000;

type LibraryType = keyof typeof startLimitMs;

/** How a browser is started: the library's type, the executable and the options that depend on the browser. */
interface Plan {
  type: LibraryType;
  stockFirefox: boolean;
  path: string;
  options: BrowserOptions;
}

interface PlannedLaunch {
  request: PlaywrightRequest;
  library: PlaywrightLibrary;
  plan: Plan;
  /** Directory for files of the browser and of Playwright. */
  scratch: string;
}

export class PlaywrightLauncher implements AsyncDisposable {
  readonly #catalog: BrowserCatalog;
  readonly #firefoxAndWebKit: FirefoxAndWebKit;
  readonly #host: BrowserHost;
  readonly #live = new Set<PlaywrightBrowser>();
  readonly #starting = new Set<Promise<PlaywrightBrowser>>();
  readonly #directory: LibraryDirectory;
  #relay: Promise<BidiRelay> | undefined;

  constructor(catalog: BrowserCatalog, firefoxAndWebKit: FirefoxAndWebKit, host: BrowserHost) {
    this.#catalog = catalog;
    this.#firefoxAndWebKit = firefoxAndWebKit;
    this.#host = host;
    this.#directory = new LibraryDirectory(host.scratchRoot);
  }

  /** Checks that a browser can serve a route, without starting anything. @throws ServiceError `browser-missing` */
  async require(browser: PlaywrightBrowserName): Promise<void> {
    if (browser === 'firefox' || browser === 'webkit') await this.#firefoxAndWebKit.find(browser);
    else await this.#catalog.require(browser);
  }

  /**
   * Starts a browser and a Playwright server for it.
   * @param signal aborts the start: it rejects at once; browser and files are removed in the background
   * @throws ServiceError `browser-missing`, `invalid-launch`, `launch-failed`, `storage-full`; the signal's reason
   */
  async start(request: PlaywrightRequest, signal: AbortSignal): Promise<PlaywrightBrowser> {
    const { attempts, endings } = this.#host;
    const kind = JSON.stringify([request.browser, request.version.version, request.launch]);
    const once = async () => {
      await endings.room(signal);
      const starting = this.#start(request, signal);
      this.#starting.add(starting);
      const over = () => this.#starting.delete(starting);
      starting.then(over, over);
      return orGivenBack(starting, signal, (late) => void late.close());
    };
    return attempts.run(kind, once, signal);
  }

  async #start(request: PlaywrightRequest, signal: AbortSignal): Promise<PlaywrightBrowser> {
    signal.throwIfAborted();
    const library = await loadPlaywright(request.version);
    const scratch = await createOwnedDirectory(this.#host.scratchRoot, 'SCRATCH_DIR');
    let leave = async () => {};
    const undo = () => scratch.remove().then(() => leave());
    try {
      leave = await this.#directory.enter();
      const startedAt = now();
      const plan = await this.#plan(request, library, scratch.path);
      const server = await this.#launch({ request, library, plan, scratch: scratch.path }, signal);
      const browser = this.#adopt(server, scratch.path, undo);
      this.#host.metrics.browserStarted(now() - startedAt);
      if (!signal.aborted) return browser;
      await browser.close();
    } catch (error) {
      await undo();
      throw signal.aborted ? signal.reason : error;
    }
    throw signal.reason;
  }

  /** Versions for `/meta`: those of Playwright, newest first, and of the browsers that only it serves. */
  async describe(): Promise<{ firefox: string | null; webkit: string | null; playwright: string[] }> {
    const [firefox, webkit] = await Promise.all([
      this.#firefoxAndWebKit.version('firefox'),
      this.#firefoxAndWebKit.version('webkit'),
    ]);
    return { firefox, webkit, playwright: playwrightVersions.map(({ version }) => version) };
  }

  /** Ends all browsers and the relay. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#live].map((browser) => browser.close()));
    await (await this.#relay)?.[Symbol.asyncDispose]();
  }

  async #plan(
    { browser, version, launch, proxyServer }: PlaywrightRequest,
    library: PlaywrightLibrary,
    scratch: string,
  ): Promise<Plan> {
    const surroundings: Surroundings = {
      proxyServer: proxyServer ?? `socks5://127.0.0.1:${this.#host.egressPort}`,
      sandbox: await sandboxAvailable(),
      scratchDirectory: scratch,
    };
    if (browser === 'webkit') {
      const { path } = await this.#firefoxAndWebKit.find('webkit', library.webkit.executablePath());
      const options = webkitOptions(launch, surroundings);
      return { type: 'webkit', stockFirefox: false, path, options };
    }
    if (browser === 'firefox') {
      const { path, patched } = await this.#firefoxAndWebKit.find('firefox', library.firefox.executablePath());
      const options = firefoxOptions(launch, surroundings);
      const start = patched ? path : await writeFirefoxScript(path, scratch, await this.#startRelay());
      return { type: 'firefox', stockFirefox: !patched, path: start, options };
    }
    const { executable, mode } = await this.#catalog.forRoute(browser, headlessOf(launch));
    const options = chromiumOptions(mode, launch, await defaultSwitchesOf(version), surroundings);
    return { type: 'chromium', stockFirefox: false, path: executable.path, options };
  }

  async #launch({ request, library, plan, scratch }: PlannedLaunch, signal: AbortSignal): Promise<BrowserServer> {
    const { version, launch } = request;
    signal.throwIfAborted();
    const asType = plan.stockFirefox && version.stockFirefox === 'type';
    const type = asType ? library._bidiFirefox : library[plan.type];
    if (!type) throw new Error(`Playwright ${version.version} has no stock Firefox`);
    const limitMs = startLimitMs[plan.type];
    const launching = type.launchServer({
      ...plan.options,
      ...(plan.stockFirefox && !asType ? { channel: 'moz-firefox' } : {}),
      ...(launch.slowMo === undefined ? {} : { slowMo: launch.slowMo }),
      executablePath: plan.path,
      timeout: launch.timeout === undefined || launch.timeout <= 0 ? limitMs : Math.min(launch.timeout, limitMs),
      tracesDir: joinPath(scratch, 'traces'),
      env: {
        ...childEnvironment(),
        ...(plan.options.headless === false ? await this.#host.display.environment() : {}),
        TMPDIR: scratch,
        // Firefox also writes to its home directory, beside its profile, and requires that the user owns it.
        ...(plan.type === 'firefox' ? { HOME: scratch } : {}),
        // Without an address Chromium would start a bus daemon that outlives it.
        DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      },
      // The signal handlers of this server end the browsers.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      host: '127.0.0.1',
      port: 0,
      wsPath: `/${crypto.randomUUID()}`,
    });
    const giveUp = () => void (plan.stockFirefox ? endStartingFirefox(scratch) : endProcessesWith(`TMPDIR=${scratch}`));
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await launching;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#host.log.error('browser.start-failed', { path: plan.path, playwright: version.version, cause: error });
      const storage = await storageProblem([['SCRATCH_DIR', this.#host.scratchRoot]]);
      throw storage ?? playwrightFailure(error);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Registers a started browser; from here on only `close()` ends it. */
  #adopt(server: BrowserServer, scratchDirectory: string, undo: () => Promise<void>): PlaywrightBrowser {
    const pid = server.process().pid ?? 0;
    const { port, pathname } = new URL(server.wsEndpoint());
    const release = this.#host.policy.protectPort(Number(port));
    void setGroupPriority(pid, this.#host.niceness);
    const { metrics, log } = this.#host;
    const gone = new AbortController();
    let exitCode: number | null = null;
    let errorOutput = '';
    server.process().stderr?.on('data', (chunk: Uint8Array) => {
      errorOutput = (errorOutput + chunk.toString()).slice(-maxErrorOutputBytes);
    });
    let ended: Promise<void> | undefined;
    const end = async () => {
      this.#host.endings.note(exitOf(server.process()));
      signalGroup(pid, 'SIGKILL');
      using limit = startDeadline(cleanUpLimitMs, () => undefined, []);
      // Resolves after the process has ended and its directories are removed.
      await orAborted(server.kill(), limit.signal).catch(() => {});
      // Again, for processes that the group forked while the first signal was sent.
      signalGroup(pid, 'SIGKILL');
      gone.abort();
      release();
      this.#live.delete(browser);
      await undo();
    };
    const browser: PlaywrightBrowser = {
      id: crypto.randomUUID(),
      pid,
      endpoint: { port: Number(port), path: pathname },
      scratchDirectory,
      gone: gone.signal,
      exitCode: () => exitCode,
      fatal: () => fatalReason(server.process().signalCode, errorOutput),
      close() {
        return (ended ??= end());
      },
      [Symbol.asyncDispose]: () => browser.close(),
    };
    server.on('close', () => {
      exitCode = server.process().exitCode;
      if (!ended && exitCode !== 0) {
        metrics.browserCrashed();
        log.error('browser.crashed', { browser: browser.id, code: exitCode, fatal: browser.fatal() });
      }
      gone.abort();
    });
    this.#live.add(browser);
    return browser;
  }

  #startRelay(): Promise<BidiRelay> {
    return (this.#relay ??= startBidiRelay(this.#host.policy));
  }
}
