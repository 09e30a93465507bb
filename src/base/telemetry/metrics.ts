// Counts requests, refusals, browsers and proxy traffic, per period for /metrics and in total for Prometheus. It does
// not measure load or write files: callers pass in the load, and MetricsHistory stores the periods.

import { type MetricReading, PrometheusMetrics, type ScrapeState } from './prometheus.ts';

export type Outcome = 'successful' | 'error' | 'timedout';
export type RejectReason = 'full' | 'cpu' | 'memory' | 'rate' | 'quota' | 'units';

/** Load of the machine, from 0 to 1, or null while unknown. */
export interface Load {
  readonly cpu: number | null;
  readonly memory: number | null;
}

/** Proxy traffic of one client. */
interface ProxyTraffic {
  bytes: number;
  /**
   * Six for every megabyte (1,000,000 bytes) or part thereof through the residential proxy; a client's own proxy is
   * free.
   */
  units: number;
}

interface Counts {
  successful: number;
  error: number;
  timedout: number;
  queued: number;
  rejected: number;
  unhealthy: number;
  maxConcurrent: number;
  /**
   * The latest session durations in milliseconds, at most `maxSessionTimes`; the four fields below count all sessions.
   */
  sessionTimes: number[];
  maxTime: number;
  minTime: number;
  totalTime: number;
  /** One for every 30 seconds or part thereof of each session, plus the units of proxies and captchas. */
  units: number;
  /** By client label; absent when no proxy was used. */
  proxies?: Record<string, ProxyTraffic>;
}

export interface Period extends Counts, Load {
  /** Epoch milliseconds of the period's end. */
  date: number;
  unauthorized: number;
  /** Requests running at the end of the period. */
  running: number;
  meanTime: number;
}

export interface Total extends Counts {
  /** Null when no session ended. */
  meanTime: number | null;
  /** Extrapolated to 30 days at the same rate; null if there is no period. */
  estimatedMonthlyUnits: number | null;
  minutesOfMetricsAvailable: number;
}

/** The fields that are summed up. */
type Summed = Readonly<Omit<Counts, 'sessionTimes' | 'proxies'>> & {
  readonly proxies?: Readonly<Record<string, ProxyTraffic>> | undefined;
};
/** The total that another server has reported. */
export type ServerTotal = Summed & Readonly<Omit<Total, keyof Counts>> & { readonly sessionTimes: readonly number[] };

const periodMinutes = 5;
const periodsPerMonth = (30 * 24 * 60) / periodMinutes;
/** Time that one unit pays for, in milliseconds. */
export const unitMs = 30_000;
const proxyUnitsPerByte = 6 / 1_000_000;
/** Units of a captcha sent to a solver, regardless of the result; one that a click solves is free. */
export const captchaUnits = 10;
/** On a busy machine, a five-minute period has tens of thousands of sessions; the list is only a sample. */
const maxSessionTimes = 1_000;
const maxTotalSessionTimes = 10_000;

export class Metrics {
  readonly #prometheus = new PrometheusMetrics();
  /** Bytes through the residential proxy since startup, by client. */
  readonly #residentialBytes = new Map<string, number>();
  #running = 0;
  #unauthorized = 0;
  #counts = emptyCounts();

  /** Number of running requests. */
  get running(): number {
    return this.#running;
  }

  /** Refusals in the current period, for `/pressure`. */
  get recentlyRejected(): number {
    return this.#counts.rejected;
  }

  /** Records that a request got its slot. Must be followed by one `ended`. */
  started(): void {
    this.#running++;
    this.#counts.maxConcurrent = Math.max(this.#counts.maxConcurrent, this.#running);
  }

  /** Records that a running request ended after `durationMs`, not counting its time in the queue. */
  ended(outcome: Outcome, durationMs: number): void {
    const counts = this.#counts;
    const time = Math.max(0, Math.round(durationMs));
    this.#running = Math.max(0, this.#running - 1);
    counts[outcome]++;
    if (outcome === 'timedout') this.#prometheus.timeouts.inc();
    counts.minTime = counts.sessionTimes.length === 0 ? time : Math.min(counts.minTime, time);
    counts.maxTime = Math.max(counts.maxTime, time);
    counts.totalTime += time;
    counts.units += Math.max(1, Math.ceil(time / unitMs));
    counts.sessionTimes.push(time);
    if (counts.sessionTimes.length > maxSessionTimes) counts.sessionTimes.shift();
  }

