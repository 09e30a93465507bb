/**
 * Stops the service within the ten seconds that `docker stop` allows: it still accepts requests for SHUTDOWN_DELAY_MS,
 * keeps sockets open for SOCKET_DRAIN_MS and lets running requests finish for DRAIN_TIMEOUT_MS, then ends and removes
 * everything.
 */
import { ServiceError } from '../base/errors.ts';
import { orAborted, startDeadline } from '../base/runtime/deadline.ts';
import type { HttpServer } from '../base/runtime/http/server.ts';
import { now } from '../base/runtime/machine.ts';
import type { Service } from './services.ts';
import { drainSessions } from '../sessions/lifecycle/drain.ts';

/** How long unfinished recordings may keep their browsers, in milliseconds. */
const recordingsLimitMs = 500;
/** Time in ms after the drain timeout at which browsers that are still writing a profile are killed. */
const profilesLimitMs = 600;
/**
 * Time in ms after the drain timeout by which browsers must have exited and their directories must have been removed.
 */
const removalLimitMs = 1_300;
/** Time to send the last responses after the requests have ended, in milliseconds. */
const lastBytesMs = 1_000;
/** Time for cleanup that involves no browser, such as writing the metrics file, in milliseconds. */
const lastWorkMs = 300;
/** Time in ms after the drain timeout by which the export of the last traces, metrics, and logs must have ended. */
const telemetryLimitMs = 1_900;

/** Fails readiness first. Afterward, the service holds nothing anymore. */
export async function stopService(service: Service, server: HttpServer): Promise<void> {
  const { services, leaving, draining, stopping } = service;
  const { config, log } = services;
  const { pool } = services.browsers;
  const { playwright, registry: sessions, recordings } = services.sessions;
  const drainedBy = now() + config.DRAIN_TIMEOUT_MS;
  leaving.abort(shuttingDown());
  void services.control.clusterRegistry?.beat();
  services.control.softwareKey?.[Symbol.dispose]();
  server.disableKeepAlive();
  await whileBalancersNotice(service);
  draining.abort(shuttingDown());
  await drain(service, drainedBy - now());
  const answered = server.stopAccepting();
  answered.catch(() => {});
  const leftMs = stopping.signal.aborted ? 0 : Math.max(0, drainedBy - now());
  using patience = startDeadline(leftMs + profilesLimitMs, () => undefined, []);
  // This limit keeps files that cannot be removed from blocking the stop.
  using removal = startDeadline(leftMs + removalLimitMs, () => new Error('not everything could be removed'), []);
  const endBy = now() + leftMs + telemetryLimitMs;
  using lastBytes = startDeadline(lastBytesMs, () => undefined, []);
  // Work that waits for an unresponsive browser ends with that browser: all browsers are stopped in parallel. Finish
  // recordings before stopping the browsers, which still hold the last frames.
  using lastFrames = startDeadline(recordingsLimitMs, () => undefined, [stopping.signal]);
  await orAborted(recordings.whenEnded(), lastFrames.signal).catch(() => {});
  const ended = Promise.all([pool.stop(), playwright.stop(), sessions.whenGone()]).then(() =>
    services.sessions.downloadDirectories[Symbol.asyncDispose](),
  );
  // A second signal may also arrive now.
  for (const signal of [patience.signal, stopping.signal]) signal.addEventListener('abort', () => pool.kill());
  await orAborted(ended, removal.signal).catch((cause: unknown) => log.error('stop.incomplete', { cause }));
  // Responses still being sent when the requests ended get a moment to reach their clients.
  await orAborted(answered, lastBytes.signal).catch(() => server.cutConnections());
  // End background work that no request waits for, such as compiling filter lists.
  stopping.abort(tooLong());
  services.control.monitor.stop();
  const parted = services.control.clusterRegistry?.leave();
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
}

/** Keeps serving requests as before until load balancers have noticed; a second signal cuts this short. */
async function whileBalancersNotice({ services: { config }, stopping }: Service): Promise<void> {
  const delayMs = Math.min(config.SHUTDOWN_DELAY_MS, config.DRAIN_TIMEOUT_MS);
  // A deadline treats 0 as no limit.
  if (delayMs === 0) return;
  using delay = startDeadline(delayMs, () => undefined, [stopping.signal]);
  await orAborted(new Promise<never>(() => {}), delay.signal).catch(() => {});
}

/**
 * Waits until nothing is running; ends the remaining work after the time limit or at a second signal.
 * @param limitMs 0 or less ends it immediately
 */
async function drain({ services, stopping }: Service, limitMs: number): Promise<void> {
  const { config } = services;
  const { cluster, limiter, audits } = services.control;
  const { registry: sessions } = services.sessions;
  const socketsMs = Math.max(0, Math.min(config.SOCKET_DRAIN_MS, limitMs));
  using limit = startDeadline(limitMs, tooLong, [stopping.signal]);
  // In the meantime, new requests are still answered, with 503 and Retry-After.
  const socketsEnded = drainSessions(sessions, socketsMs, shuttingDown(), limit.signal);
  const passedEnded = cluster?.drain(socketsMs, limit.signal).catch(() => {});
  // Requests waiting for a cluster slot are forwarded once they have one.
  const claimed = services.control.clusterRegistry
    ?.whenNobodyWaits()
    .then(() => cluster?.drain(socketsMs, limit.signal))
    .catch(() => {});
  const idle = Promise.all([claimed, socketsEnded, passedEnded, limiter.whenIdle(), audits.whenIdle()]);
  // A deadline treats 0 as no limit.
  const drained = limitMs <= 0 ? Promise.reject(tooLong()) : orAborted(idle, limit.signal);
  await drained.catch((reason: unknown) => stopping.abort(reason));
}

const shuttingDown = () => new ServiceError('stopping', 'The server is shutting down.');
const tooLong = () => new ServiceError('stopping', 'The server stopped before the request finished.');
