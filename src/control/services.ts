/** Builds the services of this layer: accounts, admission and the cluster. */
import type { Config } from '../base/config/config.ts';
import { appendText, readTextIfThere, writeText } from '../base/runtime/files.ts';
import { MetricsHistory } from '../base/telemetry/history.ts';
import type { Log } from '../base/telemetry/log.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import { Accounts } from './accounts/accounts.ts';
import type { SoftwareKey } from './accounts/software-key/software-key.ts';
import type { UnitLedger } from './accounts/unit-ledger.ts';
import { Limiter } from './admission/limiter.ts';
import { Monitor } from './admission/monitor.ts';
import { SessionRate } from './admission/session-rate.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { AddressListener } from './cluster/other-servers.ts';
import { openCluster } from './cluster/registry/open-cluster.ts';
import type { Registry } from './cluster/registry/registry.ts';

export interface ControlServices {
  /** Tokens and the permissions of their owners. */
  accounts: Accounts;
  /** Ledger of the units used; undefined if TOKENS_FILE is not set. */
  unitLedger: UnitLedger | undefined;
  /** The key that lets this server run; undefined when it needs none. */
  softwareKey: SoftwareKey | undefined;
  /** Slots and the queue for them. */
  limiter: Limiter;
  /** The queue of Lighthouse audits, each of which keeps a CPU busy for seconds. */
  audits: Limiter;
  /** Limits how many sessions start per second. */
  sessionRate: SessionRate;
  /** The load of the machine. */
  monitor: Monitor;
  history: MetricsHistory;
  /** The other servers in the cluster; undefined for a single server. */
  cluster: Cluster | undefined;
  /** State that the servers in the cluster share through Valkey; undefined if CLUSTER_URL is not set. */
  clusterRegistry: Registry | undefined;
}

/** Dependencies on the rest of the server. */
export interface ControlParts {
  log: Log;
  metrics: Metrics;
  /** Undefined when the server needs no key. */
  softwareKey: SoftwareKey | undefined;
  /** Called with each address where another server or Valkey listens: pages must not reach it. */
  onAddress: AddressListener;
}

/**
 * Number of requests that may run concurrently. @param allowed the limit of the software key; undefined for no limit
 */
export const slotsOf = ({ CONCURRENT }: Config, allowed: number | undefined): number =>
  Math.min(CONCURRENT, allowed ?? CONCURRENT);

export async function startControl(config: Config, parts: ControlParts): Promise<ControlServices> {
  const { log, metrics, softwareKey } = parts;
  const { cluster, registry } = await openCluster(config, parts.onAddress, log);
  const limiter = new Limiter({ concurrent: slotsOf(config, softwareKey?.claims.concurrent), queued: config.QUEUED });
  const audits = new Limiter({ concurrent: config.PERFORMANCE_CONCURRENT, queued: config.PERFORMANCE_QUEUED });
  const monitor = new Monitor(config);
  const accounts = new Accounts(config, log, () => (registry === undefined || registry.up ? 1 : registry.servers));
  await accounts.start();
  const admitWaiting = () => [limiter, audits].forEach((each) => each.applyShares());
  accounts.whenChanged(admitWaiting);
  registry?.whenChanged(admitWaiting);
  return {
    accounts,
    unitLedger: await openLedger(config, accounts, log),
    softwareKey,
    limiter,
    audits,
    sessionRate: new SessionRate(config.SESSIONS_PER_SECOND),
    monitor,
    history: openHistory(config, monitor, { log, metrics }),
    cluster,
    clusterRegistry: registry,
  };
}

/** What the metrics show at the moment of a scrape. */
export const scrapeState = (control: ControlServices): Parameters<Metrics['readings']>[0] => ({
  queued: control.limiter.queued,
  accounts: control.accounts.usage(control.limiter),
  slots: control.limiter.options.concurrent,
  keyExpiresSeconds: control.softwareKey?.secondsLeft,
  registry: control.clusterRegistry,
  ...control.monitor.latest(),
});

/** Opens the units file; undefined if TOKENS_FILE is not set. */
async function openLedger(config: Config, accounts: Accounts, log: Log): Promise<UnitLedger | undefined> {
  if (config.TOKENS_FILE === undefined) return undefined;
  const { UnitLedger: Ledger } = await import('./accounts/unit-ledger.ts');
  const ledger = new Ledger(config.UNITS_FILE, () => accounts.list(), log);
  await ledger.start();
  return ledger;
}

function openHistory(
  { METRICS_JSON_PATH: path }: Config,
  monitor: Monitor,
  { log, metrics }: Pick<ControlParts, 'log' | 'metrics'>,
): MetricsHistory {
  return new MetricsHistory({
    metrics,
    log,
    load: () => monitor.latest(),
    file: {
      read: () => readTextIfThere(path),
      append: (text) => appendText(path, text),
      replace: (text) => writeText(path, text),
    },
  });
}
