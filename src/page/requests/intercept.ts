/** Refuses a page's requests, answers them or logs in, by the rules of the call (Fetch domain). */
import type { CdpSession, CommandParams, EventParams } from '../../cdp/connection.ts';
import type { CommonFields, Credentials, RequestInterceptor } from '../../schema/request/fields.ts';
import { refuseWebSockets } from '../../injected/refuse-sockets.ts';
import { toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import { childTargetsOf } from '../child-targets.ts';
import { kindTest, patternsOf } from './request-kinds.ts';
import type { RequestPatterns } from './request-patterns.ts';
import { fromBase64, toBase64 } from '../../runtime/bytes.ts';

export interface InterceptRules extends Pick<
  CommonFields,
  'authenticate' | 'rejectRequestPattern' | 'rejectResourceTypes' | 'requestInterceptors'
> {
  /** The page's address; undefined for html. */
  url: string | undefined;
  /** Whether a document or sub-resource of this URL may be loaded at all. */
  allowsUrl(url: string): boolean;
  /** Whether a request is an advertisement, which is refused; undefined when advertisements are let through. */
  isAd?: ((event: Paused) => boolean) | undefined;
  /** Sees the answers of documents before the browser does; true takes the answer away from the browser. */
  takeAnswer?: ((event: Paused) => boolean) | undefined;
}

type Paused = EventParams<'Fetch.requestPaused'>;
type AuthChallenge = EventParams<'Fetch.authRequired'>;

export function needsInterception(rules: InterceptRules): boolean {
  return rules.isAd !== undefined || rules.takeAnswer !== undefined || hasRules(rules);
}

/** Rules of the request's own, some of which need to know kinds that only the Network domain tells. */
export function hasRules(rules: InterceptRules): boolean {
  return (
    rules.rejectRequestPattern.length > 0 ||
    rules.rejectResourceTypes.length > 0 ||
    rules.requestInterceptors.length > 0 ||
    (rules.authenticate ?? undefined) !== undefined
  );
}

/** Starts interception on the page or one of its frames. The commands are for the caller to await. */
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
  // Each paused request is a round trip: when only kinds are refused, only those are paused.
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
      // A request that is gone meanwhile (closed frame, left page) needs no answer.
      const answered =
        decision instanceof Promise
          ? decision.then(
              (late) => answer(session, event, late),
              // Nobody knows whether it is refused: the call ends, and the request does not go out.
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

/** Goes on at once with what is there: each paused request waits for its answer. */
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
      return session.send('Fetch.fulfillRequest', { requestId, ...toFulfilment(decision.interceptor.response) });
  }
}

function toFulfilment(
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
 * Whether a body is meant as base64. Many short words are valid base64 too ("test", "password"): text counts as base64
 * only when it decodes to clean text, or when it is long, padded or declared as something that is no text.
 */
export function looksLikeBase64(body: string, contentType: string | undefined): boolean {
  const text = body.trim();
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  if (contentType !== undefined && !/^text\/|json|javascript|xml|urlencoded/i.test(contentType)) return true;
  if (text.length >= sureBase64Length) return true;
  try {
    // Control characters other than tab and line ends do not occur in text.
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(text));
    return !/[^\P{Cc}\t\r\n]/u.test(decoded);
  } catch {
    return text.endsWith('=');
  }
}

/** No sentence is this long without a space or a full stop. */
const sureBase64Length = 100;

const refusal = { response: 'CancelAuth' } as const;

/**
 * Only the site of the request is given the password: another server that a page includes could ask for it too, and a
 * proxy's question is not the site's. Markup of the request itself has no site, its author chose what it includes.
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
 * The Fetch domain does not see WebSockets, so a rule that refuses them is kept by the page's own constructor: a
 * refused address becomes one that no browser connects to, and fails like any other.
 */
export function refuseSockets(session: CdpSession, rules: InterceptRules): Promise<unknown>[] {
  const source = socketRefusal(rules, '');
  // Immediately as well: html of the request is written into the document that is there.
  return source === undefined
    ? []
    : [session.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true })];
}

/**
 * Refuses sockets until it is told to stop.
 * @returns when the refusal is in force, and what ends it, also in the documents that are there
 */
export function refuseSocketsForNow(page: Page, rules: InterceptRules): { ready: Promise<unknown>; free(): void } {
  // The page reads a property of its own constructor with every name but this one.
  const key = crypto.randomUUID();
  const source = socketRefusal(rules, key);
  if (source === undefined) return { ready: Promise.resolve(), free() {} };
  const scripts = new Map<CdpSession, string>();
  const refuse = async (session: CdpSession): Promise<void> => {
    const added = await session.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true });
    scripts.set(session, added.identifier);
  };
  const end = async (session: CdpSession, identifier: string): Promise<void> => {
    const removed = session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier });
    const release = `WebSocket[${JSON.stringify(key)}]`;
    const once = session.send('Page.addScriptToEvaluateOnNewDocument', { source: release, runImmediately: true });
    await session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier: (await once).identifier });
    await removed;
  };
  const frames = childTargetsOf(page).apply(({ session, type }) => (type === 'iframe' ? [refuse(session)] : []));
  return {
    ready: Promise.all([refuse(page.session), frames.ready]),
    free() {
      frames.stop();
      // A frame that is gone refuses nothing.
      for (const [session, identifier] of scripts) end(session, identifier).catch(() => {});
    },
  };
}

/** @param key the property that, once read, ends the refusal; empty for none */
function socketRefusal({ rejectResourceTypes, rejectRequestPattern }: InterceptRules, key: string): string | undefined {
  const all = rejectResourceTypes.includes('websocket');
  if (!all && rejectRequestPattern.length === 0) return undefined;
  return toExpression(refuseWebSockets, [all ? null : rejectRequestPattern, key]);
}
