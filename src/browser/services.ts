/** Builds the services of this layer: the network of pages, and the browsers. */
import type { Config } from '../base/config/config.ts';
import { citiesOf } from '../base/config/places/cities.ts';
import { isOutOfSpace } from '../base/errors.ts';
import type { Ids } from '../base/runtime/ids.ts';
import { ownAddresses, preferThisProcess } from '../base/runtime/machine.ts';
import { names } from '../base/runtime/names.ts';
import type { Log } from '../base/telemetry/log.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import { type Egress, type DemoSite, startEgress } from './network/egress.ts';
import { NetworkPolicy } from './network/policy.ts';
import type { Residential } from './network/proxy.ts';
import { UpstreamProxies } from './network/upstream/proxies.ts';
import { AdLists } from './page/ads/ad-lists.ts';
import { CaptchaSolving } from './page/captcha/solver/captcha-solving.ts';
import { BrowserCatalog } from './processes/catalog.ts';
import { Endings } from './processes/endings.ts';
import { BrowserPool } from './processes/pool/pool.ts';
import { Readiness } from './processes/pool/readiness.ts';
import type { BrowserHost } from './processes/process.ts';
import { StartAttempts } from './processes/start-attempts.ts';
import { storageFailure } from './processes/storage.ts';
import type { RequestSigner } from './web-bot-auth/signer.ts';

export interface NetworkServices {
  policy: NetworkPolicy;
  /** The proxy through which pages reach the network. */
  egress: Egress;
  proxies: UpstreamProxies;
  /** The provider for proxy=residential; undefined when the operator has none. */
  residential: Residential | undefined;
  /** Signs requests as coming from a bot; undefined if WEB_BOT_AUTH_KEY is not set. */
  signer: RequestSigner | undefined;
}

export interface BrowserServices {
  /** Dependencies of every browser start. */
  host: BrowserHost;
  catalog: BrowserCatalog;
  pool: BrowserPool;
  /** Checks whether a request would be served now. */
  readiness: Readiness;
  /** The rules for blockAds. */
  ads: AdLists;
  /** The CAPTCHA solver, and the record of attempts. */
  captchas: CaptchaSolving;
}

/** The rules for the addresses that pages and clients may reach. */
export const networkPolicy = (config: Config): NetworkPolicy =>
  new NetworkPolicy({
    blockPrivateNetwork: config.BLOCK_PRIVATE_NETWORK,
    allowFileProtocol: config.ALLOW_FILE_PROTOCOL,
    ownAddresses,
  });

/** @param site serves http://playground.localhost/ */
export async function startNetwork(
  config: Config,
  { policy, metrics, site }: { policy: NetworkPolicy; metrics: Metrics; site: DemoSite },
): Promise<NetworkServices> {
  const {
    RESIDENTIAL_PROXY_URL: template,
    RESIDENTIAL_PROXY_CITIES: cities,
    WEB_BOT_AUTH_KEY: key,
    WEB_BOT_AUTH_DIRECTORY: directory,
  } = config;
  const egress = await startEgress(policy, site);
  return {
    policy,
    egress,
    proxies: new UpstreamProxies({ policy, egress, metrics }),
    residential: template === undefined ? undefined : { template, cities: citiesOf(cities) },
    signer:
      key && directory !== undefined
        ? (await import('./web-bot-auth/signer.ts')).createSigner(key, directory)
        : undefined,
  };
}

/** Dependencies on the rest of the server. */
export interface BrowserParts {
  network: NetworkServices;
  ids: Ids;
  log: Log;
  metrics: Metrics;
  /** Returns the number of free slots. */
  freeSlots: () => number;
  /** Aborted when running requests must end. */
  stopping: AbortSignal;
}

/** True when processes are not shared between accounts. */
export const isolatesTenants = ({ TOKENS_FILE, SHARED_PROCESSES }: Config): boolean =>
  TOKENS_FILE !== undefined && SHARED_PROCESSES === 'tenant';

export function buildBrowsers(config: Config, parts: BrowserParts): BrowserServices {
  const { log, metrics } = parts;
  const byTenant = isolatesTenants(config);
  if (byTenant) names.keepNothing();
  const catalog = new BrowserCatalog(config);
  const host = hostOf(config, parts);
  const options = {
    isolation: config.ISOLATION,
    byTenant,
    spares: config.SPARES,
    freeSlots: parts.freeSlots,
    pageMemoryBytes: config.PAGE_MEMORY_MB * 2 ** 20,
    pageBusyMs: config.PAGE_BUSY_MS,
    recycleLimits: {
      jobs: config.RECYCLE_JOBS,
      ageMs: config.RECYCLE_AGE_MS,
      memoryBytes: config.RECYCLE_MEMORY_MB * 2 ** 20,
    },
  };
  const pool = new BrowserPool(options, catalog, host);
  return {
    host,
    catalog,
    pool,
    readiness: new Readiness(pool, [
      ['DATA_DIR', config.DATA_DIR],
      ['SCRATCH_DIR', config.SCRATCH_DIR],
      ['DOWNLOAD_DIR', config.DOWNLOAD_DIR],
    ]),
    ads: new AdLists({
      lists: config.AD_BLOCK_LISTS,
      cacheDirectory: config.CACHE_DIR,
      wrapError: (error) => (isOutOfSpace(error) ? storageFailure(error, 'CACHE_DIR') : error),
      log,
      stopping: parts.stopping,
    }),
    captchas: new CaptchaSolving(config, metrics),
  };
}

function hostOf(config: Config, { network, ids, log, metrics }: BrowserParts): BrowserHost {
  const { policy, egress, signer } = network;
  return {
    dataRoot: config.DATA_DIR,
    scratchRoot: config.SCRATCH_DIR,
    extensionsRoot: config.EXTENSIONS_DIR,
    egressPort: egress.port,
    niceness: preferThisProcess(),
    policy,
    openRoutes: async () => (await import('./network/upstream/routes.ts')).startRoutes(policy, egress),
    signer,
    attempts: new StartAttempts(config.RETRIES),
    endings: new Endings(config.CONCURRENT),
    ids,
    log,
    metrics,
  };
}
