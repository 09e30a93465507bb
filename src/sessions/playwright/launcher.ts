// This file is long because startup that fails midway undoes what it has done.

/**
 * Starts browsers for Playwright clients: a Playwright server of the client's version, in a separate process, starts a
 * browser. The library handles the protocol; this file decides which browser runs, with which switches, what it may
 * reach and when it is closed.
 *
 *   client ──route──▶ Playwright server (Unix socket, secret path) ──pipe──▶ browser
 *
 * Playwright's server reveals its secret path to anyone who requests `/json`, and loopback ports are open to all users
 * of the machine. Therefore it listens on a Unix socket, in a directory that only the server's user may enter.
 */
import { joinPath } from '../../base/runtime/files.ts';
import { childEnvironment, now } from '../../base/runtime/machine.ts';
import { orAborted, orReleased, pause, startDeadline } from '../../base/runtime/deadline.ts';
import { endProcessesWith, setGroupPriority, signalGroup } from '../../base/runtime/process.ts';
import type { BrowserCatalog } from '../../browser/processes/catalog.ts';
import { createOwnedDirectory } from '../../browser/processes/directories.ts';
import { type BrowserDisplay, displayLost, openDisplay } from '../../browser/processes/display/display.ts';
import { storageProblem } from '../../browser/processes/storage.ts';
import { type BidiRelay, endStartingFirefox, startBidiRelay } from './firefox-bidi.ts';
import { fatalReason, LaunchFailed } from '../../browser/processes/last-words.ts';
import { LibraryDirectory } from './library-directory.ts';
import { settledOrEnded, playwrightFailure } from './given-up-start.ts';
import type { HostedBrowser, PlaywrightHost } from './host.ts';
import type { BrowserEnd, ServerOptions } from './host-messages.ts';
import { type HostsOptions, PlaywrightHosts } from './hosts.ts';
import type { FirefoxAndWebKit } from './firefox-webkit.ts';
import type { Plan, PlaywrightBrowserName, PlaywrightRequest, Programs } from './plan.ts';
import { playwrightVersions } from './versions.ts';
import type { BrowserHost } from '../../browser/processes/process.ts';
import { stealthEnvironment } from '../../browser/processes/stealth/profile.ts';

interface Endpoint {
  readonly socket: string;
  readonly path: string;
}

/** A browser that Playwright started. */
export interface PlaywrightBrowser extends AsyncDisposable {
  readonly id: string;
  /** Leader of the browser's process group. */
  readonly pid: number;
  /** Where the Playwright server listens: its Unix socket, and the path of its WebSocket. */
  readonly endpoint: Endpoint;
  /** TMPDIR of the browser. */
  readonly scratchDirectory: string;
  /** Downloads are saved here, under names that Playwright gives them. */
  readonly downloadDirectory: string;
  /** True for a browser with tabs and menus, false for the headless shell. */
  readonly full: boolean;
  /** Aborted once the browser has exited, for any reason. */
  readonly gone: AbortSignal;
  /** The browser's exit code; null when a signal terminated it, or while it runs. */
  exitCode(): number | null;
  /**
   * The fatal line that the browser wrote before it exited, or why `fail` terminated it; undefined if there is neither.
   */
  fatal(): string | undefined;
  /** Ends the browser immediately, as a crash does. @param why shown to its clients like the fatal line of a crash */
  fail(why: string): void;
  /** Ends the process group and removes its directories; may be called repeatedly; resolves when all is removed. */
  close(): Promise<void>;
}

/** Maximum wait for Playwright to remove its directories after the browser has exited, in milliseconds. */
const cleanUpLimitMs = 10_000;

/** Like `cleanUpLimitMs`, but when the server stops. */
const stopLimitMs = 500;

/** Pause between searches for processes that outlive Firefox, in milliseconds, and the maximum number of searches. */
const helperTurnMs = 10;
const maxHelperTurns = 50;

/** Time limit for startup, in milliseconds. Firefox first creates a profile, which takes 8 s of CPU time. */
const startLimitMs = { chromium: 30_000, firefox: 120_000, webkit: 60_000 } as const;

interface PlannedLaunch {
  request: PlaywrightRequest;
  host: PlaywrightHost;
  /** Where Playwright creates its own files. */
  temporaryDirectory: string;
  plan: Plan;
  /** Directory for files of the browser and of Playwright. */
  scratch: string;
  display: BrowserDisplay | undefined;
  endpoint: Endpoint;
}

interface Launched extends Pick<PlannedLaunch, 'host' | 'endpoint' | 'scratch' | 'display'> {
  server: HostedBrowser;
  full: boolean;
  /** Removes the files of the browser. */
  undo(): Promise<void>;
}

