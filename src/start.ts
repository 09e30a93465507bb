/** Starts the server: reads the configuration, builds the services, listens, and handles stop signals. */
import { createApp } from './app.ts';
import { sweepDirectories } from './browsers/directories.ts';
import { ConfigError, parseConfig, type Config, type ParsedConfig } from './config/config.ts';
import { helpText } from './config/help.ts';
import { ServiceError } from './errors.ts';
import { licensesFile } from './program/asset-names.ts';
import { assetText, unpackInto } from './program/assets.ts';
import { credentialsOf, parseProxyUrl } from './network/proxy-url.ts';
import { noInit, postureOf } from './routes/http/caller/posture.ts';
import { listeningAddress } from './routes/http/public-base.ts';
import { exists, makeDirectory, readTextIfThere } from './runtime/files.ts';
import { listen } from './runtime/http/server.ts';
import {
  commandLine,
  environment,
  exit,
  homeDirectory,
  onStopSignal,
  onUncaught,
  runtimeName,
  temporaryDirectory,
  writeLine,
} from './runtime/machine.ts';
import { sandboxAvailable } from './runtime/process.ts';
import { buildService } from './services.ts';
import { stopService } from './stop.ts';
import { createLog, type Log } from './telemetry/log.ts';
import type { OpenTelemetry } from './telemetry/otel/otel.ts';
import { serviceVersion } from './version.ts';

/**
 * Reads the configuration and starts the service, or prints what `--help`, `--version` and `--licenses` ask for.
 * @param isProcessOne true when this is process 1 of a container without an init, which leaves zombie processes
 */
export async function main({ isProcessOne }: { isProcessOne: boolean }): Promise<void> {
  if (commandLine.includes('--help')) return writeLine(helpText());
  if (commandLine.includes('--version')) return writeLine(`browserd ${serviceVersion} (${runtimeName})`);
  if (commandLine.includes('--licenses')) return writeLine(await assetText(licensesFile));
  const { config, warnings } = await readConfig();
  unpackInto(config.CACHE_DIR);
  const telemetry = config.OTEL_ENABLED ? await openTelemetry(config) : undefined;
  const log = createLog({
    level: config.LOG_LEVEL,
    write: writeLine,
    record: telemetry?.record,
    secrets: secretsOf(config),
  });
  telemetry?.reportTo(log);
  for (const message of [...warnings, ...postureOf(config)]) log.warn('config.notice', { message });
  if (isProcessOne) log.warn('config.notice', { message: noInit });
  onUncaught((error) => log.error('uncaught', { cause: error }));
  await start(config, log, telemetry).catch((error: unknown) => {
    log.error('start.failed', { cause: error });
    exit(1);
  });
}

/** Loads and starts the SDK, which a server without OTEL_ENABLED never does. */
async function openTelemetry(config: Config): Promise<OpenTelemetry> {
  const { startOpenTelemetry } = await import('./telemetry/otel/otel.ts');
  return startOpenTelemetry(config, runtimeName);
}

/** Values that the log masks wherever they occur. */
function secretsOf(config: Config): string[] {
  const { TOKEN, RESIDENTIAL_PROXY_URL, WEB_BOT_AUTH_KEY, CAPTCHA_SOLVER_KEY = '' } = config;
  // A header may be `Bearer …`: the key alone is secret too.
  const headers = Object.values(config.OTEL_EXPORTER_OTLP_HEADERS).flatMap((value) => [
    value,
    value.replace(/^\S+ /, ''),
  ]);
  const provider = RESIDENTIAL_PROXY_URL === undefined ? undefined : parseProxyUrl(RESIDENTIAL_PROXY_URL);
  const keys = [CAPTCHA_SOLVER_KEY, ...(WEB_BOT_AUTH_KEY === undefined ? [] : [WEB_BOT_AUTH_KEY.d])];
  return [...TOKEN, ...keys, ...headers, ...(provider === undefined ? [] : [credentialsOf(provider)?.password ?? ''])];
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

/** @throws ConfigError for a configured path that does not exist: a typing error must not fill another disk */
async function requirePaths({ config, given }: ParsedConfig): Promise<void> {
  const problems: string[] = [];
  for (const name of ['DATA_DIR', 'DOWNLOAD_DIR', 'RECORDINGS_DIR'] as const) {
    if (!given.has(name) || (await exists(config[name]))) continue;
    problems.push(`${name} names ${config[name]}, which does not exist. Create it, or leave ${name} out.`);
  }
  for (const path of config.AD_BLOCK_LISTS) {
    if (await exists(path)) continue;
    problems.push(`AD_BLOCK_LISTS names ${path}, which does not exist. Correct the path, or leave it out.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

async function start(config: Config, log: Log, telemetry: OpenTelemetry | undefined): Promise<void> {
  const service = await buildService(config, log, telemetry);
  const { services, stopping } = service;
  const answers = { standstillMs: config.SEND_TIMEOUT_MS, unread: services.unread };
  const server = await listen({ host: config.HOST, port: config.PORT, ...createApp(services), answers });
  services.policy.protectPort(server.port);
  service.listensAt(listeningAddress(config.HOST, server.port));

  let signals = 0;
  onStopSignal((signal) => {
    signals++;
    log.info('stopping', { signal, running: services.limiter.running });
    if (signals === 1) void stopService(service, server);
    // A second signal ends running calls at once.
    else stopping.abort(new ServiceError('stopping', 'The server was stopped.'));
  });

  log.info('listening', {
    host: config.HOST,
    port: server.port,
    url: services.publicBase(new Headers(), undefined),
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
  await service.recordingStore.start();
  await services.pool.warmUp();
  // Last, because calls wait for everything above. A failure is reported to the calls that use the lists.
  await services.ads.prepare().catch(() => {});
}
