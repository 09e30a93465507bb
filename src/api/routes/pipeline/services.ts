/** Declares the services that routes work with: one value, built once in src/start/services.ts and passed down. */
import type { Accounts } from '../../../control/accounts/accounts.ts';
import type { BrowserCatalog } from '../../../browser/processes/catalog.ts';
import type { DownloadDirectories } from '../../../sessions/functions/download-directories.ts';
import type { Egress } from '../../../browser/network/egress.ts';
import type { Limiter } from '../../../control/admission/limiter.ts';
import type { Monitor } from '../../../control/admission/monitor.ts';
import type { SessionRate } from '../../../control/admission/session-rate.ts';
import type { NetworkPolicy } from '../../../browser/network/policy.ts';
import type { Residential } from '../../../browser/network/proxy.ts';
import type { PlaywrightLauncher } from '../../../sessions/playwright/launcher.ts';
import type { BrowserPool } from '../../../browser/processes/pool/pool.ts';
import type { StartAttempts } from '../../../browser/processes/start-attempts.ts';
import type { Readiness } from '../../../browser/processes/pool/readiness.ts';
import type { SessionRegistry } from '../../../sessions/lifecycle/registry.ts';
import type { UpstreamProxies } from '../../../browser/network/upstream/proxies.ts';
import type { Recordings } from '../../../sessions/recording/recordings.ts';
import type { ShareLinks } from '../../../sessions/recording/share-links.ts';
import type { Config } from '../../../base/config/config.ts';
import type { Ids } from '../../../base/runtime/ids.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import type { Metrics } from '../../../base/telemetry/metrics.ts';
import type { MetricsHistory } from '../../../base/telemetry/history.ts';
import type { Tracing } from '../../../base/telemetry/tracing.ts';
import type { AdLists } from '../../../browser/page/ads/ad-lists.ts';
import type { SoftwareKey } from '../../../control/accounts/software-key/software-key.ts';
import type { UnreadBytes } from '../../../base/runtime/http/unread-bytes.ts';
import type { RequestSigner } from '../../../browser/web-bot-auth/signer.ts';
import type { CaptchaSolving } from '../../../browser/page/captcha/solver/captcha-solving.ts';
import type { Cluster } from '../../../control/cluster/cluster.ts';
import type { Registry } from '../../../control/cluster/registry/registry.ts';
import type { CodeHosts } from '../../../sessions/functions/code-hosts.ts';
import type { Dashboard } from '../../../control/dashboard/dashboard.ts';
import type { SignIns } from '../../../control/dashboard/sign-ins.ts';
import type { LiveViews } from '../../../sessions/live/live-views.ts';
import type { PublicBase } from '../http/public-base.ts';
import type { Profiles } from '../../../sessions/profiles/profiles.ts';
import type { Secrets } from '../../../sessions/profiles/secrets.ts';
import type { Alert } from '../../../base/telemetry/webhooks.ts';

export interface Services {
  config: Config;
  /** Makes the ids of browsers, sessions and live views. */
  ids: Ids;
  /** The other servers of its cluster; undefined for a server that is alone. */
  cluster: Cluster | undefined;
  /** What the servers of its cluster tell each other through Valkey; undefined without CLUSTER_URL. */
  registry: Registry | undefined;
  /** Whose tokens count. */
  accounts: Accounts;
  log: Log;
  metrics: Metrics;
  tracing: Tracing;
  history: MetricsHistory;
  limiter: Limiter;
  /** The queue of Lighthouse audits, which keep a processor busy for seconds. */
  audits: Limiter;
  monitor: Monitor;
  /** The key that lets this server run; undefined when it needs none. */
  softwareKey: SoftwareKey | undefined;
  /** Tells whether a call would be served now. */
  readiness: Readiness;
  pool: BrowserPool;
  /** How often work that failed with a browser is repeated, and after which pauses. */
  attempts: StartAttempts;
  /** Pages that run the code of requests. */
  codeHosts: CodeHosts;
  downloadDirectories: DownloadDirectories;
  catalog: BrowserCatalog;
  playwright: {
    /** Loaded with the first question. */
    launcher(): Promise<PlaywrightLauncher>;
    /** Ends all that it started. */
    stop(): Promise<void>;
  };
  policy: NetworkPolicy;
  /** Signs requests as those of a bot; undefined when the operator has named no key. */
  signer: RequestSigner | undefined;
  egress: Egress;
  proxies: UpstreamProxies;
  /** The provider behind proxy=residential; undefined when the operator has none. */
  residential: Residential | undefined;
  /** The rules of blockAds. */
  ads: AdLists;
  /** Solvers of captchas, and what is noted of attempts. */
  captchas: CaptchaSolving;
  /** Links with which people watch pages and act in them. */
  live: LiveViews;
  /** Who is signed in to the documentation (DOCS=token). */
  readers: SignIns;
  /** What people see at /dashboard. */
  dashboard: Dashboard;
  sessions: SessionRegistry;
  /** Stored cookies and storage, with which browsers begin. */
  profiles: Profiles;
  /** What BrowserQL types with loadSecret. */
  secrets: Secrets;
  /** Videos of sessions. */
  recordings: Recordings;
  /** Links with which people play them. */
  shares: ShareLinks;
  /** Limits how many sessions begin per second. */
  sessionRate: SessionRate;
  alert: Alert;
  /** Bytes in memory that clients have not read yet. */
  unread: UnreadBytes;
  /** Where the addresses in an answer begin. */
  publicBase: PublicBase;
  /** Aborted by a call that asks the server to stop as SIGTERM does. */
  stopAsked: AbortController;
  /** Aborted once the server is told to stop: balancers should send calls elsewhere. */
  leaving: AbortSignal;
  /** Aborted once the server takes no new call. */
  draining: AbortSignal;
  /** Aborted when running calls must end. */
  stopping: AbortSignal;
}
