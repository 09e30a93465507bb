/**
 * A call from its door to its end: who asks for what, how long it may take, what it holds, and the one line that the log
 * gets of it. Every door opens one and hands it on whole.
 */
import { errorTable, ServiceError, toResponse, toServiceError } from '../../errors.ts';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import { now } from '../../runtime/machine.ts';
import { loggable } from '../../telemetry/log.ts';
import { credentialOf } from '../http/auth.ts';
import { requestIdOf, withRequestId } from '../http/request-id.ts';
import type { Services } from './services.ts';

/** What a call comes with. */
export interface Arrival<Way> {
  request: Request;
  /** The address of the request. */
  url: URL;
  /** Path parameters of the route's pattern; empty text for names that it does not have. */
  parameter(name: string): string;
  /** The way of the answer: an outlet, or the upgrade of a socket. */
  way: Way;
}

/** How a door's calls are counted and told of. */
export interface Books {
  /** The path as it is mounted: the name of the route in the log and the metrics. */
  route: string;
  /** False for calls that take no browser: the log tells of them at its lowest level, metrics count refused tokens only. */
  counted: boolean;
}

export class Call implements Disposable {
  readonly id: string;
  readonly route: string;
  readonly request: Request;
  readonly url: URL;
  /** The token that came with the request. */
  readonly credential: string | undefined;
  readonly services: Services;
  /** Path parameters of the route's pattern. */
  readonly parameter: (name: string) => string;
  /** What the answer is made with; a streamed body takes it along until its end. */
  readonly held = new DisposableStack();
  /** The slots of the call: an answer that nobody reads occupies them as well as one that is being made. */
  readonly slots = new DisposableStack();
  /** What the client sent and the server decides: named in X-Ignored-Parameters and in the log. */
  ignored: readonly string[] = [];
  /** Milliseconds in the queue. */
  queueMs = 0;
  session: string | undefined;
  trackingId: string | undefined;
  readonly #startedAt = now();
  readonly #counted: boolean;
  readonly #ended = new AbortController();
  #clock: Deadline;
  #runningSince: number | undefined;
  #recorded = false;

  constructor({ route, counted }: Books, arrival: Omit<Arrival<unknown>, 'way'>, services: Services) {
    this.id = requestIdOf(arrival.request);
    this.route = route;
    this.request = arrival.request;
    this.url = arrival.url;
    this.credential = credentialOf(arrival.request.headers.get('authorization'), arrival.url.searchParams);
    this.parameter = arrival.parameter;
    this.services = services;
    this.#counted = counted;
    this.#clock = this.#startClock(services.config.TIMEOUT);
  }

  /** Its deadline: the time limit, the client's leaving, the server's stop, the end of its session. */
  get clock(): Deadline {
    return this.#clock;
  }

  get signal(): AbortSignal {
    return this.#clock.signal;
  }

  /** When it left the queue, by the clock of `now`; undefined until then. */
  get runningSince(): number | undefined {
    return this.#runningSince;
  }

  /** Gives the call its own time limit, in milliseconds from now, in place of the server's; 0 for none. */
  limit(ms: number): void {
    this.#clock[Symbol.dispose]();
    this.#clock = this.#startClock(ms);
  }

  /** What is left of a limit in milliseconds that began when the call left the queue; at least 1. 0 is no limit. */
  leftOf(limitMs: number): number {
    return limitMs > 0 ? Math.max(1, limitMs - (now() - (this.#runningSince ?? now()))) : 0;
  }

  /** The call left the queue, or needs no slot: it counts as running. Once. */
  begin(): void {
    if (this.#runningSince !== undefined) return;
    this.services.metrics.started();
    this.#runningSince = now();
  }

  /** Ends the call: whatever it waits for is given up. */
  end(reason: ServiceError): void {
    this.#ended.abort(reason);
  }

  /** The answer to a call that failed, which is over with it. */
  refuse(thrown: unknown): Response {
    const { request } = this;
    const gone = new ServiceError('client-gone', 'The client closed the connection');
    const error = toServiceError(request.signal.aborted ? gone : thrown);
    this.record(error);
    const form = { contentType: request.headers.get('content-type'), accept: request.headers.get('accept') };
    return this.tagged(toResponse(error, form));
  }

  /** The response with the id of the call in its headers, and with what was taken without effect. */
  tagged(response: Response): Response {
    return withRequestId(response, this.id, this.ignored);
  }

  /**
   * The call is over: counts its outcome, tells the operator's alert URLs and writes its one log line. Once.
   * @param status what the client got when there is no error
   */
  record(error: ServiceError | undefined, status = 200): void {
    if (this.#recorded) return;
    this.#recorded = true;
    const ms = now() - this.#startedAt;
    const sent = error?.status ?? status;
    if (this.#counted) this.#count(error, sent, ms);
    else if (error?.code === 'unauthorized') this.services.metrics.unauthorized();
    // Probes come every few seconds: they are told of at the lowest level only, unless the fault is ours.
    const quiet = !this.#counted && error?.code !== 'internal';
    const level = quiet ? 'debug' : error ? errorTable[error.code].log : 'info';
    this.services.log.write(level, 'request', {
      id: this.id,
      route: this.route,
      status: sent,
      code: error?.code,
      reason: error && loggable(error),
      cause: error?.cause,
      ms: Math.round(ms),
      queueMs: this.#counted ? Math.round(this.queueMs) : undefined,
      session: this.session,
      trackingId: this.trackingId,
      ignored: this.ignored.length === 0 ? undefined : this.ignored,
    });
  }

  [Symbol.dispose](): void {
    this.slots.dispose();
    this.held.dispose();
  }

  #startClock(limitMs: number): Deadline {
    const { request, services } = this;
    const late = () => new ServiceError('timeout', 'Request has timed out');
    return this.held.use(startDeadline(limitMs, late, [request.signal, services.stopping, this.#ended.signal]));
  }

  #count(error: ServiceError | undefined, status: number, ms: number): void {
    const { metrics, alert, readiness } = this.services;
    metrics.answered(this.route, status, ms);
    if (error?.code === 'launch-failed' || error?.code === 'browser-missing') {
      readiness.doubted(error.code === 'launch-failed');
    }
    if (this.#runningSince !== undefined) {
      const outcome = error === undefined ? 'successful' : error.code === 'timeout' ? 'timedout' : 'error';
      metrics.ended(outcome, now() - this.#runningSince);
      if (outcome === 'successful') readiness.worked();
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
  }
}
