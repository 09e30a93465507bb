/**
 * Collects the files that pages download while a request's code runs: saves them to a separate directory, limits their
 * number and size, and waits for them.
 */
import type { CdpSession } from '../../../browser/cdp/connection.ts';
import { storageProblem } from '../../../browser/processes/storage.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { Page } from '../../../browser/page/page.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import { joinPath } from '../../../base/runtime/files.ts';
import { now } from '../../../base/runtime/machine.ts';
import type { CodeHost } from '../../../sessions/functions/code-host.ts';

export interface DownloadedFile {
  path: string;
  /** The name that the site or the page gave it. */
  name: string;
}

interface DownloadSettings {
  MAX_DOWNLOAD_MB: number;
  SCRATCH_DIR: string;
}

interface Download {
  name: string;
  receivedBytes: number;
  /** The announced size, or the received size if that is larger. */
  expectedBytes: number;
  state: 'inProgress' | 'completed' | 'canceled';
}

/** Time in ms to wait after a download has ended: the code may have caused another one that starts a moment later. */
const quietMs = 250;
/** Time in ms to wait for windows that have loaded nothing yet: they may be about to download. Some stay empty. */
const blankWindowMs = 3_000;
const maxFiles = 1_000;
/** Downloads that are remembered until it is known whether they belong to the code: others share the browser. */
const maxUnknown = 100;
const megabyte = 2 ** 20;

export class Downloads {
  readonly #host: CodeHost;
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #scratchDirectory: string;
  readonly #session: CdpSession;
  readonly #list = new Map<string, Download>();
  /** Downloads of other frames: the window of a download may become known as the code's only afterward. */
  readonly #unknown = new Map<string, { frameId: string; download: Download }>();
  /** True for the frames of this request: the browser reports the downloads of all requests. */
  readonly #isOwn: (frameId: string) => boolean;
  #tooMuch: ServiceError | undefined;
  #changed: () => void = () => {};

  /**
   * Saves downloads of the code host and of the code's pages to the directory from now on.
   * @param settings MAX_DOWNLOAD_MB limits all files together; 0 for no limit
   */
  static async start(page: Page, host: CodeHost, directory: string, settings: DownloadSettings): Promise<Downloads> {
    const { connection } = page.target;
    // Use a separate session, so that the settings that other sessions made for their contexts stay as they are.
    const { sessionId } = await page.until(connection.root.send('Target.attachToBrowserTarget'));
    page.undo(() => void connection.root.send('Target.detachFromTarget', { sessionId }).catch(() => {}));
    const downloads = new Downloads(
      connection.session(sessionId),
      host,
      { directory, settings },
      (frameId) => frameId === page.mainFrameId || host.bridge.hasFrame(frameId),
    );
    const behavior = { behavior: 'allowAndName', downloadPath: directory, eventsEnabled: true };
    await page.until(host.bridge.contexts.setDownloads(behavior, sessionId));
    return downloads;
  }

