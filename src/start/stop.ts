/**
 * Stops the service within the ten seconds that `docker stop` gives: calls are still taken for SHUTDOWN_DELAY_MS, sockets
 * may go on for SOCKET_DRAIN_MS, running calls for DRAIN_TIMEOUT_MS, then everything is ended and removed.
 */
import { ServiceError } from '../base/errors.ts';
import { orAborted, startDeadline } from '../base/runtime/deadline.ts';
import type { HttpServer } from '../base/runtime/http/server.ts';
import { exit, now, writeLine } from '../base/runtime/machine.ts';
import type { Service } from './services.ts';
import { drainSessions } from '../sessions/lifecycle/drain.ts';

/** The browsers of recordings that have not ended yet get this long, in milliseconds. */
const recordingsLimitMs = 500;
/** Browsers that write a profile are killed this long after the time of running calls is over, in milliseconds. */
const profilesLimitMs = 600;
/** Browsers must have ended, and their directories be removed, this long after that time, in milliseconds. */
const removalLimitMs = 1_300;
/** Time to send the last responses after the calls have ended, in milliseconds. */
const lastBytesMs = 1_000;
/** Time for what has no browser, such as the file of the metrics, in milliseconds. */
const lastWorkMs = 300;
/** The receiver of traces, metrics and logs has this long for the last of them, and this long after that time at most, in milliseconds. */
const telemetryLimitMs = 1_900;

/** How the process ends. */
interface Ending {
  readonly exitCode: number;
  /** Written to standard output, after the log. */
  readonly lastLine: string;
}

/** Fails readiness first; ends the process last. @param ending exit code 0 and no line when undefined */
export async function stopService(service: Service, server: HttpServer, ending?: Ending): Promise<void> {
  const { services, leaving, draining, stopping } = service;
  const { config, log } = services;
  const { pool } = services.browsers;
  const { playwright, registry: sessions, recordings } = services.sessions;
  const drainedBy = now() + config.DRAIN_TIMEOUT_MS;
  leaving.abort(shuttingDown());
  void services.control.clusterRegistry?.beat();
  services.control.softwareKey?.[Symbol.dispose]();
  server.keepNoConnections();
  await whileBalancersNotice(service);
  draining.abort(shuttingDown());
  await drain(service, drainedBy - now());
  const answered = server.stopAccepting();
  answered.catch(() => {});
  const leftMs = stopping.signal.aborted ? 0 : Math.max(0, drainedBy - now());
  using patience = startDeadline(leftMs + profilesLimitMs, () => undefined, []);
  // The limit: files that cannot be removed must not prevent the stop.
  using removal = startDeadline(leftMs + removalLimitMs, () => new Error('not all could be removed'), []);
  const endBy = now() + leftMs + telemetryLimitMs;
  using lastBytes = startDeadline(lastBytesMs, () => undefined, []);
  // What waits for a browser that does not answer ends with the browser: all are ended side by side.
  // Before the browsers go: the last frames of a recording are still in there.
  using lastFrames = startDeadline(recordingsLimitMs, () => undefined, [stopping.signal]);
  await orAborted(recordings.whenEnded(), lastFrames.signal).catch(() => {});
  const ended = Promise.all([pool.stop(), playwright.stop(), sessions.whenGone()]).then(() =>
    services.sessions.downloadDirectories[Symbol.asyncDispose](),
  );
  // A second signal may also come now.
  for (const signal of [patience.signal, stopping.signal]) signal.addEventListener('abort', () => pool.kill());
  await orAborted(ended, removal.signal).catch((cause: unknown) => log.error('stop.incomplete', { cause }));
  // Responses that were being sent when the calls ended get a moment to reach their clients.
  await orAborted(answered, lastBytes.signal).catch(() => server.cutConnections());
  // Work that no call waits for, such as compiling filter lists, ends too.
  stopping.abort(tooLong());
  services.control.monitor.stop();
  const parted = services.control.clusterRegistry?.part();
  services.sessions.recordingStore[Symbol.dispose]();
  services.control.accounts[Symbol.dispose]();
  using lastWork = startDeadline(lastWorkMs, () => new Error('the last work took too long'), []);
  const worked = Promise.all([
    parted,
    services.browsers.readiness.diskSettled(),
    services.network.proxies.stop(),
    services.control.history[Symbol.asyncDispose](),
    services.control.unitLedger?.[Symbol.asyncDispose](),
    services.network.egress[Symbol.asyncDispose](),
  ]);
  await orAborted(worked, lastWork.signal).catch((cause: unknown) => log.error('stop.incomplete', { cause }));
  log.info('stopped');
  await services.telemetry.openTelemetry?.flush(Math.min(telemetryLimitMs, endBy - now()));
  if (ending) writeLine(ending.lastLine);
  exit(ending?.exitCode ?? 0);
}

/** Calls are served as before; a second signal ends that. */
async function whileBalancersNotice({ services: { config }, stopping }: Service): Promise<void> {
  const delayMs = Math.min(config.SHUTDOWN_DELAY_MS, config.DRAIN_TIMEOUT_MS);
  // For a deadline 0 is no limit.
  if (delayMs === 0) return;
  using delay = startDeadline(delayMs, () => undefined, [stopping.signal]);
  await orAborted(new Promise<never>(() => {}), delay.signal).catch(() => {});
}

/**
 * Waits until nothing runs any more; ends what still does when its time is over, or at a second signal.
 * @param limitMs 0 or less is at once
 */
async function drain({ services, stopping }: Service, limitMs: number): Promise<void> {
  const { config } = services;
  const { cluster, limiter, audits } = services.control;
  const { registry: sessions } = services.sessions;
  const socketsMs = Math.max(0, Math.min(config.SOCKET_DRAIN_MS, limitMs));
  using limit = startDeadline(limitMs, tooLong, [stopping.signal]);
  // New calls are still answered meanwhile, with 503 and Retry-After.
  const socketsEnded = drainSessions(sessions, socketsMs, shuttingDown(), limit.signal);
  const passedEnded = cluster?.drain(socketsMs, limit.signal).catch(() => {});
  // Calls that wait for a slot of the cluster are passed on when they have one.
  const claimed = services.control.clusterRegistry
    ?.whenNobodyWaits()
    .then(() => cluster?.drain(socketsMs, limit.signal))
    .catch(() => {});
  const idle = Promise.all([claimed, socketsEnded, passedEnded, limiter.whenIdle(), audits.whenIdle()]);
  // For a deadline 0 is no limit.
  const late = limitMs <= 0 ? Promise.reject(tooLong()) : orAborted(idle, limit.signal);
  await late.catch((reason: unknown) => stopping.abort(reason));
}

const shuttingDown = () => new ServiceError('stopping', 'The server is shutting down.');
const tooLong = () => new ServiceError('stopping', 'The server was stopped before the call had ended.');
