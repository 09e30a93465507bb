// Keeps the state of one call until its end: its request, its deadline, the resources that it holds, and its one log
// line. Every door creates a Call and passes it on whole. It is long because it is the whole state of a call.

import { errorTable, ServiceError, toResponse, toServiceError } from '../../../base/errors.ts';
import { type Deadline, startDeadline, Waiting } from '../../../base/runtime/deadline.ts';
import { now } from '../../../base/runtime/machine.ts';
import { loggable } from '../../../base/telemetry/log.ts';
import { noSpan, type Span } from '../../../base/telemetry/tracing.ts';
import type { Payer } from '../../../base/account/payer.ts';
import { type Account, operator, visitor, withoutBrowser } from '../../../control/accounts/account.ts';
import { usualBlockMs } from '../../../control/accounts/units.ts';
import { featuresOfRoute } from '../../../base/account/requested-features.ts';
import { accountOf, credentialOf } from '../http/auth.ts';
import { requestIdOf, shownNames, withRequestId } from '../http/response-headers.ts';
import type { Sender } from '../../../control/cluster/node-header.ts';
import type { Services } from './services.ts';

/** What a door gets for each call. */
export interface Arrival<Way> {
  request: Request;
  /** The address of the request. */
  url: URL;
  /** The client's end of the connection; undefined when there is none. */
  address: string | undefined;
  /** The server of the cluster that has passed it on. */
  sender?: Sender | undefined;
  /** Path parameters of the route's pattern; empty text for names that it does not have. */
  parameter(name: string): string;
  /** How the answer goes out: an outlet, or the upgrade of a socket. */
  way: Way;
}

/** How metrics and log treat the calls of a door. */
export interface Books {
  /** The path as it is mounted: the name of the route in the log and the metrics. */
  route: string;
  /**
   * False for calls that take no browser: they are logged at the lowest level, and metrics count only refused tokens.
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
  /** The server of the cluster that has passed it on. */
  readonly sender: Sender | undefined;
  /** Id of a claim on a slot of this server that the call has yet to take. */
  claim: string | undefined;
  /** True once Valkey has not answered: the call waits for that no second time. */
  registryFailed = false;
  /** Path parameters of the route's pattern. */
  readonly parameter: (name: string) => string;
  /** Resources that the answer is made with; a streamed body keeps them until its end. */
  readonly held = new DisposableStack();
  /** What the call waits for: its time limit names it. */
  readonly waiting = new Waiting();
  /** What the call does is traced below it. Only calls that metrics count are traced. */
  readonly span: Span;
  /** The slots of the call; it keeps them until the client has read its answer. */
  readonly slots = new DisposableStack();
  /** Milliseconds in the queue. */
  queueMs = 0;
  /** Each counts the traffic of one of its proxies so far. */
  readonly meters = new Set<() => void>();
  session: string | undefined;
  trackingId: string | undefined;
  readonly #ignored = new Set<string>();
  readonly #startedAt = now();
  readonly #address: string | undefined;
  readonly #counted: boolean;
  readonly #ended = new AbortController();
  #base: string | undefined;
  #account: Account = visitor;
  /** True once the call has shown a token of the server. */
  #hasToken = false;
  #clock: Deadline;
  #runningSince: number | undefined;
  /** When it took the slot that it pays for. */
  #paysSince: number | undefined;
  /** Units of its proxies and captchas. */
  #charged = 0;
  #recorded = false;

  constructor({ route, counted }: Books, arrival: Omit<Arrival<unknown>, 'way'>, services: Services) {
    this.id = requestIdOf(arrival.request);
    this.route = route;
    this.request = arrival.request;
    this.url = arrival.url;
    this.credential = credentialOf(arrival.request.headers.get('authorization'), arrival.url.searchParams);
    this.parameter = arrival.parameter;
    this.#address = arrival.address;
    this.services = services;
    this.sender = arrival.sender;
    this.claim = arrival.sender?.claim;
    this.#counted = counted;
    this.span = counted ? services.telemetry.tracing.call(this) : noSpan;
    this.#clock = this.#startClock(services.config.TIMEOUT);
  }

