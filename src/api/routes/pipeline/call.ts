// Holds the state of one call, that is, one HTTP request or socket, until its end: the request, its deadline, the
// resources that it holds, and its single log line. Every endpoint creates a Call and passes it on whole. This file is
// long because it contains the whole state of a call.

import { type ErrorCode, errorTable, ServiceError, toResponse, toServiceError } from '../../../base/errors.ts';
import { type Deadline, startDeadline, Waiting } from '../../../base/runtime/deadline.ts';
import { now } from '../../../base/runtime/machine.ts';
import { loggable } from '../../../base/telemetry/log.ts';
import { noSpan, type Span } from '../../../base/telemetry/tracing.ts';
import type { Payer } from '../../../base/account/payer.ts';
import { type Account, operator, visitor, withoutBrowser } from '../../../control/accounts/account.ts';
import { type RejectReason, unitMs } from '../../../base/telemetry/metrics.ts';
import { featuresOfRoute } from '../../../base/account/requested-features.ts';
import { accountOf, credentialOf } from '../http/auth.ts';
import { requestIdOf, listNames, withRequestId } from '../http/response-headers.ts';
import type { Sender } from '../../../control/cluster/node-header.ts';
import type { Services } from './services.ts';

/** The input that an endpoint receives for each call. */
export interface IncomingRequest<Output> {
  request: Request;
  /** The URL of the request. */
  url: URL;
  /** The client's end of the connection; undefined when there is none. */
  address: string | undefined;
  /** The cluster node that forwarded the call. */
  sender?: Sender | undefined;
  /** Path parameters of the route's pattern; an empty string for unknown names. */
  parameter(name: string): string;
  /** How the response is sent: an outlet, or the upgrade of a socket. */
  output: Output;
}

/** How metrics and log record the calls of an endpoint. */
export interface RequestRecord {
  /** The mounted path: the name of the route in the log and the metrics. */
  route: string;
  /**
   * False for calls that use no browser: they are logged at the lowest level, and metrics count only refused tokens.
   */
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
  /** The cluster node that forwarded the call. */
  readonly sender: Sender | undefined;
  /** Id of a claimed slot on this server that the call has not taken yet. */
  claim: string | undefined;
  /** True once Valkey has failed to respond: the call does not wait for it a second time. */
  registryFailed = false;
  /** Path parameters of the route's pattern. */
  readonly parameter: (name: string) => string;
  /** Resources used to produce the response; a streamed body keeps them until its end. */
  readonly held = new DisposableStack();
  /** Text for the timeout error: what the call is waiting for. */
  readonly waiting = new Waiting();
  /** Parent span of the call's work. Only calls that metrics count are traced. */
  readonly span: Span;
  /** The slots of the call, kept until the client has read the response. */
  readonly slots = new DisposableStack();
  /** Time spent in the queue, in milliseconds. */
  queueMs = 0;
  /** Each charges the traffic of one of the call's proxies so far. */
  readonly meters = new Set<() => void>();
  session: string | undefined;
  trackingId: string | undefined;
  readonly #ignored = new Set<string>();
  readonly #startedAt = now();
  /** The client's end of the connection; undefined when there is none. */
  readonly address: string | undefined;
  readonly #counted: boolean;
  readonly #ended = new AbortController();
  #base: string | undefined;
  #account: Account = visitor;
  /** True once the call has presented one of the server's tokens. */
  #hasToken = false;
  #clock: Deadline;
  #runningSince: number | undefined;
  /** When the call took the slot that it pays for. */
  #paysSince: number | undefined;
  /** Units charged for its proxies and captchas. */
  #charged = 0;
  #recorded = false;

  constructor(
    { route, counted }: RequestRecord,
    arrival: Omit<IncomingRequest<unknown>, 'output'>,
    services: Services,
  ) {
    this.id = requestIdOf(arrival.request);
    this.route = route;
    this.request = arrival.request;
    this.url = arrival.url;
    this.credential = credentialOf(arrival.request.headers.get('authorization'), arrival.url.searchParams);
    this.parameter = arrival.parameter;
    this.address = arrival.address;
    this.services = services;
    this.sender = arrival.sender;
    this.claim = arrival.sender?.claim;
    this.#counted = counted;
    this.span = counted ? services.telemetry.tracing.call(this) : noSpan;
    this.#clock = this.#startClock(services.config.TIMEOUT);
  }

  /** The deadline of the call: its time limit, the client's disconnect, the server's stop, the end of its session. */
  get clock(): Deadline {
    return this.#clock;
  }

  get signal(): AbortSignal {
    return this.#clock.signal;
  }

  /** The base URL for links sent to this client, without a trailing slash. */
  get base(): string {
    this.#base ??= this.services.web.publicBase(this.request.headers, this.address);
    return this.#base;
  }

