/**
 * The page that a live view currently shows: a server-side session with its images, viewer actions, dialogs and
 * history. The clients' own sessions with the page are left alone.
 */
import { ignoreFailures } from '../../../browser/cdp/auto-attach.ts';
import type { CdpSession } from '../../../browser/cdp/connection.ts';
import { pause } from '../../../base/runtime/deadline.ts';
import type { ClientViewports } from '../../../browser/processes/client-viewports.ts';
import { type Audience, Capture, type CaptureOptions } from './capture.ts';
import { copySelection } from './clipboard.ts';
import { FileRequests } from './file-requests.ts';
import { Input } from './input.ts';
import type { ServerMessage, ViewerMessage, ViewerMessageOf } from '../protocol/messages.ts';
import type { PageSessions } from './page-sessions.ts';
import { Pickers } from './pickers.ts';

export interface WatchedPageOptions extends CaptureOptions {
  sessions: PageSessions;
  targetId: string;
  viewports: ClientViewports;
  /** Whether the browser has its own shortcuts: true for all except the headless shell. */
  full: boolean;
  /** Whether other browsers use the same clipboard: then nothing is written to it. */
  sharedClipboard: boolean;
  /** Whether viewers show their own lists and dialogs for fields whose popups do not appear in captured images. */
  emulatesComponents: boolean;
  /** Directory for the files that viewers give the page. */
  uploads: string;
  /** Limit for the total size of the files that a person uploads to a page at one time, in bytes. */
  maxUploadBytes: number;
  /** Directories of files delivered to pages of the session, oldest first. */
  delivered: string[];
  audience: Audience;
  /** Whether a URL may be opened. */
  mayOpen(address: string): boolean;
  send(message: ServerMessage): void;
}

type Tell = (message: ServerMessage) => void;

/** A viewer's action, and the function that sends results to that viewer. */
type Act = [message: ViewerMessage, tell: Tell];

/** Time in milliseconds for the page to report what is under the mouse; then the press is sent to the page anyway. */
const lookMs = 500;
/** Delay in ms between an action and reading the cursor and the focused field, once for several actions. */
const settleMs = 80;
/** Actions that may press a button which opens a file chooser. */
const mayOpenFiles: ReadonlySet<string> = new Set(['down', 'up', 'touch', 'key']);
/** How long to wait for the page to handle the release of keys and buttons, in milliseconds. */
const releaseMs = 1_000;
/** Maximum number of actions that wait while `#look` runs; a person cannot do more in half a second. */
const maxWaiting = 500;

export class WatchedPage implements Disposable {
  readonly targetId: string;
  readonly capture: Capture;
  readonly files: FileRequests;
  readonly #options: WatchedPageOptions;
  readonly #session: CdpSession;
  readonly #input: Input;
  readonly #pickers: Pickers;
  readonly #stops: (() => void)[];
  /** Actions that arrived while `#look` checks what is under the mouse. */
  #waiting: Act[] | undefined;
  /** Sends messages that are meant only for the viewer who acted last. */
  #sendToActor: Tell;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #dialogId = 0;
  /** The dialog that is open; undefined if there is none. */
  dialog: Extract<ServerMessage, { t: 'dialog' }> | undefined;
  #loading = false;
  /** True while the page has the size of a viewer's window. */
  #resized = false;
  /** True when this session has restored the size that the client set. */
  #gaveSize = false;
  #listens = false;
  #disposed = false;

