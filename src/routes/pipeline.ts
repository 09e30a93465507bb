/**
 * The one function that every call of a browser passes: token, schemas, slot, deadline, lease, handler, release.
 * The order of the checks is the contract's (sections 1 and 4.1).
 */
import type { BrowserName } from '../browsers/catalog.ts';
import type { Lease } from '../browsers/pool.ts';
import type { Session } from '../browsers/session.ts';
import { errorTable, ServiceError, toResponse, toServiceError } from '../errors.ts';
import { openPage, type Page } from '../page/page.ts';
import { startDeadline } from '../runtime/deadline.ts';
import { now } from '../runtime/host.ts';
import { applyLegacyShim, type LaunchOptions } from '../schema/launch.ts';
import { parseBody, parseQuery } from '../schema/parse.ts';
import { browserQuery, type BrowserQuery } from '../schema/query.ts';
import { checkToken, credentialOf } from './auth.ts';
import { readJsonBody } from './body.ts';
import { requireMatch } from './match.ts';
import { requestIdOf, withRequestId } from './request-id.ts';
import { respond } from './respond.ts';
import type { Answer, PageRoute } from './route.ts';
import type { Services } from './services.ts';

/** A call on its way through the pipeline; what the log line at its end tells. */
interface Progress {
  id: string;
  startedAt: number;
  queueMs: number;
  /** When it left the queue; undefined until then. */
  runningSince: number | undefined;
  session: string | undefined;
  trackingId: string | undefined;
}

/** Runs a page route for a browser and answers every outcome, also the bad ones. */
export async function callPageRoute(
  route: PageRoute,
  browser: BrowserName,
  routePath: string,
  request: Request,
  services: Services,
): Promise<Response> {
  const progress: Progress = {
    id: requestIdOf(request),
    startedAt: now(),
    queueMs: 0,
    runningSince: undefined,
    session: undefined,
    trackingId: undefined,
  };
  // What lives until the answer is out: a streamed body takes it along.
  using held = new DisposableStack();
  try {
    const { answer, signal } = await prepareAndRun(route, browser, routePath, request, services, progress, held);
    const response = respond(answer, held, signal, (error) => finish(services, routePath, progress, error));
    return withRequestId(response, progress.id);
  } catch (thrown) {
    const error = toServiceError(
      request.signal.aborted ? new ServiceError('client-gone', 'The client closed the connection') : thrown,
    );
    finish(services, routePath, progress, error);
    return withRequestId(
      toResponse(error, {
        contentType: request.headers.get('content-type'),
        accept: request.headers.get('accept'),
      }),
      progress.id,
    );
  }
}

async function prepareAndRun(
  route: PageRoute,
  browser: BrowserName,
  routePath: string,
  request: Request,
  services: Services,
  progress: Progress,
  held: DisposableStack,
): Promise<{ answer: Answer; signal: AbortSignal }> {
  const { config, limiter } = services;
  const url = new URL(request.url);
  requireMatch(route, request);
  checkToken(credentialOf(request.headers.get('authorization'), url.searchParams), config.TOKEN);
  await services.catalog.require(browser);
  const json = await readJsonBody(request, config.MAX_PAYLOAD_SIZE);
  const shimmed = applyLegacyShim(url.searchParams);
  const query = parseQuery(browserQuery, shimmed.params);
  const launch = shimmed.launch;
  const body = parseBody(route.body, json);
  progress.trackingId = query.trackingId;
  const limitMs = timeLimit(query.timeout, config);
  refuseProxyParameters(query);

  await admit(services);
  const slot = held.use(
    await limiter.acquire(request.signal, () => {
      services.metrics.queued();
      services.alert('QUEUE_ALERT_URL');
    }),
  );
  progress.queueMs = slot.queueMs;
  const ended = new AbortController();
  const session: Session = {
    id: crypto.randomUUID(),
    browser: `${browser[0]?.toUpperCase()}${browser.slice(1)}CDP`,
    trackingId: query.trackingId,
    initialConnectURL: withoutToken(services.externalUrl(), url),
    routePath: [routePath],
    launchOptions: { ...launch },
    startedOn: Date.now(),
    ttl: limitMs,
    userDataDir: undefined,
    isTempDataDir: true,
    scratchDir: undefined,
    numbConnected: 1,
    end: (reason) => ended.abort(reason),
  };
  services.sessions.add(session);
  held.defer(() => services.sessions.remove(session));
  progress.session = session.id;
  services.metrics.started();
  progress.runningSince = now();

  const deadline = held.use(
    startDeadline(limitMs, () => new ServiceError('timeout', 'Request has timed out'), [
      request.signal,
      services.stopping,
      ended.signal,
    ]),
  );
  const { signal } = deadline;
  const answer = await runOnPage(route, browser, body, query, launch, session, request, services, signal, held);
  return { answer, signal };
}

