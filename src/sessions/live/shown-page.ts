/**
 * The page that a live view shows, and switching to other pages: follows the tabs of the session, attaches to the
 * active page while somebody watches, and carries out what viewers do in the page, the tabs and the address bar.
 */
import { ServiceError } from '../../base/errors.ts';
import { liveViewLimits } from '../../base/limits.ts';
import type { AttachableSession } from '../lifecycle/session.ts';
import type { FileRequests } from './page/file-requests.ts';
import type { LiveViewSettings } from './settings.ts';
import type { ServerMessage, ViewerMessage } from './protocol/messages.ts';
import type { LiveFrame } from './protocol/picture.ts';
import { type Tab, Tabs } from './tabs.ts';
import type { WatchedPage, WatchedPageOptions } from './page/watched-page.ts';

export interface ShownPageOptions extends Pick<
  WatchedPageOptions,
  'sessions' | 'mayOpen' | 'maxUploadBytes' | 'delivered' | 'audience' | 'send'
> {
  settings: LiveViewSettings;
  session: AttachableSession;
  /** The page that the live view was created for. */
  targetId: string;
  /** Whether there are viewers, including those that cannot see the image now. */
  isWatched(): boolean;
  /** Whether a viewer can see the image. */
  isVisible(): boolean;
  /** Receives the newest image, which some viewers might not have yet. */
  catchUp(picture: LiveFrame): void;
  /** Called when the last page, or the one that the live view was created for, has closed. */
  onPageClosed(): void;
}

/** Messages from the tab strip and the address bar. */
export type Browsing = Extract<
  ViewerMessage,
  { t: 'tab' | 'closeTab' | 'newTab' | 'go' | 'back' | 'forward' | 'reload' }
>;

/** Time in milliseconds after a viewer's action within which the view switches to a page that opens. */
const followMs = 2_000;

export class ViewedPage implements Disposable {
  readonly #options: ShownPageOptions;
  readonly #tabs: Tabs;
  /** Target id of the active page, which is to be shown. */
  #active: string;
  #page: WatchedPage | undefined;
  #opening: Promise<void> | undefined;
  #size: Extract<ViewerMessage, { t: 'size' }> | undefined;
  #actedAt = -Infinity;
  #ended = false;

