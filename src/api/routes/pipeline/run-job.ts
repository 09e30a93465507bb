/**
 * Runs a job: takes a slot, registers its session, and calls the handler with a page from the pool or an exclusive
 * browser.
 */
import { capitalize } from '../../../base/text.ts';
import { requireProcess } from './browser-choice.ts';
import { browserCrashed } from '../../../browser/processes/last-words.ts';
import { type Lease, leaseOptions, type LeaseRequest } from '../../../browser/processes/pool/lease.ts';
import type { BrowserConnection } from '../../../browser/cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { ProxyLease } from '../../../browser/network/upstream/proxies.ts';
import { openPage, type Page } from '../../../browser/page/page.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { JobSession } from '../../../sessions/lifecycle/job-session.ts';
import { startTimes, type SessionFacts } from '../../../sessions/lifecycle/session.ts';
import { publicUrl } from '../http/public-url.ts';
import type { ProfileState } from '../../../sessions/profiles/state.ts';
import { acquireSlot } from './admission.ts';
import type { Call } from './call.ts';
import { openProxy } from './proxied-call.ts';
import { graceMs } from './read-request.ts';
import type { RouteResult, BrowserRequest, BrowserRoute, Job, PageRoute } from './route.ts';

/** The session and the proxy of a job. */
interface SessionAndProxy {
  session: JobSession;
  /** The proxy that the request asked for. */
  proxy: ProxyLease | undefined;
}

/** @throws ServiceError `queue-full`, `unhealthy`, `stopping`, and the errors of the job */
export async function runJob(route: PageRoute | BrowserRoute, job: Job<unknown>): Promise<RouteResult> {
  const { call, services } = job;
  if (route.kind === 'browser') requireProcess(job.query, `/${route.name}`);
  const queue = route.queue && services.control[route.queue];
  call.slots.use(await acquireSlot(call, call.clock, { before: queue }));
  const facts = factsOf(job, { id: services.ids.make(), browser: `${capitalize(job.browser)}CDP` });
  const session = new JobSession(facts, (error) => call.end(error));
  services.sessions.registry.add(session);
  call.held.defer(() => session.life.end(undefined));
  call.session = session.facts.id;
  const opening = openProxy(job.proxy, services, { session: call.session }, call.signal);
  const proxy = await call.waiting.for('its proxy', opening);
  if (proxy) {
    call.held.use(proxy);
    call.meters.add(() => proxy.meter());
  }
  const place = { session, proxy };
  const running = route.kind === 'page' ? runOnPage(route, job, place) : runOnBrowser(route, job, place);
  return running.catch(async (error: unknown) => {
    // oxlint-disable-next-line browserd/raced-await -- waits for a second at most
    throw await services.browsers.pool.explainByDisk(error);
  });
}

/** Runs a job on an exclusive browser, which is closed when the job ends. */
async function runOnBrowser(
  route: BrowserRoute,
  job: Job<unknown>,
  { session, proxy }: SessionAndProxy,
): Promise<RouteResult> {
  const { call, services } = job;
  const { signal } = call;
  const asked = leaseRequest(job, proxy);
  // The server does not open a page for such a job, so it cannot set acceptInsecureCerts on one.
  const args = job.launch.acceptInsecureCerts ? [...asked.args, '--ignore-certificate-errors'] : asked.args;
  const process = await services.telemetry.tracing.span('lease', { 'browserd.browser': job.browser }, () =>
    call.waiting.for('a browser', services.browsers.pool.takeProcess({ ...asked, args }, signal)),
  );
  call.held.defer(() => void process.close());
  call.held.defer(services.browsers.pool.watchMemory(process));
  session.setBrowser(process);
  await writeJobProfile(job, process.connection, undefined);
  try {
    const log = services.log.with({ session: session.facts.id });
    return await services.telemetry.tracing.span('act', { 'browserd.operation': route.name }, () =>
      orAborted(route.handle({ ...job, process, log }), signal, graceMs),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!process.gone.aborted) throw error;
    throw browserCrashed(process.connection.fatal, '', error);
  }
}

