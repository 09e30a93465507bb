/**
 * Admits requests: refuses them while the server shuts down or is overloaded, queues them for a slot, and sets their
 * time limits.
 */
import type { Limiter } from '../../../control/admission/limiter.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/runtime/deadline.ts';
import { now } from '../../../base/runtime/machine.ts';
import { claimSlot, claimTrackingId } from './cluster-claims.ts';
import type { Call } from './call.ts';
import type { Services } from './services.ts';

/** A setting with a default time limit for requests. */
type LimitSetting = 'TIMEOUT' | 'BQL_TIMEOUT';

/**
 * The time limit of a request in milliseconds, 0 for none.
 * @param defaultSetting the setting with the limit for requests that do not set one
 * @throws ServiceError `invalid-query` above MAX_TIMEOUT, or above the limit of the account
 */
export function timeLimit(
  asked: number | undefined,
  { account, services: { config } }: Call,
  defaultSetting: LimitSetting = 'TIMEOUT',
): number {
  const MAX_TIMEOUT = stricterLimit(config.MAX_TIMEOUT, account.terms.maxTimeoutMs);
  if (asked === undefined) {
    const limitMs = config[defaultSetting];
    return MAX_TIMEOUT > 0 && (limitMs === 0 || limitMs > MAX_TIMEOUT) ? MAX_TIMEOUT : limitMs;
  }
  if (MAX_TIMEOUT > 0 && (asked === 0 || asked > MAX_TIMEOUT)) {
    const message = `"timeout" may be at most ${MAX_TIMEOUT} milliseconds ${MAX_TIMEOUT === config.MAX_TIMEOUT ? 'on this server' : 'for this token'}, got ${asked === 0 ? '0 (none)' : asked}`;
    throw new ServiceError('invalid-query', `Query-parameter validation failed: ${message}`, {
      issues: [{ path: 'timeout', message }],
    });
  }
  return asked;
}

/**
 * How long a client may stay connected to a session: the time that the client asks for, or MAX_TIMEOUT; otherwise only
 * the session's own time to live applies. In milliseconds, 0 for none.
 */
export function connectionLimit(asked: number | undefined, call: Call): number {
  const { account, services } = call;
  if (asked !== undefined) return timeLimit(asked, call);
  return stricterLimit(services.config.MAX_TIMEOUT, account.terms.maxTimeoutMs);
}

/** Longest time that a browser waits for a reconnection, in milliseconds; 0 for no limit. */
export function maxReconnectTime({ account, services }: Call): number {
  return stricterLimit(services.config.MAX_RECONNECT_TIME, account.terms.maxReconnectMs);
}

/** The stricter of the server's limit (0 for none) and an account's limit; 0 for none. */
export function stricterLimit(ofServer: number, ofAccount: number | undefined): number {
  if (ofAccount === undefined) return ofServer;
  return ofServer === 0 ? ofAccount : Math.min(ofServer, ofAccount);
}

/** @throws ServiceError `stopping` once the server no longer accepts requests */
export function refuseWhileDraining({ signals: { draining } }: Services): void {
  if (!draining.aborted) return;
  throw new ServiceError(
    'stopping',
    'The server is shutting down. Send the request to another server or try again later.',
  );
}

/** @throws ServiceError `stopping`, `unhealthy` */
async function admit(services: Services): Promise<void> {
  const { config } = services;
  const { monitor } = services.control;
  const { metrics, alert } = services.telemetry;
  refuseWhileDraining(services);
  if (services.web.unread.tooMuch) {
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

/** The error message for too many bytes of unread responses. */
export function tooMuchUnread({ web: { unread } }: Services): string {
  const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  return `Too many requests: clients have yet to read ${megabytes(unread.bytes)} MB of responses, more than MAX_UNREAD_MB allows (${megabytes(unread.limit)} MB). Try again later.`;
}

interface SlotOptions {
  /** A queue that the request waits in before the common queue. */
  before?: Limiter | undefined;
  /** Ends the work in the slot when the account has used up its units; by default ends the call. */
  exhausted?: ((error: ServiceError) => void) | undefined;
  /** False if its first unit has already been charged. Default true. */
  pays?: boolean | undefined;
}

/**
 * Takes a slot for a request: checks shutdown and load, then waits in the queue. Disposing the result releases the
 * slot.
 * @param clock stopped while queued, and restarted with the slot
 * @throws ServiceError `queue-full`, `quota`, `units-exhausted`, `unhealthy`, `stopping`; the abort reason of the clock
 */
export async function acquireSlot(
  call: Call,
  clock: Clock,
  { before, exhausted = (error) => call.end(error), pays = true }: SlotOptions = {},
): Promise<DisposableStack> {
  const { account, services } = call;
  const { units } = account;
  const budget = () => account.terms.unitsPerMonth;
  await admit(services);
  units.requireLeft(budget());
  using taken = new DisposableStack();
  const since = now();
  const registry = services.control.clusterRegistry;
  if (registry) {
    // Limits of tokens apply to the whole cluster; accounts without one ask Valkey only where their browser starts.
    if (account.concurrent !== undefined) call.claim ??= (await claimSlot(call, true))?.id;
    // A request that starts without Valkey counts for its token once Valkey is back.
    const id = call.claim ?? (account.concurrent === undefined ? undefined : crypto.randomUUID());
    if (id !== undefined) taken.use(registry.leases.use({ id, tenant: account.name }));
    call.claim = undefined;
  }
  clock.stop();
  await services.telemetry.tracing.span('queue', {}, async (span) => {
    // An account with its own limit must not occupy this queue while it waits for its other requests.
    const isLimited = account.concurrent !== undefined;
    if (before && !isLimited) taken.use(await before.acquire(clock.signal, { share: account }));
    const waits = () => {
      span.set({ 'browserd.queue.waited': true });
      services.telemetry.metrics.queued();
      services.telemetry.alert('QUEUE_ALERT_URL');
    };
    taken.use(await services.control.limiter.acquire(clock.signal, { onQueued: waits, call, share: account }));
    if (before && isLimited) taken.use(await before.acquire(clock.signal, { share: account }));
  });
  if (registry) taken.use(await claimTrackingId(call));
  // The token may have been revoked, or the budget used up, in the meantime.
  services.control.accounts.requireValid(account);
  units.requireLeft(budget());
  clock.start();
  call.queueMs = now() - since;
  call.begin();
  call.startCharging();
  if (!account.isOperator) taken.use(units.run(budget, exhausted, pays));
  return taken.move();
}
