/** Starts a server in this process: builds it, listens, prepares what the first requests need, and stops when asked. */
import { createApp } from '../api/app.ts';
import type { Services } from '../api/routes/pipeline/services.ts';
import { sweepDirectories } from '../browser/processes/directories.ts';
import { ServiceError } from '../base/errors.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { unpackInto } from '../base/program/assets.ts';
import { createLog } from '../base/telemetry/log.ts';
import { exposureWarnings } from '../api/routes/http/caller/posture.ts';
import type { SoftwareKey } from '../control/accounts/software-key/software-key.ts';
import { readConfig, secretsOf } from './check/configuration.ts';
import { listen } from '../base/runtime/http/server.ts';
import { type environment, runtimeName } from '../base/runtime/machine.ts';
import { sandboxAvailable } from '../base/runtime/process.ts';
import { serviceVersion } from '../base/version.ts';
import { slotsOf } from '../control/services.ts';
import { StoredSession } from '../sessions/lifecycle/stored-session.ts';
import { listeningAddress } from '../web/public-base.ts';
import { requireDirectories, writtenDirectories } from './check/directories.ts';
import { buildService, type Service, type ServiceParts } from './services.ts';
import { stopService } from './stop.ts';

/** How the process ends, unless with exit code 0. */
interface Ending {
  readonly exitCode: number;
  /** Written to standard output, after the log. */
  readonly lastLine: string;
}

/** The configuration, and what must exist before the services are built. */
export type OpenParts = Omit<ServiceParts, 'softwareKey'>;

/**
 * Reads the configuration and opens the log and telemetry.
 * @param env environment variables; the command line comes on top
 * @param write receives each line of the log
 * @throws ConfigError
 */
export async function openParts(env: typeof environment, write: (line: string) => void): Promise<OpenParts> {
  const { config, warnings } = await readConfig(env);
  unpackInto(config.CACHE_DIR);
  // The OpenTelemetry SDK is loaded only with OTEL_ENABLED.
  const otel = config.OTEL_ENABLED ? await import('../base/telemetry/otel/otel.ts') : undefined;
  const telemetry = otel?.startOpenTelemetry(config, runtimeName);
  const log = createLog({ level: config.LOG_LEVEL, write, record: telemetry?.record, secrets: secretsOf(config) });
  telemetry?.reportTo(log);
  for (const message of [...warnings, ...exposureWarnings(config)]) log.warn('config.notice', { message });
  return { config, log, telemetry };
}

/**
 * Verifies the software key if the server needs one; otherwise the key module is never loaded.
 * @throws ExitError `key`
 */
async function openSoftwareKey({ config, log }: OpenParts): Promise<SoftwareKey | undefined> {
  const { KEY_PUBLIC } = config;
  if (KEY_PUBLIC === undefined) return undefined;
  const { SoftwareKey } = await import('../control/accounts/software-key/software-key.ts');
  return SoftwareKey.open({ ...config, KEY_PUBLIC }, log);
}

interface Stops {
  /** Calls the listener for each request to stop that comes from outside the server. */
  onStopRequested(listener: (signal: string) => void): void;
  /** Called once the server has stopped and holds nothing anymore. */
  stopped(ending: Ending | undefined): void;
}

/**
 * Starts a server. Resolves once everything that the first requests need is ready; it listens before that, and
 * requests that arrive early wait.
 * @throws ExitError when the software key is missing or invalid, and when the server cannot listen or write
 */
export async function startServer(opened: OpenParts, { onStopRequested, stopped }: Stops): Promise<void> {
  const parts = { ...opened, softwareKey: await openSoftwareKey(opened) };
  const { config, log } = parts;
  const service = await buildService(parts);
  const { services } = service;
  const { network, control, web } = services;
  const limits = {
    standstillMs: config.SEND_TIMEOUT_MS,
    unread: web.unread,
    pingEveryMs: config.PING_INTERVAL_MS,
  };
  await requireDirectories(config);
  const app = createApp(services);
  const server = await listen({ host: config.HOST, port: config.PORT, ...app, limits }).catch(
    async (cause: unknown) => {
      const { addressError } = await import('./check/address.ts');
      throw addressError(config, cause);
    },
  );
  network.policy.protectPort(server.port);
  service.listensAt(listeningAddress(config.HOST, server.port));
  const stop = (ending?: Ending) => void stopService(service, server).then(() => stopped(ending));
  stopWhenAsked(service, stop, onStopRequested);
  await joinCluster(services);
  log.info('listening', {
    host: config.HOST,
    port: server.port,
    url: web.publicBase(new Headers(), undefined),
    version: serviceVersion,
    runtime: runtimeName,
    node: control.cluster?.node,
  });
  await prepare(services);
}

/** Stops the server when asked from outside, on a request, and when the software key expires. */
function stopWhenAsked(
  { services, stopping }: Service,
  stop: (ending?: Ending) => void,
  onStopRequested: Stops['onStopRequested'],
): void {
  const { log } = services;
  const { limiter, softwareKey } = services.control;
  const { stopRequested, leaving } = services.signals;
  let signals = 0;
  stopRequested.signal.addEventListener('abort', () => {
    if (leaving.aborted) return;
    log.info('stopping', { running: limiter.running });
    stop();
  });
  onStopRequested((signal) => {
    signals++;
    log.info('stopping', { signal, running: limiter.running });
    // A client that stopped the server with a request sends the usual signal afterward.
    if (signals === 1 && stopRequested.signal.aborted) return;
    if (signals === 1 && !leaving.aborted) stop();
    // A second signal ends running requests immediately, as does a signal after the software key has expired.
    else stopping.abort(new ServiceError('stopping', 'The server was stopped.'));
  });
  softwareKey?.watch({
    renewed: ({ concurrent }) => limiter.resize(slotsOf(services.config, concurrent)),
    expired(lastLine) {
      if (leaving.aborted) return;
      log.info('stopping', { running: limiter.running });
      stop({ exitCode: exitCodes.key.code, lastLine });
    },
  });
}

async function joinCluster({ control, sessions, signals }: Services): Promise<void> {
  const { limiter, cluster, clusterRegistry } = control;
  await clusterRegistry?.join(() => ({
    slots: limiter.options.concurrent,
    running: limiter.running,
    queued: limiter.queued,
    mayQueue: limiter.options.queued,
    sessions: sessions.registry.list().filter((each) => each instanceof StoredSession).length,
    draining: signals.leaving.aborted,
  }));
  cluster?.start();
}

/** Prepares what the first requests need. Requests that arrive earlier wait for it. */
async function prepare({ config, log, browsers, sessions }: Services): Promise<void> {
  if (!(await sandboxAvailable())) {
    log.warn('browser.sandbox-off', {
      message:
        'Browsers run with --no-sandbox: the server runs as root, or user namespaces are not allowed. Run it as an ordinary user if it opens untrusted pages.',
    });
  }
  for (const root of writtenDirectories.map((setting) => config[setting])) {
    const removed = await sweepDirectories(root);
    if (removed > 0) log.info('scratch.swept', { root, removed });
  }
  await sessions.recordingStore.start();
  // After a failed warm-up, one check retries and reports what is wrong, so that /ready does not report ready.
  if (!(await browsers.pool.warmUp())) {
    browsers.readiness.invalidate(true);
    await browsers.readiness.problem();
  }
  browsers.readiness.hasStarted = true;
  // Do this last, because requests wait for everything above. A failure is reported to the requests that use the lists.
  await browsers.ads.prepare().catch(() => {});
}
