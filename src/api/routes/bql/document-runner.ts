/**
 * Runs BrowserQL on a browser that outlives its documents: one page stays attached and keeps the state that a document
 * set (size, user agent, records, the current window) for the next one. Documents on one browser run sequentially.
 */
import type { DocumentResult } from '../../bql/execute.ts';
import type { BqlEnvironment } from '../../bql/run/environment.ts';
import type { ReadyDocument } from '../../bql/language/document.ts';
import type { BqlSession, Marks, SessionOptions } from '../../bql/run/session.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import { adoptPageTarget, type PageTarget } from '../../../browser/processes/page-target.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { Page } from '../../../browser/page/page.ts';
import { orAborted, Waiting } from '../../../base/runtime/deadline.ts';
import { SerialQueue } from '../../../base/runtime/serial.ts';
import { graceMs } from '../pipeline/read-request.ts';
import { pagesOf } from '../sessions/pages.ts';

const blank = { url: 'about:blank' } as const;

const runners = new WeakMap<AttachableSession, DocumentRunner>();

/** The runner of a browser; created for its first document. */
export function documentRunnerOf(session: AttachableSession): DocumentRunner {
  let runner = runners.get(session);
  if (!runner) runners.set(session, (runner = new DocumentRunner(session)));
  return runner;
}

/** A document to run. */
export interface DocumentOrder {
  ready: ReadyDocument;
  environment: BqlEnvironment;
  options: SessionOptions;
  /** Receives what the document waits for before it starts. Default: not reported. */
  waiting?: Waiting;
}

/** How long the browser is kept after a document, in milliseconds; 0 if it is not kept. */
interface Keeps {
  reconnect: number;
  live: number;
}

export class DocumentRunner {
  readonly #session: AttachableSession;
  /** Aborted when the browser is closed: the page outlives individual documents. */
  readonly #life = new AbortController();
  #bql: BqlSession | undefined;
  #first: Page | undefined;
  /** Pages that were closed or have crashed while documents used them. */
  readonly #lost = new Set<string>();
  /** Created with the first page; kept if that page has crashed and another one cannot be opened. */
  #marks: Marks | undefined;
  #kept = false;
  #keeps: Keeps = { reconnect: 0, live: 0 };
  /** Number of documents that are running or waiting. */
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();
  /** Opens the page once: a document and a subscription may both be the first to need it. */
  readonly #opening = new SerialQueue();

  constructor(session: AttachableSession) {
    this.#session = session;
    const end = () => {
      this.#life.abort(new ServiceError('session-ended', "The session's browser was closed."));
      this.#close();
    };
    void session.life.ended.then(end);
    session.process.gone.addEventListener('abort', () => queueMicrotask(end), { once: true });
  }

  /** The page that steps currently work on; undefined before the first document. */
  get page(): Page | undefined {
    return this.#bql?.tab.page;
  }

  /**
   * Keeps the browser after the running document: for the time of the last `reconnect`, or of the longest live view if
   * that is longer.
   */
  keepFor(reason: keyof Keeps, timeoutMs: number): void {
    const keeps = this.#keeps;
    keeps[reason] = reason === 'live' ? Math.max(keeps.live, timeoutMs) : timeoutMs;
    this.#kept = true;
    // BrowserQL does not set a token: keep a token that a CDP client has set.
    this.#session.keepFor({ timeoutMs: Math.max(keeps.reconnect, keeps.live), auth: this.#session.auth });
  }