export class PlaywrightLauncher implements AsyncDisposable {
  readonly #programs: Programs;
  readonly #host: BrowserHost;
  readonly #live = new Set<PlaywrightBrowser>();
  readonly #starting = new Set<Promise<PlaywrightBrowser>>();
  readonly #directory: LibraryDirectory;
  readonly #hosts: PlaywrightHosts;
  #relay: Promise<BidiRelay> | undefined;

  /** @param options options of the processes of Playwright's servers */
  constructor(catalog: BrowserCatalog, firefoxAndWebKit: FirefoxAndWebKit, host: BrowserHost, options: HostsOptions) {
    this.#programs = {
      catalog,
      firefoxAndWebKit,
      egressPort: host.egressPort,
      relay: () => (this.#relay ??= startBidiRelay(host.policy)),
    };
    this.#host = host;
    this.#hosts = new PlaywrightHosts(options);
    this.#directory = new LibraryDirectory(host.scratchRoot);
  }

  /** Checks that a browser can serve a route, without starting anything. @throws ServiceError `browser-missing` */
  async require(browser: PlaywrightBrowserName): Promise<void> {
    if (browser === 'firefox' || browser === 'webkit') await this.#programs.firefoxAndWebKit.find(browser);
    else await this.#programs.catalog.require(browser);
  }

  /**
   * Starts a browser and a Playwright server for it.
   * @param signal aborts startup: the promise rejects immediately; browser and files are removed in the background
   * @throws ServiceError `browser-missing`, `invalid-launch`, `launch-failed`, `storage-full`; the abort reason of the
   *   signal
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
      return orReleased(starting, signal, (late) => void late.close());
    };
    return attempts.run(kind, once, signal);
  }

  async #start(request: PlaywrightRequest, signal: AbortSignal): Promise<PlaywrightBrowser> {
    signal.throwIfAborted();
    const { host, leave: leaveHost } = this.#hosts.use(request.account);
    const undos: (() => Promise<void>)[] = [async () => leaveHost()];
    const undo = async () => {
      for (const step of undos.splice(0).toReversed()) await step();
    };
    try {
      const { path: temporaryDirectory, leave } = await this.#directory.enter();
      undos.push(leave);
      const { path: scratch, remove } = await createOwnedDirectory(this.#host.scratchRoot, 'SCRATCH_DIR');
      undos.push(remove);
      if (request.browser === 'firefox') undos.push(() => endHelpers(scratch));
      const library = await host.describe(request.version.packageName);
      const startedAt = now();
      const { planLaunch } = await import('./plan.ts');
      const plan = await planLaunch({ request, library, scratch }, this.#programs);
      const display = plan.options.headless === false ? await openDisplay(scratch, signal) : undefined;
      if (display) undos.push(async () => display[Symbol.asyncDispose]());
      const endpoint = { socket: joinPath(scratch, 'playwright'), path: `/${crypto.randomUUID()}` };
      const server = await this.#launch(
        { request, host, temporaryDirectory, plan, scratch, display, endpoint },
        signal,
      );
      const browser = this.#adopt({ server, host, endpoint, full: plan.full, scratch, display, undo });
      this.#host.metrics.browserStarted(now() - startedAt);
      if (!signal.aborted) return browser;
      await browser.close();
    } catch (error) {
      await undo();
      throw signal.aborted ? signal.reason : error;
    }
    throw signal.reason;
  }

  /**
   * Returns versions for `/meta`: those of Playwright, newest first, and of the browsers that only Playwright serves.
   */
  async describe(): Promise<{ firefox: string | null; webkit: string | null; playwright: string[] }> {
    const [firefox, webkit] = await Promise.all([
      this.#programs.firefoxAndWebKit.version('firefox'),
      this.#programs.firefoxAndWebKit.version('webkit'),
    ]);
    return { firefox, webkit, playwright: playwrightVersions.map(({ version }) => version) };
  }

