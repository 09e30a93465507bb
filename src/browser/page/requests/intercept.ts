/** Refuses or answers a page's requests and supplies HTTP credentials, by the rules of the request (Fetch domain). */
import type { CdpSession, CommandParams, EventParams } from '../../cdp/connection.ts';
import type { CommonFields, Credentials, RequestInterceptor } from '../../../base/schema/request/fields.ts';
import { refuseWebSockets } from '../../injected/refuse-sockets.ts';
import { toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import { childTargetsOf } from '../child-targets.ts';
import { kindTest, patternsOf } from './request-kinds.ts';
import type { RequestPatterns } from './request-patterns.ts';
import { fromBase64, toBase64 } from '../../../base/runtime/bytes.ts';

export interface InterceptRules extends Pick<
  CommonFields,
  'authenticate' | 'rejectRequestPattern' | 'rejectResourceTypes' | 'requestInterceptors'
> {
  /** The page's URL; undefined for html. */
  url: string | undefined;
  /** Whether a document or sub-resource of this URL may be loaded at all. */
  allowsUrl(url: string): boolean;
  /** Whether a request is an advertisement and so refused; undefined when ad blocking is off. */
  isAd?: ((event: Paused) => boolean) | undefined;
  /** Receives each document response before the browser; returning true keeps it from the browser. */
  takeAnswer?: ((event: Paused) => boolean) | undefined;
}

type Paused = EventParams<'Fetch.requestPaused'>;
type AuthChallenge = EventParams<'Fetch.authRequired'>;

export function needsInterception(rules: InterceptRules): boolean {
  return rules.isAd !== undefined || rules.takeAnswer !== undefined || hasRules(rules);
}

/** Whether the request has its own rules; some need resource types that only the Network domain reports. */
export function hasRules(rules: InterceptRules): boolean {
  return (
    rules.rejectRequestPattern.length > 0 ||
    rules.rejectResourceTypes.length > 0 ||
    rules.requestInterceptors.length > 0 ||
    (rules.authenticate ?? undefined) !== undefined
  );
}

/** Starts interception on the page or one of its frames. The caller must await the returned commands. */
export function intercept(
  page: Page,
  session: CdpSession,
  rules: InterceptRules,
  expressions: RequestPatterns,
): Promise<unknown>[] {
  const { authenticate, rejectResourceTypes, isAd, takeAnswer } = rules;
  const everything =
    Boolean(authenticate) ||
    isAd !== undefined ||
    rules.rejectRequestPattern.length > 0 ||
    rules.requestInterceptors.length > 0;
  // Each paused request costs a round trip: when the rules only refuse types, pause only those types.
  const patterns: NonNullable<CommandParams<'Fetch.enable'>>['patterns'] = everything
    ? [{ urlPattern: '*' }]
    : patternsOf(rejectResourceTypes);
  if (takeAnswer) patterns.push({ urlPattern: '*', resourceType: 'Document', requestStage: 'Response' });
  if (patterns.length === 0) return [];
  const decide = decider(page, session, rules, expressions);
  page.undo(
    session.on('Fetch.requestPaused', (event) => {
      if (event.responseStatusCode !== undefined || event.responseErrorReason !== undefined) {
        if (!takeAnswer?.(event)) answer(session, event, { action: 'continue' }).catch(() => {});
        return;
      }
      const decision = decide(event);
      // A request that no longer exists (closed frame, navigation) does not need a response.
      const answered =
        decision instanceof Promise
          ? decision.then(
              (late) => answer(session, event, late),
              // The budget is spent, so the decision is unknown: the client's request fails, and the page's request is
              // not sent.
              () => answer(session, event, { action: 'forbid' }),
            )
          : answer(session, event, decision);
      answered.catch(() => {});
    }),
  );
  if (authenticate) {
    const tried = new Set<string>();
    page.undo(
      session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
        const response = tried.has(requestId) ? refusal : credentialsFor(authChallenge, authenticate, rules.url);
        tried.add(requestId);
        session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse: response }).catch(() => {});
      }),
    );
  }
  return [session.send('Fetch.enable', { handleAuthRequests: Boolean(authenticate), patterns })];
}

type Decision = { action: 'refuse' | 'forbid' | 'continue' } | { action: 'answer'; interceptor: RequestInterceptor };

function decider(
  page: Page,
  session: CdpSession,
  rules: InterceptRules,
  { refused, answered }: RequestPatterns,
): (event: Paused) => Decision | Promise<Decision> {
  const isRefusedKind = kindTest(page, session, rules.rejectResourceTypes);
  const byRules = (event: Paused): Decision | Promise<Decision> => {
    const { url } = event.request;
    const isAd = rules.isAd?.(event) ?? false;
    return then(answered.find(url), (index) => {
      const interceptor = rules.requestInterceptors[index];
      if (interceptor) return { action: 'answer', interceptor };
      if (isAd) return { action: 'refuse' };
      return { action: rules.allowsUrl(url) ? 'continue' : 'forbid' };
    });
  };
  return (event) =>
    then(refused.find(event.request.url), (index) => {
      if (index >= 0) return { action: 'refuse' };
      return then(isRefusedKind(event), (isRefused) => (isRefused ? { action: 'refuse' } : byRules(event)));
    });
}