  /** The call's deadline: its time limit, the client's disconnect, the server's stop, the end of its session. */
  get clock(): Deadline {
    return this.#clock;
  }

  get signal(): AbortSignal {
    return this.#clock.signal;
  }

  /** Where addresses that this caller gets begin, without a slash at its end. */
  get base(): string {
    this.#base ??= this.services.web.publicBase(this.request.headers, this.#address);
    return this.#base;
  }

  /** Whose call it is; `visitor` until it has shown its token. */
  get account(): Account {
    return this.#account;
  }

  /** Whom the proxies and captchas of the call are counted for. */
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

  /** The same for what outlives the call. */
  get accountPayer(): Payer {
    const { account, credential, services } = this;
    return {
      label: () => (account.isOperator ? accountOf(credential, services.config.TOKEN) : Promise.resolve(account.name)),
      requireLeft: () => account.units.requireLeft(account.terms.unitsPerMonth),
      charge: (units) => account.units.charge(units),
    };
  }

  /**
   * Finds out whose call it is by its token. Again after an await: a token may end meanwhile.
   * @throws ServiceError `unauthorized`; `not-in-plan` for a route that the account may not call; `quota`
   */
  authenticate(): void {
    this.#enter(this.services.control.accounts.authenticate(this.credential));
    this.#hasToken = true;
  }