  /** Records a request that failed before it ran: its client left the queue, or it timed out there. */
  failedBeforeStart(outcome: 'error' | 'timedout'): void {
    this.#counts[outcome]++;
    if (outcome === 'timedout') this.#prometheus.timeouts.inc();
  }

  queued(): void {
    this.#counts.queued++;
  }

  /**
   * Records a refused request: the queue is full, sessions start too fast, or the machine is short of something (which
   * also counts as unhealthy).
   */
  rejected(reason: RejectReason): void {
    this.#counts.rejected++;
    if (reason === 'cpu' || reason === 'memory') this.#counts.unhealthy++;
    this.#prometheus.rejections.inc({ reason });
  }

  unauthorized(): void {
    this.#unauthorized++;
    this.#prometheus.rejections.inc({ reason: 'unauthorized' });
  }

  /**
   * Records a sent response. `route` is the route's own path, never the request's, which would create an unlimited
   * number of series.
   */
  answered(route: string, status: number, durationMs: number): void {
    this.#prometheus.requests.inc({ route, status: String(status) });
    this.#prometheus.durations.observe({ route }, durationMs / 1_000);
  }

  browserStarted(durationMs: number): void {
    this.#prometheus.browsers.inc({ event: 'started' });
    this.#prometheus.launches.observe(durationMs / 1_000);
  }

