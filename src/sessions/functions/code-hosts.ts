/** Leases pages that run code (CodeHost). After the first request, keeps a few spares ready for the next requests. */
import type { ClientBrowser } from '../../browser/processes/client-browser.ts';
import { isPlain, type Lease, type LeaseRequest } from '../../browser/processes/pool/lease.ts';
import type { PageTarget } from '../../browser/processes/page-target.ts';
import type { BrowserPool } from '../../browser/processes/pool/pool.ts';
import type { Log } from '../../base/telemetry/log.ts';
import { orAborted, startDeadline } from '../../base/runtime/deadline.ts';
import type { CodeHost, OpenHost, UrlCheck } from './code-host.ts';

export interface CodeHostsOptions {
  pool: BrowserPool;
  allowsUrl: UrlCheck;
  /** Number of spare hosts per group of requests and requested kind of browser. */
  spares: number;
  log: Log;
  /** Aborted when the server stops; ends the spare hosts. */
  draining: AbortSignal;
}

/** Idle time in ms after which spare hosts are released; each one holds two renderers. */
const idleMs = 60_000;
/** Spare hosts are kept for at most this many kinds of requests; the kind requested longest ago is dropped first. */
const maxKinds = 10;
/** Startup timeout of a host, in ms; after that, it is considered stuck. */
const startTimeoutMs = 30_000;

interface Spare {
  ready: Promise<HostLease>;
  /** Set once the host is ready. */
  lease: HostLease | undefined;
}

interface HostLease {
  lease: Lease;
  host: CodeHost;
}

export class CodeHosts {
  readonly #options: CodeHostsOptions;
  readonly #spares = new Map<string, Spare[]>();
  readonly #hosts = new WeakMap<PageTarget, CodeHost>();
  readonly #idle = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(options: CodeHostsOptions) {
    this.#options = options;
    const giveBackAll = () => [...this.#spares.keys()].forEach((kind) => this.#giveBack(kind));
    options.draining.addEventListener('abort', giveBackAll, { once: true });
  }

  /**
   * Leases a page that is a host.
   * @throws any error that BrowserPool.lease throws
   */
  async lease(request: LeaseRequest, signal: AbortSignal): Promise<Lease> {
    const kind = kindOf(request);
    const spare = kind === undefined ? undefined : this.#spares.get(kind)?.shift();
    const taken = await orAborted(spare?.ready ?? this.#make(request, signal), signal).catch((error: unknown) => {
      // The request stopped waiting, but its spare is no longer in the list: close the spare once it is ready.
      void spare?.ready.then(endHost, () => {});
      throw error;
    });
    if (!isUsable(taken)) endHost(taken);
    const { lease, host } = isUsable(taken) ? taken : await this.#make(request, signal);
    this.#hosts.set(lease.target, host);
    return {
      target: lease.target,
      browser: lease.browser,
      ownBrowser: lease.ownBrowser,
      retiring: lease.retiring,
      [Symbol.dispose]: () => {
        endHost({ lease, host });
        // Only after the request, so that starting the next host does not slow this request down.
        if (kind !== undefined) this.#topUp(kind, request);
      },
    };
  }

  /**
   * Makes a host in the browser of a session, for code that drives a page of that browser; see openHostIn.
   * @throws any error that the browser returns
   */
  async openIn(browser: ClientBrowser, drives: string): Promise<OpenHost> {
    const { openHostIn } = await import('./code-host.ts');
    const opened = await openHostIn(browser, drives, this.#options.allowsUrl);
    this.#hosts.set(opened.target, opened.host);
    return opened;
  }

  /** Returns the host of a page leased here. */
  hostOf(target: PageTarget): CodeHost {
    const host = this.#hosts.get(target);
    if (!host) throw new Error('the page is not a host');
    return host;
  }

  async #make(request: LeaseRequest, signal: AbortSignal): Promise<HostLease> {
    const { CodeHost: Host } = await import('./code-host.ts');
    const lease = await this.#options.pool.lease({ ...request, opensWindows: true }, signal);
    const reason = () => new Error(`the page that runs the code was not ready within ${startTimeoutMs} ms`);
    using deadline = startDeadline(startTimeoutMs, reason, [signal, lease.browser.gone]);
    const making = Host.create({ ...lease, proxyServer: request.proxyServer }, this.#options.allowsUrl);
    try {
      return { lease, host: await orAborted(making, deadline.signal) };
    } catch (error) {
      making.then(
        (host) => host[Symbol.dispose](),
        () => {},
      );
      lease[Symbol.dispose]();
      throw error;
    }
  }

  #topUp(kind: string, request: LeaseRequest): void {
    const { draining, spares, log } = this.#options;
    this.#waitForMore(kind);
    let list = this.#spares.get(kind);
    if (!list) this.#spares.set(kind, (list = []));
    while (!draining.aborted && list.length < spares) {
      const spare: Spare = { ready: this.#make(request, draining), lease: undefined };
      list.push(spare);
      const drop = () => {
        const at = list.indexOf(spare);
        if (at < 0) return;
        list.splice(at, 1);
        if (spare.lease) endHost(spare.lease);
      };
      spare.ready.then(
        (made) => {
          spare.lease = made;
          made.lease.retiring.addEventListener('abort', drop, { once: true });
          if (made.lease.retiring.aborted) drop();
        },
        (error: unknown) => {
          drop();
          if (!draining.aborted) log.warn('function.spare-failed', { cause: error });
        },
      );
    }
  }

  /** Releases the spares of a kind after a while without a request, and those of the oldest kinds beyond the limit. */
  #waitForMore(kind: string): void {
    clearTimeout(this.#idle.get(kind));
    this.#idle.delete(kind);
    if (this.#options.draining.aborted) return;
    const timer = setTimeout(() => this.#giveBack(kind), idleMs);
    this.#idle.set(kind, timer);
    for (const oldest of [...this.#idle.keys()].slice(0, -maxKinds)) this.#giveBack(oldest);
  }

  #giveBack(kind: string): void {
    clearTimeout(this.#idle.get(kind));
    this.#idle.delete(kind);
    const list = this.#spares.get(kind) ?? [];
    this.#spares.delete(kind);
    for (const { ready } of list.splice(0)) ready.then(endHost, () => {});
  }
}

function isUsable({ lease }: HostLease): boolean {
  return !lease.retiring.aborted && !lease.browser.gone.aborted && !lease.target.crashed;
}

function endHost({ lease, host }: HostLease): void {
  host[Symbol.dispose]();
  lease[Symbol.dispose]();
}

/** Key under which requests share spare hosts; undefined for a request with special launch options. */
function kindOf(request: LeaseRequest): string | undefined {
  // A stealth browser holds only one host, so spare browsers serve these requests just as well.
  return isPlain(request) && !request.stealth
    ? JSON.stringify([request.group, request.browser, request.headless, request.isolation])
    : undefined;
}
