/**
 * One live view: a link that lets people watch a page of a session and, unless it is view-only, interact with it. It
 * ends once, for one of the reasons in `EndReason`. Watching neither prolongs nor ends the session.
 */
import type { Log } from '../../base/telemetry/log.ts';
import { ServiceError } from '../../base/errors.ts';
import { liveViewLimits } from '../../base/limits.ts';
import { maxTimerMs } from '../../base/runtime/deadline.ts';
import type { OpenFile } from '../../base/runtime/files.ts';
import type { TextSocket } from '../../base/runtime/http/text-socket.ts';
import type { EndReason, ServerMessage, ViewerMessage } from './protocol/messages.ts';
import type { LiveViewSettings } from './settings.ts';
import { type ShownPageOptions, ViewedPage } from './shown-page.ts';
import { Viewer } from './viewer.ts';
import { now } from '../../base/runtime/machine.ts';

/** Creator of a live view: a client of its session, which is notified of its end, or a person at the dashboard. */
export type LiveViewOwner = 'client' | 'dashboard';

export interface LiveViewOptions
  extends
    LiveViewSettings,
    Pick<ShownPageOptions, 'session' | 'sessions' | 'targetId' | 'maxUploadBytes' | 'delivered' | 'mayOpen'> {
  id: string;
  owner: LiveViewOwner;
  maxViewers: number;
  /** Called once, when the view ends. */
  ended(view: LiveView): void;
  log: Log;
}

/** How a live view ended. */
export interface LiveViewEnd {
  reason: EndReason;
  /** Note from the person about the outcome, such as why the task could not be done; may be empty. */
  note: string;
}

/** Messages shown to viewers at the end. */
const endMessages: Readonly<Record<EndReason, string>> = {
  done: 'Done. The script is continuing. You can close this window.',
  failed: 'The script has been told that this could not be done. You can close this window.',
  closed: 'The script has closed this view.',
  timeout: 'This link has expired.',
  'page-closed': 'The page was closed.',
};

export class LiveView {
  readonly id: string;
  readonly owner: LiveViewOwner;
  readonly targetId: string;
  readonly settings: LiveViewSettings;
  /** Epoch milliseconds, for display; undefined for never. */
  readonly expiresAt: number | undefined;
  /** `expiresAt` on the clock `now`. */
  readonly #endsAt: number = Infinity;
  readonly #options: LiveViewOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #shown: ViewedPage;
  readonly #expiry: ReturnType<typeof setTimeout> | undefined;
  /** Number of the newest image. */
  #seq = 0;
  /** Names of files that pages have downloaded. */
  readonly #downloads = new Set<string>();
  readonly #stopDownloads: () => void;
  /** How the view ended; undefined while it is active. */
  outcome: LiveViewEnd | undefined;

  constructor(options: LiveViewOptions) {
    const { id, owner, targetId, timeoutMs } = options;
    this.id = id;
    this.owner = owner;
    this.targetId = targetId;
    this.settings = options;
    this.#options = options;
    this.#shown = new ViewedPage({
      ...options,
      settings: options,
      audience: {
        show: (picture) => this.#each((viewer) => viewer.show(picture)),
        next: () => ++this.#seq,
        isReady: () => [...this.#viewers].some(({ ready }) => ready),
      },
      isWatched: () => this.#viewers.size > 0,
      isVisible: () => [...this.#viewers].some(({ visible }) => visible),
      catchUp: (picture) => this.#each((viewer) => viewer.catchUp(picture)),
      send: (message) => this.#broadcast(message),
      onPageClosed: () => this.end('page-closed'),
    });
    this.#stopDownloads = options.session.files.onDownloaded(({ name }) => this.#downloaded(name));
    if (timeoutMs > 0 && timeoutMs <= maxTimerMs) {
      this.expiresAt = Date.now() + timeoutMs;
      this.#endsAt = now() + timeoutMs;
      this.#expiry = setTimeout(() => this.end('timeout'), timeoutMs);
    }
  }

  /** Loads the list of the session's pages. */
  start(): Promise<void> {
    return this.#shown.start();
  }

  /** Saves a file that the page has asked for. @throws the errors documented for FileRequests.put */
  async putFile(ticket: string, name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#shown.files.put(ticket, name, content);
  }

  /** Passes the uploaded files to the page. @throws the errors documented for FileRequests.deliver */
  async deliverFiles(ticket: string): Promise<void> {
    await this.#shown.files.deliver(ticket);
  }