  /** The account of the call; `visitor` until it has presented its token. */
  get account(): Account {
    return this.#account;
  }

  /** The payer for the proxies and captchas of the call. */
  get payer(): Payer {
    const payer = this.accountPayer;
    return {
      ...payer,
      charge: (units) => {
        this.#charged += units;
        payer.charge(units);
      },
    };
  }

  /** The payer for resources that outlive the call. */
  get accountPayer(): Payer {
    const { account, credential, services } = this;
    return {
      label: () => (account.isOperator ? accountOf(credential, services.config.TOKEN) : Promise.resolve(account.name)),
      requireLeft: () => account.units.requireLeft(account.terms.unitsPerMonth),
      charge: (units) => account.units.charge(units),
    };
  }

  /**
   * Sets the account of the call from its token. Call it again after an await: the token may have been revoked in the
   * meantime.
   * @throws ServiceError `unauthorized`; `not-in-plan` for a route that the account may not call; `quota`
   */
  authenticate(): void {
    this.#enter(this.services.control.accounts.authenticate(this.credential));
    this.#hasToken = true;
  }

  /**
   * Attributes the call to an account whose token it has not presented: it has presented the token of a session, or a
   * cookie.
   * @param owner name of the account; empty for the operator
   * @throws the errors documented for `authenticate`: guests of an account have the same restrictions as the account
   */
  actFor(owner: string): void {
    const { accounts } = this.services.control;
    const account = accounts.owner(owner);
    accounts.requireValid(account);
    this.#enter(account);
  }

