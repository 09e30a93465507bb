/**
 * Admits calls: refuses them while the server shuts down or is overloaded, queues them for a slot, and sets their time
 * limits.
 */
import type { Limiter } from '../../admission/limiter.ts';
import type { Config } from '../../config/config.ts';
import { ServiceError } from '../../errors.ts';
import type { Clock } from '../../runtime/deadline.ts';
import { now } from '../../runtime/machine.ts';
import type { Call } from './call.ts';
import type { Services } from './services.ts';

/** A setting that holds the time limit of calls. */
type LimitSetting = 'TIMEOUT' | 'BQL_TIMEOUT';

/**
 * The call's time limit in milliseconds, 0 for none.
 * @param usual the setting that holds the limit of a call that asks for none
 * @throws ServiceError `invalid-query` above MAX_TIMEOUT
 */
export function timeLimit(asked: number | undefined, config: Config, usual: LimitSetting = 'TIMEOUT'): number {
  const { MAX_TIMEOUT } = config;
  if (asked === undefined) {
    const limitMs = config[usual];
    return MAX_TIMEOUT > 0 && (limitMs === 0 || limitMs > MAX_TIMEOUT) ? MAX_TIMEOUT : limitMs;
  }
  if (MAX_TIMEOUT > 0 && (asked === 0 || asked > MAX_TIMEOUT)) {
    const message = `"timeout" may be at most ${MAX_TIMEOUT} milliseconds on this server, got ${asked === 0 ? '0 (none)' : asked}`;
    throw new ServiceError('invalid-query', `Query-parameter validation failed: ${message}`, {
      issues: [{ path: 'timeout', message }],
    });
  }
  return asked;
}

/**
 * How long a client may stay connected to a session: what the client asks for, or MAX_TIMEOUT; otherwise the session's
 * own time to live is the limit. In milliseconds, 0 for none.
 */
export function stayLimit(asked: number | undefined, config: Config): number {
  return asked === undefined ? config.MAX_TIMEOUT : timeLimit(asked, config);
}

/** @throws ServiceError `stopping` once the server takes no new call */
export function refuseWhileDraining({ draining }: Services): void {
  if (!draining.aborted) return;
  throw new ServiceError(
    'stopping',
    'The server is shutting down. Send the request to another server or try again later.',
  );
}

/** @throws ServiceError `stopping`, `unhealthy` */
async function admit(services: Services): Promise<void> {
  const { config, monitor, metrics, alert } = services;
  refuseWhileDraining(services);
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

/** The error message about answers that clients have not read. */
export function tooMuchUnread({ unread }: Services): string {
  const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  return `Too many requests: clients have yet to read ${megabytes(unread.bytes)} MB of answers, more than MAX_UNREAD_MB allows (${megabytes(unread.limit)} MB). Try again later.`;
}

/**
 * Takes a slot for a call: checks shutdown and load, then waits in the queue. Disposing the result gives the slot back.
 * @param clock is stopped in the queue and starts anew with the slot
 * @param before a queue that the call passes before the common one
 * @throws ServiceError `queue-full`, `unhealthy`, `stopping`; the clock's reason
 */
export async function takeSlot(call: Call, clock: Clock, before?: Limiter): Promise<DisposableStack> {
  const { services } = call;
  await admit(services);
  using taken = new DisposableStack();
  const since = now();
  clock.stop();
  await services.tracing.span('queue', {}, async (span) => {
    if (before) taken.use(await before.acquire(clock.signal));
    const waits = () => {
      span.set({ 'browserd.queue.waited': true });
      services.metrics.queued();
      services.alert('QUEUE_ALERT_URL');
    };
    taken.use(await services.limiter.acquire(clock.signal, waits, call));
  });
  clock.start();
  call.queueMs = now() - since;
  call.begin();
  return taken.move();
}
