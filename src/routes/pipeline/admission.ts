/** What every call of a browser passes at its door and leaves in the books at its end: limits, health, counts, log. */
import type { Slot } from '../../admission/limiter.ts';
import type { Config } from '../../config/config.ts';
import { errorTable, ServiceError } from '../../errors.ts';
import { loggable } from '../../telemetry/log.ts';
import type { Clock } from '../../runtime/deadline.ts';
import { now } from '../../runtime/machine.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { Services } from './services.ts';

/** A call on its way through the pipeline; what the log line at its end tells. */
export interface Progress {
  id: string;
  startedAt: number;
  queueMs: number;
  /** When it left the queue; undefined until then. */
  runningSince: number | undefined;
  session: string | undefined;
  trackingId: string | undefined;
  /** What the client sent and the server decides: named in X-Ignored-Parameters and in the log. */
  ignored: string[];
}

/** The books of a call are opened when it comes in. */
export function beginProgress(request: Request): Progress {
  return {
    id: requestIdOf(request),
    startedAt: now(),
    queueMs: 0,
    runningSince: undefined,
    session: undefined,
    trackingId: undefined,
    ignored: [],
  };
}

/** The call's time limit in milliseconds, 0 for none. @throws ServiceError `invalid-query` above MAX_TIMEOUT */
export function timeLimit(asked: number | undefined, { TIMEOUT, MAX_TIMEOUT }: Config): number {
  if (asked === undefined) return MAX_TIMEOUT > 0 && (TIMEOUT === 0 || TIMEOUT > MAX_TIMEOUT) ? MAX_TIMEOUT : TIMEOUT;
  if (MAX_TIMEOUT > 0 && (asked === 0 || asked > MAX_TIMEOUT)) {
    const message = `"timeout" may be at most ${MAX_TIMEOUT} milliseconds on this server, got ${asked === 0 ? '0 (none)' : asked}`;
    throw new ServiceError('invalid-query', `Query-parameter validation failed: ${message}`, {
      issues: [{ path: 'timeout', message }],
    });
  }
  return asked;
}

/**
 * The time that a client may stay with a session, whose own time to live is the limit otherwise: what the client asks
 * for, or MAX_TIMEOUT. In milliseconds, 0 for none.
 */
export function stayLimit(asked: number | undefined, config: Config): number {
  return asked === undefined ? config.MAX_TIMEOUT : timeLimit(asked, config);
}

/** Health and drain come before the queue (contract section 4.1, step 1). */
export async function admit(services: Services): Promise<void> {
  const { config, monitor, metrics, alert } = services;
  if (services.draining.aborted) {
    throw new ServiceError(
      'stopping',
      'The server is shutting down. Send the request to another server or try again later.',
    );
  }
  if (services.unread.tooMuch) {
    metrics.rejected('memory');
    throw new ServiceError('unhealthy', tooMuchUnread(services));
  }
  if (!config.HEALTH) return;
  const load = await monitor.current();
  if (load.overloaded === undefined) return;
  metrics.rejected(load.overloaded);
  alert('FAILED_HEALTH_URL');
  throw new ServiceError('unhealthy', 'Too many requests');
}

/** The sentence about answers that nobody reads. */
export function tooMuchUnread({ unread }: Services): string {
  const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  return `Too many requests: clients have yet to read ${megabytes(unread.bytes)} MB of answers, more than MAX_UNREAD_MB allows (${megabytes(unread.limit)} MB). Try again later.`;
}

/**
 * A slot for a call: health and drain, then the queue. Disposing the slot gives it back.
 * @param clock the call's; it stands still in the queue and begins anew with the slot (contract section 4.1)
 * @throws ServiceError `queue-full`, `unhealthy`, `stopping`; the clock's reason
 */
export async function takeSlot(clock: Clock, services: Services, progress: Progress): Promise<Slot> {
  await admit(services);
  clock.stop();
  const slot = await services.limiter.acquire(clock.signal, () => {
    services.metrics.queued();
    services.alert('QUEUE_ALERT_URL');
  });
  clock.start();
  progress.queueMs = slot.queueMs;
  services.metrics.started();
  progress.runningSince = now();
  return slot;
}

/**
 * Counts the outcome, tells the operator's alert URLs and writes the request's one log line.
 * @param successStatus what the client got when there is no error
 */
export function finish(
  services: Services,
  route: string,
  progress: Progress,
  error: ServiceError | undefined,
  successStatus = 200,
): void {
  const { metrics, alert, log } = services;
  const ms = now() - progress.startedAt;
  const status = error?.status ?? successStatus;
  const outcome = error === undefined ? 'successful' : error.code === 'timeout' ? 'timedout' : 'error';
  metrics.answered(route, status, ms);
  if (error?.code === 'launch-failed' || error?.code === 'browser-missing') {
    services.readiness.doubted(error.code === 'launch-failed');
  }
  if (progress.runningSince !== undefined) {
    metrics.ended(outcome, now() - progress.runningSince);
    if (outcome === 'successful') services.readiness.worked();
    if (outcome === 'timedout') alert('TIMEOUT_ALERT_URL');
    else if (error) alert('ERROR_ALERT_URL', loggable(error));
  } else if (error?.code === 'queue-full') {
    metrics.rejected('full');
    alert('REJECT_ALERT_URL');
  } else if (error?.code === 'unauthorized') {
    metrics.unauthorized();
  } else if (error?.code === 'client-gone') {
    metrics.failedBeforeStart('error');
  }
  log.write(error ? errorTable[error.code].log : 'info', 'request', {
    id: progress.id,
    route,
    status,
    code: error?.code,
    reason: error && loggable(error),
    cause: error?.cause,
    ms: Math.round(ms),
    queueMs: Math.round(progress.queueMs),
    session: progress.session,
    trackingId: progress.trackingId,
    ignored: progress.ignored.length === 0 ? undefined : progress.ignored,
  });
}
