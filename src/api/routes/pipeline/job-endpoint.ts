/** Handles jobs (POST with a JSON body): reads the request, waits for a slot, runs the job, and sends the response. */
import { rootsOf, withProfilePath } from '../../../browser/processes/profiles.ts';
import { withExtensions } from '../../../browser/processes/extensions/extensions.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { orAborted, turnBefore } from '../../../base/runtime/deadline.ts';
import type { Outlet, OutletEnd } from '../../../base/runtime/http/outlets.ts';
import { ignoredFieldsIn } from '../../../base/schema/without-effect.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { readJsonBody, readTextBody } from '../http/body.ts';
import { isCode, requireMatch } from '../http/match.ts';
import { forwardJob, forwardOverflow } from './elsewhere.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './handle-call.ts';
import { graceMs, readBrowserRequest } from './read-request.ts';
import { respond } from './respond.ts';
import type { RouteResult, Job, JobRoute, Mount } from './route.ts';
import { runJob } from './run-job.ts';

/** @param mount where the route is mounted, and the browser that serves it there */
export function jobEndpoint(route: JobRoute, { prefix, browser }: Mount): Endpoint<Outlet> {
  return {
    route: `${prefix}/${route.name}`,
    counted: true,
    auth: route.auth ?? 'token',
    subject: subjectOf(route),
    usesProfile: true,
    requireFit: (request) => requireMatch(route, request),
    async answer(call, outlet) {
      await orAborted(call.services.browsers.catalog.require(browser), call.signal);
      const { job, sent } = await readJob(route, browser, call);
      const placed = shouldForward(route, call) ? await forwardJob(call, sent, isBound(route, job)) : undefined;
      if (placed) return placed;
      const answered = await answerJob(route, job)
        .catch((error: unknown) => forwardOverflow(call, sent, isBound(route, job), error))
        .catch((error: unknown) => answerTimeout(route, job, error));
      if (answered instanceof Response) return answered;
      const { answer, signal } = answered;
      let failure: ServiceError | undefined;
      // The browser's message was parsed in this turn of the event loop; encode the response in the next one.
      if (typeof answer.body === 'string') await turnBefore(answer.body);
      const sending = call.services.telemetry.tracing.begin('answer', { 'browserd.answer.type': answer.contentType });
      const response = respond(answer, { call, outlet, signal }, (error) => (failure = error));
      const slots = call.slots.move();
      outlet.onEnd((end) => {
        slots.dispose();
        sending.end(failure ?? failureOf(end));
        call.record(failure ?? failureOf(end) ?? answer.failure, answer.status);
      });
      return call.tagged(response);
    },
  };
}

/** @throws ServiceError `payload-too-large`, `invalid-body`, and the errors of the query */
async function readJob(
  route: JobRoute,
  browser: Job<unknown>['browser'],
  call: Call,
): Promise<{ job: Job<unknown>; sent: unknown }> {
  const { config } = call.services;
  // The time that the body takes to arrive does not count against the time limit; the server limits whole requests.
  call.clock.stop();
  const json = isCode(call.request)
    ? { code: await readTextBody(call.request, config.MAX_PAYLOAD_SIZE) }
    : await readJsonBody(call.request, config.MAX_PAYLOAD_SIZE);
  const request = await readBrowserRequest(call, route.callKind ?? 'page', { stealth: route.stealth });
  const body = parseBody(route.body, json);
  call.ignore(ignoredFieldsIn(route.body, json, body));
  const extended = await orAborted(withExtensions(request.launch, config.EXTENSIONS_DIR), call.signal);
  const launch = await orAborted(withProfilePath(extended, rootsOf(call.account.name, config)), call.signal);
  call.limit(request.limitMs);
  return { job: { ...request, launch, body, browser }, sent: json };
}

/**
 * True for a job that runs on the node with the most free capacity. The limit of a token applies where its requests
 * run, not where they wait.
 */
function shouldForward(
  { placed = false }: JobRoute,
  {
    account,
    services: {
      control: { limiter },
    },
  }: Call,
): boolean {
  return placed || (account.concurrent !== undefined && limiter.running >= limiter.options.concurrent);
}

const subjectOf = (route: JobRoute) => (route.kind === 'session' ? route.subject : undefined);

/** True for a job that needs something that only this server has: a session, a profile, a directory. */
function isBound(route: JobRoute, { profile, launch }: Job<unknown>): boolean {
  return subjectOf(route) !== undefined || profile !== undefined || launch.userDataDir !== undefined;
}

/** Runs the job. @returns its response, and the signal that stops sending it */
async function answerJob(route: JobRoute, job: Job<unknown>): Promise<{ answer: RouteResult; signal: AbortSignal }> {
  const { call } = job;
  const { signal } = call;
  if (route.kind === 'session') return unpooled(call, await orAborted(route.handle(job), signal, graceMs));
  const early = route.kind === 'page' && route.early ? await orAborted(route.early(job), signal, graceMs) : undefined;
  return early ? unpooled(call, early) : { answer: await runJob(route, job), signal };
}

/** Returns the route's own timeout response. @throws any other error, and every error if the route has none */
async function answerTimeout(
  route: JobRoute,
  job: Job<unknown>,
  error: unknown,
): Promise<{ answer: RouteResult; signal: AbortSignal }> {
  const failure = toServiceError(error);
  if (failure.code !== 'timeout' || route.answerTimeout === undefined) throw error;
  // The request has ended: there is no deadline left to race against.
  return { answer: await route.answerTimeout(job, failure), signal: job.call.request.signal };
}

/**
 * A response that did not use a page from the pool. The time limit was that of its browser and does not stop sending
 * it.
 */
function unpooled(call: Call, answer: RouteResult): { answer: RouteResult; signal: AbortSignal } {
  // The browser may have released its slot: take one while the response is sent.
  if (call.runningSince !== undefined) call.slots.use(call.services.control.limiter.enter(call.account));
  return { answer, signal: call.request.signal };
}

/** The error to record if the client did not read the response to its end. */
function failureOf(end: OutletEnd): ServiceError | undefined {
  if (end === 'complete') return undefined;
  const reason =
    end === 'gone'
      ? 'The client closed the connection'
      : 'The client stopped reading the response: the connection was cut';
  return new ServiceError('client-gone', reason);
}
