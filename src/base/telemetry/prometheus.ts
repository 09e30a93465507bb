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

/** All metrics with their exposition names. The exposition lists them in the order of the fields. */
export class PrometheusMetrics {
  readonly #registry = new Registry();
  readonly #of = { registers: [this.#registry] };

  readonly requests = new Counter({
    name: 'browserd_requests_total',
    help: 'Responses by route and status.',
    labelNames: ['route', 'status'],
    ...this.#of,
  });
  readonly durations = new Histogram({
    name: 'browserd_request_duration_seconds',
    help: 'Time from request to response, by route.',
    labelNames: ['route'],
    buckets: requestBounds,
    ...this.#of,
  });
  readonly #queueDepth = new Gauge({
    name: 'browserd_queue_depth',
    help: 'Requests waiting for a slot.',
    ...this.#of,
  });
  readonly #running = new Gauge({
    name: 'browserd_running',
    help: 'Running requests.',
    ...this.#of,
  });
  readonly #slots = new Gauge({
    name: 'browserd_slots',
    help: 'Requests that may run at the same time.',
    ...this.#of,
  });
  readonly #accounts = {
    running: new Gauge({
      name: 'browserd_account_running',
      help: 'Running requests, by account of TOKENS_FILE.',
      labelNames: ['account'],
      ...this.#of,
    }),
    queued: new Gauge({
      name: 'browserd_account_queued',
      help: 'Requests waiting for a slot, by account of TOKENS_FILE.',
      labelNames: ['account'],
      ...this.#of,
    }),
    units: new Gauge({
      name: 'browserd_account_units',
      help: 'Units used this calendar month, by account of TOKENS_FILE.',
      labelNames: ['account'],
      ...this.#of,
    }),
  };
  readonly rejections = new Counter({
    name: 'browserd_rejected_total',
    help: 'Refused requests, by reason.',
    labelNames: ['reason'],
    ...this.#of,
  });
  readonly timeouts = new Counter({
    name: 'browserd_timeouts_total',
    help: 'Requests ended by their time limit.',
    ...this.#of,
  });
  readonly proxyBytes = new Counter({
    name: 'browserd_proxy_bytes_total',
    help: 'Bytes through proxies, by client and kind.',
    labelNames: ['account', 'kind'],
    ...this.#of,
  });
  readonly proxyUnits = new Counter({
    name: 'browserd_proxy_units_total',
    help: 'Units of residential proxies, by client.',
    labelNames: ['account'],
    ...this.#of,
  });
  readonly browsers = new Counter({
    name: 'browserd_browsers_total',
    help: 'Browsers started, crashed and recycled.',
    labelNames: ['event', 'reason'],
    ...this.#of,
  });
  readonly refusedCommands = new Counter({
    name: 'browserd_cdp_commands_refused_total',
    help: 'Commands from CDP clients that were not executed: refused by a rule, or unknown.',
    labelNames: ['why', 'method'],
    ...this.#of,
  });
  readonly captchas = new Counter({
    name: 'browserd_captchas_total',
    help: 'Captcha attempts, by kind, method and result.',
    labelNames: ['type', 'way', 'result'],
    ...this.#of,
  });
  readonly launches = new Histogram({
    name: 'browserd_browser_launch_seconds',
    help: 'Time to start a browser.',
    buckets: launchBounds,
    ...this.#of,
  });
  readonly #cpu = new Gauge({ name: 'browserd_cpu_ratio', help: 'CPU load, 0 to 1.', registers: [] });
  readonly #memory = new Gauge({ name: 'browserd_memory_ratio', help: 'Memory in use, 0 to 1.', registers: [] });
  readonly #keyExpires = new Gauge({
    name: 'browserd_key_expires_seconds',
    help: 'Time until the software key expires.',
    registers: [],
  });

  readonly #clusterUp = new Gauge({
    name: 'browserd_cluster_up',
    help: "Whether the cluster's Valkey responds to this server.",
    registers: [],
  });
  readonly #clusterServers = new Gauge({
    name: 'browserd_cluster_servers',
    help: 'Servers in the cluster, as last reported by Valkey.',
    registers: [],
  });

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
    this.#setIfKnown(this.#cpu, 'browserd_cpu_ratio', state.cpu);
    this.#setIfKnown(this.#memory, 'browserd_memory_ratio', state.memory);
    this.#setIfKnown(this.#keyExpires, 'browserd_key_expires_seconds', state.keyExpiresSeconds ?? null);
    this.#setIfKnown(this.#clusterUp, 'browserd_cluster_up', registry ? Number(registry.up) : null);
    this.#setIfKnown(this.#clusterServers, 'browserd_cluster_servers', registry?.servers ?? null);
  }

  /** Omits a gauge without a value: 0 would mean an idle machine, or an expired key. */
  #setIfKnown(gauge: Gauge, name: string, value: number | null): void {
    if (value === null) return this.#registry.removeSingleMetric(name);
    gauge.set(value);
    this.#registry.registerMetric(gauge);
  }
}
