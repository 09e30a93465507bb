/**
 * Manages the local proxies that requests and sessions use instead of the egress: either in front of an upstream proxy
 * (the client's, or that of the operator's provider), or to restrict a browser to its allowed domains.
 */
import type { Log } from '../../../base/telemetry/log.ts';
import type { Outcomes } from '../egress.ts';
import type { ProxyOrder, ProxyServices } from '../order.ts';

/** The use of a local proxy by one request or session. Disposing it closes its connections and returns immediately. */
export interface ProxyLease extends Disposable, Outcomes {
  /** `http://127.0.0.1:port` or `socks5://127.0.0.1:port`: for BrowserProcess.start, contexts, Playwright's `proxy`. */
  readonly server: string;
  /** Counts the traffic so far; it is also counted automatically every few seconds, and at the end. */
  meter(): void;
}

export class UpstreamProxies {
  readonly #services: ProxyServices;
  readonly #open = new Set<ProxyLease>();
  readonly #closing = new Set<Promise<void>>();

  constructor(services: ProxyServices) {
    this.#services = services;
  }

  /**
   * Starts a local proxy, after checking that an upstream proxy accepts connections.
   * @param log includes the session's id; the reasons for failed connections are logged to it
   * @throws ServiceError `proxy-failed` for a proxy that cannot be reached, `forbidden-destination` for a proxy at a
   *   forbidden address; or the signal's abort reason
   */
  async open(order: ProxyOrder, log: Log, signal: AbortSignal): Promise<ProxyLease> {
    const { startLocalProxy } = await import('./local-proxy.ts');
    const proxy = await startLocalProxy(order, this.#services, log, signal);
    const lease: ProxyLease = {
      server: proxy.server,
      outcome: (host, port) => proxy.outcome(host, port),
      failureOf: (status) => proxy.failureOf(status),
      meter: () => proxy.meter(),
      [Symbol.dispose]: () => {
        if (this.#open.delete(lease)) this.#inBackground(log, () => proxy.close());
      },
    };
    this.#open.add(lease);
    if (!signal.aborted) return lease;
    lease[Symbol.dispose]();
    throw signal.reason;
  }

  /** Closes all open leases and waits until everything is closed. */
  async stop(): Promise<void> {
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes during the loop
    for (const lease of [...this.#open]) lease[Symbol.dispose]();
    await Promise.allSettled(this.#closing);
  }

  #inBackground(log: Log, close: () => Promise<void>): void {
    const done = close()
      .catch((error: unknown) => log.error('proxy.close-failed', { cause: error }))
      .finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }
}
