/** Handles `/unblock`; loaded with the first such request. */
import { toShownCookie } from '../../../browser/page/load/cookies.ts';
import { adoptPageTarget } from '../../../browser/processes/page-target.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { CaptchaHelp } from '../../../browser/page/captcha/help.ts';
import { captureBase64 } from '../../../browser/page/capture/capture.ts';
import { readContent } from '../../../browser/page/capture/content.ts';
import { startConsent } from '../../../browser/page/consent/consent.ts';
import { navigate, refuseLatePdf } from '../../../browser/page/load/navigate.ts';
import { preparePage, unchanged } from '../../../browser/page/load/prepare.ts';
import { settle } from '../../../browser/page/load/waits.ts';
import { openPage, type Page } from '../../../browser/page/page.ts';
import { unblock, type Unblocked, watchResponses } from '../../../browser/page/unblock/unblock.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import type { UnblockResponse } from '../../../base/schema/response/rest.ts';
import type { ScreenshotOptions } from '../../../base/schema/request/fields.ts';
import { maxTtlMs, type UnblockBody } from '../../../base/schema/request/address-bodies.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { toSocketUrl } from '../http/public-url.ts';
import { maxReconnectTime } from '../pipeline/admission.ts';
import { explainFailure } from '../../../browser/network/explain-failure.ts';
import type { Call } from '../pipeline/call.ts';
import type { RouteResult, Job } from '../pipeline/route.ts';
import { pagesOf } from '../sessions/pages.ts';
import { sessionStart, startSession } from '../sessions/start-session.ts';

const imageOptions: ScreenshotOptions = {
  type: 'jpeg',
  encoding: 'base64',
  fromSurface: true,
  fullPage: false,
  omitBackground: false,
  optimizeForSpeed: false,
};

/** How long unblocking may take, in milliseconds; less when the request is close to its time limit. */
const longestUnblockMs = 20_000;
/** Time reserved for reading the page, in milliseconds. */
const readingMs = 4_000;

export async function unblockPage(job: Job<UnblockBody>): Promise<RouteResult> {
  const { call, body, browser, services } = job;
  const ttl = ttlOf(job);
  const { clock } = call;
  const ended = new AbortController();
  // The time limit is that of the request; the work is also aborted when the browser is closed.
  using deadline = startDeadline(0, () => undefined, [clock.signal, ended.signal]);
  const { signal } = deadline;
  const start = sessionStart({ ...job, launch: withInsecure(job) }, browser);
  const session = await startSession(start, call, { signal, stop: clock.stop, start: clock.start });
  call.begin();
  const leave = session.connect({
    isRequest: true,
    close: (error) => ended.abort(error ?? new ServiceError('session-ended', "The request's browser was closed.")),
  });
  try {
    using page = await firstPage(job, session, signal);
    const unblocked = await load(job, page, session, signal);
    const found = await read(page, body);
    if (ttl > 0) session.keepFor({ timeoutMs: ttl, auth: undefined });
    const browserWSEndpoint = ttl > 0 ? `${toSocketUrl(call.base)}/reconnect/${session.facts.id}` : null;
    const answer: UnblockResponse = { ...found, browserWSEndpoint, ttl };
    services.log.info('unblock', { session: session.facts.id, ...unblocked });
    return {
      body: JSON.stringify(answer),
      contentType: 'application/json; charset=UTF-8',
      headers: { 'X-Unblock': toHeader(unblocked) },
    };
  } finally {
    leave();
  }
}

/** How long the browser waits for a client, in milliseconds; 0 if the request did not ask for that. */
function ttlOf({ body, call }: Job<UnblockBody>): number {
  if (!body.browserWSEndpoint) {
    if (body.ttl !== undefined && body.ttl > 0) call.ignore(['ttl']);
    return 0;
  }
  const longest = maxReconnectTime(call) || Infinity;
  return Math.min(body.ttl ?? maxTtlMs, longest);
}

