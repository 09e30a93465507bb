/** From the environment to a server that listens: configuration, services, signals. The only file that builds services. */
import { createApp } from './app.ts';
import { BrowserCatalog } from './browsers/catalog.ts';
import { sweepDirectories } from './browsers/directories.ts';
import { startEgress } from './network/egress.ts';
import { Endings } from './browsers/endings.ts';
import { Limiter } from './admission/limiter.ts';
import { Monitor } from './admission/monitor.ts';
import { NetworkPolicy } from './network/policy.ts';
import { PlaywrightLauncher } from './playwright/launcher.ts';
import { OtherBrowsers } from './playwright/firefox-webkit.ts';
import { BrowserPool } from './browsers/pool/pool.ts';
import type { BrowserHost } from './browsers/process.ts';
import { Readiness } from './browsers/pool/readiness.ts';
import { LocalSessionRegistry } from './sessions/registry.ts';
import { StartAttempts } from './browsers/start-attempts.ts';
import { VirtualDisplay } from './browsers/display.ts';
import { StoredSession } from './sessions/stored-session.ts';
import { UpstreamProxies } from './network/upstream-proxy.ts';
import { ConfigError, helpText, parseConfig, type Config, type ParsedConfig } from './config/config.ts';
import { ServiceError } from './errors.ts';
import { createLog } from './telemetry/log.ts';
import { Metrics } from './telemetry/metrics.ts';
import { MetricsHistory } from './telemetry/history.ts';
import { AdLists } from './page/ads/ad-lists.ts';

import { noInit, postureOf } from './routes/http/posture.ts';
import { createAlerts } from './routes/pipeline/webhooks.ts';
import { CodeHosts } from './code/code-hosts.ts';
import type { Services } from './routes/pipeline/services.ts';
import { startDeadline, orAborted } from './runtime/deadline.ts';
import { appendText, exists, makeDirectory, readTextIfThere, writeText } from './runtime/files.ts';
import {
  commandLine,
  environment,
  exit,
  homeDirectory,
  onStopSignal,
  onUncaught,
  ownAddresses,
  preferThisProcess,
  runtimeName,
  temporaryDirectory,
  writeLine,
} from './runtime/machine.ts';
import { credentialsOf, parseProxyUrl } from './network/proxy-url.ts';
import { sandboxAvailable } from './runtime/process.ts';
import { listen } from './runtime/http/server.ts';
import { UnreadBytes } from './runtime/http/unread-bytes.ts';
import { serviceVersion } from './version.ts';

/** Time for browsers to end and for their directories to be removed, in milliseconds. */
const removalLimitMs = 20_000;
/** Time for answers that are on their way when everything else has ended, in milliseconds. */
const lastBytesMs = 2_000;

/**
 * Reads the configuration and starts the service, or prints what `--help` and `--version` ask for.
 * @param isProcessOne true when ended processes stay in the table of a container, because nobody else collects them
 */
export async function main({ isProcessOne }: { isProcessOne: boolean }): Promise<void> {
  if (commandLine.includes('--help')) return writeLine(helpText());
  if (commandLine.includes('--version')) return writeLine(`browserd ${serviceVersion} (${runtimeName})`);
  const { config, warnings } = await readConfig();
  const log = createLog({ level: config.LOG_LEVEL, write: writeLine, secrets: secretsOf(config) });
  for (const message of [...warnings, ...postureOf(config)]) log.warn('config.notice', { message });
  if (isProcessOne) log.warn('config.notice', { message: noInit });
  onUncaught((error) => log.error('uncaught', { cause: error }));
  await start(config, log).catch((error: unknown) => {
    log.error('start.failed', { cause: error });
    exit(1);
  });
}

/** What is masked wherever the log meets it. */
function secretsOf({ TOKEN, RESIDENTIAL_PROXY_URL }: Config): string[] {
  const provider = RESIDENTIAL_PROXY_URL === undefined ? undefined : parseProxyUrl(RESIDENTIAL_PROXY_URL);
  return [...TOKEN, ...(provider === undefined ? [] : [credentialsOf(provider)?.password ?? ''])];
}

