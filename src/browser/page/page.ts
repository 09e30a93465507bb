/**
 * Drives one page over CDP: sends commands, evaluates functions, and rejects every wait when the page crashes, the
 * deadline passes or the page is disposed. Every wait for the browser goes through `until`, so that none outlives the
 * page. Never sends Runtime.enable, which pages can detect.
 */
import {
  ResponseTooLarge,
  type CdpSession,
  type CommandParams,
  type Commands,
  ConnectionClosed,
  type EventParams,
  type Events,
  ProtocolError,
} from '../cdp/connection.ts';
import { browserCrashed } from '../processes/last-words.ts';
import { defaultWindow, networkBuffers, pageCrashed, type PageTarget } from '../processes/page-target.ts';
import { ServiceError } from '../../base/errors.ts';
import { maxTimerMs, onAbort, Waiting } from '../../base/runtime/deadline.ts';
import { evaluateText, isolatedWorld } from './evaluate.ts';
import { type PageFunction, toExpression } from './page-function.ts';
import { DocumentLifecycle } from './document-lifecycle.ts';
import { now } from '../../base/runtime/machine.ts';

/**
 * Time in milliseconds within which a document is committed after its renderer reports it: a few ms in practice, more
 * on a busy machine.
 */
const commitLimitMs = 2_000;
/**
 * Longest text sent as the answer to a prompt, in characters. The page chooses this text, and the browser exits when a
 * command is too long.
 */
const promptCharacters = 100_000;
/** Pause between attempts to send a command that was sent too early, in milliseconds. */
const commitPollMs = 5;

export interface PageOptions {
  /** The request's deadline; every pending wait rejects with its reason. */
  signal: AbortSignal;
  /** Records the waits of the page. Default: a new one that nothing reads. */
  waiting?: Waiting;
}

export class Page implements Disposable {
  readonly target: PageTarget;
  readonly session: CdpSession;
  readonly mainFrameId: string;
  readonly signal: AbortSignal;
  /** Records the current wait of the request, so that the timeout error can name it. */
  readonly waiting: Waiting;
  /** Lifecycle of the main frame's document. */
  readonly life: DocumentLifecycle;
  /** False once the page's own scripts are switched off; then timers do not run in any world. */
  javaScriptEnabled = true;
  /**
   * True when something needs the Network domain for as long as the page lives (extra headers, a record of requests).
   */
  networkNeeded = false;
  /** False while another client drives the page and answers its dialogs. */
  answersDialogs = true;
  /**
   * The viewport in CSS pixels: the default for new pages until another one is set. Undefined for a page that has the
   * size of its window.
   */
  viewport: CommandParams<'Emulation.setDeviceMetricsOverride'> | undefined;
  /** The media type that the request emulates; empty for none. */
  emulatedMedia = '';
  readonly #failure = new AbortController();
  /** Aborted with a ServiceError `page-crashed` or `browser-crashed` when the page is lost. */
  readonly failure = this.#failure.signal;
  readonly #waiting = new Set<(reason: unknown) => void>();
  readonly #undo = new Set<() => void>();
  #networkQuiet = false;
  #disposed = false;
  #ended: { reason: unknown } | undefined;