  constructor(options: ShownPageOptions) {
    const { session, targetId } = options;
    this.#options = options;
    this.#active = targetId;
    this.#tabs = new Tabs(session.process.connection.root, (url) => session.targets.mayDriveAddress(url), {
      opened: (tab) => this.#tabOpened(tab),
      changed: (tab) => this.#tabChanged(tab),
      closed: (id) => this.#tabClosed(id),
    });
  }

  /** Loads the list of the session's pages. */
  async start(): Promise<void> {
    await this.#tabs.start().catch(() => {});
    if (!this.#tabs.get(this.#options.targetId)) this.#options.onPageClosed();
  }

  /** File requests of the page. @throws ServiceError `not-found` while no page is shown */
  get files(): FileRequests {
    if (this.#page) return this.#page.files;
    throw new ServiceError('not-found', 'The page is no longer asking for these files.');
  }

  /** The dialog that is open; undefined if there is none. */
  get dialog(): ServerMessage | undefined {
    return this.#page?.dialog;
  }

  /** The `tabs` message, for viewers that see the tabs. */
  get tabs(): ServerMessage {
    const tabs = this.#tabs.list.slice(0, liveViewLimits.tabs).map(({ id, title, url }) => ({ id, title, url }));
    return { t: 'tabs', tabs, active: this.#active };
  }

  /** Attaches to the active page, unless it is already shown. */
  show(): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Called when the last viewer has left: restores the page's size. */
  leave(): void {
    this.#size = undefined;
    this.#close();
  }

  /** Captures images only while a viewer can see them, and sends the last one to viewers that lack it. */
  updateDemand(): void {
    const capture = this.#page?.capture;
    if (!capture) return;
    capture.demand(this.#options.isVisible());
    if (capture.last) this.#options.catchUp(capture.last);
    capture.ready();
  }

  /**
   * Carries out viewer actions in the page, in order. Actions that arrive before the page is attached wait for it.
   * @param tell sends messages only to the viewer who acted
   */
  act(message: ViewerMessage, tell: (message: ServerMessage) => void): void {
    if (message.t !== 'move' && message.t !== 'blur') this.#actedAt = performance.now();
    if (this.#page && !this.#opening) this.#page.take(message, tell);
    else void this.show().then(() => this.#page?.take(message, tell));
  }

  /** Gives the page the size of a viewer's window. */
  resize(size: Extract<ViewerMessage, { t: 'size' }>): void {
    this.#size = size;
    this.#page?.resize(size);
  }

  browse(message: Browsing, tell: (message: ServerMessage) => void): void {
    const { root } = this.#options.session.process.connection;
    if (message.t === 'tab') {
      if (this.#tabs.get(message.id)) void this.#switchTo(message.id, true);
    } else if (message.t === 'closeTab') {
      if (this.#tabs.get(message.id)) root.send('Target.closeTarget', { targetId: message.id }).catch(() => {});
    } else if (message.t === 'newTab') {
      this.#openTab();
    } else if (message.t === 'go') {
      void this.show().then(() => {
        const address = asAddress(message.url);
        if (address !== undefined && this.#options.mayOpen(address)) this.#page?.navigate(address);
        else void this.#page?.sendPageInfo();
      });
    } else {
      this.act(message, tell);
    }
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#tabs[Symbol.dispose]();
    this.#close();
  }

  #openTab(): void {
    const { root } = this.#options.session.process.connection;
    // In the same context as the shown page: contexts that clients create have separate cookies.
    root
      .send('Target.getTargetInfo', { targetId: this.#active })
      .then(({ targetInfo: { browserContextId } }) =>
        root.send('Target.createTarget', { url: 'about:blank', browserContextId }),
      )
      .then(({ targetId }) => this.#switchTo(targetId, true))
      .catch(() => {});
  }

  async #open(): Promise<void> {
    const { session, settings, isWatched, onPageClosed } = this.#options;
    const { WatchedPage: Opened } = await import('./page/watched-page.ts');
    while (!this.#ended && isWatched() && this.#page?.targetId !== this.#active) {
      this.#close();
      const targetId = this.#active;
      const opened = await Opened.open({
        ...settings,
        ...this.#options,
        targetId,
        viewports: session.viewports,
        full: session.process.mode !== 'shell',
        sharedClipboard: session.process.shared,
        uploads: session.process.space.scratchDirectory,
      }).catch(() => undefined);
      if (!opened) {
        // The page has closed; unless Tabs has already reported that, end the view.
        if (this.#tabs.get(targetId)) onPageClosed();
        return;
      }
      if (this.#ended || !isWatched() || targetId !== this.#active) {
        opened[Symbol.dispose]();
        continue;
      }
      this.#page = opened;
      opened.listen(settings.interactive);
      if (this.#size) opened.resize(this.#size);
      void opened.sendPageInfo();
    }
    this.updateDemand();
  }

  #close(): void {
    this.#page?.[Symbol.dispose]();
    this.#page = undefined;
  }

  /** @param asked whether a viewer asked for the page: then the browser also brings it to the front */
  async #switchTo(targetId: string, asked: boolean): Promise<void> {
    if (this.#active !== targetId) {
      this.#active = targetId;
      this.#sendTabs();
      await this.show();
    }
    if (asked && this.#page?.targetId === targetId) this.#page.bringToFront();
  }

  #tabOpened(tab: Tab): void {
    this.#sendTabs();
    const followed = tab.openerId === this.#active && performance.now() - this.#actedAt < followMs;
    if (followed) void this.#switchTo(tab.id, false);
  }

  #tabChanged(tab: Tab): void {
    this.#sendTabs();
    if (tab.id === this.#active) void this.#page?.sendPageInfo();
  }

  #tabClosed(id: string): void {
    if (this.#ended) return;
    const { targetId, settings, onPageClosed } = this.#options;
    const [other] = this.#tabs.list;
    if (!other || (id === targetId && !settings.showsBrowser)) return onPageClosed();
    if (id !== this.#active) return this.#sendTabs();
    this.#close();
    void this.#switchTo(this.#tabs.get(targetId)?.id ?? other.id, false);
  }

  #sendTabs(): void {
    if (this.#options.settings.showsBrowser) this.#options.send(this.tabs);
  }
}

/** Converts typed text to a URL: adds `https:`, or `http:` for localhost and IP addresses, if there is no scheme. */
function asAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(text);
  const address = hasScheme ? text : `${/^(?:localhost|[\d.]+)(?::|\/|$)/.test(text) ? 'http' : 'https'}://${text}`;
  return URL.canParse(address) ? address : undefined;
}