async function readConfig(): Promise<ParsedConfig> {
  try {
    const parsed = await parseConfig({
      env: environment,
      args: commandLine,
      readText: readTextIfThere,
      tmpdir: temporaryDirectory,
      homedir: homeDirectory,
    });
    await requirePaths(parsed);
    return parsed;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    writeLine(error.message);
    return exit(1);
  }
}

/** What was named must be there: a typing error should not fill another disk (contract section 10.1). */
async function requirePaths({ config, given }: ParsedConfig): Promise<void> {
  const problems: string[] = [];
  for (const name of ['DATA_DIR', 'DOWNLOAD_DIR'] as const) {
    if (!given.has(name) || (await exists(config[name]))) continue;
    problems.push(`${name} names ${config[name]}, which does not exist. Create it, or leave ${name} out.`);
  }
  for (const path of config.AD_BLOCK_LISTS) {
    if (await exists(path)) continue;
    problems.push(`AD_BLOCK_LISTS names ${path}, which does not exist. Correct the path, or leave it out.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

async function start(config: Config, log: ReturnType<typeof createLog>): Promise<void> {
  const metrics = new Metrics();
  const policy = new NetworkPolicy({
    blockPrivateNetwork: config.BLOCK_PRIVATE_NETWORK,
    allowFileProtocol: config.ALLOW_FILE_PROTOCOL,
    ownAddresses,
  });
  const egress = await startEgress(policy);
  const catalog = new BrowserCatalog(config);
  const limiter = new Limiter({ concurrent: config.CONCURRENT, queued: config.QUEUED });
  const audits = new Limiter({ concurrent: config.PERFORMANCE_CONCURRENT, queued: config.PERFORMANCE_QUEUED });
  const monitor = new Monitor({
    source: config.MACHINE_STATS_SOURCE,
    sampleIntervalMs: config.CPU_SAMPLE_INTERVAL_MS,
    smoothing: config.CPU_EMA_ALPHA,
    maxCpuPercent: config.MAX_CPU_PERCENT,
    maxMemoryPercent: config.MAX_MEMORY_PERCENT,
    hysteresisPercent: config.CPU_OVERLOAD_HYSTERESIS,
  });
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
  const display = new VirtualDisplay();
  const host: BrowserHost = {
    dataRoot: config.DATA_DIR,
    scratchRoot: config.SCRATCH_DIR,
    egressPort: egress.port,
    niceness: preferThisProcess(),
    display,
    policy,
    attempts: new StartAttempts(config.RETRIES),
    endings: new Endings(config.CONCURRENT),
    log,
    metrics,
  };
  const playwright = new PlaywrightLauncher(catalog, new OtherBrowsers(config), host);
  const pool = new BrowserPool(
    {
      isolation: config.ISOLATION,
      spares: config.SPARES,
      room: () => config.CONCURRENT - limiter.running,
      pageMemoryBytes: config.PAGE_MEMORY_MB * 2 ** 20,
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
  const draining = new AbortController();
  const stopping = new AbortController();
  let externalUrl = config.EXTERNAL?.replace(/\/+$/, '');
  const services: Services = {
    config,
    log,
    metrics,
    history,
    limiter,
    audits,
    monitor,
    readiness,
    pool,
    codeHosts: new CodeHosts({
      pool,
      rules: {
        allowsUrl: (text) => URL.canParse(text) && policy.allowsScheme(new URL(text)),
        allowFiles: config.ALLOW_FILE_PROTOCOL,
      },
      spares: config.SPARES,
      log,
      draining: draining.signal,
    }),
    catalog,
    playwright,
    policy,
    egress,
    ads: new AdLists({
      lists: config.AD_BLOCK_LISTS,
      cacheDirectory: config.CACHE_DIR,
      log,
      stopping: stopping.signal,
    }),
    proxies: new UpstreamProxies({ policy, egress, metrics }),
    sessions: new LocalSessionRegistry(),
    alert: createAlerts(config, log),
    unread: new UnreadBytes(config.MAX_UNREAD_MB * 2 ** 20),
    externalUrl: () => externalUrl ?? '',
    draining: draining.signal,
    stopping: stopping.signal,
  };
  const answers = { standstillMs: config.SEND_TIMEOUT_MS, unread: services.unread };
  const server = await listen({ host: config.HOST, port: config.PORT, ...createApp(services), answers });
  policy.protectPort(server.port);
  externalUrl ??= `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${server.port}`;

  let signals = 0;
  onStopSignal((signal) => {
    signals++;
    log.info('stopping', { signal, running: limiter.running });
    if (signals === 1) void stop();
    // A second signal does not wait for anybody.
    else stopping.abort(new ServiceError('stopping', 'The server was stopped.'));
  });

  log.info('listening', {
    host: config.HOST,
    port: server.port,
    url: externalUrl,
    version: serviceVersion,
    runtime: runtimeName,
  });
  if (!(await sandboxAvailable())) {
    log.warn('browser.sandbox-off', {
      message:
        'Browsers run with --no-sandbox: the server runs as root, or user namespaces are not allowed. Run it as an ordinary user where pages are not trusted.',
    });
  }
  await Promise.all([config.DATA_DIR, config.SCRATCH_DIR, config.DOWNLOAD_DIR].map(makeDirectory));
  for (const root of [config.DATA_DIR, config.SCRATCH_DIR, config.DOWNLOAD_DIR]) {
    const removed = await sweepDirectories(root);
    if (removed > 0) log.info('scratch.swept', { root, removed });
  }
  await pool.warmUp();
  // After everything that calls wait for; a failure is told to whoever asks for it.
  await services.ads.prepare().catch(() => {});

  /** Fails readiness, lets running calls finish within the drain limit, ends the rest, leaves nothing. */
  async function stop(): Promise<void> {
    draining.abort(new ServiceError('stopping', 'The server is shutting down.'));
    const tooLong = () => new ServiceError('stopping', 'The server was stopped before the call had ended.');
    using limit = startDeadline(config.DRAIN_TIMEOUT_MS, tooLong, [stopping.signal]);
    const { sessions } = services;
    const stored = sessions.list().filter((session) => session instanceof StoredSession);
    // Nobody is connected to these: there is nothing to wait for.
    for (const session of sessions.list()) if (session.numbConnected === 0) session.end(tooLong());
    // New calls are still answered meanwhile, with 503 and Retry-After.
    await orAborted(Promise.all([limiter.whenIdle(), audits.whenIdle()]), limit.signal).catch((reason: unknown) =>
      stopping.abort(reason),
    );
    const answered = server.stopAccepting();
    for (const session of stored) session.end(tooLong());
    // Files that cannot be removed keep nothing from stopping.
    using removal = startDeadline(removalLimitMs, () => new Error('not all could be removed'), []);
    const ended = Promise.all(stored.map((session) => session.ended)).then(() =>
      Promise.all([pool.stop(), playwright[Symbol.asyncDispose]()]),
    );
    await orAborted(ended, removal.signal).catch((cause: unknown) => log.error('stop.incomplete', { cause }));
    await display[Symbol.asyncDispose]();
    // What was being written when the calls ended gets a moment to arrive.
    using lastBytes = startDeadline(lastBytesMs, () => undefined, []);
    await orAborted(answered, lastBytes.signal).catch(() => server.cutConnections());
    // Work that no call waits for, such as compiling filter lists, ends too.
    stopping.abort(tooLong());
    await services.proxies.stop();
    monitor.stop();
    await history[Symbol.asyncDispose]();
    await egress[Symbol.asyncDispose]();
    log.info('stopped');
    exit(0);
  }
}