function withInsecure({ launch, body }: Job<UnblockBody>): Job<UnblockBody>['launch'] {
  return body.ignoreHTTPSErrors ? { ...launch, acceptInsecureCerts: true } : launch;
}

async function firstPage({ call }: Job<UnblockBody>, session: AttachableSession, signal: AbortSignal): Promise<Page> {
  const { connection } = session.process;
  const [there] = await orAborted(pagesOf(session), signal);
  const opening = there ? Promise.resolve(there) : connection.root.send('Target.createTarget', { url: 'about:blank' });
  const { targetId } = await orAborted(opening, signal);
  const target = await orAborted(adoptPageTarget(connection, targetId, undefined), signal);
  const page = openPage(target, { signal, waiting: call.waiting });
  await page.send('Page.setLifecycleEventsEnabled', { enabled: true });
  return page;
}

/** Loads the page, gets past the bot checks in front of it, and applies the body's waits. */
async function load(
  job: Job<UnblockBody>,
  page: Page,
  session: AttachableSession,
  signal: AbortSignal,
): Promise<Unblocked> {
  const { body, query, services, call, limitMs } = job;
  const { bestAttempt } = body;
  const url = services.network.policy.checkUrl(body.url).href;
  const consent = query.blockConsentModals === true ? await startConsent(page) : undefined;
  const responses = watchResponses(page);
  await preparePage(page, {
    ...unchanged,
    url,
    authenticate: body.authenticate,
    everyFrame: consent ? [consent.commands] : [],
    allowsUrl: (text) => URL.canParse(text) && services.network.policy.allowsScheme(new URL(text)),
  });
  const explain = (text: string) => explainFailure(text, session.outcomes ?? services.network.egress);
  await services.telemetry.tracing.span('navigate', { 'url.full': url }, async (span) => {
    const found = await navigate(page, url, { ...body.gotoOptions, bestAttempt, explain });
    span.set({ 'http.response.status_code': found?.status });
  });
  if (consent) await page.waiting.for('the consent dialog to be rejected', consent.settled());
  const leftMs = limitMs === 0 ? Infinity : call.remainingOf(limitMs) - readingMs;
  const unblocking = services.telemetry.tracing.span('act', { 'browserd.operation': 'unblock' }, () =>
    unblock(page, responses, {
      limitMs: Math.max(0, Math.min(longestUnblockMs, leftMs)),
      help: captchaHelp(call),
      signal,
    }),
  );
  const unblocked = await page.waiting.for('the site to let the browser in', unblocking);
  await settle(page, body, bestAttempt);
  await refuseLatePdf(page, bestAttempt);
  return unblocked;
}

/** Reads what the body asks for; the other fields are null. */
async function read(
  page: Page,
  body: UnblockBody,
): Promise<Pick<UnblockResponse, 'cookies' | 'content' | 'screenshot'>> {
  const cookies = body.cookies ? (await page.send('Network.getCookies')).cookies.map(toShownCookie) : null;
  const content = body.content ? await page.waiting.for("the page's HTML", readContent(page)) : null;
  const image = () => captureBase64(page, imageOptions);
  const screenshot = body.screenshot ? await page.waiting.for('the screenshot', image()) : null;
  return { cookies, content, screenshot };
}

/** Serializes the header as a dictionary of structured fields (RFC 8941, section 3.2). */
function toHeader({ state, seen, tried }: Unblocked): string {
  const listed = (names: readonly string[]) => `(${names.map((name) => JSON.stringify(name)).join(' ')})`;
  return `state=${state}, seen=${listed(seen)}, tried=${listed(tried)}`;
}

/** Clicks are free; the operator's captcha solver is only available to plans that include it. */
function captchaHelp({ account, payer, services }: Call): CaptchaHelp {
  const help = services.browsers.captchas.helpFor(payer, services.log);
  return account.has('captcha') ? help : { ...help, solver: undefined };
}
