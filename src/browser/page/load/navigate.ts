/** Navigates to a URL and waits for its document (Page.navigate, Page.lifecycleEvent). */
import { type Events, ProtocolError } from '../../cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { redact } from '../../../base/telemetry/log.ts';
import { evaluateText, withRetry } from '../evaluate.ts';
import { ownResponse, showsNothing } from '../../injected/document.ts';
import type { GoToOptions } from '../../../base/schema/request/fields.ts';
import type { LifecycleEvent } from '../document-lifecycle.ts';
import type { Page } from '../page.ts';
import { toExpression } from '../page-function.ts';

/** The final response for the main document. Only the egress proxy knows the remote IP address. */
export interface MainResponse {
  status: number;
  statusText: string;
  /** After redirects. */
  url: string;
  headers: Record<string, string>;
  mimeType: string;
  /** Whether it came from a site; false for a response that the client supplied instead, undefined when unknown. */
  connected?: boolean;
}

export interface NavigateOptions extends GoToOptions {
  /** Continue with the current document when loading fails or takes too long. */
  bestAttempt: boolean;
  /** Waits for these instead of waitUntil. */
  lifeEvents?: readonly LifecycleEvent[];
  /** Explains why a URL could not be reached, when Chromium only knows that the proxy refused to connect. */
  explain?: (url: string) => ServiceError | undefined;
}

/** Time in milliseconds within which a browser exits after it aborts a load because it is shutting down. */
const shutdownGraceMs = 300;

const lifeEvents = {
  load: 'load',
  domcontentloaded: 'DOMContentLoaded',
  networkidle0: 'networkIdle',
  networkidle2: 'networkAlmostIdle',
} as const satisfies Record<GoToOptions['waitUntil'][number], LifecycleEvent>;

const referrerPolicies = {
  'no-referrer': 'noReferrer',
  'no-referrer-when-downgrade': 'noReferrerWhenDowngrade',
  origin: 'origin',
  'origin-when-cross-origin': 'originWhenCrossOrigin',
  'same-origin': 'sameOrigin',
  'strict-origin': 'strictOrigin',
  'strict-origin-when-cross-origin': 'strictOriginWhenCrossOrigin',
  'unsafe-url': 'unsafeUrl',
} as const satisfies Record<NonNullable<GoToOptions['referrerPolicy']>, string>;

export function toLifecycleEvents(waitUntil: GoToOptions['waitUntil']): LifecycleEvent[] {
  return waitUntil.map((name) => lifeEvents[name]);
}

/**
 * Navigates to a URL.
 * @returns the response of the main document; undefined when there was none (`data:`, a cached or failed load)
 * @throws ServiceError `navigation-failed`, `wait-timeout`, `bad-request` for a download or a response without a
 *   document; with bestAttempt only the error with which the page failed, or the deadline's abort reason
 */
export async function navigate(page: Page, url: string, options: NavigateOptions): Promise<MainResponse | undefined> {
  page.watchNetwork();
  page.life.pdf = undefined;
  const answers = new Map<string, MainResponse>();
  const requested = new Map<string, string>();
  const stopListening = [
    page.on('Network.responseReceived', (event) => {
      if (event.type !== 'Document' || event.frameId !== page.mainFrameId) return;
      answers.set(event.loaderId, toMainResponse(event));
      page.quietNetwork();
    }),
    page.on('Network.requestWillBeSent', ({ type, frameId, loaderId, request }) => {
      if (type === 'Document' && frameId === page.mainFrameId) requested.set(loaderId, request.url);
    }),
  ];
  try {
    await attempt(page, options.bestAttempt, () => go(page, url, options, { answers, requested }));
    const answer = answers.get(page.life.loaderId ?? '');
    if (answer || answers.size === 0) return answer;
    // The page navigated on after the Network domain was disabled: the document itself knows its response.
    return await readOwnResponse(page);
  } finally {
    for (const stop of stopListening) stop();
  }
}

/** Reads the response from the document (navigation timing); undefined when the document was not loaded over HTTP. */
export async function readOwnResponse(page: Page): Promise<MainResponse | undefined> {
  const known = await withRetry(page, () => page.evaluate(ownResponse));
  return known.status === 0 ? undefined : { ...known, statusText: '', headers: {}, mimeType: '' };
}

