/** What routes work with; built once by main.ts and handed down as one value. */
import type { BrowserCatalog } from '../browsers/catalog.ts';
import type { Egress } from '../browsers/egress.ts';
import type { Limiter } from '../browsers/limiter.ts';
import type { Monitor } from '../browsers/monitor.ts';
import type { NetworkPolicy } from '../browsers/network-policy.ts';
import type { PlaywrightLauncher } from '../browsers/playwright.ts';
import type { BrowserPool } from '../browsers/pool.ts';
import type { Readiness } from '../browsers/readiness.ts';
import type { SessionRegistry } from '../browsers/session.ts';
import type { UpstreamProxies } from '../browsers/upstream-proxy.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { MetricsHistory } from '../metrics-history.ts';
import type { AdLists } from '../page/ads/ad-lists.ts';
import type { UnreadBytes } from '../runtime/unread-bytes.ts';
import type { CodeHosts } from './code/code-hosts.ts';
import type { Alert } from './webhooks.ts';

export interface Services {
  config: Config;
  log: Log;
  metrics: Metrics;
  history: MetricsHistory;
  limiter: Limiter;
  /** The queue of Lighthouse audits, which keep a processor busy for seconds. */
  audits: Limiter;
  monitor: Monitor;
  /** Whether a call would be served now, by proof. */
  readiness: Readiness;
  pool: BrowserPool;
  /** Pages that run the code of requests. */
  codeHosts: CodeHosts;
  catalog: BrowserCatalog;
  playwright: PlaywrightLauncher;
  policy: NetworkPolicy;
  egress: Egress;
  proxies: UpstreamProxies;
  /** The rules of blockAds. */
  ads: AdLists;
  sessions: SessionRegistry;
  alert: Alert;
  /** What lies in memory because clients have not read it yet. */
  unread: UnreadBytes;
  /** Public base URL without a trailing slash: EXTERNAL, or the address that is listened on. */
  externalUrl: () => string;
  /** Aborted when no new call is taken any more. */
  draining: AbortSignal;
  /** Aborted when running calls must end. */
  stopping: AbortSignal;
}
