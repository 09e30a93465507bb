/** Stops the service: running calls may finish within DRAIN_TIMEOUT_MS, then everything is ended and removed. */
import { ServiceError } from './errors.ts';
import { orAborted, startDeadline } from './runtime/deadline.ts';
import type { HttpServer } from './runtime/http/server.ts';
import { exit } from './runtime/machine.ts';
import type { Service } from './services.ts';
import { StoredSession } from './sessions/stored-session.ts';

/** Time for browsers to end and for their directories to be removed, in milliseconds. */
const removalLimitMs = 20_000;
/** Time to send the last responses after everything else has ended, in milliseconds. */
const lastBytesMs = 2_000;

/** Fails readiness first; ends the process last. */
export async function stopService(service: Service, server: HttpServer): Promise<void> {
  const { services, draining, stopping, display } = service;
  const { config, limiter, audits, pool, playwright, sessions, log } = services;
  draining.abort(new ServiceError('stopping', 'The server is shutting down.'));
  const tooLong = () => new ServiceError('stopping', 'The server was stopped before the call had ended.');
  using limit = startDeadline(config.DRAIN_TIMEOUT_MS, tooLong, [stopping.signal]);
  const stored = sessions.list().filter((session) => session instanceof StoredSession);
  // No client is connected to these sessions: there is nothing to wait for.
  for (const session of sessions.list()) if (session.numbConnected === 0) session.life.end(tooLong());
  // New calls are still answered meanwhile, with 503 and Retry-After.
  await orAborted(Promise.all([limiter.whenIdle(), audits.whenIdle()]), limit.signal).catch((reason: unknown) =>
    stopping.abort(reason),
  );
  const answered = server.stopAccepting();
  for (const session of stored) session.life.end(tooLong());
  // The limit: files that cannot be removed must not prevent the stop.
  using removal = startDeadline(removalLimitMs, () => new Error('not all could be removed'), []);
  const ended = sessions
    .whenGone()
    .then(() => Promise.all([pool.stop(), playwright[Symbol.asyncDispose]()]))
    .then(() => services.downloadDirectories[Symbol.asyncDispose]());
  await orAborted(ended, removal.signal).catch((cause: unknown) => log.error('stop.incomplete', { cause }));
  await display[Symbol.asyncDispose]();
  // Responses that were being sent when the calls ended get a moment to reach their clients.
  using lastBytes = startDeadline(lastBytesMs, () => undefined, []);
  await orAborted(answered, lastBytes.signal).catch(() => server.cutConnections());
  // Work that no call waits for, such as compiling filter lists, ends too.
  stopping.abort(tooLong());
  await services.proxies.stop();
  services.monitor.stop();
  await services.history[Symbol.asyncDispose]();
  await services.egress[Symbol.asyncDispose]();
  log.info('stopped');
  exit(0);
}
