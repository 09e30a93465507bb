// Starts a browser process, connects to it and closes it. The caller retries when startup fails; closing kills the
// whole process group and then removes its directories. The file is long because startup that fails midway must undo
// what it has done so far.

import type { Log } from '../../base/telemetry/log.ts';
import type { Metrics } from '../../base/telemetry/metrics.ts';
import type { Ids } from '../../base/runtime/ids.ts';
import { startDeadline, orAborted } from '../../base/runtime/deadline.ts';
import { childEnvironment, now } from '../../base/runtime/machine.ts';
import { type ChildProcess, sandboxAvailable, startProcess } from '../../base/runtime/process.ts';
import type { Mode } from './catalog.ts';
import type { Executable } from './executable.ts';
import type { Commands } from '../cdp/connection.ts';
import { CdpConnection } from '../cdp/process-connection.ts';
import type { Transport } from '../cdp/transport.ts';
import type { NetworkPolicy } from '../network/policy.ts';
import type { Routes } from '../network/upstream/routes.ts';
import type { Identity } from './stealth/identity.ts';
import { type StealthProfile, stealthEnvironment } from './stealth/profile.ts';
import { stealthSetups } from './stealth/setups.ts';
import { signDocuments } from '../web-bot-auth/signed-documents.ts';
import type { RequestSigner } from '../web-bot-auth/signer.ts';
import { type BrowserDisplay, displayLost, openDisplay } from './display/display.ts';
import { copyExtensions, loadExtensions, withoutFullBrowser } from './extensions/extensions.ts';
import { ServiceError } from '../../base/errors.ts';
import { createScratchSpace, filesDirectory, type ScratchSpace } from './directories.ts';
import { onEveryPage } from '../cdp/every-page.ts';
import { type Clients, commandLineOf, valuesOf } from './flags.ts';
import type { Endings } from './endings.ts';
import { fatalReason, LaunchFailed, startLine } from './last-words.ts';
import { writePreferences } from './preferences.ts';
import type { StartAttempts } from './start-attempts.ts';
import { storageProblem } from './storage.ts';

export interface StartOptions {
  executable: Executable;
  mode: Mode;
  /** Default none. */
  args?: readonly string[];
  /** Default false. */
  ignoreDefaultArgs?: boolean | readonly string[];
  /** The client's own profile directory, kept after the browser has exited. */
  userDataDirectory?: string | undefined;
  /** Where a full browser puts downloads by default: a directory in its scratch directory when omitted. */
  downloadDirectory?: string | undefined;
  /** Who drives it. Default none. */
  clients?: Clients;
  /** Time limit for startup in milliseconds. Default 30,000. */
  startLimitMs?: number | undefined;
  /** URL of the local proxy of a ProxyLease, in place of the egress proxy. */
  proxyServer?: string | undefined;
  /** For a stealth browser. */
  stealth?: StealthProfile | undefined;
  /** The identity that a stealth browser without a window reports. */
  identity?: Identity | undefined;
}

/** Dependencies of startup in addition to the options; built once in src/start/services.ts. */
export interface BrowserHost {
  dataRoot: string;
  scratchRoot: string;
  /** Where the operator keeps extensions; undefined when there are none. */
  extensionsRoot: string | undefined;
  egressPort: number;
  /** Scheduling priority of browsers: they yield to the server, so that refusals and health checks stay quick. */
  niceness: number;
  policy: NetworkPolicy;
  /** Opens the network routes of one stealth browser. */
  openRoutes(): Promise<Routes>;
  /** Signs the requests for documents that browsers load; undefined when the operator has configured no key. */
  signer: RequestSigner | undefined;
  /** Retries when startup fails. */
  attempts: StartAttempts;
  /** Limits how many browsers shut down at a time. */
  endings: Endings;
  /** Makes the ids of browsers. */
  ids: Ids;
  log: Log;
  metrics: Metrics;
}

/** Time in milliseconds after which startup is considered failed. Slow machines under load need several seconds. */
const startLimitMs = 30_000;
/** How long a browser with a profile to keep may take to write it, in milliseconds. */
const politeCloseMs = 3_000;

/** Time in milliseconds after its pipe has closed at which a process is considered exited. */
const pipeClosedMs = 250;

