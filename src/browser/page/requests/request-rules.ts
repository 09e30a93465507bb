/**
 * Applies rules to a page's requests that can change while the page lives (Fetch domain): a rule refuses requests or
 * answers them with a response fetched elsewhere. Fixed rules, known before the page loads, are in intercept.ts.
 */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';
import type { Page } from '../page.ts';
import type { CompiledMatch, MatchedRequest, PatternMatch } from './request-match.ts';
import { childTargetsOf } from '../child-targets.ts';
import { isPreflight, ReportedTypes } from './request-kinds.ts';
import { fromBase64, toBase64 } from '../../../base/runtime/bytes.ts';

interface PausedRequest extends MatchedRequest {
  headers: Record<string, string>;
  /** Base64; undefined if the request has no body. */
  body: string | undefined;
}

interface FetchedResponse {
  /** Called when the browser has taken or refused the response. */
  taken?: () => void;
  status: number;
  headers: { name: string; value: string }[];
  /** Base64. */
  body: string;
}

interface RefuseRule {
  action: 'refuse';
  match: PatternMatch;
  /** Called when the rule is removed. */
  end(): void;
}

export interface FetchRule {
  action: 'fetch';
  match: CompiledMatch;
  /** Fetches the response in place of the browser; if it rejects, the browser's request fails. */
  fetch(request: PausedRequest): Promise<FetchedResponse>;
  /** Called when the rule is removed. */
  end(): void;
}

type Rule = RefuseRule | FetchRule;
type Paused = EventParams<'Fetch.requestPaused'>;

export class RequestRules {
  readonly #page: Page;
  #rules: Rule[] = [];
  readonly #types = new ReportedTypes();
  #stop: (() => void) | undefined;
  #isAd: ((event: Paused) => boolean) | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Appends a rule. The first matching rule wins, with all refusals before all fetches. */
  async add(rule: Rule): Promise<void> {
    this.#rules.push(rule);
    await this.#listen();
  }

  /** Also refuses advertisements, before any rule. */
  async refuseAds(isAd: (event: Paused) => boolean): Promise<void> {
    this.#isAd = isAd;
    await this.#listen();
  }

  /** Removes all refusals. */
  clearRefusals(): void {
    for (const rule of this.#rules) if (isRefusal(rule)) rule.end();
    this.#rules = this.#rules.filter((rule) => !isRefusal(rule));
  }

  /** Removes all rules and stops pausing requests. */
  clear(): void {
    for (const rule of this.#rules) rule.end();
    this.#rules = [];
    this.#stop?.();
    this.#stop = undefined;
  }

  async #listen(): Promise<void> {
    if (this.#stop) return;
    // Only the Network domain distinguishes fetch() from XMLHttpRequest.
    this.#page.networkNeeded = true;
    this.#page.watchNetwork();
    const started = new Map<CdpSession, (() => void)[]>();
    const start = (session: CdpSession): Promise<unknown>[] => {
      started.set(session, [
        this.#page.undo(session.on('Fetch.requestPaused', (event) => void this.#decide(session, event))),
        this.#page.undo(this.#types.listen(session)),
      ]);
      return [session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })];
    };
    const frames = childTargetsOf(this.#page).apply(({ session, type }) => (type === 'iframe' ? start(session) : []));
    this.#stop = () => {
      frames.stop();
      for (const [session, undo] of started) {
        for (const step of undo) step();
        // Chromium continues the requests that are paused at this moment.
        session.send('Fetch.disable').catch(() => {});
      }
    };
    await this.#page.until(Promise.all([frames.ready, ...start(this.#page.session)]));
  }

  async #decide(session: CdpSession, event: Paused): Promise<void> {
    const { requestId, request } = event;
    const go = () => session.send('Fetch.continueRequest', { requestId });
    try {
      if (this.#isAd?.(event)) {
        return void (await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }));
      }
      if (this.#rules.length === 0) return void (await go());
      const found = { url: request.url, method: request.method, type: await this.#kindOf(event) };
      const rules = [...this.#rules.filter(isRefusal), ...this.#rules.filter((rule) => !isRefusal(rule))];
      const rule = await firstRule(rules, found);
      if (rule === 'unknown') await session.send('Fetch.failRequest', { requestId, errorReason: 'AccessDenied' });
      else if (!rule) await go();
      else if (rule.action === 'refuse') {
        await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      } else await this.#answer(session, event, rule, found);
    } catch {
      // A request that no longer exists (closed frame, navigation) does not need a response.
    }
  }

  async #answer(session: CdpSession, event: Paused, rule: FetchRule, found: MatchedRequest): Promise<void> {
    const { requestId, request } = event;
    try {
      const body = request.hasPostData ? await postData(session, event) : undefined;
      const response = await rule.fetch({ ...found, headers: request.headers, body });
      const { status, headers, body: answer, taken } = response;
      await session
        .send('Fetch.fulfillRequest', { requestId, responseCode: status, responseHeaders: headers, body: answer })
        .finally(taken);
    } catch {
      await session.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionFailed' });
    }
  }

  async #kindOf(event: Paused): Promise<string> {
    const { resourceType, networkId = '' } = event;
    if (resourceType === 'Fetch') return 'prefetch';
    if (isPreflight(event)) return 'preflight';
    const reported = ambiguous.has(resourceType) ? await this.#types.of(networkId) : undefined;
    return reported ?? resourceType.toLowerCase();
  }
}

/** Types of the Fetch domain that cover several types of the Network domain. */
const ambiguous = new Set(['XHR', 'Media', 'Other']);

function isRefusal(rule: Rule): rule is RefuseRule {
  return rule.action === 'refuse';
}

/**
 * Returns the first matching rule; `unknown` when regular expressions exceed their budget, which fails the BrowserQL
 * document.
 */
async function firstRule(rules: readonly Rule[], request: MatchedRequest): Promise<Rule | undefined | 'unknown'> {
  try {
    for (const rule of rules) {
      const fits = rule.match.test(request);
      if (typeof fits === 'boolean' ? fits : await fits) return rule;
    }
    return undefined;
  } catch {
    return 'unknown';
  }
}

async function postData(session: CdpSession, { request, networkId }: Paused): Promise<string | undefined> {
  const parts = request.postDataEntries?.map(({ bytes }) => bytes);
  if (parts && parts.every((part) => part !== undefined)) {
    return toBase64(new Uint8Array(await new Blob(parts.map((part) => fromBase64(part))).arrayBuffer()));
  }
  if (networkId === undefined) return undefined;
  const answer = await session.send('Network.getRequestPostData', { requestId: networkId });
  return toBase64(new TextEncoder().encode(answer.postData));
}
