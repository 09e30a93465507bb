/**
 * One live view: a link with which people watch a page of a session and, unless it is for watching only, act in it. It
 * ends once, for one of the reasons of `EndReason`; watching neither prolongs nor ends the session.
 */
import type { Log } from '../telemetry/log.ts';
import { ServiceError } from '../errors.ts';
import { liveLimits } from '../limits.ts';
import { maxTimerMs } from '../runtime/deadline.ts';
import type { TextSocket } from '../runtime/http/text-socket.ts';
import type { AttachableSession } from '../sessions/session.ts';
import type { EndReason, ServerMessage, ViewerMessage } from './messages.ts';
import type { PageSessions } from './page-sessions.ts';
import type { Picture } from './picture.ts';
import { type Tab, Tabs } from './tabs.ts';
import { Viewer } from './viewer.ts';
import { WatchedPage } from './watched-page.ts';

export interface LiveViewSettings {
  /** How long the link works, in milliseconds; 0 for as long as the page lives. */
  timeoutMs: number;
  /** False for a link with which people watch only. */
  interactive: boolean;
  /** Whether the page gets the size of the viewer's window. */
  resizable: boolean;
  /** Best quality of the pictures of a moving page, 1 to 100. */
  quality: number;
  /** Format and quality of the sharp picture that comes when the page rests. */
  still: 'jpeg' | 'png';
  stillQuality: number;
  /** Whether the quality follows what viewers can take. */
  adapts: boolean;
  /** Whether viewers see tabs and the address, and may change them. */
  showsBrowser: boolean;
  /** Whether viewers get lists and dialogs of their own for fields whose own no picture shows. */
  emulatesComponents: boolean;
  /** What the person is asked to do; empty for nothing. */
  instructions: string;
}

export interface LiveViewOptions extends LiveViewSettings {
  id: string;
  session: AttachableSession;
  sessions: PageSessions;
  /** The page that it was made for. */
  targetId: string;
  maxViewers: number;
  /** Whether an address may be opened. */
  mayOpen(address: string): boolean;
  /** Called once, at its end. */
  ended(view: LiveView): void;
  log: Log;
}

/** How a live view ended. */
export interface LiveViewEnd {
  reason: EndReason;
  /** What the person wrote who could not do what was asked; empty for nothing. */
  note: string;
}

/** What viewers are told at the end. */
const sentences: Readonly<Record<EndReason, string>> = {
  done: 'Done: the script goes on. You can close this window.',
  failed: 'The script has been told that this could not be done. You can close this window.',
  closed: 'The script has closed this view.',
  timeout: 'The time of this link is over.',
  'page-closed': 'The page was closed.',
};

/** A page that opens this soon after an act of a viewer is shown, in milliseconds. */
const followMs = 2_000;

export class LiveView {
  readonly id: string;
  readonly targetId: string;
  readonly settings: LiveViewSettings;
  readonly #options: LiveViewOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #tabs: Tabs;
  readonly #expiry: ReturnType<typeof setTimeout> | undefined;
  /** Epoch milliseconds; undefined for never. */
  readonly expiresAt: number | undefined;
  /** The target id of the page that is shown. */
  #active: string;
  #page: WatchedPage | undefined;
  #opening: Promise<void> | undefined;
  #size: Extract<ViewerMessage, { t: 'size' }> | undefined;
  #actedAt = -Infinity;
  /** Number of the newest picture. */
  #seq = 0;
  #end: LiveViewEnd | undefined;

