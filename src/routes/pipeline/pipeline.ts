/**
 * The one function that every call of a browser passes: token, schemas, slot, deadline, lease, handler, release.
 * The order of the checks is the contract's (sections 1 and 4.1).
 */
import type { BrowserName } from '../../browsers/catalog.ts';
import { withProfilePath } from '../../browsers/profiles.ts';
import type { Session } from '../../sessions/session.ts';
import { ServiceError, toResponse, toServiceError } from '../../errors.ts';
import { orAborted, startDeadline } from '../../runtime/deadline.ts';
import { now } from '../../runtime/machine.ts';
import type { Outlet, OutletEnd } from '../../runtime/http/outlets.ts';
import { applyLegacyShim, type LaunchOptions } from '../../schema/request/launch.ts';
import { parseBody, parseQuery } from '../../schema/parse.ts';
import { takeProxy } from '../../network/proxy.ts';
import { browserQuery } from '../../schema/request/query.ts';
import { admit, beginProgress, finish, type Progress, timeLimit } from './admission.ts';
import { checkToken, credentialOf } from '../http/auth.ts';
import { readJsonBody, readTextBody } from '../http/body.ts';
import { isCode, requireMatch } from '../http/match.ts';
import { openProxy } from './proxied-call.ts';
import { publicUrl } from '../http/public-url.ts';
import { withRequestId } from '../http/request-id.ts';
import { respond } from './respond.ts';
import type { Answer, BrowserRoute, PageRoute } from './route.ts';
import { graceMs, runOnBrowser, runOnPage } from './run-job.ts';
import type { Services } from './services.ts';

/** Runs a page route for a browser and answers every outcome, also the bad ones. */
export async function callPageRoute(
  route: PageRoute | BrowserRoute,
  browser: BrowserName,
  routePath: string,
  request: Request,
  outlet: Outlet,
  services: Services,
): Promise<Response> {
  const progress = beginProgress(request);
  // What the handler works with: a streamed body takes it along.
  using held = new DisposableStack();
  // The call's places: an answer that nobody reads occupies them as well as one that is being made.
  using places = new DisposableStack();
  try {
    const call = await prepareAndRun(route, browser, routePath, request, services, progress, held, places);
    const { answer, signal } = call;
    let failure: ServiceError | undefined;
    const limitBytes = services.config.MAX_ANSWER_MB * 2 ** 20;
    const response = respond(answer, held, signal, outlet, limitBytes, (error) => (failure = error));
    const kept = places.move();
    outlet.onEnd((end) => {
      kept.dispose();
      finish(services, routePath, progress, failure ?? failureOf(end), answer.status);
    });
    return withRequestId(response, progress.id, progress.ignored);
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
      progress.ignored,
    );
  }
}

/** What the books say of an answer that was not taken. */
function failureOf(end: OutletEnd): ServiceError | undefined {
  if (end === 'complete') return undefined;
  const reason =
    end === 'gone' ? 'The client closed the connection' : 'The client took no byte of its answer: it was cut';
  return new ServiceError('client-gone', reason);
}

async function prepareAndRun(
  route: PageRoute | BrowserRoute,
  browser: BrowserName,
  routePath: string,
  request: Request,
  services: Services,
  progress: Progress,
  held: DisposableStack,
  places: DisposableStack,
): Promise<{ answer: Answer; signal: AbortSignal }> {
  const { config, limiter } = services;
  const url = new URL(request.url);
  requireMatch(route, request);
  const credential = credentialOf(request.headers.get('authorization'), url.searchParams);
  if (route.authorize) route.authorize(request, url, services);
  else checkToken(credential, config.TOKEN);
  await findBrowser(browser, request.signal, services);
  const json = isCode(request)
    ? { code: await readTextBody(request, config.MAX_PAYLOAD_SIZE) }
    : await readJsonBody(request, config.MAX_PAYLOAD_SIZE);
  const shimmed = applyLegacyShim(url.searchParams, config.ALLOWED_LAUNCH_ARGS);
  progress.ignored = shimmed.ignored;
  const query = parseQuery(browserQuery, shimmed.params);
  const { proxy, launch: asked } = takeProxy(query, shimmed.launch, config.RESIDENTIAL_PROXY_URL);
  const body = parseBody(route.body, json);
  const named = withFullBrowser(route, asked);
  const launch = await orAborted(withProfilePath(named, config), request.signal);
  progress.trackingId = query.trackingId;
  const limitMs = timeLimit(query.timeout, config);
  const ended = new AbortController();
  const clock = held.use(
    startDeadline(limitMs, () => new ServiceError('timeout', 'Request has timed out'), [
      request.signal,
      services.stopping,
      ended.signal,
    ]),
  );
  const { signal } = clock;
  const early = route.early?.({
    request,
    url,
    body,
    query,
    launch,
    credential,
    proxy: proxy && { choice: proxy, credential },
    browser,
    routePath,
    limitMs,
    clock,
    progress,
    services,
  });
  const earlyAnswer = early && (await orAborted(early, signal, graceMs));
  if (earlyAnswer) {
    // Its browser had a place of its own, which it may have given back.
    if (progress.runningSince !== undefined) places.use(limiter.enter());
    return { answer: earlyAnswer, signal: request.signal };
  }

  await admit(services);
  const queuedSince = now();
  // The wait in the queue does not count (contract section 4.1).
  clock.stop();
  if (route.queue) places.use(await services[route.queue].acquire(signal));
  places.use(
    await limiter.acquire(signal, () => {
      services.metrics.queued();
      services.alert('QUEUE_ALERT_URL');
    }),
  );
  clock.start();
  progress.queueMs = now() - queuedSince;
  const session: Session = {
    id: crypto.randomUUID(),
    browser: `${browser[0]?.toUpperCase()}${browser.slice(1)}CDP`,
    trackingId: query.trackingId,
    initialConnectURL: publicUrl(services.externalUrl(), url, launch),
    routePath: [routePath],
    launchOptions: { ...launch },
    startedOn: Date.now(),
    ttl: limitMs,
    userDataDir: undefined,
    isTempDataDir: true,
    scratchDir: undefined,
    numbConnected: 1,
    running: true,
    attachable: undefined,
    end: (reason) => ended.abort(reason),
  };
  services.sessions.add(session);
  held.defer(() => services.sessions.remove(session));
  progress.session = session.id;
  services.metrics.started();
  progress.runningSince = now();

  const way = held.use(
    await openProxy(proxy && { choice: proxy, credential }, services, { session: session.id }, signal),
  );
  const answer =
    'handleBrowser' in route
      ? await runOnBrowser(route, browser, body, launch, way, session, services, signal, held)
      : await runOnPage(route, browser, body, query, launch, way, session, request, services, signal, held);
  return { answer, signal };
}

/** Looks for the browser before the limit of the call is known: the server's own counts. @throws `browser-missing` */
export async function findBrowser(browser: BrowserName, client: AbortSignal, services: Services): Promise<void> {
  const late = () => new ServiceError('timeout', 'Request has timed out');
  using deadline = startDeadline(services.config.TIMEOUT, late, [client, services.stopping]);
  await orAborted(services.catalog.require(browser), deadline.signal);
}

/** The launch options of the call; routes that hide what they are need a full browser. */
function withFullBrowser({ fullBrowser = false }: PageRoute | BrowserRoute, launch: LaunchOptions): LaunchOptions {
  return fullBrowser && launch.headless === undefined ? { ...launch, headless: true } : launch;
}
