/**
 * Reports a page's navigations, requests and console messages from the protocol. Neither Page nor Runtime is enabled:
 * with Page, a dialog would wait for somebody to answer it; with Runtime, pages can detect that their objects are
 * inspected.
 */
import { ignoreFailures } from '../../../browser/cdp/auto-attach.ts';
import type { CdpSession, EventParams } from '../../../browser/cdp/connection.ts';
import { replayLimits } from '../../../base/limits.ts';
import type { ConsoleLevel, ProtocolEvent } from './event-log.ts';
import { now } from '../../../base/runtime/machine.ts';
import { networkBuffers } from '../../../browser/processes/page-target.ts';

/** Status codes of responses that do not change the page. */
const emptyStatuses: ReadonlySet<number> = new Set([204, 205]);
const secondMs = 1_000;

const levels: Readonly<Record<string, ConsoleLevel>> = {
  log: 'log',
  info: 'info',
  warning: 'warning',
  error: 'error',
  debug: 'debug',
  verbose: 'debug',
};

export interface PageEventsOptions {
  /** The server's session with the page. */
  session: CdpSession;
  /** Target id of the page. */
  page: string;
  /** URL and title of the page at the start. */
  shows: { url: string; title: string };
  /** Called with each event. The title is added to a navigation's payload later, when it is known. */
  report(timestamp: number, event: ProtocolEvent): void;
}

interface OpenRequest {
  method: string;
  url: string;
  type: string;
  status: number;
  startedAt: number;
  /** Start time in seconds, on the browser's clock. */
  began: number;
  isMainDocument: boolean;
}

export class PageEvents implements Disposable {
  readonly #options: PageEventsOptions;
  readonly #open = new Map<string, OpenRequest>();
  readonly #stops: (() => void)[] = [];
  readonly #second = { from: 0, told: 0, leftOut: 0 };
  #url = '';
  #title = '';
  #navigatedAt = 0;
  #navigation: Extract<ProtocolEvent, { tag: 'navigation' }> | undefined;

