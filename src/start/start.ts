/** Starts the server: reads the configuration, builds the services, listens, and handles stop signals. */
import { createApp } from '../api/app.ts';
import type { Services } from '../api/routes/pipeline/services.ts';
import { sweepDirectories } from '../browser/processes/directories.ts';
import { type Config, ConfigError } from '../base/config/config.ts';
import { ServiceError } from '../base/errors.ts';
import { exitCodes, ExitError } from '../base/exit-codes.ts';
import { licensesFile } from '../base/program/asset-names.ts';
import { assetText, unpackInto } from '../base/program/assets.ts';
import { onStopRequested } from '../base/program/stop-signals.ts';
import { noInit, exposureWarnings } from '../api/routes/http/caller/posture.ts';
import { listeningAddress } from '../web/public-base.ts';
import { type HttpServer, listen } from '../base/runtime/http/server.ts';
import { commandLine, exit, onUncaught, runtimeName, writeLine } from '../base/runtime/machine.ts';
import { sandboxAvailable } from '../base/runtime/process.ts';
import { StoredSession } from '../sessions/lifecycle/stored-session.ts';
import { slotsOf } from '../control/services.ts';
import { buildService, type Service, type ServiceParts } from './services.ts';
import type { SoftwareKey } from '../control/accounts/software-key/software-key.ts';
import { readConfig, secretsOf } from './check/configuration.ts';
import { requireDirectories, writtenDirectories } from './check/directories.ts';
import { stopService } from './stop.ts';
import { createLog, type Log } from '../base/telemetry/log.ts';
import type { OpenTelemetry } from '../base/telemetry/otel/otel.ts';
import { serviceVersion } from '../base/version.ts';

/**
 * Reads the configuration and starts the service, or handles an option such as `--help` instead.
 * @param isProcessOne true when this is process 1 of a container without an init, which leaves zombie processes
 */
export async function main({ isProcessOne }: { isProcessOne: boolean }): Promise<void> {
  if (commandLine.includes('--help')) {
    const { helpText } = await import('../base/config/help.ts');
    return writeLine(helpText());
  }
  if (commandLine.includes('--version')) return writeLine(`browserd ${serviceVersion} (${runtimeName})`);
  if (commandLine.includes('--licenses')) return writeLine(await assetText(licensesFile));
  const { config, warnings } = await readConfig().catch((error: unknown) =>
    failStart(error, createLog({ level: 'error', write: writeLine, secrets: [] })),
  );
  unpackInto(config.CACHE_DIR);
  const telemetry = config.OTEL_ENABLED ? await openTelemetry(config) : undefined;
  const log = createLog({
    level: config.LOG_LEVEL,
    write: writeLine,
    record: telemetry?.record,
    secrets: secretsOf(config),
  });
  telemetry?.reportTo(log);
  for (const message of [...warnings, ...exposureWarnings(config)]) log.warn('config.notice', { message });
  if (isProcessOne) log.warn('config.notice', { message: noInit });
  onUncaught((error) => log.error('uncaught', { cause: error }));
  const softwareKey = await openSoftwareKey(config, log).catch((error: unknown) => failStart(error, log));
  await start({ config, log, telemetry, softwareKey }).catch((error: unknown) => failStart(error, log));
}

/** Loads and starts the OpenTelemetry SDK; never called without OTEL_ENABLED. */
async function openTelemetry(config: Config): Promise<OpenTelemetry> {
  const { startOpenTelemetry } = await import('../base/telemetry/otel/otel.ts');
  return startOpenTelemetry(config, runtimeName);
}

/**
 * Verifies the software key if the server needs one; otherwise the key module is never loaded.
 * @throws ExitError `key`
 */
async function openSoftwareKey(config: Config, log: Log): Promise<SoftwareKey | undefined> {
  const { KEY_PUBLIC } = config;
  if (KEY_PUBLIC === undefined) return undefined;
  const { SoftwareKey } = await import('../control/accounts/software-key/software-key.ts');
  return SoftwareKey.open({ ...config, KEY_PUBLIC }, log);
}

/** Reports why the server does not start, and exits with the matching exit code. */
function failStart(error: unknown, log: Log): never {
  // Print one plain sentence as the last line.
  if (error instanceof ConfigError || (error instanceof ExitError && error.exitCode === exitCodes.key.code)) {
    writeLine(error.message);
    return exit(error.exitCode);
  }
  const { exitCode, message, cause } =
    error instanceof ExitError ? error : { exitCode: exitCodes.defect.code, message: undefined, cause: error };
  log.error('start.failed', { exitCode, message, cause });
  return exit(exitCode);
}

async function start(parts: ServiceParts): Promise<void> {
  const { config, log } = parts;
  const service = await buildService(parts);
  const { services } = service;
  const { network, control, web } = services;
  const answers = { standstillMs: config.SEND_TIMEOUT_MS, unread: web.unread };
  await requireDirectories(config);
  const app = createApp(services);
  const server = await listen({ host: config.HOST, port: config.PORT, ...app, answers }).catch(
    async (cause: unknown) => {
      const { addressError } = await import('./check/address.ts');
      throw addressError(config, cause);
    },
  );
  network.policy.protectPort(server.port);
  service.listensAt(listeningAddress(config.HOST, server.port));
  stopWhenAsked(service, server, log);
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

/** Stops the server on a signal, on request, and when the software key expires. */
function stopWhenAsked(service: Service, server: HttpServer, log: Log): void {
  const { services, stopping } = service;
  const { limiter, softwareKey } = services.control;
  const { stopRequested, leaving } = services.signals;
  let signals = 0;
  stopRequested.signal.addEventListener('abort', () => {
    if (leaving.aborted) return;
    log.info('stopping', { running: limiter.running });
    void stopService(service, server);
  });
  onStopRequested((signal) => {
    signals++;
    log.info('stopping', { signal, running: limiter.running });
    // A client that stopped the server with a request sends the usual signal afterward.
    if (signals === 1 && stopRequested.signal.aborted) return;
    if (signals === 1 && !leaving.aborted) void stopService(service, server);
    // A second signal ends running requests immediately, as does a signal after the software key has expired.
    else stopping.abort(new ServiceError('stopping', 'The server was stopped.'));
  });
  softwareKey?.watch({
    renewed: ({ concurrent }) => limiter.resize(slotsOf(services.config, concurrent)),
    expired(lastLine) {
      if (leaving.aborted) return;
      log.info('stopping', { running: limiter.running });
      void stopService(service, server, { exitCode: exitCodes.key.code, lastLine });
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
  browsers.readiness.started();
  // Do this last, because requests wait for everything above. A failure is reported to the requests that use the lists.
  await browsers.ads.prepare().catch(() => {});
}