  /**
   * Records bytes through a proxy, both directions together.
   * @param account a label for the client that is not secret
   * @returns the units that they cost
   */
  proxied({ account, residential, bytes }: { account: string; residential: boolean; bytes: number }): number {
    const before = this.#residentialBytes.get(account) ?? 0;
    const after = before + (residential ? bytes : 0);
    this.#residentialBytes.set(account, after);
    const units = Math.ceil(after * proxyUnitsPerByte) - Math.ceil(before * proxyUnitsPerByte);
    addTraffic(this.#counts, { [account]: { bytes, units } });
    this.#counts.units += units;
    this.#prometheus.proxyBytes.inc({ account, kind: residential ? 'residential' : 'external' }, bytes);
    if (units > 0) this.#prometheus.proxyUnits.inc({ account }, units);
    return units;
  }

  /** Records a captcha attempt: by a click, by the operator's solver, or `none`, because nothing could be done. */
  captchaTried({ type, way, solved }: { type: string; way: 'checkbox' | 'solver' | 'none'; solved: boolean }): void {
    this.#prometheus.captchas.inc({ type, way, result: solved ? 'solved' : 'failed' });
    if (way === 'solver') this.#counts.units += captchaUnits;
  }

  browserCrashed(): void {
    this.#prometheus.browsers.inc({ event: 'crashed' });
  }

  /** @param method counted by name only when a rule knows it: clients can make up an unlimited number of others */
  commandRefused(method: string, why: 'refused' | 'unknown'): void {
    this.#prometheus.refusedCommands.inc({ why, method: why === 'refused' ? method : '' });
  }

  browserRecycled(reason: string): void {
    this.#prometheus.browsers.inc({ event: 'recycled', reason });
  }

  /** The current period so far. */
  current(load: Load): Period {
    const counts = this.#counts;
    return {
      date: Date.now(),
      ...counts,
      sessionTimes: [...counts.sessionTimes],
      unauthorized: this.#unauthorized,
      running: this.#running,
      meanTime: counts.totalTime / Math.max(1, sessionsOf(counts)),
      cpu: load.cpu,
      memory: load.memory,
    };
  }

  /** Closes the current period and starts the next, whose `maxConcurrent` starts with the running requests. */
  take(load: Load): Period {
    const period = this.current(load);
    this.#counts = emptyCounts();
    this.#counts.maxConcurrent = this.#running;
    this.#unauthorized = 0;
    return period;
  }

  /**
   * Prometheus text exposition (version 0.0.4) of everything since startup. `queued`: requests waiting now; `slots`:
   * requests that may run at the same time.
   */
  exposition(now: Omit<ScrapeState, 'running'>): Promise<string> {
    return this.#prometheus.exposition({ ...now, running: this.#running });
  }

  /** The values of the exposition. */
  readings(now: Omit<ScrapeState, 'running'>): Promise<MetricReading[]> {
    return this.#prometheus.readings({ ...now, running: this.#running });
  }
}

/** Sums over periods: everything except date, unauthorized, running and the load. */
export function total(periods: readonly Period[]): Total {
  const sum = emptyCounts();
  for (const period of periods) addCounts(sum, period, Math.max(sum.maxConcurrent, period.maxConcurrent));
  const sessions = sessionsOf(sum);
  return {
    ...sum,
    sessionTimes: periods.flatMap((period) => period.sessionTimes).slice(-maxTotalSessionTimes),
    meanTime: sessions === 0 ? null : sum.totalTime / sessions,
    estimatedMonthlyUnits: periods.length === 0 ? null : Math.round((sum.units / periods.length) * periodsPerMonth),
    minutesOfMetricsAvailable: periods.length * periodMinutes,
  };
}

/**
 * Sums over servers, including the maximum concurrency, although the servers may not have reached it at the same time.
 */
export function totalOfServers(totals: readonly ServerTotal[]): Total {
  const sum: Counts = emptyCounts();
  for (const each of totals) addCounts(sum, each, each.maxConcurrent + sum.maxConcurrent);
  const sessions = sessionsOf(sum);
  const known = totals.map((each) => each.estimatedMonthlyUnits).filter((units) => units !== null);
  return {
    ...sum,
    // Take the same number of latest times from each server.
    sessionTimes: totals.flatMap(({ sessionTimes }) =>
      sessionTimes.slice(-Math.floor(maxTotalSessionTimes / totals.length)),
    ),
    meanTime: sessions === 0 ? null : sum.totalTime / sessions,
    estimatedMonthlyUnits: known.length === 0 ? null : known.reduce((all, units) => all + units, 0),
    minutesOfMetricsAvailable: Math.max(...totals.map(({ minutesOfMetricsAvailable }) => minutesOfMetricsAvailable)),
  };
}

function addCounts(sum: Counts, counts: Summed, maxConcurrent: number): void {
  const first = sessionsOf(sum) === 0;
  for (const key of ['successful', 'error', 'timedout', 'queued', 'rejected', 'unhealthy'] as const) {
    sum[key] += counts[key];
  }
  for (const key of ['totalTime', 'units'] as const) sum[key] += counts[key];
  addTraffic(sum, counts.proxies ?? {});
  sum.maxConcurrent = maxConcurrent;
  if (sessionsOf(counts) === 0) return;
  sum.maxTime = Math.max(sum.maxTime, counts.maxTime);
  sum.minTime = first ? counts.minTime : Math.min(sum.minTime, counts.minTime);
}

/** Number of requests that ended, including those that failed before they started and have no duration. */
function sessionsOf(counts: Pick<Summed, 'successful' | 'error' | 'timedout'>): number {
  return counts.successful + counts.error + counts.timedout;
}

function addTraffic(counts: Counts, traffic: Readonly<Record<string, ProxyTraffic>>): void {
  for (const [account, { bytes, units }] of Object.entries(traffic)) {
    const sum = counts.proxies?.[account] ?? { bytes: 0, units: 0 };
    counts.proxies = { ...counts.proxies, [account]: { bytes: sum.bytes + bytes, units: sum.units + units } };
  }
}

function emptyCounts(): Counts {
  return {
    successful: 0,
    error: 0,
    timedout: 0,
    queued: 0,
    rejected: 0,
    unhealthy: 0,
    maxConcurrent: 0,
    sessionTimes: [],
    maxTime: 0,
    minTime: 0,
    totalTime: 0,
    units: 0,
  };
}