  constructor(target: PageTarget, { signal, waiting = new Waiting() }: PageOptions) {
    this.target = target;
    this.viewport = target.sized ? { ...defaultWindow, deviceScaleFactor: 1, mobile: false } : undefined;
    this.session = target.session;
    this.mainFrameId = target.frameId;
    this.signal = signal;
    this.waiting = waiting;
    this.life = new DocumentLifecycle(this);
    this.on('Inspector.targetCrashed', () => {
      this.#fail(pageCrashed());
    });
    // The headless shell reports what the page itself navigates to only to the Network domain if it is a PDF.
    this.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
      if (frameId === this.mainFrameId && disposition === 'currentTab') this.watchNetwork();
    });
    // An open dialog (alert, confirm, prompt, beforeunload) stops the page, and there is no user to answer it.
    this.on('Page.javascriptDialogOpening', ({ defaultPrompt }) => {
      if (!this.answersDialogs) return;
      this.session
        .send('Page.handleJavaScriptDialog', {
          accept: true,
          promptText: (defaultPrompt ?? '').slice(0, promptCharacters),
        })
        .catch(() => {});
    });
    this.#undo.add(onAbort(this.session.closed, () => this.#gone()));
    this.#undo.add(onAbort(signal, () => this.end(signal.reason)));
  }

  /**
   * Calls the listener for each event of the page's session, until the page is disposed or the returned function is
   * called.
   */
  on<E extends keyof Events>(event: E, listener: (params: EventParams<E>) => void): () => void {
    return this.undo(this.session.on(event, listener));
  }

  /**
   * Disables the Network domain unless something needs it: its events take a tenth of the time that a small page needs.
   * The domain is on from the start because the response of the main document is needed.
   */
  quietNetwork(): void {
    if (this.networkNeeded || this.#networkQuiet) return;
    this.#networkQuiet = true;
    this.session.send('Network.disable').catch(() => {});
  }

  /** Enables the Network domain again, for another navigation of the same page. */
  watchNetwork(): void {
    if (!this.#networkQuiet) return;
    this.#networkQuiet = false;
    this.session.send('Network.enable', { ...networkBuffers }).catch(() => {});
  }

  /**
   * Runs the step when the page is disposed (immediately if it already is), or when the returned function is called.
   */
  undo(step: () => void): () => void {
    if (this.#disposed) step();
    else this.#undo.add(step);
    return () => {
      this.#undo.delete(step);
      step();
    };
  }

  /**
   * Sends a command. Commands go out in the order of the calls, so several can be sent and awaited together. The
   * renderer reports a new document before the browser's process has committed it; until then Chromium refuses commands
   * such as Page.reload and Page.captureScreenshot, which are sent again.
   * @throws ProtocolError when the browser refuses; the deadline's abort reason or the page's failure if either comes
   *   first
   */
  send<M extends keyof Commands>(method: M, params?: CommandParams<M>): Promise<Commands[M]['returnType']> {
    const limit = now() + commitLimitMs;
    const attempt = (): Promise<Commands[M]['returnType']> =>
      this.until(this.session.send(method, params)).catch(async (error: unknown) => {
        if (!isEarly(error) || now() > limit) throw error;
        await this.sleep(commitPollMs);
        return attempt();
      });
    return attempt();
  }

  /**
   * Settles like the promise; if the deadline passes or the page fails first, rejects with the deadline's abort reason
   * or the page's failure.
   */
  until<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown) => {
        this.#waiting.delete(refuse);
        reject(error);
      };
      if (this.#ended) reject(this.#ended.reason);
      else this.#waiting.add(refuse);
      promise.then(
        (value) => {
          this.#waiting.delete(refuse);
          resolve(value);
        },
        (error: unknown) => {
          if (error instanceof ResponseTooLarge) return refuse(tooLarge(error));
          if (!(error instanceof ConnectionClosed)) return refuse(error);
          this.#gone();
          refuse(this.#ended?.reason ?? error);
        },
      );
    });
  }

  /** Resolves after `ms` milliseconds; if the deadline passes or the page fails first, rejects and clears the timer. */
  async sleep(ms: number): Promise<void> {
    let timer;
    try {
      await this.until(new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Like `until`, with a time limit.
   * @param limitMs milliseconds; 0 for none
   * @param timeoutError makes the error thrown when the limit is reached
   */
  async withTimeout<T>(promise: Promise<T>, limitMs: number, timeoutError: () => Error): Promise<T> {
    if (limitMs <= 0 || limitMs > maxTimerMs) return this.until(promise);
    let timer;
    const limit = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(timeoutError()), limitMs)));
    try {
      return await this.until(Promise.race([promise, limit]));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Runs a function of src/browser/injected in the page, in an isolated world that the page's scripts cannot see.
   * @throws ContextLost when a navigation replaces the document in the meantime, PageScriptError when the function
   *   throws
   */
  async evaluate<Args extends readonly unknown[], Result>(
    fn: PageFunction<Args, Result>,
    ...args: Args
  ): Promise<Awaited<Result>> {
    const contextId = await isolatedWorld(this);
    return evaluateText(this, toExpression(fn, args), contextId);
  }

  [Symbol.dispose](): void {
    this.end(new ServiceError('internal', 'Internal Server Error', { cause: new Error('the page was released') }));
    this.life[Symbol.dispose]();
    this.#disposed = true;
    for (const step of this.#undo) step();
    this.#undo.clear();
  }

  #gone(): void {
    if (this.target.connection.closed.aborted) {
      this.#fail(browserCrashed(this.target.connection.fatal, ' while working on the page'));
    } else {
      this.#fail(
        new ServiceError(
          'page-crashed',
          'The page was closed while in use, by its own script or because the session ended.',
        ),
      );
    }
  }

  #fail(error: ServiceError): void {
    if (this.#ended) return;
    this.#failure.abort(error);
    this.end(error);
  }

  /** Rejects every present and future wait for the page with this reason, which ends the request. */
  end(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = { reason };
    // oxlint-disable-next-line unicorn/no-useless-spread -- a copy: the set changes during the loop
    for (const refuse of [...this.#waiting]) refuse(reason);
  }
}

/** Whether the command failed because the page's document is not committed yet; Chromium has not run it then. */
function isEarly(error: unknown): boolean {
  return error instanceof ProtocolError && error.reason === 'Not attached to an active page';
}

function tooLarge(cause: ResponseTooLarge): ServiceError {
  return new ServiceError(
    'bad-request',
    'The page has more data than fits in one response. Request less, such as fewer elements.',
    { cause },
  );
}

/** Starts driving a blank page. Disposing the result removes its listeners and timers but leaves the target open. */
export function openPage(target: PageTarget, options: PageOptions): Page {
  return new Page(target, options);
}