  constructor(options: LiveViewOptions) {
    const { id, targetId, session, timeoutMs } = options;
    this.id = id;
    this.targetId = targetId;
    this.settings = options;
    this.#options = options;
    this.#active = targetId;
    this.#tabs = new Tabs(session.process.connection.root, (url) => session.targets.mayDriveAddress(url), {
      opened: (tab) => this.#tabOpened(tab),
      changed: (tab) => this.#tabChanged(tab),
      closed: (closed) => this.#tabClosed(closed),
    });
    if (timeoutMs > 0 && timeoutMs <= maxTimerMs) {
      this.expiresAt = Date.now() + timeoutMs;
      this.#expiry = setTimeout(() => this.end('timeout'), timeoutMs);
    }
  }

  /** Learns of the session's pages. */
  async start(): Promise<void> {
    await this.#tabs.start().catch(() => {});
    if (!this.#tabs.get(this.targetId)) this.end('page-closed');
  }

  /** How it ended; undefined while it works. */
  get outcome(): LiveViewEnd | undefined {
    return this.#end;
  }

  /** Id of the session that it belongs to. */
  get session(): string {
    return this.#options.session.facts.id;
  }

  get viewerCount(): number {
    return this.#viewers.size;
  }

  /** @throws ServiceError `too-many-viewers`, and `session-not-found` when it has ended */
  checkRoom(): void {
    if (this.#end) throw new ServiceError('session-not-found', sentences[this.#end.reason]);
    const { maxViewers } = this.#options;
    if (this.#viewers.size < maxViewers) return;
    throw new ServiceError(
      'too-many-viewers',
      `As many people watch this page as LIVE_MAX_VIEWERS allows (${maxViewers}). Try again when one of them has left.`,
    );
  }

  /** Lets somebody watch. @param address the client's end of the connection, for the log */
  join(socket: TextSocket, address: string | undefined): void {
    const { interactive, log } = this.#options;
    const viewer = new Viewer({
      socket,
      interactive,
      take: (message) => this.#take(viewer, message),
      changed: () => this.#demand(),
    });
    const since = Date.now();
    this.#viewers.add(viewer);
    viewer.closed.addEventListener('abort', () => {
      this.#leave(viewer);
      log.info('live.viewer', { live: this.shortId, address, interactive, ms: Date.now() - since });
    });
    this.#greet(viewer);
    viewer.listen();
    this.#tellAll({ t: 'viewers', n: this.#viewers.size });
    void this.#show();
  }

  /** The part of its id that may be in a log: the whole is a key. */
  get shortId(): string {
    return this.id.slice(0, 4);
  }

  /** Ends it; later calls do nothing. @param note what the person wrote */
  end(reason: EndReason, note = '', sentence = sentences[reason]): void {
    if (this.#end) return;
    this.#end = { reason, note };
    clearTimeout(this.#expiry);
    this.#tabs[Symbol.dispose]();
    for (const viewer of this.#viewers) viewer.end({ t: 'end', reason, text: sentence });
    this.#viewers.clear();
    this.#closePage();
    this.#options.ended(this);
  }

  #greet(viewer: Viewer): void {
    const { interactive, resizable, showsBrowser: ui, instructions } = this.#options;
    const expiresAt = this.expiresAt ?? null;
    viewer.send({ t: 'hello', interactive, resizable, ui, instructions, expiresAt });
    this.#tellTabs(viewer);
    const dialog = this.#page?.dialog;
    if (dialog && interactive) viewer.send(dialog);
  }

  #leave(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer) || this.#end) return;
    this.#tellAll({ t: 'viewers', n: this.#viewers.size });
    if (this.#viewers.size > 0) return this.#demand();
    this.#size = undefined;
    this.#closePage();
  }

  #take(viewer: Viewer, message: ViewerMessage): void {
    if (this.#end) return;
    if (message.t !== 'move' && message.t !== 'size' && message.t !== 'blur') this.#actedAt = performance.now();
    switch (message.t) {
      case 'size':
        return this.#resize(viewer, message);
      case 'done':
        return this.end(message.failed ? 'failed' : 'done', message.note);
      case 'tab':
      case 'closeTab':
      case 'newTab':
      case 'go':
      case 'back':
      case 'forward':
      case 'reload':
        if (this.#options.showsBrowser) this.#browse(message);
        return;
      default:
        this.#act(message);
    }
  }

  /** Carries out what was done in the page, in order; what comes before the page is there waits for it. */
  #act(message: ViewerMessage): void {
    if (this.#page && !this.#opening) this.#page.take(message);
    else void this.#show().then(() => this.#page?.take(message));
  }

  /** What the strip of tabs and the address bar ask for. */
  #browse(
    message: Extract<ViewerMessage, { t: 'tab' | 'closeTab' | 'newTab' | 'go' | 'back' | 'forward' | 'reload' }>,
  ) {
    const { root } = this.#options.session.process.connection;
    if (message.t === 'tab') {
      if (this.#tabs.get(message.id)) void this.#switchTo(message.id, true);
    } else if (message.t === 'closeTab') {
      if (this.#tabs.get(message.id)) root.send('Target.closeTarget', { targetId: message.id }).catch(() => {});
    } else if (message.t === 'newTab') {
      this.#openTab(root);
    } else if (message.t === 'go') {
      const address = asAddress(message.url);
      if (address !== undefined && this.#options.mayOpen(address)) this.#page?.navigate(address);
      else void this.#page?.tell();
    } else {
      this.#act(message);
    }
  }

  #openTab(root: AttachableSession['process']['connection']['root']): void {
    // Beside the page that is shown: a context of a client's own has cookies of its own.
    root
      .send('Target.getTargetInfo', { targetId: this.#active })
      .then(({ targetInfo: { browserContextId } }) =>
        root.send('Target.createTarget', {
          url: 'about:blank',
          ...(browserContextId === undefined ? {} : { browserContextId }),
        }),
      )
      .then(({ targetId }) => this.#switchTo(targetId, true))
      .catch(() => {});
  }

  /** The first viewer decides on the size. */
  #resize(viewer: Viewer, message: Extract<ViewerMessage, { t: 'size' }>): void {
    const [first] = this.#viewers;
    if (!this.#options.resizable || viewer !== first) return;
    this.#size = message;
    this.#page?.resize(message);
  }

  /** Attaches to the page that is to be shown, unless it is shown already. */
  #show(): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    const { session, sessions } = this.#options;
    while (!this.#end && this.#viewers.size > 0 && this.#page?.targetId !== this.#active) {
      this.#closePage();
      const targetId = this.#active;
      const opened = await WatchedPage.open({
        ...this.#options,
        sessions,
        targetId,
        viewports: session.viewports,
        full: session.process.mode !== 'shell',
        sharedClipboard: session.process.shared,
        audience: {
          show: (picture: Picture) => {
            for (const viewer of this.#viewers) viewer.show(picture);
          },
          next: () => ++this.#seq,
          isReady: () => [...this.#viewers].some(({ ready }) => ready),
        },
        send: (message) => this.#tellAll(message),
      }).catch(() => undefined);
      if (!opened) {
        // It has gone; its end is reported.
        if (this.#tabs.get(targetId)) this.end('page-closed');
        return;
      }
      if (this.#end || this.#viewers.size === 0 || targetId !== this.#active) {
        opened[Symbol.dispose]();
        continue;
      }
      this.#page = opened;
      opened.listen(this.#options.interactive);
      if (this.#size) opened.resize(this.#size);
      void opened.tell();
    }
    this.#demand();
  }

  #closePage(): void {
    this.#page?.[Symbol.dispose]();
    this.#page = undefined;
  }

  /** Lets pictures be taken while somebody can see them; who has come late gets the last one. */
  #demand(): void {
    const capture = this.#page?.capture;
    if (!capture) return;
    capture.demand([...this.#viewers].some(({ visible }) => visible));
    const { last } = capture;
    if (last) for (const viewer of this.#viewers) viewer.catchUp(last);
    capture.ready();
  }

  /** @param asked whether a viewer has asked for it: then the browser brings it to the front too */
  async #switchTo(targetId: string, asked: boolean): Promise<void> {
    if (this.#active !== targetId) {
      this.#active = targetId;
      this.#tellTabs();
      await this.#show();
    }
    if (asked && this.#page?.targetId === targetId) this.#page.bringToFront();
  }

  #tabOpened(tab: Tab): void {
    this.#tellTabs();
    const followed = tab.openerId === this.#active && performance.now() - this.#actedAt < followMs;
    if (followed) void this.#switchTo(tab.id, false);
  }

  #tabChanged(tab: Tab): void {
    this.#tellTabs();
    if (tab.id === this.#active) void this.#page?.tell();
  }

  #tabClosed(id: string): void {
    if (this.#end) return;
    const [other] = this.#tabs.list;
    if (!other || (id === this.targetId && !this.#options.showsBrowser)) return this.end('page-closed');
    if (id !== this.#active) return this.#tellTabs();
    this.#closePage();
    void this.#switchTo(this.#tabs.get(this.targetId)?.id ?? other.id, false);
  }

  #tellTabs(viewer?: Viewer): void {
    if (!this.#options.showsBrowser) return;
    const tabs = this.#tabs.list.slice(0, liveLimits.tabs).map(({ id, title, url }) => ({ id, title, url }));
    const message: ServerMessage = { t: 'tabs', tabs, active: this.#active };
    if (viewer) viewer.send(message);
    else this.#tellAll(message);
  }

  #tellAll(message: ServerMessage): void {
    for (const viewer of this.#viewers) viewer.send(message);
  }
}

/** What a person typed as an address; `https:` is put before one without a scheme. */
function asAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const hasScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i.test(text);
  const address = hasScheme ? text : `${/^(?:localhost|[\d.]+)(?::|\/|$)/.test(text) ? 'http' : 'https'}://${text}`;
  return URL.canParse(address) ? address : undefined;
}