  constructor(options: PageEventsOptions) {
    this.#options = options;
    const { session, page, shows } = options;
    const { root } = session.connection;
    this.#shows(shows);
    this.#stops.push(
      root.on('Target.targetInfoChanged', ({ targetInfo }) => {
        if (targetInfo.targetId === page) this.#shows(targetInfo);
      }),
      session.on('Network.requestWillBeSent', (event) => this.#sent(event)),
      session.on('Network.responseReceived', ({ requestId, response, timestamp }) => {
        const open = this.#open.get(requestId);
        if (!open) return;
        open.status = response.status;
        if (open.isMainDocument) this.#leave(open, timestamp);
      }),
      session.on('Network.loadingFinished', ({ requestId, timestamp }) => this.#ended(requestId, timestamp)),
      session.on('Network.loadingFailed', ({ requestId, timestamp, errorText, blockedReason, canceled }) =>
        this.#ended(requestId, timestamp, blockedReason ?? (canceled ? 'canceled' : errorText)),
      ),
    );
    ignoreFailures([session.send('Network.enable', networkBuffers), this.#listen()]);
  }

  /** The last URL and the last title of the page; empty when unknown. */
  get shows(): { url: string; title: string } {
    return { url: this.#url, title: this.#title };
  }

  /** Asks for the title, because Chromium reports a new title only with the next URL. */
  async look(): Promise<void> {
    const { session, page: targetId } = this.#options;
    // The page may have closed.
    const found = await session.connection.root.send('Target.getTargetInfo', { targetId }).catch(() => undefined);
    if (found) this.#shows(found.targetInfo);
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#reportOmitted();
  }

  /** Listens only after the past messages have been replayed, because they have no timestamps. */
  async #listen(): Promise<void> {
    const { session } = this.#options;
    await Promise.all([session.send('Console.enable'), session.send('Log.enable')]);
    this.#stops.push(
      session.on('Console.messageAdded', ({ message }) => this.#console(levels[message.level] ?? 'log', message.text)),
      session.on('Log.entryAdded', ({ entry }) => {
        // Failed requests are reported as requests.
        if (entry.source !== 'network') this.#console(levels[entry.level] ?? 'log', entry.text);
      }),
    );
  }

  #console(level: ConsoleLevel, text: string): void {
    if (!this.#isWithinRate()) return;
    this.#report({ tag: 'console', payload: { level, text: text.slice(0, replayLimits.textCharacters) } });
  }

  #shows({ url, title }: { url: string; title: string }): void {
    const address = url.slice(0, replayLimits.addressCharacters);
    const name = title.slice(0, replayLimits.textCharacters);
    const isNew = address !== '' && address !== this.#url;
    if (isNew) this.#navigated(address);
    // Chromium uses the URL as the title of a document without one.
    const isAddress = url.replace(/^https?:\/\//, '').startsWith(name);
    if (name === '' || name === this.#title || isAddress) return;
    this.#title = name;
    if (this.#navigation) this.#navigation.payload.title = name;
  }

  #navigated(url: string): void {
    this.#url = url;
    this.#title = '';
    this.#navigatedAt = now();
    this.#navigation = { tag: 'navigation', payload: { url } };
    this.#report(this.#navigation);
  }

  #sent(event: EventParams<'Network.requestWillBeSent'>): void {
    const { requestId, request, type, frameId, loaderId, redirectResponse, timestamp } = event;
    if (redirectResponse) {
      const before = this.#open.get(requestId);
      if (before) before.status = redirectResponse.status;
      this.#ended(requestId, timestamp);
    }
    if (this.#open.size >= replayLimits.openRequests) return;
    this.#open.set(requestId, {
      method: request.method.slice(0, 20),
      url: displayUrl(request.url),
      type: type ?? 'Other',
      status: 0,
      startedAt: now(),
      began: timestamp,
      isMainDocument: frameId === this.#options.page && requestId === loaderId,
    });
  }

  /** Reports the open requests of the previous document, because Chromium does not report their end. */
  #leave({ began }: OpenRequest, timestamp: number): void {
    for (const [requestId, open] of this.#open) {
      if (open.began < began) this.#ended(requestId, timestamp, open.status === 0 ? 'canceled' : undefined);
    }
  }

  #ended(requestId: string, timestamp: number, error?: string): void {
    const open = this.#open.get(requestId);
    if (!open) return;
    this.#open.delete(requestId);
    const { method, url, type, status, began } = open;
    // The URL does not change when a page is reloaded.
    const isReload = open.isMainDocument && error === undefined && this.#navigatedAt < open.startedAt;
    if (isReload && !emptyStatuses.has(status)) this.#navigated(this.#url);
    if (!this.#isWithinRate()) return;
    const ms = Math.max(0, Math.round((timestamp - began) * 1_000));
    const payload = { method, url, type, status: error === undefined ? status : 0, ms };
    this.#report({
      tag: 'request',
      payload: error === undefined ? payload : { ...payload, error: error.slice(0, 200) },
    });
  }

  /** Rate-limits events that a page can cause at will. */
  #isWithinRate(): boolean {
    const second = this.#second;
    if (now() - second.from > secondMs) {
      this.#reportOmitted();
      second.from = now();
      second.told = 0;
    }
    if (++second.told <= replayLimits.eventsPerSecond) return true;
    second.leftOut++;
    return false;
  }

  #reportOmitted(): void {
    const { leftOut } = this.#second;
    if (leftOut === 0) return;
    this.#second.leftOut = 0;
    const text = `${leftOut} console messages and requests were omitted: only ${replayLimits.eventsPerSecond} per second are recorded.`;
    this.#report({ tag: 'notice', payload: { text } });
  }

  #report(event: ProtocolEvent): void {
    this.#options.report(Date.now(), event);
  }
}

/** Returns a URL without query values, fragment, username, password and the content of `data:`. */
export function displayUrl(address: string): string {
  // Values are removed, so read more characters than are kept.
  const text = address.slice(0, 8 * replayLimits.addressCharacters);
  if (/^data:/i.test(text)) return /^data:[^,]{0,100}(?=,)/i.exec(text)?.[0] ?? 'data:';
  const url = URL.parse(text);
  if (!url) return '';
  url.username = '';
  url.password = '';
  url.hash = '';
  // Drop parts without a name: they are values.
  const names = url.search
    .slice(1)
    .split('&')
    .flatMap((part) => (part.indexOf('=') > 0 ? [part.slice(0, part.indexOf('=') + 1)] : []));
  url.search = names.join('&');
  return url.href.slice(0, replayLimits.addressCharacters);
}