/** Chains without a microtask when the value is not a promise, so that a paused request continues immediately. */
function then<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function answer(session: CdpSession, { requestId }: Paused, decision: Decision): Promise<unknown> {
  switch (decision.action) {
    case 'refuse':
      return session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    case 'forbid':
      return session.send('Fetch.failRequest', { requestId, errorReason: 'AccessDenied' });
    case 'continue':
      return session.send('Fetch.continueRequest', { requestId });
    case 'answer':
      return session.send('Fetch.fulfillRequest', { requestId, ...toFulfillment(decision.interceptor.response) });
  }
}

function toFulfillment(
  response: RequestInterceptor['response'],
): Omit<CommandParams<'Fetch.fulfillRequest'>, 'requestId'> {
  const { status = 200, headers = [], contentType, body = '' } = response;
  const declared = contentType ?? headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
  const others =
    contentType === undefined ? headers : headers.filter(({ name }) => name.toLowerCase() !== 'content-type');
  const type = contentType === undefined ? [] : [{ name: 'Content-Type', value: contentType }];
  return {
    responseCode: status,
    responseHeaders: [...others, ...type],
    body: looksLikeBase64(body, declared) ? body : toBase64(new TextEncoder().encode(body)),
  };
}

/**
 * Guesses whether a body is meant as base64. Many short words are valid base64 too ("test", "password"): a body counts
 * as base64 only when it decodes to clean text, or when it is long, padded or declared as a non-text type.
 */
export function looksLikeBase64(body: string, contentType: string | undefined): boolean {
  const text = body.trim();
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  if (contentType !== undefined && !/^text\/|json|javascript|xml|urlencoded/i.test(contentType)) return true;
  if (text.length >= sureBase64Length) return true;
  try {
    // Text has no control characters other than tab and line ends.
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(text));
    return !/[^\P{Cc}\t\r\n]/u.test(decoded);
  } catch {
    return text.endsWith('=');
  }
}

/** Plain text of this length would contain a space or a period. */
const sureBase64Length = 100;

const refusal = { response: 'CancelAuth' } as const;

/**
 * Gives the password only to the host of the requested URL: other servers that a page includes could ask for it too,
 * and a proxy's challenge does not come from the site. With posted html any server may ask, because the client chose
 * what the HTML includes.
 */
function credentialsFor(
  challenge: AuthChallenge['authChallenge'],
  { username, password }: Credentials,
  url: string | undefined,
) {
  const fromSite = challenge.source !== 'Proxy' && (url === undefined || hostOf(challenge.origin) === hostOf(url));
  return fromSite ? ({ response: 'ProvideCredentials', username, password } as const) : refusal;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url;
}

/**
 * Refuses WebSockets, which the Fetch domain does not see, by wrapping the page's WebSocket constructor: it replaces a
 * refused URL with one to which no browser connects, so the socket fails as usual.
 */
export function refuseSockets(session: CdpSession, rules: InterceptRules): Promise<unknown>[] {
  const source = socketRefusal(rules, '');
  // runImmediately covers the current document too: posted html is written into it.
  return source === undefined
    ? []
    : [session.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true })];
}

/**
 * Refuses WebSockets until `free` is called.
 * @returns `ready` resolves when the refusal is in effect; `free` lifts it, also in existing documents
 */
export function refuseSocketsForNow(page: Page, rules: InterceptRules): { ready: Promise<unknown>; free(): void } {
  // Reading this property of WebSocket lifts the refusal; the page cannot guess its name.
  const key = crypto.randomUUID();
  const source = socketRefusal(rules, key);
  if (source === undefined) return { ready: Promise.resolve(), free() {} };
  const scripts = new Map<CdpSession, string>();
  const refuse = async (session: CdpSession): Promise<void> => {
    const added = await session.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true });
    scripts.set(session, added.identifier);
  };
  const end = async (session: CdpSession, identifier: string): Promise<void> => {
    const remove = (script: string) => session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier: script });
    const release = `WebSocket[${JSON.stringify(key)}]`;
    const once = session.send('Page.addScriptToEvaluateOnNewDocument', { source: release, runImmediately: true });
    await Promise.all([remove(identifier), once.then((added) => remove(added.identifier))]);
  };
  const frames = childTargetsOf(page).apply(({ session, type }) => (type === 'iframe' ? [refuse(session)] : []));
  return {
    ready: Promise.all([refuse(page.session), frames.ready]),
    free() {
      frames.stop();
      // In a frame that was removed, there is nothing to lift.
      for (const [session, identifier] of scripts) end(session, identifier).catch(() => {});
    },
  };
}

/** @param key the property that lifts the refusal when read; empty for none */
function socketRefusal({ rejectResourceTypes, rejectRequestPattern }: InterceptRules, key: string): string | undefined {
  const all = rejectResourceTypes.includes('websocket');
  if (!all && rejectRequestPattern.length === 0) return undefined;
  return toExpression(refuseWebSockets, [all ? null : rejectRequestPattern, key]);
}
