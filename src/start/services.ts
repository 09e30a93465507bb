/** Composition root: builds the services that the routes use. */
import { Accounts } from '../control/accounts/accounts.ts';
import type { UnitLedger } from '../control/accounts/unit-ledger.ts';
import { Limiter } from '../control/admission/limiter.ts';
import { monitorOf } from '../control/admission/monitor.ts';
import { SessionRate } from '../control/admission/session-rate.ts';
import { BrowserCatalog } from '../browser/processes/catalog.ts';
import { DownloadDirectories } from '../sessions/functions/download-directories.ts';
import { Endings } from '../browser/processes/endings.ts';
import { BrowserPool } from '../browser/processes/pool/pool.ts';
import { Readiness } from '../browser/processes/pool/readiness.ts';
import type { BrowserHost } from '../browser/processes/process.ts';
import { storageFailure } from '../browser/processes/storage.ts';
import { Profiles } from '../sessions/profiles/profiles.ts';
import { Secrets } from '../sessions/profiles/secrets.ts';
import { Vault } from '../sessions/profiles/vault.ts';
import { StartAttempts } from '../browser/processes/start-attempts.ts';
import { CaptchaSolving } from '../browser/page/captcha/solver/captcha-solving.ts';
import { openCluster } from '../control/cluster/registry/open-cluster.ts';
import { allowsAddress } from '../sessions/cdp/rules/addresses.ts';
import { CodeHosts } from '../sessions/functions/code-hosts.ts';
import type { Config } from '../base/config/config.ts';
import { isOutOfSpace, ServiceError, toServiceError } from '../base/errors.ts';
import { startEgress } from '../browser/network/egress.ts';
import { NetworkPolicy } from '../browser/network/policy.ts';
import { citiesOf } from '../base/config/places/cities.ts';
import { UpstreamProxies } from '../browser/network/upstream/proxies.ts';
import { AdLists } from '../browser/page/ads/ad-lists.ts';
import { Dashboard } from '../control/dashboard/dashboard.ts';
import { SignIns } from '../control/dashboard/sign-ins.ts';
import { LiveViews } from '../sessions/live/live-views.ts';
import { FirefoxAndWebKit } from '../sessions/playwright/firefox-webkit.ts';
import { urlCharacters } from '../base/limits.ts';
import type { PlaywrightLauncher } from '../sessions/playwright/launcher.ts';
import { createPublicBase } from '../api/routes/http/public-base.ts';
import type { Services } from '../api/routes/pipeline/services.ts';
import { createAlerts } from '../base/telemetry/webhooks.ts';
import { appendText, readTextIfThere, writeText } from '../base/runtime/files.ts';
import { UnreadBytes } from '../base/runtime/http/unread-bytes.ts';
import { Ids } from '../base/runtime/ids.ts';
import { ownAddresses, preferThisProcess } from '../base/runtime/machine.ts';
import { names } from '../base/runtime/names.ts';
import { DirectoryStore } from '../sessions/recording/directory-store.ts';
import { Recordings } from '../sessions/recording/recordings.ts';
import { ShareLinks } from '../sessions/recording/share-links.ts';
import type { SoftwareKey } from '../control/accounts/software-key/software-key.ts';
import { LocalSessionRegistry } from '../sessions/lifecycle/registry.ts';
import { MetricsHistory } from '../base/telemetry/history.ts';
import type { Log } from '../base/telemetry/log.ts';
import { Metrics } from '../base/telemetry/metrics.ts';
import type { OpenTelemetry } from '../base/telemetry/otel/otel.ts';
import { noTracing } from '../base/telemetry/tracing.ts';
import { createInnerSite } from '../web/demo-site/inner-site.ts';

/** The services of the routes, and the parts that only start.ts and stop.ts use. */
export interface Service {
  services: Services;
  leaving: AbortController;
  draining: AbortController;
  stopping: AbortController;
  recordingStore: DirectoryStore;
  /** Undefined without TOKENS_FILE. */
  unitLedger: UnitLedger | undefined;
  /** Undefined when nothing is sent to an OpenTelemetry receiver. */
  telemetry: OpenTelemetry | undefined;
  /** Sets the base address that the server listens on. */
  listensAt(base: string): void;
}

/** What services are built from. */
export interface ServiceParts {
  readonly config: Config;
  readonly log: Log;
  readonly telemetry: OpenTelemetry | undefined;
  /** Undefined when the server needs no key. */
  readonly softwareKey: SoftwareKey | undefined;
}