  /**
   * Runs a document as `run` does. Afterward, the browser is no longer kept alive, unless the document calls `reconnect`
   * or `liveURL`, or other documents are waiting.
   */
  async runOnce(order: DocumentOrder, signal: AbortSignal): Promise<DocumentResult> {
    this.#waiting++;
    try {
      return await this.#runAfterOthers(order, signal, () => 0);
    } finally {
      this.#waiting--;
      if (!this.#kept && this.#waiting === 0) this.#session.stopKeeping();
    }
  }

  /**
   * Runs a document after all earlier documents.
   * @param signal ends the document; the page and the browser remain
   */
  run(order: DocumentOrder, signal: AbortSignal): Promise<DocumentResult> {
    return this.#runAfterOthers(order, signal, () => this.#session.keep?.timeoutMs ?? 0);
  }

  /** @param keptMs how long the browser is kept if the document does not set it, in milliseconds */
  #runAfterOthers(
    { ready, environment, options, waiting = new Waiting() }: DocumentOrder,
    signal: AbortSignal,
    keptMs: () => number,
  ): Promise<DocumentResult> {
    return this.#exclusively(waiting, signal, async () => {
      using held = new DisposableStack();
      held.use(this.#session.life.working());
      const { runDocument } = await import('../../bql/execute.ts');
      const opening = this.open(environment, options, signal);
      const bql = await waiting.for("the browser's page", opening);
      const { page } = bql.tab;
      this.#kept = false;
      this.#keeps = { reconnect: keptMs(), live: 0 };
      page.answersDialogs = true;
      // A dialog that opened between documents would block the page.
      page.session.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => {});
      try {
        return await runDocument(ready, bql, signal);
      } finally {
        bql.clearRules();
        bql.tab.page.answersDialogs = false;
      }
    });
  }

  /** Opens the page if necessary, for documents and for subscriptions, which only listen to it. */
  open(environment: BqlEnvironment, options: SessionOptions, signal: AbortSignal): Promise<BqlSession> {
    return orAborted(
      this.#opening.run(() => this.#prepare(environment, options)),
      signal,
    );
  }

  /** Runs the work after all earlier work has ended. After an abort, the work has a moment to report what it did. */
  #exclusively<T>(waiting: Waiting, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const turn = waiting.for('earlier documents on this browser', orAborted(before, signal));
    const mine = turn.then(work);
    this.#turn = before.then(() => mine).catch(() => undefined);
    return orAborted(mine, signal, graceMs);
  }

  async #prepare(environment: BqlEnvironment, options: SessionOptions): Promise<BqlSession> {
    const known = this.#bql;
    if (known && !known.tab.page.failure.aborted) {
      known.environment = environment;
      known.options = { ...options, records: true };
      if (options.consent) await known.tab.answerConsent();
      return known;
    }
    const first = this.#first;
    for (const page of [known?.tab.page, first]) if (page?.failure.aborted) this.#lost.add(page.target.targetId);
    const kept = first?.failure.aborted === false ? first.target.targetId : undefined;
    this.#close();
    const { signal } = this.#life;
    const [{ BqlSession: Session, newMarks }, { openPage }] = await Promise.all([
      import('../../bql/run/session.ts'),
      import('../../../browser/page/page.ts'),
    ]);
    const page = openPage(await this.#target(kept), { signal });
    await page.send('Page.setLifecycleEventsEnabled', { enabled: true });
    this.#first = page;
    if (page.viewport) this.#session.viewports.record(page.target.targetId, page.viewport);
    this.#marks ??= newMarks(this.#session.traces);
    const bql = new Session(page, environment, { ...options, records: true }, this.#marks);
    this.#bql = bql;
    if (options.consent) await bql.tab.answerConsent();
    return bql;
  }

  /** A page that has a renderer, or a new page. @param kept the page to continue with, if it still exists */
  async #target(kept: string | undefined): Promise<PageTarget> {
    const { signal } = this.#life;
    const { connection } = this.#session.process;
    const { root } = connection;
    const adopt = (targetId: string) => adoptPageTarget(connection, targetId, undefined);
    const shown = (await orAborted(pagesOf(this.#session), signal)).map(({ targetId }) => targetId);
    const crashed = shown.filter((targetId) => this.#lost.has(targetId));
    // Do not replace a crashed page with a page that a client has opened.
    const usable = kept !== undefined ? [kept] : crashed.length > 0 ? [] : shown;
    let target: PageTarget | undefined;
    for (const targetId of usable) {
      // Skip a page that cannot be adopted: a client may have crashed it, which that client may reload, or it may have
      // closed in the meantime.
      target ??= await orAborted(adopt(targetId), signal).catch(() => undefined);
    }
    // createPageTarget is not used: it would revoke the permission for the session's downloads.
    const create = async () => adopt((await orAborted(root.send('Target.createTarget', blank), signal)).targetId);
    target ??= await orAborted(create(), signal);
    // Close crashed pages only now: a browser may exit with its last page.
    for (const targetId of crashed) root.send('Target.closeTarget', { targetId }).catch(() => {});
    return target;
  }

  #close(): void {
    this.#bql?.[Symbol.dispose]();
    this.#first?.[Symbol.dispose]();
    this.#bql = undefined;
    this.#first = undefined;
  }
}