/** The disks that a browser writes to. */
export function storageOf({ dataRoot, scratchRoot }: Pick<BrowserHost, 'dataRoot' | 'scratchRoot'>) {
  return [
    ['DATA_DIR', dataRoot],
    ['SCRATCH_DIR', scratchRoot],
  ] as const;
}

export type BrowserVersion = Commands['Browser.getVersion']['returnType'];

/**
 * The browser's pipe. Reports that it has closed only after the process has exited, so that the listener also receives
 * the reason.
 */
function transportOf(child: ChildProcess, display: BrowserDisplay | undefined): Transport {
  const { pipe } = child;
  return {
    send: pipe.send,
    congestion: pipe.congestion,
    onMessage: pipe.onMessage,
    onCut: pipe.onCut,
    onClose(listener) {
      void Promise.all([child.exited, child.heard]).then(([{ signal }]) =>
        listener(display?.lost.aborted ? displayLost : fatalReason(signal, child.errorOutput())),
      );
      pipe.onClose(() => {
        // On Browser.close Chromium closes the pipe first and may then write its profile for seconds.
        setTimeout(listener, pipeClosedMs).unref();
      });
    },
  };
}

interface StartedBrowser extends Pick<BrowserProcess, 'id' | 'connection' | 'space' | 'version'> {
  options: StartOptions;
  routes: Routes | undefined;
  display: BrowserDisplay | undefined;
  child: ChildProcess;
  endings: Endings;
}

export class BrowserProcess {
  readonly id: string;
  readonly shared = false;
  readonly executable: Executable;
  readonly mode: Mode;
  readonly stealth: boolean;
  readonly routes: Routes | undefined;
  readonly connection: CdpConnection;
  /** Start time, as returned by `now`. */
  readonly startedAt = now();
  readonly pid: number;
  /** The result of Browser.getVersion. */
  readonly version: BrowserVersion;
  readonly space: ScratchSpace;
  /** Resolves when the process has exited. */
  readonly exited: ChildProcess['exited'];
  readonly #started: StartedBrowser;
  #ended: Promise<void> | undefined;
  /** True once `close()` was called: the exit of the process is then not a crash. */
  closing = false;

  private constructor(started: StartedBrowser) {
    const { id, options, routes, display, child, connection, space, version } = started;
    this.#started = started;
    this.id = id;
    this.executable = options.executable;
    this.mode = options.mode;
    this.stealth = options.stealth !== undefined;
    this.routes = routes;
    this.pid = child.pid;
    this.connection = connection;
    this.space = space;
    this.version = version;
    this.exited = child.exited.then((end) => (display?.lost.aborted ? { code: null, signal: 'SIGKILL' } : end));
  }

  /** Aborted once the browser has exited or was lost, for any reason. */
  get gone(): AbortSignal {
    return this.connection.closed;
  }