/** Writes a stored profile into a browser context. Default: the browser's default one. */
export async function writeProfile(
  state: ProfileState,
  connection: BrowserConnection,
  { call, contextId, signal }: { call: Call; contextId?: string | undefined; signal: AbortSignal },
): Promise<void> {
  const { writeState } = await import('../../../sessions/profiles/storage/write-state.ts');
  const refused = await writeState(connection, contextId, state, signal);
  if (refused > 0) call.services.log.warn('profile.incomplete', { session: call.session, refused });
}

/** Writes the profile that the request specifies into the context of its page. */
async function writeJobProfile(
  { call, profile }: Job<unknown>,
  connection: BrowserConnection,
  contextId: string | undefined,
): Promise<void> {
  if (!profile?.state) return;
  await call.waiting.for(
    'its profile',
    writeProfile(profile.state, connection, { call, contextId, signal: call.signal }),
  );
}

function leaseRequest({ browser, call, launch, query }: Job<unknown>, proxy: ProxyLease | undefined): LeaseRequest {
  return {
    group: call.services.browsers.pool.groupOf(call.account),
    browser,
    ...leaseOptions(launch),
    userDataDirectory: launch.userDataDir,
    isolation: query.isolation,
    proxyServer: proxy?.server,
  };
}

/** The facts of a session that begins with this request. */
export function factsOf(
  { call, query, launch, proxy, limitMs }: BrowserRequest,
  own: Pick<SessionFacts, 'id' | 'browser'>,
): SessionFacts {
  return {
    ...own,
    trackingId: query.trackingId,
    owner: call.account.name,
    allowedDomains: proxy?.domains,
    initialConnectURL: publicUrl(call.base, call.url, launch),
    routePath: [call.route],
    launchOptions: { ...launch },
    ...startTimes(),
    ttl: limitMs,
  };
}

/** Why a request ended early. A timeout error of the route wins, because it may say what the route was waiting for. */
function reasonOf(signal: AbortSignal, thrown: unknown): unknown {
  const late = (error: unknown) => error instanceof ServiceError && error.code === 'timeout';
  return late(signal.reason) && late(thrown) ? thrown : signal.reason;
}

/**
 * Runs a job on a page. Retries once on another page if the browser, not the page, failed before there was a result.
 */
async function runOnPage(
  route: PageRoute,
  job: Job<unknown>,
  { session, proxy }: SessionAndProxy,
): Promise<RouteResult> {
  const { call, services } = job;
  const { signal } = call;
  for (let attempt = 1; ; attempt++) {
    using attemptHeld = new DisposableStack();
    let lease: Lease | undefined;
    let page: Page | undefined;
    try {
      const pool = route.readsCode ? services.sessions.codeHosts : services.browsers.pool;
      const asked = leaseRequest(job, proxy);
      const leasing = services.telemetry.tracing.span('lease', { 'browserd.browser': job.browser }, () =>
        pool.lease(asked, signal),
      );
      lease = attemptHeld.use(await call.waiting.for('a browser', leasing));
      if (lease.ownBrowser) session.setBrowser(lease.browser);
      page = attemptHeld.use(openPage(lease.target, { signal, waiting: call.waiting }));
      attemptHeld.use(session.usePage(lease.target.targetId));
      const log = services.log.with({ session: session.facts.id });
      await writeJobProfile(job, lease.target.connection, lease.target.contextId);
      const pageJob = { ...job, page, process: lease.browser, egress: proxy ?? services.network.egress, log };
      // An abort does not wait for the handler, even if that waits for a file: disposing the page undoes its work.
      const answer = await services.telemetry.tracing.span('act', { 'browserd.operation': route.name }, () =>
        orAborted(route.handle(pageJob), signal, graceMs),
      );
      // A body that is still being sent does not need the document.
      page.life.onPdf = undefined;
      call.held.use(attemptHeld.move());
      return answer;
    } catch (error) {
      if (signal.aborted) throw reasonOf(signal, error);
      // Code that ran may already have had effects: never run it twice.
      if (route.readsCode && page) throw error;
      // When a page crashed while it was still blank, the content of the request was not the cause.
      const blank = page !== undefined && page.failure.aborted && page.life.documents === 0;
      if (!lease?.browser.gone.aborted && !blank) throw error;
      if (attempt === 2) {
        throw browserCrashed(
          lease?.browser.connection.fatal,
          ', twice',
          error,
          'Try again; if it happens only with this page, the page overloads the browser.',
        );
      }
      services.log.warn('request.retried', { session: session.facts.id, cause: error });
    }
  }
}
