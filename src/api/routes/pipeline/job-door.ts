/** Answers jobs (POST with a JSON body): reads the request, waits for a slot, runs the job and sends its answer. */
import { rootsOf, withProfilePath } from '../../../browser/processes/profiles.ts';
import { withExtensions } from '../../../browser/processes/extensions/extensions.ts';
import { ServiceError, toServiceError } from '../../../base/errors.ts';
import { orAborted, turnBefore } from '../../../base/runtime/deadline.ts';
import type { Outlet, OutletEnd } from '../../../base/runtime/http/outlets.ts';
import { ignoredFieldsIn } from '../../../base/schema/without-effect.ts';
import { parseBody } from '../../../base/schema/parse.ts';
import { readJsonBody, readTextBody } from '../http/body.ts';
import { isCode, requireMatch } from '../http/match.ts';
import { answerElsewhere, answerOverflow } from './elsewhere.ts';
import type { Call } from './call.ts';
import type { Door } from './handle-call.ts';
import { graceMs, readBrowserRequest } from './read-request.ts';
import { respond } from './respond.ts';
import type { Answer, Job, JobRoute, Mount } from './route.ts';
import { runJob } from './run-job.ts';

/** @param mount where the route is mounted, and the browser that serves it there */
export function jobDoor(route: JobRoute, { prefix, browser }: Mount): Door<Outlet> {
  return {
    route: `${prefix}/${route.name}`,
    counted: true,
    auth: route.auth ?? 'token',
    requireFit: (request) => requireMatch(route, request),
    async answer(call, outlet) {
      await orAborted(call.services.browsers.catalog.require(browser), call.signal);
      const { job, sent } = await readJob(route, browser, call);
      const placed = wantsPlace(route, call) ? await answerElsewhere(call, sent, isBound(route, job)) : undefined;
      if (placed) return placed;
      const answered = await answerJob(route, job)
        .catch((error: unknown) => answerOverflow(call, sent, isBound(route, job), error))
        .catch((error: unknown) => answerLate(route, job, error));
      if (answered instanceof Response) return answered;
      const { answer, signal } = answered;
      let failure: ServiceError | undefined;
      // The message of the browser was parsed in this turn; the answer is encoded in the next.
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

/** @throws ServiceError `payload-too-large`, `invalid-body`, and those of the query */
async function readJob(
  route: JobRoute,
  browser: Job<unknown>['browser'],
  call: Call,
): Promise<{ job: Job<unknown>; sent: unknown }> {
  const { config } = call.services;
  // The time that a body takes to arrive does not count against the call; the server limits whole requests.
  call.clock.stop();
  const json = isCode(call.request)
    ? { code: await readTextBody(call.request, config.MAX_PAYLOAD_SIZE) }
    : await readJsonBody(call.request, config.MAX_PAYLOAD_SIZE);
  const request = await readBrowserRequest(call, route.callKind ?? 'page', { stealth: route.stealth });
  const body = parseBody(route.body, json);
  call.ignore(ignoredFieldsIn(route.body, json));
  const extended = await orAborted(withExtensions(request.launch, config.EXTENSIONS_DIR), call.signal);
  const launch = await orAborted(withProfilePath(extended, rootsOf(call.account.name, config)), call.signal);
  call.limit(request.limitMs);
  return { job: { ...request, launch, body, browser }, sent: json };
}

/** True for a job that runs where most room is. The limit of a token counts where its calls run, not where they wait. */
function wantsPlace(
  { placed = false }: JobRoute,
  {
    account,
    services: {
      control: { limiter },
    },
  }: Call,
): boolean {
  return placed || (account.share.concurrent !== undefined && limiter.running >= limiter.options.concurrent);
}

/** True for a job that needs what only this server has: a session, a profile, a directory. */
function isBound({ name }: JobRoute, { profile, launch }: Job<unknown>): boolean {
  return name.includes(':') || profile !== undefined || launch.userDataDir !== undefined;
}

/** The answer, with the signal that stops its sending. */
async function answerJob(route: JobRoute, job: Job<unknown>): Promise<{ answer: Answer; signal: AbortSignal }> {
  const { call } = job;
  const { signal } = call;
  if (route.kind === 'session') return unpooled(call, await orAborted(route.handle(job), signal, graceMs));
  const early = route.kind === 'page' && route.early ? await orAborted(route.early(job), signal, graceMs) : undefined;
  return early ? unpooled(call, early) : { answer: await runJob(route, job), signal };
}

/** The route's own answer to its time limit. @throws any other error, and every error of routes that have none */
async function answerLate(
  route: JobRoute,
  job: Job<unknown>,
  error: unknown,
): Promise<{ answer: Answer; signal: AbortSignal }> {
  const failure = toServiceError(error);
  if (failure.code !== 'timeout' || route.answerLate === undefined) throw error;
  // The call is over: there is nothing left to race with.
  return { answer: await route.answerLate(job, failure), signal: job.call.request.signal };
}

/** An answer that used no page of the pool. The time limit was that of its browser and does not stop its sending. */
function unpooled(call: Call, answer: Answer): { answer: Answer; signal: AbortSignal } {
  // Its browser may have given its slot back: the answer takes one while it is sent.
  if (call.runningSince !== undefined) call.slots.use(call.services.control.limiter.enter(call.account.share));
  return { answer, signal: call.request.signal };
}

/** The error to record for an answer that the client did not read to its end. */
function failureOf(end: OutletEnd): ServiceError | undefined {
  if (end === 'complete') return undefined;
  const reason =
    end === 'gone' ? 'The client closed the connection' : 'The client took no byte of its answer: it was cut';
  return new ServiceError('client-gone', reason);
}