  private constructor(
    session: CdpSession,
    host: CodeHost,
    { directory, settings }: { directory: string; settings: DownloadSettings },
    isOwn: (frameId: string) => boolean,
  ) {
    this.#session = session;
    this.#host = host;
    this.#directory = directory;
    this.#maxBytes = settings.MAX_DOWNLOAD_MB * megabyte;
    this.#scratchDirectory = settings.SCRATCH_DIR;
    this.#isOwn = isOwn;
    session.on('Browser.downloadWillBegin', ({ guid, frameId, suggestedFilename }) => {
      const download: Download = { name: suggestedFilename, receivedBytes: 0, expectedBytes: 0, state: 'inProgress' };
      this.#unknown.set(guid, { frameId, download });
      this.#claim();
      const [oldest] = this.#unknown.keys();
      if (this.#unknown.size > maxUnknown && oldest !== undefined) this.#unknown.delete(oldest);
    });
    host.bridge.windowOpened = () => this.#claim();
    session.on('Browser.downloadProgress', ({ guid, totalBytes, receivedBytes, state }) => {
      const own = this.#list.get(guid);
      const download = own ?? this.#unknown.get(guid)?.download;
      if (!download) return;
      download.state = state;
      download.receivedBytes = receivedBytes;
      download.expectedBytes = Math.max(download.expectedBytes, totalBytes, receivedBytes);
      if (own) this.#limit(own, own.expectedBytes);
      this.#changed();
    });
  }

  /** Counts the downloads of frames that are now known to be the code's. */
  #claim(): void {
    for (const [guid, { frameId, download }] of this.#unknown) {
      if (!this.#isOwn(frameId)) continue;
      this.#unknown.delete(guid);
      this.#list.set(guid, download);
      if (this.#list.size > maxFiles) this.#refuse(`The code downloaded more than ${maxFiles} files.`);
      this.#limit(download, download.expectedBytes);
      this.#host.bridge.closeBlank(frameId);
      this.#changed();
    }
  }

  /**
   * Waits until there is at least one file and all files are complete, and returns them.
   * @throws ServiceError `bad-request` when there are too many files or they are too large, `navigation-failed` when a
   *   download breaks off, `timeout` naming what it was waiting for
   */
  async finished(page: Page): Promise<DownloadedFile[]> {
    try {
      let enough: number | undefined;
      for (;;) {
        const seen = this.#list.size;
        await this.#until(page, () => this.#list.size > 0 && !this.#some('inProgress'));
        enough ??= now() + blankWindowMs;
        await page.sleep(seen === this.#list.size ? quietMs : 0);
        const opening = this.#host.bridge.hasBlankWindow && now() < enough;
        if (seen === this.#list.size && !this.#some('inProgress') && !opening) break;
      }
    } catch (error) {
      throw this.#timeoutError(error);
    }
    const broken = [...this.#list.values()].find(({ state }) => state === 'canceled');
    if (broken) throw await this.#broken(broken);
    return [...this.#list].map(([guid, { name }]) => ({ path: joinPath(this.#directory, guid), name }));
  }

  async #broken({ name, expectedBytes }: Download): Promise<ServiceError> {
    const full =
      (await storageProblem([['DOWNLOAD_DIR', this.#directory]], expectedBytes)) ??
      // Files that a page generates are kept there by the browser.
      (await storageProblem([['SCRATCH_DIR', this.#scratchDirectory]]));
    return full ?? new ServiceError('navigation-failed', `The download of "${name}" was interrupted. Try again.`);
  }

  async #until(page: Page, done: () => boolean): Promise<void> {
    for (;;) {
      if (this.#tooMuch) throw this.#tooMuch;
      if (done()) return;
      const change = new Promise<void>((resolve) => (this.#changed = resolve));
      await page.until(orAborted(change, this.#host.failed));
    }
  }

  #some(state: Download['state']): boolean {
    return [...this.#list.values()].some((download) => download.state === state);
  }

  #limit(download: Download, bytes: number): void {
    const others = [...this.#list.values()].reduce((sum, one) => sum + (one === download ? 0 : one.receivedBytes), 0);
    if (this.#maxBytes === 0 || others + bytes <= this.#maxBytes) return;
    this.#refuse(
      `The download of "${download.name}" is larger than MAX_DOWNLOAD_MB allows: ${Math.ceil((others + bytes) / megabyte)} MB of ${this.#maxBytes / megabyte} MB.`,
    );
  }

  #refuse(message: string): void {
    this.#tooMuch ??= new ServiceError('bad-request', message);
    for (const [guid, { state }] of this.#list) {
      if (state === 'inProgress') this.#session.send('Browser.cancelDownload', { guid }).catch(() => {});
    }
    this.#changed();
  }

  /** Adds to a timeout error what it was waiting for. */
  #timeoutError(error: unknown): unknown {
    if (!(error instanceof ServiceError) || error.code !== 'timeout') return error;
    const running = [...this.#list.values()]
      .filter(({ state }) => state === 'inProgress')
      .map(({ name }) => `"${name}"`);
    const what =
      running.length > 0
        ? `the download of ${running.slice(0, 5).join(', ')} was not complete`
        : 'the code ended, but no page downloaded anything. Start a download in the code, or raise ?timeout=';
    return new ServiceError('timeout', `Request has timed out: ${what}`, { cause: error });
  }
}