  /**
   * Takes the call for one of an account whose token it has not shown: it has shown that of a session, or a cookie.
   * @param owner name of the account; empty for the operator
   * @throws ServiceError as `authenticate`: what the account may not do, its guests may not do either
   */
  actFor(owner: string): void {
    const { accounts } = this.services.control;
    const account = accounts.owner(owner);
    accounts.requireCounts(account);
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
   * For a call whose answer has what another route answers.
   * @throws ServiceError `not-in-plan` for a route that the account may not call
   */
  requireRoute(method: string, route: string): void {
    requireRoute(this.#account, method, route);
  }

  /** The client's end of the connection; undefined when there is none. */
  get address(): string | undefined {
    return this.#address;
  }

  /** When the call left the queue, by the clock of `now`; undefined until then. */
  get runningSince(): number | undefined {
    return this.#runningSince;
  }

  /** Gives the call its own time limit, in milliseconds from now, in place of the server's; 0 for none. */
  limit(ms: number): void {
    this.#clock[Symbol.dispose]();
    this.#clock = this.#startClock(ms);
  }

  /** The rest of a limit that started when the call left the queue, in milliseconds, at least 1; 0 is no limit. */
  leftOf(limitMs: number): number {
    return limitMs > 0 ? Math.max(1, limitMs - (now() - (this.#runningSince ?? now()))) : 0;
  }

  /**
   * Whose stored profiles and secrets the call may use. This alone decides it.
   * @throws ServiceError `unauthorized` for a caller that came without a token of the server, such as with the one that
   *   `Browserless.reconnect` has set
   */
  owner(): Promise<string> {
    const { credential, services } = this;
    const { TOKEN } = services.config;
    if (!this.#account.isOperator && this.#hasToken) return Promise.resolve(`tenant ${this.#account.name}`);
    // A caller without a token may be one who has shown that of a session alone.
    if (!services.control.accounts.asksForToken || this.#hasToken) return accountOf(credential, TOKEN);
    const why = 'Stored profiles and secrets belong to a token of the server: send that token.';
    return Promise.reject(new ServiceError('unauthorized', why));
  }

  /** What the client sent but the call does not act on; named in X-Ignored-Parameters and in the log. */
  get ignored(): readonly string[] {
    return [...this.#ignored];
  }

  /** Notes names of what the call does not act on: parameters, members of the body, switches. */
  ignore(names: readonly string[]): void {
    for (const name of names) this.#ignored.add(name);
  }

  /** Counts the call as running: it left the queue, or needs no slot. Later calls do nothing. */
  begin(): void {
    if (this.#runningSince !== undefined) return;
    this.services.telemetry.metrics.started();
    this.#runningSince = now();
  }

  /** The call has a slot from now on, and pays for its time. Later calls do nothing. */
  paysForTime(): void {
    this.#paysSince ??= now();
  }

  /** Ends the call: it gives up everything that it waits for. */
  end(reason: ServiceError): void {
    this.#ended.abort(reason);
  }

  /** Records the failure of the call and returns its answer. */
  refuse(thrown: unknown): Response {
    const { request } = this;
    const gone = new ServiceError('client-gone', 'The client closed the connection');
    const error = toServiceError(request.signal.aborted ? gone : thrown);
    this.record(error);
    const form = { contentType: request.headers.get('content-type'), accept: request.headers.get('accept') };
    return this.tagged(toResponse(error, form));
  }

  /**
   * Adds to the response's headers the id of the call, the names of ignored parameters and what it used: the time since
   * it left the queue, in milliseconds, and its units. A body that is streamed takes longer; a socket has only begun.
   */
  tagged(response: Response): Response {
    if (this.#runningSince !== undefined && response.status !== 101) {
      response.headers.set('X-Browser-Ms-Used', String(Math.round(now() - this.#runningSince)));
      response.headers.set('X-Units-Used', String(this.#unitsUsed()));
    }
    return withRequestId(response, this.id, this.ignored);
  }

  /**
   * Records the end of the call: counts its outcome, calls the operator's alert URLs and writes its one log line. Later
   * calls do nothing.
   * @param status what the client got when there is no error
   */
  record(error: ServiceError | undefined, status = 200): void {
    if (this.#recorded) return;
    this.#recorded = true;
    const ms = now() - this.#startedAt;
    const sent = error?.status ?? status;
    if (this.#counted) this.#count(error, sent, ms);
    else if (error?.code === 'unauthorized') this.services.telemetry.metrics.unauthorized();
    // Probes come every few seconds: log them at the lowest level, unless the error is internal.
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
      ignored: this.#ignored.size === 0 ? undefined : shownNames(this.ignored),
    };
    this.span.within(() => this.services.log.write(level, 'request', line));
    this.span.set({
      // A socket that was accepted has had its answer, whatever ends it.
      'http.response.status_code': status === 101 ? status : sent,
      'browserd.session.id': this.session,
      'browserd.tracking_id': this.trackingId,
    });
    this.span.end(error);
  }

  [Symbol.dispose](): void {
    this.slots.dispose();
    this.held.dispose();
    this.giveBackClaim();
  }

  /** Gives back a claim on a slot that the call does not take. */
  giveBackClaim(): void {
    const { claim: id, account, services } = this;
    const { cluster, clusterRegistry: registry } = services.control;
    if (id === undefined || !cluster || !registry) return;
    this.claim = undefined;
    const { node } = cluster;
    void registry.giveBack({ id, tenant: account.name, node });
  }

  #unitsUsed(): number {
    for (const meter of this.meters) meter();
    const time = this.#paysSince === undefined ? 0 : Math.floor((now() - this.#paysSince) / usualBlockMs) + 1;
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
    } else if (error?.code === 'session-rate') {
      metrics.rejected('rate');
    } else if (error?.code === 'quota') {
      metrics.rejected('quota');
    } else if (error?.code === 'units-exhausted') {
      metrics.rejected('units');
    } else if (error?.code === 'unauthorized') {
      metrics.unauthorized();
    } else if (error?.code === 'client-gone') {
      metrics.failedBeforeStart('error');
    }
  }
}

/** @throws ServiceError `not-in-plan` */
function requireRoute(account: Account, method: string, route: string): void {
  account.requireRoute(route);
  for (const feature of featuresOfRoute(method, withoutBrowser(route))) account.require(feature);
}