  /**
   * @param signal aborts startup
   * @throws LaunchFailed with the reason; a ServiceError for a disk that is full or not writable; the signal's abort
   *   reason. It throws once the process has exited and its directories are removed.
   */
  static async start(options: StartOptions, host: BrowserHost, signal?: AbortSignal): Promise<BrowserProcess> {
    const startedAt = now();
    const space = await createScratchSpace(host.dataRoot, host.scratchRoot, options.userDataDirectory);
    const { endings } = host;
    let child: ChildProcess | undefined;
    let routes: Routes | undefined;
    let display: BrowserDisplay | undefined;
    const exit: { code?: number | null } = {};
    try {
      signal?.throwIfAborted();
      if (options.mode !== 'shell') {
        await writePreferences({
          dataDirectory: space.dataDirectory,
          downloadDirectory: options.downloadDirectory ?? filesDirectory(space.scratchDirectory),
          allowFiles: host.policy.allowsScheme(new URL('file:///')),
          args: options.args ?? [],
        });
      }
      const extensions = await copyExtensions(options.args ?? [], host.extensionsRoot, space.scratchDirectory);
      if (extensions.length > 0 && options.mode === 'shell') throw withoutFullBrowser();
      if (options.stealth && options.proxyServer === undefined) routes = await host.openRoutes();
      if (options.mode === 'headful') display = await openDisplay(space.scratchDirectory, signal);
      child = await startProcess({
        path: options.executable.path,
        args: commandLineOf({
          mode: options.mode,
          dataDirectory: space.dataDirectory,
          proxyServer: options.proxyServer ?? routes?.server ?? `socks5://127.0.0.1:${host.egressPort}`,
          sandbox: await sandboxAvailable(),
          args: options.args ?? [],
          ignoreDefaultArgs: options.ignoreDefaultArgs ?? false,
          clients: options.clients ?? 'none',
          stealth: options.stealth && { identity: options.identity },
        }),
        env: {
          ...childEnvironment(),
          ...display?.environment,
          ...(options.stealth ? stealthEnvironment(options.stealth) : {}),
          TMPDIR: space.scratchDirectory,
          // Without an address, Chromium would start a bus daemon that outlives it.
          DBUS_SESSION_BUS_ADDRESS: 'disabled:',
        },
        niceness: host.niceness,
      });
      void child.exited.then(({ code }) => (exit.code = code));
      const { signalGroup } = child;
      display?.lost.addEventListener('abort', () => signalGroup('SIGKILL'));
      const connection = new CdpConnection(transportOf(child, display));
      const limitMs = options.startLimitMs ?? startLimitMs;
      using deadline = startDeadline(
        limitMs,
        () => new Error(`no response within ${limitMs} ms`),
        signal ? [signal] : [],
      );
      const version = await orAborted(connection.root.send('Browser.getVersion'), deadline.signal);
      if (options.stealth) {
        const { identity } = options;
        const setups = stealthSetups({ identity, locale: valuesOf('--lang', options.args ?? []).at(-1) });
        if (setups.length > 0) await orAborted(onEveryPage(connection.root, setups), deadline.signal);
      }
      if (extensions.length > 0) await orAborted(loadExtensions(connection.root, extensions), deadline.signal);
      if (host.signer) await orAborted(signDocuments(connection.root, host.signer), deadline.signal);
      const started = { id: host.ids.make(), options, routes, display, child, connection, space, version, endings };
      const browser = new BrowserProcess(started);
      host.metrics.browserStarted(now() - startedAt);
      return browser;
    } catch (error) {
      const { code } = exit;
      child?.signalGroup('SIGKILL');
      await child?.exited;
      await routes?.[Symbol.asyncDispose]();
      await display?.[Symbol.asyncDispose]();
      // Check the disks before the browser's files are removed: they may be what fills a disk. On a full disk the
      // browser's last output may say anything.
      const storage = await storageProblem(storageOf(host));
      await space.remove();
      if (signal?.aborted) throw signal.reason;
      const output = child?.errorOutput() ?? '';
      host.log.error('browser.start-failed', { path: options.executable.path, cause: error, output });
      // Caused by what the client requested, such as an extension that the browser rejects.
      if (error instanceof ServiceError) throw storage ?? error;
      throw storage ?? new LaunchFailed({ code, line: startLine(code, output) }, error);
    }
  }

  /**
   * Kills the process group and removes its directories. May be called repeatedly; resolves when everything is removed.
   */
  close(): Promise<void> {
    // Set first: `#end` closes the connection, which is not a crash.
    this.closing = true;
    this.noteClosing();
    this.#ended ??= this.#end();
    return this.#ended;
  }

  /**
   * Kills the browser immediately, as in a crash.
   * @param why the reason that its clients see, like the last output of a crash
   */
  fail(why: string): void {
    this.connection.close('The browser was killed', why);
    this.kill();
  }

  /** Kills the process group immediately; `close()` removes what is left. */
  kill(): void {
    this.#started.child.signalGroup('SIGKILL');
  }

  /** Counts the browser as shutting down from now on, because closing it was requested. */
  noteClosing(): void {
    this.#started.endings.note(this.exited);
  }

  async #end(): Promise<void> {
    const { child, display } = this.#started;
    if (!this.space.dataIsTemporary) {
      // Chromium must write a profile that is kept; a temporary one is deleted anyway. When a client closed the
      // browser, the pipe is already closed, but Chromium may still be writing.
      using deadline = startDeadline(politeCloseMs, () => undefined, []);
      this.connection.root.send('Browser.close').catch(() => {});
      await orAborted(child.exited, deadline.signal).catch(() => {});
    }
    child.signalGroup('SIGKILL');
    this.connection.close('The browser was closed');
    await child.exited;
    // Again, for processes that the group forked while the first signal was sent.
    child.signalGroup('SIGKILL');
    await this.routes?.[Symbol.asyncDispose]();
    await display?.[Symbol.asyncDispose]();
    await this.space.remove();
  }
}