  /** Opens a file that a page has downloaded and that viewers were notified of. @throws ServiceError `not-found` */
  async readDownload(name: string): Promise<OpenFile> {
    if (this.#downloads.has(name)) return this.#options.session.files.read(name);
    throw new ServiceError('not-found', 'This live view has no such download.');
  }

  /** Milliseconds until the view expires; Infinity if it has no timeout. */
  get remainingMs(): number {
    return this.#endsAt - now();
  }

  /** Id of the session that the view belongs to. */
  get session(): string {
    return this.#options.session.facts.id;
  }

  get viewerCount(): number {
    return this.#viewers.size;
  }

  /** @throws ServiceError `too-many-viewers`, and `session-not-found` when the view has ended */
  requireCapacity(): void {
    if (this.outcome) throw new ServiceError('session-not-found', endMessages[this.outcome.reason]);
    const { maxViewers } = this.#options;
    if (this.#viewers.size < maxViewers) return;
    throw new ServiceError(
      'too-many-viewers',
      `This page already has as many viewers as LIVE_MAX_VIEWERS allows (${maxViewers}). Try again when one has left.`,
    );
  }

  /** Adds a viewer. @param address the client's network address, for the log */
  join(socket: TextSocket, address: string | undefined): void {
    const { interactive, log } = this.#options;
    const viewer = new Viewer({
      socket,
      interactive,
      onMessage: (message) => this.#handleMessage(viewer, message),
      changed: () => this.#shown.updateDemand(),
    });
    const since = now();
    this.#viewers.add(viewer);
    socket.closed.addEventListener('abort', () => {
      this.#leave(viewer);
      log.info('live.viewer', { live: this.shortId, address, interactive, ms: Math.round(now() - since) });
    });
    this.#greet(viewer);
    viewer.listen();
    this.#broadcast({ t: 'viewers', n: this.#viewers.size });
    void this.#shown.show();
  }

  /** The part of the id that may be logged: the full id is a key. */
  get shortId(): string {
    return this.id.slice(0, 4);
  }

  /** Ends the view; later calls do nothing. @param note note from the person */
  end(reason: EndReason, note = '', message = endMessages[reason]): void {
    if (this.outcome) return;
    this.outcome = { reason, note };
    clearTimeout(this.#expiry);
    this.#stopDownloads();
    this.#each((viewer) => viewer.end({ t: 'end', reason, text: message }));
    this.#viewers.clear();
    this.#shown[Symbol.dispose]();
    this.#options.ended(this);
  }

  #greet(viewer: Viewer): void {
    const { interactive, resizable, showsBrowser: ui, instructions } = this.#options;
    const expiresAt = this.expiresAt ?? null;
    viewer.send({ t: 'hello', interactive, resizable, ui, instructions, expiresAt });
    if (ui) viewer.send(this.#shown.tabs);
    const { dialog } = this.#shown;
    if (dialog && interactive) viewer.send(dialog);
  }

  #downloaded(name: string): void {
    if (!this.#options.interactive || this.#downloads.size >= liveViewLimits.downloads) return;
    this.#downloads.add(name);
    this.#broadcast({ t: 'download', name, href: `downloads/${encodeURIComponent(name)}` });
  }

  #leave(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer) || this.outcome) return;
    this.#broadcast({ t: 'viewers', n: this.#viewers.size });
    if (this.#viewers.size > 0) this.#shown.updateDemand();
    else this.#shown.leave();
  }

  #handleMessage(viewer: Viewer, message: ViewerMessage): void {
    if (this.outcome) return;
    const [first] = this.#viewers;
    const reply = (response: ServerMessage) => viewer.send(response);
    switch (message.t) {
      case 'size':
        // The first viewer decides the size.
        if (this.#options.resizable && viewer === first) this.#shown.resize(message);
        return;
      case 'done':
        return this.end(message.failed ? 'failed' : 'done', message.note);
      case 'tab':
      case 'closeTab':
      case 'newTab':
      case 'go':
      case 'back':
      case 'forward':
      case 'reload':
        if (this.#options.showsBrowser) this.#shown.browse(message, reply);
        return;
      default:
        this.#shown.act(message, reply);
    }
  }

  #broadcast(message: ServerMessage): void {
    this.#each((viewer) => viewer.send(message));
  }

  #each(act: (viewer: Viewer) => void): void {
    for (const viewer of this.#viewers) act(viewer);
  }
}