  /** Ends all browsers and the relay. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#starting);
    const closing = Promise.all([...this.#live].map((browser) => browser.close()));
    using limit = startDeadline(stopLimitMs, () => undefined, []);
    await orAborted(closing, limit.signal).catch(() => {});
    // A process that hangs would delay the end of its browsers.
    await this.#hosts[Symbol.asyncDispose]();
    await closing;
    await (await this.#relay)?.[Symbol.asyncDispose]();
  }

  async #launch(
    { request, host, temporaryDirectory, plan, scratch, display, endpoint }: PlannedLaunch,
    signal: AbortSignal,
  ): Promise<HostedBrowser> {
    const { version, launch } = request;
    signal.throwIfAborted();
    const asType = plan.stockFirefox && version.stockFirefox === 'type';
    const { timeout } = launch;
    const maxMs = startLimitMs[plan.type];
    const limitMs = timeout === undefined || timeout <= 0 ? maxMs : Math.min(timeout, maxMs);
    const late = () => new LaunchFailed({ code: undefined, line: `it was not ready within ${limitMs} ms` }, undefined);
    using limit = startDeadline(limitMs, late, [signal]);
    const options: ServerOptions = {
      ...plan.options,
      ...(plan.stockFirefox && !asType ? { channel: 'moz-firefox' } : {}),
      executablePath: plan.path,
      // Applies only if `limit` fails: Playwright does not wait for the end of a program when it cancels startup
      // itself, and the program may then still create directories.
      timeout: limitMs + cleanUpLimitMs,
      tracesDir: joinPath(scratch, 'traces'),
      downloadsPath: downloadsBelow(scratch),
      env: {
        ...childEnvironment(),
        ...display?.environment,
        ...(launch.stealth === true ? stealthEnvironment(launch) : {}),
        TMPDIR: scratch,
        // Firefox also writes to its home directory, besides its profile, and requires that the user owns it.
        ...(plan.type === 'firefox' ? { HOME: scratch } : {}),
        // Without an address, Chromium would start a bus daemon that outlives it.
        DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      },
      // The signal handlers of this server end the browsers.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      // Every version passes the port unchanged to `listen()` of its HTTP server, which accepts a path too.
      port: endpoint.socket,
      wsPath: endpoint.path,
    };
    const { packageName } = version;
    const type = asType ? 'stock-firefox' : plan.type;
    const launching = host.launch({ packageName, type, options, temporaryDirectory });
    const endProgram = () => (plan.stockFirefox ? endStartingFirefox(scratch) : endProcessesWith(`TMPDIR=${scratch}`));
    try {
      const server = await settledOrEnded(launching, limit.signal, endProgram);
      if (!limit.signal.aborted || signal.aborted) return server;
      await server.kill();
      throw limit.signal.reason;
    } catch (error) {
      // Nothing else would end a browser whose Playwright server has exited.
      if (host.gone.aborted) await endProgram();
      if (signal.aborted) throw error;
      this.#host.log.error('browser.start-failed', { path: plan.path, playwright: version.version, cause: error });
      if (limit.signal.aborted) throw limit.signal.reason;
      const storage = await storageProblem([['SCRATCH_DIR', this.#host.scratchRoot]]);
      throw storage ?? playwrightFailure(error);
    }
  }

  /** Registers a started browser; from here on only `close()` ends it. */
  #adopt({ server, host, endpoint, full, scratch, display, undo }: Launched): PlaywrightBrowser {
    const { pid } = server;
    void setGroupPriority(pid, this.#host.niceness);
    display?.lost.addEventListener('abort', () => signalGroup(pid, 'SIGKILL'));
    const { metrics, log } = this.#host;
    const gone = new AbortController();
    let ending: BrowserEnd | undefined;
    let failedFor: string | undefined;
    let ended: Promise<void> | undefined;
    const end = async () => {
      this.#host.endings.note(server.ended);
      signalGroup(pid, 'SIGKILL');
      using limit = startDeadline(cleanUpLimitMs, () => undefined, []);
      // Resolves after the process has exited and its directories are removed.
      await orAborted(server.kill(), limit.signal).catch(() => {});
      // Again, for processes that the group forked while the first signal was sent.
      signalGroup(pid, 'SIGKILL');
      gone.abort();
      this.#live.delete(browser);
      unwatch();
      await undo();
    };
    const browser: PlaywrightBrowser = {
      id: this.#host.ids.make(),
      pid,
      endpoint,
      scratchDirectory: scratch,
      downloadDirectory: downloadsBelow(scratch),
      full,
      gone: gone.signal,
      exitCode: () => (display?.lost.aborted ? null : (ending?.code ?? null)),
      fatal: () => {
        if (display?.lost.aborted) return displayLost;
        return failedFor ?? (ending ? fatalReason(ending.signal, ending.errorOutput) : host.why);
      },
      fail(why) {
        failedFor = why;
        signalGroup(pid, 'SIGKILL');
      },
      close() {
        return (ended ??= end());
      },
      [Symbol.asyncDispose]: () => browser.close(),
    };
    const unwatch = this.#hosts.guard.watch(browser);
    void server.ended.then((how) => {
      ending = how;
      signalGroup(pid, 'SIGKILL');
      if (gone.signal.aborted) return;
      if (!ended && browser.exitCode() !== 0) {
        metrics.browserCrashed();
        log.error('browser.crashed', { browser: browser.id, code: browser.exitCode(), fatal: browser.fatal() });
      }
      gone.abort();
    });
    this.#live.add(browser);
    return browser;
  }
}

/** Ends the processes that left Firefox's process group: its crash helper may still recreate its directory. */
async function endHelpers(scratch: string): Promise<void> {
  for (let turn = 0; turn < maxHelperTurns && (await endProcessesWith(`TMPDIR=${scratch}`)) > 0; turn++) {
    await pause(helperTurnMs, undefined);
  }
}

function downloadsBelow(scratch: string): string {
  return joinPath(scratch, 'downloads');
}