  private constructor(options: WatchedPageOptions, session: CdpSession) {
    const { targetId, audience, full, send } = options;
    this.targetId = targetId;
    this.#options = options;
    this.#session = session;
    this.capture = new Capture(session, options, audience);
    this.#input = new Input({ session, full, go: (direction) => void this.#go(direction) });
    this.#sendToActor = send;
    const tellActor: Tell = (message) => this.#sendToActor(message);
    const { uploads: directory, maxUploadBytes: maxBytes, delivered } = options;
    this.files = new FileRequests({ session, directory, maxBytes, delivered, send: tellActor });
    this.#pickers = new Pickers(session, targetId, tellActor);
    this.#stops = [
      session.on('Page.javascriptDialogOpening', ({ type, message, defaultPrompt }) => {
        this.capture.hold(true);
        const value = (defaultPrompt ?? '').slice(0, 2_000);
        this.dialog = { t: 'dialog', id: ++this.#dialogId, kind: type, message: message.slice(0, 2_000), value };
        send(this.dialog);
      }),
      session.on('Page.javascriptDialogClosed', () => this.#dialogGone()),
      session.on('Page.frameStartedLoading', ({ frameId }) => this.#load(frameId, true)),
      session.on('Page.frameStoppedLoading', ({ frameId }) => this.#load(frameId, false)),
      session.on('Page.frameNavigated', ({ frame }) => {
        if (frame.parentId === undefined) this.#pickers.navigated();
        void this.sendPageInfo();
      }),
      session.on('Page.navigatedWithinDocument', ({ frameId }) => {
        if (frameId === targetId) void this.sendPageInfo();
      }),
    ];
  }

  /** Attaches to a page. @throws a browser error when the browser has exited or has no such page */
  static async open(options: WatchedPageOptions): Promise<WatchedPage> {
    return new WatchedPage(options, await options.sessions.take(options.targetId));
  }

  /**
   * Starts or stops following the page's dialogs and loads. Chromium keeps a dialog open while any session follows
   * them, so do this only for a person who can answer the dialog.
   */
  listen(on: boolean): void {
    if (this.#listens === on) return;
    this.#listens = on;
    if (on) return ignoreFailures([this.#session.send('Page.enable')]);
    void this.#input.release();
    if (this.dialog) this.#dialogGone();
    ignoreFailures([this.#session.send('Page.disable')]);
  }

  /** Sends viewers the page's URL, title and history. */
  async sendPageInfo(): Promise<void> {
    // The page may close in the meantime.
    const history = await this.#session.send('Page.getNavigationHistory').catch(() => undefined);
    const entry = history?.entries[history.currentIndex];
    if (!history || !entry) return;
    this.#options.send({
      t: 'page',
      url: entry.url.slice(0, 2_000),
      title: entry.title.slice(0, 500),
      loading: this.#loading,
      canBack: history.currentIndex > 0,
      canForward: history.currentIndex < history.entries.length - 1,
    });
  }

  /** Carries out an action of an interactive viewer. @param tell sends messages to that viewer only */
  take(message: ViewerMessage, tell: Tell): void {
    this.#sendToActor = tell;
    this.capture.acted();
    if (mayOpenFiles.has(message.t)) this.files.acted();
    if (this.#waiting) {
      if (this.#waiting.length < maxWaiting) this.#waiting.push([message, tell]);
      return;
    }
    if (message.t === 'down' && message.n === 0 && this.#options.emulatesComponents) return void this.#look(message);
    this.#carryOut(message);
  }

  /** Gives the page the size of the viewer's window. `mobile` and touch stay as a client has set them. */
  resize({ w: width, h: height, dpr: deviceScaleFactor }: ViewerMessageOf<'size'>): void {
    this.#resized = true;
    const given = this.#options.viewports.of(this.targetId);
    const metrics = { mobile: false, ...given, width, height, deviceScaleFactor };
    const resized = this.#session.send('Emulation.setDeviceMetricsOverride', metrics);
    ignoreFailures([resized.then(() => this.capture.restart())]);
  }

  /** Restores the size that the client has set for the page, or the size of its window. */
  restore(): void {
    if (!this.#resized) return;
    this.#resized = false;
    const given = this.#options.viewports.of(this.targetId);
    this.#gaveSize = given !== undefined;
    ignoreFailures([
      given
        ? this.#session.send('Emulation.setDeviceMetricsOverride', given)
        : this.#session.send('Emulation.clearDeviceMetricsOverride'),
    ]);
  }

  /** Opens a URL that the caller has checked. */
  navigate(url: string): void {
    ignoreFailures([this.#session.send('Page.navigate', { url })]);
  }

  /** Brings the page to the front of its window: a full browser draws only the foremost tab. */
  bringToFront(): void {
    ignoreFailures([this.#session.send('Page.bringToFront')]);
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#settling);
    this.#disposed = true;
    this.restore();
    this.#input[Symbol.dispose]();
    this.capture[Symbol.dispose]();
    this.files[Symbol.dispose]();
    this.listen(false);
    void this.#giveBack();
  }

  /** Detaches once pressed keys and buttons are released: pending commands of a session are lost with it. */
  async #giveBack(): Promise<void> {
    const late = pause(releaseMs, this.#session.closed).catch(() => {});
    await Promise.race([this.#input.release(), late]);
    this.#options.sessions.giveBack(this.targetId, this.#session, this.#gaveSize);
  }

  #carryOut(message: ViewerMessage): void {
    switch (message.t) {
      case 'answer':
        return this.#answer(message);
      case 'pick':
        return ignoreFailures([this.#pickers.pick(message).then(() => this.#settle({}))]);
      case 'copy':
        return ignoreFailures([this.#copy(message.cut)]);
      case 'back':
      case 'forward':
        return void this.#go(message.t);
      case 'reload':
        return ignoreFailures([this.#session.send('Page.reload')]);
      default:
        this.#input.take(message);
        this.#settle(message.t === 'move' ? { x: message.x, y: message.y } : {});
    }
  }

  /** Checks what is under the mouse before sending the press. */
  async #look(down: ViewerMessageOf<'down'>): Promise<void> {
    this.#waiting = [];
    const late = pause(lookMs, this.#session.closed).then(() => false);
    const offered = await Promise.race([this.#pickers.offer(down.x, down.y), late]).catch(() => false);
    late.catch(() => {});
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#disposed) return;
    if (!offered) this.#carryOut(down);
    for (const act of waiting) this.take(...act);
  }

  #settle({ x, y }: { x?: number; y?: number }): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      // A page with an open dialog does not respond.
      if (this.dialog) return;
      ignoreFailures([x === undefined || y === undefined ? this.#pickers.sendFocus() : this.#pickers.sendCursor(x, y)]);
    }, settleMs);
  }

  async #copy(cut: boolean): Promise<void> {
    const tell = this.#sendToActor;
    const read = () => this.#pickers.selected();
    tell({
      t: 'copied',
      text: await copySelection(this.#session, { cut, shared: this.#options.sharedClipboard, read }),
    });
  }

  #answer({ id, accept, text }: ViewerMessageOf<'answer'>): void {
    if (this.dialog?.id !== id) return;
    // The first answer wins; later answers find no open dialog.
    ignoreFailures([this.#session.send('Page.handleJavaScriptDialog', { accept, promptText: text })]);
  }

  #dialogGone(): void {
    this.capture.hold(false);
    if (this.dialog) this.#options.send({ t: 'dialogGone', id: this.dialog.id });
    this.dialog = undefined;
  }

  #load(frameId: string, loading: boolean): void {
    if (frameId !== this.targetId) return;
    this.#loading = loading;
    void this.sendPageInfo();
  }

  async #go(direction: 'back' | 'forward'): Promise<void> {
    const history = await this.#session.send('Page.getNavigationHistory').catch(() => undefined);
    const entry = history?.entries[history.currentIndex + (direction === 'back' ? -1 : 1)];
    if (entry && this.#options.mayOpen(entry.url))
      ignoreFailures([this.#session.send('Page.navigateToHistoryEntry', { entryId: entry.id })]);
  }
}