/** The job itself; once more elsewhere when the browser, not the page, broke before anything was answered. */
async function runOnPage(
  route: PageRoute,
  browser: BrowserName,
  body: unknown,
  query: BrowserQuery,
  launch: LaunchOptions,
  session: Session,
  request: Request,
  services: Services,
  signal: AbortSignal,
  held: DisposableStack,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    using attemptHeld = new DisposableStack();
    let lease: Lease | undefined;
    let page: Page | undefined;
    try {
      lease = attemptHeld.use(
        await services.pool.lease(
          {
            browser,
            headless: launch.headless === 'new' ? true : launch.headless,
            args: launch.args,
            ignoreDefaultArgs: launch.ignoreDefaultArgs ?? false,
            userDataDirectory: launch.userDataDir,
          },
          signal,
        ),
      );
      if (lease.ownBrowser) {
        session.userDataDir = lease.browser.space.dataDirectory;
        session.isTempDataDir = lease.browser.space.dataIsTemporary;
        session.scratchDir = lease.browser.space.scratchDirectory;
      }
      page = attemptHeld.use(openPage(lease.target, { signal }));
      const answer = await route.handle({
        body,
        page,
        query,
        launch,
        accept: request.headers.get('accept'),
        services,
        log: services.log.with({ session: session.id }),
      });
      held.use(attemptHeld.move());
      return answer;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // A page that crashed while it was still blank was not brought down by what the request put into it.
      const blank = page !== undefined && page.failure.aborted && page.life.documents === 0;
      if (!lease?.browser.gone.aborted && !blank) throw error;
      if (attempt === 2) {
        throw new ServiceError(
          'browser-crashed',
          'The browser ended unexpectedly, twice. Try again; if it happens with this page only, the page exhausts the browser.',
          { cause: error },
        );
      }
      services.log.warn('request.retried', { session: session.id, cause: error });
    }
  }
}

/** A proxy that is asked for and not used would show the server's own address to the site: that must not pass in silence. */
function refuseProxyParameters({ proxy, externalProxyServer }: BrowserQuery): void {
  const path = proxy !== undefined ? 'proxy' : externalProxyServer !== undefined ? 'externalProxyServer' : undefined;
  if (path === undefined) return;
  const message = `"${path}" is not available: no proxy provider is configured on this server. Name a proxy with the launch argument --proxy-server, or leave "${path}" out`;
  throw new ServiceError('invalid-query', `Query-parameter validation failed: ${message}`, {
    issues: [{ path, message }],
  });
}

/** The call's time limit in milliseconds, 0 for none. @throws ServiceError `invalid-query` above MAX_TIMEOUT */
function timeLimit(asked: number | undefined, { TIMEOUT, MAX_TIMEOUT }: Services['config']): number {
  if (asked === undefined) return TIMEOUT;
  if (MAX_TIMEOUT > 0 && (asked === 0 || asked > MAX_TIMEOUT)) {
    const message = `"timeout" may be at most ${MAX_TIMEOUT} milliseconds on this server, got ${asked === 0 ? '0 (none)' : asked}`;
    throw new ServiceError('invalid-query', `Query-parameter validation failed: ${message}`, {
      issues: [{ path: 'timeout', message }],
    });
  }
  return asked;
}

/** Health and drain come before the queue (contract section 4.1, step 1). */
async function admit(services: Services): Promise<void> {
  const { config, monitor, metrics, alert } = services;
  if (services.draining.aborted) {
    throw new ServiceError(
      'stopping',
      'The server is shutting down. Send the request to another server or try again later.',
    );
  }
  if (!config.HEALTH) return;
  const load = await monitor.current();
  if (load.overloaded === undefined) return;
  metrics.rejected(load.overloaded);
  alert('FAILED_HEALTH_URL');
  throw new ServiceError('unhealthy', 'Too many requests');
}

/** Counts the outcome, tells the operator's alert URLs and writes the request's one log line. */
function finish(services: Services, route: string, progress: Progress, error: ServiceError | undefined): void {
  const { metrics, alert, log } = services;
  const ms = now() - progress.startedAt;
  const status = error?.status ?? 200;
  const outcome = error === undefined ? 'successful' : error.code === 'timeout' ? 'timedout' : 'error';
  metrics.answered(route, status, ms);
  if (progress.runningSince !== undefined) {
    metrics.ended(outcome, now() - progress.runningSince);
    if (outcome === 'timedout') alert('TIMEOUT_ALERT_URL');
    else if (error) alert('ERROR_ALERT_URL', error.message);
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
    reason: error?.message,
    cause: error?.cause,
    ms: Math.round(ms),
    queueMs: Math.round(progress.queueMs),
    session: progress.session,
    trackingId: progress.trackingId,
  });
}

function withoutToken(base: string, url: URL): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete('token');
  const search = query.toString();
  return `${base}${url.pathname}${search ? `?${search}` : ''}`;
}
