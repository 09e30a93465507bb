/**
 * Holds the counters, gauges and histograms that Prometheus reads, in a separate registry.
 *
 * Imports individual files of prom-client: its index also loads cluster, push gateway, summaries and default metrics,
 * and costs 20 ms and 9 MB at startup. The files cost 5 ms and 1 MB (measured on Node 24).
 */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';

/** Upper bounds in seconds. Request durations range from a cached response to the usual time limits. */
const requestBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const launchBounds = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 15];

/** Usage of one account of TOKENS_FILE. */
export interface AccountUse {
  readonly account: string;
  /** The account's requests that are running, and those that are waiting for a slot. */
  readonly running: number;
  readonly queued: number;
  /** Units used this month. */
  readonly units: number;
}

/** The state at the moment of a scrape. */
export interface ScrapeState {
  /** Requests that are waiting for a slot. */
  readonly queued: number;
  /** Requests that are running. */
  readonly running: number;
  /** Accounts that have used something; omitted when there are none. */
  readonly accounts?: readonly AccountUse[];
  /** Requests that may run at the same time. */
  readonly slots: number;
  /** 0 to 1; null while unknown. */
  readonly cpu: number | null;
  /** 0 to 1; null while unknown. */
  readonly memory: number | null;
  /** Seconds until the software key expires; omitted when the server needs none. */
  readonly keyExpiresSeconds?: number | undefined;
  /** The registry of the cluster; omitted without a cluster. */
  readonly registry?: { readonly up: boolean; readonly servers: number; readonly waiting: number } | undefined;
}

/** One metric with its values, as prom-client reports them. */
export type MetricReading = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/** Gauges that are left out while their value is unknown: 0 would mean an idle machine, or an expired key. */
const optionalGauges: readonly {
  readonly name: string;
  readonly help: string;
  readonly read: (state: ScrapeState) => number | null | undefined;
}[] = [
  { name: 'browserd_cpu_ratio', help: 'CPU load, 0 to 1.', read: ({ cpu }) => cpu },
  { name: 'browserd_memory_ratio', help: 'Memory in use, 0 to 1.', read: ({ memory }) => memory },
  {
    name: 'browserd_key_expires_seconds',
    help: 'Time until the software key expires.',
    read: ({ keyExpiresSeconds }) => keyExpiresSeconds,
  },
  {
    name: 'browserd_cluster_up',
    help: "Whether the cluster's Valkey responds to this server.",
    read: ({ registry }) => registry && Number(registry.up),
  },
  {
    name: 'browserd_cluster_servers',
    help: 'Servers in the cluster, as last reported by Valkey.',
    read: ({ registry }) => registry?.servers,
  },
];

/** All metrics with their exposition names. The exposition lists them in the order of the fields. */
export class PrometheusMetrics {
  readonly #registry = new Registry();

  readonly requests = this.#counter('browserd_requests_total', 'Responses by route and status.', 'route', 'status');
  readonly durations = this.#histogram(
    'browserd_request_duration_seconds',
    'Time from request to response, by route.',
    requestBounds,
    'route',
  );
  readonly #queueDepth = this.#gauge('browserd_queue_depth', 'Requests waiting for a slot.');
  readonly #running = this.#gauge('browserd_running', 'Running requests.');
  readonly #slots = this.#gauge('browserd_slots', 'Requests that may run at the same time.');
  readonly #accounts = {
    running: this.#gauge('browserd_account_running', 'Running requests, by account of TOKENS_FILE.', 'account'),
    queued: this.#gauge(
      'browserd_account_queued',
      'Requests waiting for a slot, by account of TOKENS_FILE.',
      'account',
    ),
    units: this.#gauge(
      'browserd_account_units',
      'Units used this calendar month, by account of TOKENS_FILE.',
      'account',
    ),
  };
  readonly rejections = this.#counter('browserd_rejected_total', 'Refused requests, by reason.', 'reason');
  readonly timeouts = this.#counter('browserd_timeouts_total', 'Requests ended by their time limit.');
  readonly proxyBytes = this.#counter(
    'browserd_proxy_bytes_total',
    'Bytes through proxies, by client and kind.',
    'account',
    'kind',
  );
  readonly proxyUnits = this.#counter(
    'browserd_proxy_units_total',
    'Units of residential proxies, by client.',
    'account',
  );
  readonly browsers = this.#counter(
    'browserd_browsers_total',
    'Browsers started, crashed and recycled.',
    'event',
    'reason',
  );
  readonly refusedCommands = this.#counter(
    'browserd_cdp_commands_refused_total',
    'Commands from CDP clients that were not executed: refused by a rule, or unknown.',
    'why',
    'method',
  );
  readonly captchas = this.#counter(
    'browserd_captchas_total',
    'Captcha attempts, by kind, method and result.',
    'type',
    'way',
    'result',
  );
  readonly launches = this.#histogram('browserd_browser_launch_seconds', 'Time to start a browser.', launchBounds);
  readonly #optional = optionalGauges.map((row) => ({ ...row, gauge: new Gauge({ ...row, registers: [] }) }));

  #counter<L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]): Histogram<L> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] });
  }

  /** Prometheus text exposition (version 0.0.4) of everything since startup. */
  exposition(state: ScrapeState): Promise<string> {
    this.#take(state);
    return this.#registry.metrics();
  }

  /** Like `exposition`, but returns the values. */
  readings(state: ScrapeState): Promise<MetricReading[]> {
    this.#take(state);
    return this.#registry.getMetricsAsJSON();
  }

  #take(state: ScrapeState): void {
    const { registry } = state;
    this.#queueDepth.set(state.queued + (registry?.waiting ?? 0));
    this.#running.set(state.running);
    this.#slots.set(state.slots);
    for (const name of ['running', 'queued', 'units'] as const) {
      const gauge = this.#accounts[name];
      // Drop accounts that no longer use anything.
      gauge.reset();
      for (const use of state.accounts ?? []) gauge.set({ account: use.account }, use[name]);
    }
    for (const { name, gauge, read } of this.#optional) {
      const value = read(state) ?? undefined;
      if (value === undefined) {
        this.#registry.removeSingleMetric(name);
      } else {
        gauge.set(value);
        this.#registry.registerMetric(gauge);
      }
    }
  }
}