/** Whether the page shows an empty blank document, or the browser's own error page. */
export function isEmpty(page: Page): Promise<boolean> {
  return withRetry(page, () => evaluateText<boolean>(page, toExpression(showsNothing, [])));
}

/** URL and response of each main document request, by loader id. */
interface MainRequests {
  answers: ReadonlyMap<string, MainResponse>;
  requested: ReadonlyMap<string, string>;
}

async function go(
  page: Page,
  url: string,
  options: NavigateOptions,
  { answers, requested }: MainRequests,
): Promise<void> {
  const { timeout, waitUntil, referer, referrerPolicy } = options;
  const navigation = async (): Promise<void> => {
    const { loaderId, errorText, isDownload } = await page.send('Page.navigate', {
      url,
      referrer: referer,
      referrerPolicy: referrerPolicy && referrerPolicies[referrerPolicy],
    });
    // Without a loader, it was a same-document navigation.
    if (loaderId === undefined) return;
    const answer = answers.get(loaderId);
    // ERR_HTTP_RESPONSE_CODE_FAILURE is an error status without a body: Chromium shows its own page, but the site did
    // respond.
    if (errorText !== undefined && errorText !== '' && errorText !== 'net::ERR_HTTP_RESPONSE_CODE_FAILURE') {
      // A browser that shuts down cleanly, as it does when its display exits, first aborts what it is loading.
      if (errorText === 'net::ERR_ABORTED' && !answer && !isDownload) await page.sleep(shutdownGraceMs);
      const { explain } = options;
      const failure = { errorText, isDownload: isDownload === true, answer, explain };
      throw navigationError(requested.get(loaderId) ?? url, failure);
    }
    refusePdf(page);
    await page.life.reached(options.lifeEvents ?? toLifecycleEvents(waitUntil), () => page.life.has(loaderId));
    refusePdf(page);
  };
  const events = `"${waitUntil.join('", "')}"`;
  const timeoutError = () =>
    new ServiceError(
      'wait-timeout',
      `Navigation to ${shortUrl(url)} did not reach ${events} within ${timeout} ms. Raise gotoOptions.timeout, wait for less with gotoOptions.waitUntil, or set bestAttempt.`,
    );
  const what = `the navigation to ${shortUrl(url)} to reach ${events}`;
  await page.waiting.for(what, page.withTimeout(navigation(), timeout, timeoutError));
}

/**
 * Runs a page load. With bestAttempt, stops loading and swallows the failure: a document still loading would hold up
 * every later command.
 */
export async function attempt(page: Page, bestAttempt: boolean, load: () => Promise<void> | void): Promise<void> {
  try {
    await load();
  } catch (error) {
    if (!bestAttempt || !canContinue(page, error)) throw error;
    if (page.life.pdf === undefined && error.code !== 'navigation-failed') {
      // Chromium refuses it while one document replaces another; then there is nothing to stop.
      await page.send('Page.stopLoading').catch((stop: unknown) => {
        if (!(stop instanceof ProtocolError)) throw stop;
      });
      return;
    }
    // Replace Chromium's own error page or viewer, which the client did not ask for, with an empty document.
    const { documents } = page.life;
    const { loaderId } = await page.send('Page.navigate', { url: 'about:blank' });
    const isNew = () => (loaderId === undefined ? page.life.documents > documents : page.life.has(loaderId));
    await page.withTimeout(page.life.reached(['load'], isNew), blankLimitMs, () => error);
  }
}

/**
 * An empty document loads immediately; if a stuck browser exceeds this limit, the request fails with the first error.
 */
const blankLimitMs = 5_000;

/** Whether bestAttempt may swallow this error: a failed load or wait, not a bad option, a lost page or the deadline. */
export function canContinue(page: Page, error: unknown): error is ServiceError {
  if (page.signal.aborted || page.failure.aborted || !(error instanceof ServiceError)) return false;
  return error.code === 'navigation-failed' || error.code === 'wait-timeout' || error.code === 'bad-request';
}

export function toMainResponse({ response }: Events['Network.responseReceived'][0]): MainResponse {
  const { status, statusText, url, headers, mimeType, remoteIPAddress } = response;
  return { status, statusText, url, headers, mimeType, connected: Boolean(remoteIPAddress) };
}

