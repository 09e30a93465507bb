/**
 * Opens a session of any kind on a new browser: takes a slot, opens the proxy, starts the browser, and registers the
 * session.
 */
import type { WatchedBrowser } from '../../../browser/processes/pool/memory-guard.ts';
import type { Outcomes } from '../../../browser/network/egress.ts';
import { ServiceError } from '../../../base/errors.ts';
import { type Clock, orAborted } from '../../../base/runtime/deadline.ts';
import type { Session } from '../../../sessions/lifecycle/session.ts';
import { acquireSlot } from '../pipeline/admission.ts';
import type { Call } from '../pipeline/call.ts';
import { openProxy } from '../pipeline/proxied-call.ts';
import type { ProxyOrder } from '../../../browser/network/order.ts';

/** How a kind of session starts its browser. */
export interface Starter<Browser extends WatchedBrowser, Opened extends Session> {
  trackingId: string | undefined;
  proxy: ProxyOrder | undefined;
  /** The id of the stored session that the browser belongs to; `/sessions` lists that session instead. */
  stored?: string | undefined;
  /** False if the session has already been counted for SESSIONS_PER_SECOND. Default true. */
  begins?: boolean;
  /** False for another attempt at starting a browser whose first unit has already been charged. Default true. */
  pays?: boolean;
  /** Refuses requests that cannot start, before they wait for a slot. */
  require(signal: AbortSignal): Promise<unknown>;
  /** @param proxyServer URL of the request's proxy; undefined for the egress proxy */
  start(proxyServer: string | undefined, signal: AbortSignal): Promise<Browser>;
  /**
   * @param release releases the resources of the session; called when the session starts to end, possibly twice
   * @param way the local proxy of the browser; undefined for the egress
   */
  open(browser: Browser, release: () => void, way: Outcomes | undefined): Opened;
  /** Work to do before the first client connects. */
  prepare?(session: Opened): Promise<void>;
}

/**
 * @param clock deadline until the session is open: that of the call, or one with an additional abort signal
 * @throws ServiceError `session-rate`, `queue-full`, `unhealthy`, `stopping`, `invalid-tracking-id`, `browser-missing`,
 *   `launch-failed`, `proxy-failed`, `forbidden-destination`
 */
export async function openSession<Browser extends WatchedBrowser, Opened extends Session>(
  call: Call,
  starter: Starter<Browser, Opened>,
  clock: Clock = call.clock,
): Promise<Opened> {
  const { services } = call;
  const { pool } = services.browsers;
  const { registry: sessions } = services.sessions;
  const { signal } = clock;
  await orAborted(starter.require(signal), signal);
  sessions.checkTrackingId(starter.trackingId, call.account.name);
  if (starter.begins ?? true) services.control.sessionRate.begin(call.account);
  using held = new DisposableStack();
  let opened: Opened | undefined;
  const exhausted = (error: ServiceError) => (opened ? opened.life.end(error) : call.end(error));
  held.use(await acquireSlot(call, clock, { exhausted, pays: starter.pays }));
  // The proxy stays open until the browser has exited; the slot is released when the session starts to end.
  using used = new DisposableStack();
  const whose = starter.stored === undefined ? { id: call.id } : { session: starter.stored };
  const opening = openProxy(starter.proxy, services, whose, signal);
  const proxy = used.use(await call.waiting.for('its proxy', opening));
  const starting = services.telemetry.tracing.span('lease', { 'browserd.stored_session.id': starter.stored }, () =>
    starter.start(proxy?.server, signal),
  );
  const browser = await call.waiting.for('a browser', starting);
  used.defer(pool.watchMemory(browser));
  const slot = held.move();
  const session = starter.open(browser, () => slot.dispose(), proxy);
  opened = session;
  const usedUp = used.move();
  void session.gone.then(() => usedUp.dispose());
  call.session = session.facts.id;
  traceSession(session, call);
  try {
    if (starter.stored === undefined) sessions.add(session);
    if (starter.prepare) await orAborted(starter.prepare(session), signal);
    signal.throwIfAborted();
    return session;
  } catch (error) {
    session.life.end(new ServiceError('internal', 'The session could not be started', { cause: error }));
    throw signal.aborted ? signal.reason : error;
  }
}

/** The span of the session lasts as long as its browser, even beyond the call that started it. */
function traceSession({ facts, life, gone }: Session, { services }: Call): void {
  const span = services.telemetry.tracing.begin('session', {
    'browserd.session.id': facts.id,
    'browserd.browser': facts.browser,
  });
  void Promise.all([life.ended, gone]).then(([error]) => span.end(error));
}