/** Calls that may run at the same time. @param allowed what a software key allows; undefined for no limit of its own */
export const slotsOf = ({ CONCURRENT }: Config, allowed: number | undefined): number =>
  Math.min(CONCURRENT, allowed ?? CONCURRENT);

export async function buildService({ config, log, telemetry, softwareKey }: ServiceParts): Promise<Service> {
  const metrics = new Metrics();
  const policy = new NetworkPolicy({
    blockPrivateNetwork: config.BLOCK_PRIVATE_NETWORK,
    allowFileProtocol: config.ALLOW_FILE_PROTOCOL,
    ownAddresses,
  });
  const { cluster, registry } = await openCluster(config, (...address) => policy.protectServer(...address), log);
  const ids = new Ids(cluster?.node);
  const egress = await startEgress(
    policy,
    createInnerSite((port) => policy.protectPort(port)),
  );
  const catalog = new BrowserCatalog(config);
  const limiter = new Limiter({ concurrent: slotsOf(config, softwareKey?.claims.concurrent), queued: config.QUEUED });
  const audits = new Limiter({ concurrent: config.PERFORMANCE_CONCURRENT, queued: config.PERFORMANCE_QUEUED });
  const monitor = monitorOf(config);
  const history = new MetricsHistory({
    metrics,
    log,
    load: () => monitor.latest(),
    file: {
      read: () => readTextIfThere(config.METRICS_JSON_PATH),
      append: (text) => appendText(config.METRICS_JSON_PATH, text),
      replace: (text) => writeText(config.METRICS_JSON_PATH, text),
    },
  });
  const { WEB_BOT_AUTH_KEY: key, WEB_BOT_AUTH_DIRECTORY: directory } = config;
  const signer =
    key && directory !== undefined
      ? (await import('../browser/web-bot-auth/signer.ts')).createSigner(key, directory)
      : undefined;
  const host: BrowserHost = {
    dataRoot: config.DATA_DIR,
    scratchRoot: config.SCRATCH_DIR,
    extensionsRoot: config.EXTENSIONS_DIR,
    egressPort: egress.port,
    niceness: preferThisProcess(),
    policy,
    openRoutes: async () => (await import('../browser/network/upstream/routes.ts')).startRoutes(policy, egress),
    signer,
    attempts: new StartAttempts(config.RETRIES),
    endings: new Endings(config.CONCURRENT),
    ids,
    log,
    metrics,
  };
  const byTenant = config.TOKENS_FILE !== undefined && config.SHARED_PROCESSES === 'tenant';
  if (byTenant) names.keepNothing();
  const pageMemoryBytes = config.PAGE_MEMORY_MB * 2 ** 20;
  let launcher: Promise<PlaywrightLauncher> | undefined;
  const openLauncher = async () => {
    const { PlaywrightLauncher } = await import('../sessions/playwright/launcher.ts');
    const options = { byTenant, memoryBytes: pageMemoryBytes, ids, log };
    return new PlaywrightLauncher(catalog, new FirefoxAndWebKit(config), host, options);
  };
  const pool = new BrowserPool(
    {
      isolation: config.ISOLATION,
      byTenant,
      spares: config.SPARES,
      room: () => limiter.options.concurrent - limiter.running,
      pageMemoryBytes,
      pageBusyMs: config.PAGE_BUSY_MS,
      wear: {
        jobs: config.RECYCLE_JOBS,
        ageMs: config.RECYCLE_AGE_MS,
        memoryBytes: config.RECYCLE_MEMORY_MB * 2 ** 20,
      },
    },
    catalog,
    host,
  );
  const readiness = new Readiness(pool, [
    ['DATA_DIR', config.DATA_DIR],
    ['SCRATCH_DIR', config.SCRATCH_DIR],
    ['DOWNLOAD_DIR', config.DOWNLOAD_DIR],
  ]);
  const allowsUrl = (text: string) =>
    text.length <= urlCharacters && URL.canParse(text) && policy.allowsScheme(new URL(text));
  const leaving = new AbortController();
  const draining = new AbortController();
  const stopping = new AbortController();
  let listensAt = '';
  const sessions = new LocalSessionRegistry();
  sessions.subscribe(({ session, ...event }) => {
    log.debug(`session.${event.type}`, { session: session.facts.id, ...('page' in event ? { page: event.page } : {}) });
  });
  stopping.signal.addEventListener('abort', () => sessions.endAll(toServiceError(stopping.signal.reason)));
  const recordingStore = new DirectoryStore({
    directory: config.RECORDINGS_DIR,
    maxBytes: config.RECORDINGS_BYTES,
    days: config.RECORDINGS_DAYS,
    log,
  });
  const vault = new Vault({
    directory: config.PROFILES_DIR,
    key: config.PROFILES_KEY,
    failed: (error) => storageFailure(error, 'PROFILES_DIR'),
  });
  const recordings = new Recordings(recordingStore, config.REPLAY_MASK, log);
  const live = new LiveViews({
    ids,
    maxViewers: config.LIVE_MAX_VIEWERS,
    maxUploadBytes: config.LIVE_UPLOAD_BYTES,
    mayOpen: (address) => allowsAddress(address, { allowsUrl }),
    log,
  });
  const accounts = new Accounts(config, log, () => (registry === undefined || registry.up ? 1 : registry.servers));
  await accounts.start();
  accounts.whenEnded(({ name }) => {
    const ended = new ServiceError('killed', 'The token of the session counts no more.');
    for (const { facts, life } of sessions.list()) if (facts.owner === name) life.end(ended);
  });
  const reconsider = () => [limiter, audits].forEach((each) => each.reconsider());
  accounts.whenChanged(reconsider);
  registry?.whenChanged(reconsider);
  telemetry?.exportMetrics(() =>
    metrics.readings({
      queued: limiter.queued,
      accounts: accounts.usage(limiter),
      slots: limiter.options.concurrent,
      keyExpiresSeconds: softwareKey?.secondsLeft,
      registry,
      ...monitor.latest(),
    }),
  );
  const unitLedger = await openLedger(config, accounts, log);
  const { RESIDENTIAL_PROXY_URL: template, RESIDENTIAL_PROXY_CITIES: entries } = config;
  const services: Services = {
    config,
    ids,
    cluster,
    registry,
    accounts,
    log,
    metrics,
    tracing: telemetry?.tracing ?? noTracing,
    history,
    limiter,
    audits,
    monitor,
    softwareKey,
    readiness,
    pool,
    attempts: host.attempts,
    codeHosts: new CodeHosts({
      pool,
      allowsUrl,
      spares: config.SPARES,
      log,
      draining: draining.signal,
    }),
    downloadDirectories: new DownloadDirectories(config.DOWNLOAD_DIR),
    catalog,
    playwright: {
      launcher: () =>
        (launcher ??= openLauncher().catch((error: unknown) => {
          launcher = undefined;
          throw error;
        })),
      stop: async () => (await launcher)?.[Symbol.asyncDispose](),
    },
    policy,
    signer,
    egress,
    ads: new AdLists({
      lists: config.AD_BLOCK_LISTS,
      cacheDirectory: config.CACHE_DIR,
      failed: (error) => (isOutOfSpace(error) ? storageFailure(error, 'CACHE_DIR') : error),
      log,
      stopping: stopping.signal,
    }),
    proxies: new UpstreamProxies({ policy, egress, metrics }),
    residential: template === undefined ? undefined : { template, cities: citiesOf(entries) },
    captchas: new CaptchaSolving(config, metrics),
    live,
    readers: new SignIns(ids),
    dashboard: new Dashboard({
      ids,
      sessions,
      limiter,
      monitor,
      history,
      live,
      recordings,
      keeps: { maxBytes: config.RECORDINGS_BYTES, days: config.RECORDINGS_DAYS },
      log,
    }),
    sessions,
    profiles: new Profiles(vault),
    secrets: new Secrets(vault),
    recordings,
    shares: new ShareLinks(ids),
    sessionRate: new SessionRate(config.SESSIONS_PER_SECOND),
    alert: createAlerts(config, log),
    unread: new UnreadBytes(config.MAX_UNREAD_MB * 2 ** 20),
    publicBase: createPublicBase(config, () => listensAt),
    stopAsked: new AbortController(),
    leaving: leaving.signal,
    draining: draining.signal,
    stopping: stopping.signal,
  };
  return {
    services,
    leaving,
    draining,
    stopping,
    recordingStore,
    unitLedger,
    telemetry,
    listensAt: (base) => (listensAt = base),
  };
}

/** Opens the file of units, on a server with tokens of others. */
async function openLedger(
  { TOKENS_FILE, UNITS_FILE }: Config,
  accounts: Accounts,
  log: Log,
): Promise<UnitLedger | undefined> {
  if (TOKENS_FILE === undefined) return undefined;
  const { UnitLedger: Ledger } = await import('../control/accounts/unit-ledger.ts');
  const ledger = new Ledger(UNITS_FILE, () => accounts.list(), log);
  await ledger.start();
  return ledger;
}
