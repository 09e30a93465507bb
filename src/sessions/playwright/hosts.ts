/**
 * Manages the processes in which Playwright's servers run: one for all clients, which keeps running, or one for each
 * account, which exits a minute after its last client has left. Clients of a new process wait for the library to load.
 */
import { MemoryGuard } from '../../browser/processes/pool/memory-guard.ts';
import type { Ids } from '../../base/runtime/ids.ts';
import type { Log } from '../../base/telemetry/log.ts';
import { PlaywrightHost } from './host.ts';

/** How long the process of an account is kept without browsers, in milliseconds, and how many such are kept at most. */
const idleMs = 60_000;
const maxIdle = 4;

interface HostEntry {
  readonly host: PlaywrightHost;
  users: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

export interface HostsOptions {
  /** True gives each account its own process. */
  byTenant: boolean;
  /** Memory limit of a process; 0 for no limit. */
  memoryBytes: number;
  ids: Ids;
  log: Log;
}

export class PlaywrightHosts implements AsyncDisposable {
  /** Ends processes and browsers that use too much memory. */
  readonly guard: MemoryGuard;
  readonly #options: HostsOptions;
  /** By account; the most recently used at the end. */
  readonly #kept = new Map<string, HostEntry>();

  constructor(options: HostsOptions) {
    this.#options = options;
    this.guard = new MemoryGuard(options.memoryBytes, options.log);
  }

  /**
   * Starts or reuses the process for a browser of the account.
   * @returns the process, and the function to call when the browser no longer needs it
   */
  use(account: string): { host: PlaywrightHost; leave: () => void } {
    const key = this.#options.byTenant ? account : '';
    const kept = this.#kept.get(key) ?? this.#start(key);
    clearTimeout(kept.idle);
    kept.idle = undefined;
    kept.users++;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      if (--kept.users === 0) this.#rest(key, kept);
    };
    return { host: kept.host, leave };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.guard[Symbol.dispose]();
    await Promise.all([...this.#kept].map(([key, kept]) => this.#end(key, kept)));
  }

  #start(key: string): HostEntry {
    const host = new PlaywrightHost(this.#options.ids.make(), this.#options.log);
    const kept: HostEntry = { host, users: 0, idle: undefined };
    this.#kept.set(key, kept);
    const unwatch = this.guard.watch(host);
    host.gone.addEventListener('abort', () => {
      unwatch();
      clearTimeout(kept.idle);
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return kept;
  }

  #rest(key: string, kept: HostEntry): void {
    if (!this.#options.byTenant || this.#kept.get(key) !== kept) return;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    kept.idle = setTimeout(() => void this.#end(key, kept), idleMs);
    const [longest, ...others] = [...this.#kept].filter(([, { users }]) => users === 0);
    if (longest && others.length >= maxIdle) void this.#end(...longest);
  }

  async #end(key: string, kept: HostEntry): Promise<void> {
    clearTimeout(kept.idle);
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
    await kept.host.end();
  }
}