/** @throws ServiceError `bad-request` when the page navigated to a PDF: no browser has a document to read then */
export function refusePdf({ life }: Page): void {
  if (life.pdf !== undefined) throw downloadError(life.pdf, 'application/pdf');
}

/**
 * Checks that the page did not navigate to a PDF after loading, and ends it with the same error when it does so while
 * it is read: Chromium may never answer a command that the viewer interrupts.
 */
export async function refuseLatePdf(page: Page, bestAttempt: boolean): Promise<void> {
  await attempt(page, bestAttempt, () => refusePdf(page));
  page.life.onPdf = () => page.end(downloadError(page.life.pdf ?? '', 'application/pdf'));
}

function downloadError(url: string, mimeType: string): ServiceError {
  return new ServiceError(
    'bad-request',
    `${shortUrl(url)} is a download (${mimeType}), not a page. Fetch it directly or with POST /download.`,
  );
}

interface NavigationFailure {
  /** Chromium's code: `net::ERR_…`. */
  errorText: string;
  isDownload: boolean;
  answer: MainResponse | undefined;
  explain: NavigateOptions['explain'];
}

function navigationError(url: string, { errorText, isDownload, answer, explain }: NavigationFailure): ServiceError {
  const where = shortUrl(url);
  if (isDownload) return downloadError(url, answer?.mimeType || 'unknown type');
  if (errorText === 'net::ERR_ABORTED' && answer && (answer.status === 204 || answer.status === 205)) {
    return new ServiceError(
      'bad-request',
      `${where} responded with ${answer.status} and no document, so there is no page.`,
    );
  }
  const explained = /^net::ERR_(SOCKS|PROXY|TUNNEL)/.test(errorText) ? explain?.(url) : undefined;
  if (explained) return explained;
  const reason = reasons[errorText];
  return new ServiceError(
    'navigation-failed',
    `Could not load ${where}: ${reason ? `${reason} (${errorText})` : errorText}.`,
  );
}

/** Explanations for Chromium's error codes. */
const reasons: Record<string, string> = {
  'net::ERR_ABORTED': 'loading was aborted',
  'net::ERR_ACCESS_DENIED': 'this URL is not allowed',
  'net::ERR_BLOCKED_BY_CLIENT': 'the request was blocked by rejectRequestPattern or rejectResourceTypes',
  'net::ERR_CERT_AUTHORITY_INVALID': 'its certificate is not trusted; set acceptInsecureCerts in launch to continue',
  'net::ERR_CERT_COMMON_NAME_INVALID':
    'its certificate is for another host; set acceptInsecureCerts in launch to continue',
  'net::ERR_CERT_DATE_INVALID': 'its certificate is out of date; set acceptInsecureCerts in launch to continue',
  'net::ERR_CONNECTION_CLOSED': 'the site closed the connection',
  'net::ERR_CONNECTION_REFUSED': 'the site refused the connection',
  'net::ERR_CONNECTION_RESET': 'the site reset the connection',
  'net::ERR_CONNECTION_TIMED_OUT': 'the connection timed out',
  'net::ERR_EMPTY_RESPONSE': 'the site closed the connection without a response',
  'net::ERR_INVALID_ARGUMENT': 'setExtraHTTPHeaders contains a header that cannot be set manually',
  'net::ERR_INVALID_AUTH_CREDENTIALS': 'the site requires credentials; set or correct authenticate',
  'net::ERR_NAME_NOT_RESOLVED': 'the hostname could not be resolved',
  'net::ERR_SOCKS_CONNECTION_FAILED': 'the site could not be reached',
  'net::ERR_SSL_PROTOCOL_ERROR': 'the TLS handshake failed',
  'net::ERR_TUNNEL_CONNECTION_FAILED': 'the proxy did not connect to it',
  'net::ERR_TOO_MANY_REDIRECTS': 'it redirects too many times',
  'net::ERR_UNSAFE_PORT': 'browsers block this port',
  'net::ERR_UNSAFE_REDIRECT': 'it redirects to an unsafe URL',
};

/** Shortens a URL to 200 characters for messages, without credentials. */
export function shortUrl(address: string): string {
  const url = redact(address);
  return url.length > 200 ? `${url.slice(0, 200)}…` : url;
}
