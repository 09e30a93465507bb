/** Starts browser processes, keeps track of those that are running, and reports those that crash. */
import { orAborted, orReleased, startDeadline } from '../../../base/runtime/deadline.ts';
import { type Identity, readIdentity } from '../stealth/identity.ts';
import type { Executable } from '../executable.ts';
import { type BrowserHost, BrowserProcess, type StartOptions } from '../process.ts';
import type { Profile } from '../profiles.ts';
import { earlyCrashMs } from '../start-attempts.ts';
import { now } from '../../../base/runtime/machine.ts';

export class StartedProcesses {
  readonly #host: BrowserHost;
  readonly #inBackground: (work: Promise<unknown>) => void;
  /** Every browser that has not exited yet. */
  readonly #browsers = new Set<BrowserProcess>();
  /** What each executable reports without a window, by its path. */
  readonly #identities = new Map<string, Promise<Identity>>();
  /** Aborts starts in progress. */
  readonly #stopping = new AbortController();
  /** Aborted by `startNoMore`. */
  readonly stopping = this.#stopping.signal;

  /** @param inBackground accepts work that no request waits for */
  constructor(host: BrowserHost, inBackground: (work: Promise<unknown>) => void) {
    this.#host = host;
    this.#inBackground = inBackground;
  }

  get running(): readonly BrowserProcess[] {
    return [...this.#browsers];
  }

  startNoMore(): void {
    this.#stopping.abort(new Error('the pool has stopped'));
  }

  /** Closes all browsers. */
  async stop(): Promise<void> {
    await Promise.all(this.running.map((browser) => browser.close()));
  }

  /**
   * @param signal the signal of the one request that the browser is for; without it, a client that disconnects does not
   *   abort startup
   * @throws ServiceError `launch-failed`, `storage-full`; the signal's abort reason
   */
  start(options: StartOptions, signal?: AbortSignal, profile?: Profile): Promise<BrowserProcess> {
    const { attempts, endings } = this.#host;
    const kind = kindOf(options);
    return attempts.run(
      kind,
      async () => {
        using life = startDeadline(0, () => undefined, [this.#stopping.signal, ...(signal ? [signal] : [])]);
        life.signal.throwIfAborted();
        await endings.room(life.signal);
        const windowless = options.stealth && options.mode === 'new';
        const identity = windowless ? await orAborted(this.#identityOf(options.executable), life.signal) : undefined;
        const starting = BrowserProcess.start({ ...options, identity }, this.#host, life.signal);
        this.#inBackground(starting.catch(() => {}));
        profile?.useFor(starting);
        const giveBack = (late: BrowserProcess) => this.#inBackground(late.close());
        const browser = await (signal ? orReleased(starting, signal, giveBack) : starting);
        this.#browsers.add(browser);
        browser.gone.addEventListener('abort', () => this.#inBackground(this.#ended(browser, kind)), { once: true });
        if (this.#stopping.signal.aborted) await browser.close();
        return browser;
      },
      signal,
    );
  }

  /** Reads an identity once, with an ordinary full browser; after a failure, the next call tries again. */
  #identityOf(executable: Executable): Promise<Identity> {
    const { path } = executable;
    let identity = this.#identities.get(path);
    if (!identity) {
      const starting = this.start({ executable, mode: 'new' });
      identity = starting
        .then(({ connection }) => readIdentity(connection))
        .finally(async () => (await starting).close());
      this.#identities.set(path, identity);
      identity.catch(() => this.#identities.delete(path));
    }
    return identity;
  }

  /** Counts and logs a crash, then closes the browser and forgets it. */
  async #ended(browser: BrowserProcess, kind: string): Promise<void> {
    const { metrics, log, attempts } = this.#host;
    // A browser that a client closed exits with code 0; only an exit that nobody requested is a crash.
    const { code, signal } = browser.closing ? { code: 0, signal: null } : await browser.exited;
    if (code !== 0) {
      metrics.browserCrashed();
      log.error('browser.crashed', { browser: browser.id, code, signal, fatal: browser.connection.fatal });
      if (now() - browser.startedAt < earlyCrashMs) attempts.crashedEarly(kind, browser.gone.reason);
    }
    await browser.close();
    this.#browsers.delete(browser);
  }
}

/**
 * The key of remembered startup failures. It includes the switches: a failure with one client's switches must not delay
 * startup for another.
 */
function kindOf(options: StartOptions): string {
  const { executable, mode, args = [], ignoreDefaultArgs = false, userDataDirectory, stealth } = options;
  return JSON.stringify([executable.path, mode, args, ignoreDefaultArgs, userDataDirectory, stealth !== undefined]);
}