  #enter(account: Account): void {
    if (this.#account === account) return;
    if (account !== operator) {
      requireRoute(account, this.request.method, this.route);
      if (this.#counted) account.beginCall();
    }
    this.#account = account;
  }

  /**
   * Checks access to another route whose data the response includes.
   * @throws ServiceError `not-in-plan` for a route that the account may not call
   */
  requireRoute(method: string, route: string): void {
    requireRoute(this.#account, method, route);
  }

  /** When the call left the queue, by the clock of `now`; undefined until then. */
  get runningSince(): number | undefined {
    return this.#runningSince;
  }

  /** Replaces the server's time limit with the call's own, in milliseconds from now; 0 for none. */
  limit(ms: number): void {
    this.#clock[Symbol.dispose]();
    this.#clock = this.#startClock(ms);
  }

  /** The rest of a limit that started when the call left the queue, in milliseconds, at least 1; 0 for no limit. */
  remainingOf(limitMs: number): number {
    return limitMs > 0 ? Math.max(1, limitMs - (now() - (this.#runningSince ?? now()))) : 0;
  }

  /**
   * The owner whose stored profiles and secrets the call may use. No other code decides this.
   * @throws ServiceError `unauthorized` for a client without one of the server's tokens, for example with the token
   *   that `Browserless.reconnect` has set
   */
  owner(): Promise<string> {
    const { credential, services } = this;
    const { TOKEN } = services.config;
    if (!this.#account.isOperator && this.#hasToken) return Promise.resolve(`tenant ${this.#account.name}`);
    // A client without a server token may have presented only the token of a session.
    if (!services.control.accounts.requiresToken || this.#hasToken) return accountOf(credential, TOKEN);
    const why = 'Stored profiles and secrets belong to a server token: send that token.';
    return Promise.reject(new ServiceError('unauthorized', why));
  }

  /** Parameters that the client sent but that have no effect; listed in X-Ignored-Parameters and in the log. */
  get ignored(): readonly string[] {
    return [...this.#ignored];
  }

  /** Records names that have no effect on the call: parameters, body fields, switches. */
  ignore(names: readonly string[]): void {
    for (const name of names) this.#ignored.add(name);
  }

  /** Counts the call as running: it has left the queue, or needs no slot. Later invocations do nothing. */
  begin(): void {
    if (this.#runningSince !== undefined) return;
    this.services.telemetry.metrics.started();
    this.#runningSince = now();
  }

  /** Starts charging for time: the call has a slot from now on. Later invocations do nothing. */
  startCharging(): void {
    this.#paysSince ??= now();
  }

  /** Ends the call, which stops waiting for anything. */
  end(reason: ServiceError): void {
    this.#ended.abort(reason);
  }

  /** Records the failure of the call and returns the error response. */
  refuse(thrown: unknown): Response {
    const { request } = this;
    const gone = new ServiceError('client-gone', 'The client closed the connection');
    const error = toServiceError(request.signal.aborted ? gone : thrown);
    this.record(error);
    const form = { contentType: request.headers.get('content-type'), accept: request.headers.get('accept') };
    return this.tagged(toResponse(error, form));
  }

  /**
   * Adds the id of the call, the names of ignored parameters, and the usage to the response headers: the time since it
   * left the queue, in milliseconds, and its units. The usage does not include the time to stream a body, and is
   * omitted for sockets.
   */
  tagged(response: Response): Response {
    if (this.#runningSince !== undefined && response.status !== 101) {
      response.headers.set('X-Browser-Ms-Used', String(Math.round(now() - this.#runningSince)));
      response.headers.set('X-Units-Used', String(this.#unitsUsed()));
    }
    return withRequestId(response, this.id, this.ignored);
  }

  /**
   * Records the end of the call: counts its outcome, calls the operator's alert URLs, and writes its single log line.
   * Later invocations do nothing.
   * @param status status of the response if there is no error
   */
  record(error: ServiceError | undefined, status = 200): void {
    if (this.#recorded) return;
    this.#recorded = true;
    const ms = now() - this.#startedAt;
    const sent = error?.status ?? status;
    if (this.#counted) this.#count(error, sent, ms);
    else if (error?.code === 'unauthorized') this.services.telemetry.metrics.unauthorized();
    // Probes arrive every few seconds: log them at the lowest level, unless the error is internal.
    const quiet = !this.#counted && error?.code !== 'internal';
    const level = quiet ? 'debug' : error ? errorTable[error.code].log : 'info';
    const line = {
      id: this.id,
      traceId: this.span.traceId,
      route: this.route,
      status: sent,
      code: error?.code,
      reason: error && loggable(error),
      cause: error?.cause,
      ms: Math.round(ms),
      queueMs: this.#counted ? Math.round(this.queueMs) : undefined,
      session: this.session,
      trackingId: this.trackingId,
      ignored: this.#ignored.size === 0 ? undefined : listNames(this.ignored),
    };
    this.span.within(() => this.services.log.write(level, 'request', line));
    this.span.set({
      // An accepted socket has already had its response, no matter what ends it.
      'http.response.status_code': status === 101 ? status : sent,
      'browserd.session.id': this.session,
      'browserd.tracking_id': this.trackingId,
    });
    this.span.end(error);
  }

  [Symbol.dispose](): void {
    this.slots.dispose();
    this.held.dispose();
    this.releaseClaim();
  }

  /** Releases a claimed slot that the call does not take. */
  releaseClaim(): void {
    const { claim: id, account, services } = this;
    const { cluster, clusterRegistry: registry } = services.control;
    if (id === undefined || !cluster || !registry) return;
    this.claim = undefined;
    const { node } = cluster;
    void registry.leases.release({ id, tenant: account.name, node });
  }

  #unitsUsed(): number {
    for (const meter of this.meters) meter();
    const time = this.#paysSince === undefined ? 0 : Math.floor((now() - this.#paysSince) / unitMs) + 1;
    return time + this.#charged;
  }

  #startClock(limitMs: number): Deadline {
    const { request, services } = this;
    const late = () => {
      const what = this.waiting.now;
      const waited = what === undefined ? '' : `: it was waiting for ${what}`;
      return new ServiceError('timeout', `Request has timed out after ${limitMs} ms${waited}`);
    };
    return this.held.use(startDeadline(limitMs, late, [request.signal, services.signals.stopping, this.#ended.signal]));
  }

  #count(error: ServiceError | undefined, status: number, ms: number): void {
    const { metrics, alert } = this.services.telemetry;
    const { readiness } = this.services.browsers;
    metrics.answered(this.route, status, ms);
    if (error?.code === 'launch-failed' || error?.code === 'browser-missing') {
      readiness.invalidate(error.code === 'launch-failed');
    }
    if (this.#runningSince !== undefined) {
      const outcome = error === undefined ? 'successful' : error.code === 'timeout' ? 'timedout' : 'error';
      metrics.ended(outcome, now() - this.#runningSince);
      if (outcome === 'successful') readiness.reportSuccess();
      if (outcome === 'timedout') alert('TIMEOUT_ALERT_URL');
      else if (error) alert('ERROR_ALERT_URL', loggable(error));
      return;
    }
    const reason = error && rejectReasons[error.code];
    if (reason !== undefined) metrics.rejected(reason);
    if (error?.code === 'queue-full') alert('REJECT_ALERT_URL');
    if (error?.code === 'unauthorized') metrics.unauthorized();
    if (error?.code === 'client-gone') metrics.failedBeforeStart('error');
  }
}

/** How metrics count the errors that refuse a call before it runs. */
const rejectReasons: Partial<Record<ErrorCode, RejectReason>> = {
  'queue-full': 'full',
  'session-rate': 'rate',
  quota: 'quota',
  'units-exhausted': 'units',
};

/** @throws ServiceError `not-in-plan` */
function requireRoute(account: Account, method: string, route: string): void {
  account.requireRoute(route);
  for (const feature of featuresOfRoute(method, withoutBrowser(route))) account.require(feature);
}
