/**
 * Watches the browser of a CDP client for captchas, and solves them: when the client asks for it, or automatically with
 * `solveCaptchas=true`. Frame URLs are enough to detect a widget: only a page with a widget is inspected, so other
 * pages cost next to nothing. Full browsers report frames from other sites as targets, which the server watches anyway;
 * the headless shell runs them in the process of their page, which reports them only to the sessions of that page.
 */
import { adoptPageTarget } from '../../../browser/processes/page-target.ts';
import { ignoreFailures } from '../../../browser/cdp/auto-attach.ts';
import type { Commands, EventParams } from '../../../browser/cdp/connection.ts';
import type { CaptchaReport } from '../../../sessions/cdp/command.ts';
import type { ClientCaptchas, SendCaptchaEvent } from '../../../sessions/cdp/client.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { CaptchaOutcome } from '../../../browser/page/captcha/attempt.ts';
import type { CaptchaHelp } from '../../../browser/page/captcha/help.ts';
import { typeOfFrame } from '../../../browser/page/captcha/kinds.ts';
import type { CaptchaFilter } from '../../../browser/page/captcha/wait.ts';
import { openPage } from '../../../browser/page/page.ts';
import { orAborted, orReleased } from '../../../base/runtime/deadline.ts';
import { now } from '../../../base/runtime/machine.ts';
import type { AttachableSession } from '../../../sessions/lifecycle/session.ts';
import type { Log } from '../../../base/telemetry/log.ts';

export interface CaptchaWatchOptions {
  session: AttachableSession;
  /** The page that the client drives; undefined for the whole browser. */
  page: string | undefined;
  help: CaptchaHelp;
  /** Whether to solve each captcha automatically. */
  automatic: boolean;
  tell: SendCaptchaEvent;
  log: Log;
}

/** How long the page around a detected frame may take until its widget is ready, in milliseconds. */
const readyMs = 2_000;

type TargetInfo = EventParams<'Target.targetCreated'>['targetInfo'];
type FrameTree = Commands['Page.getFrameTree']['returnType']['frameTree'];
type FrameInfo = FrameTree['frame'];

/** The running solution of each page: the clients of one browser solve on a page one at a time. */
const turns = new WeakMap<AttachableSession, Map<string, Promise<unknown>>>();

export class CaptchaWatch implements ClientCaptchas {
  readonly #options: CaptchaWatchOptions;
  readonly #left = new AbortController();
  readonly #stops: (() => void)[];
  /** Frames that have been reported. */
  readonly #frames = new Set<string>();
  /** Pages that report their frames. */
  readonly #pages = new Set<string>();
  /** Pages whose captchas the server is about to solve automatically. */
  readonly #solving = new Set<string>();

  constructor(options: CaptchaWatchOptions) {
    this.#options = options;
    const { root } = options.session.process.connection;
    this.#stops = [
      root.on('Target.targetCreated', ({ targetInfo }) => this.#seeTarget(targetInfo)),
      root.on('Target.targetInfoChanged', ({ targetInfo }) => this.#seeTarget(targetInfo)),
      root.on('Target.targetDestroyed', ({ targetId }) => {
        this.#frames.delete(targetId);
        this.#pages.delete(targetId);
      }),
    ];
    // The browser may already have pages.
    const seeAll = ({ targetInfos }: { targetInfos: TargetInfo[] }) =>
      targetInfos.forEach((one) => this.#seeTarget(one));
    if (options.automatic) ignoreFailures([root.send('Target.getTargets').then(seeAll)]);
  }

  async solve(page: string, appearMs: number): Promise<CaptchaReport> {
    return this.#solve(page, { appearMs, wanted: {} });
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
    this.#left.abort(new ServiceError('client-gone', 'The client closed the connection'));
  }

  #seeTarget({ type, url, targetId, parentId, parentFrameId }: TargetInfo): void {
    if (type === 'page' && this.#options.automatic) ignoreFailures([this.#watchFrames(targetId)]);
    if (type !== 'iframe') return;
    const { life } = this.#options.session;
    const page = [parentId, parentFrameId].find((id) => id !== undefined && life.hasPage(id));
    if (page !== undefined) this.#seeFrame(page, targetId, url);
  }

  /** Makes a page report the frames in its own process. */
  async #watchFrames(page: string): Promise<void> {
    const { session, page: only } = this.#options;
    if (this.#pages.has(page) || (only !== undefined && only !== page)) return;
    this.#pages.add(page);
    const { connection } = session.process;
    const attaching = connection.root.send('Target.attachToTarget', { targetId: page, flatten: true });
    const { sessionId } = await orReleased(attaching, this.#left.signal, (late) => this.#detach(late.sessionId));
    const watch = connection.session(sessionId);
    this.#stops.push(() => this.#detach(sessionId));
    const see = ({ id, url, urlFragment = '' }: FrameInfo) => this.#seeFrame(page, id, url + urlFragment);
    const seeAll = ({ frame, childFrames = [] }: FrameTree): void => {
      see(frame);
      childFrames.forEach(seeAll);
    };
    watch.on('Page.frameNavigated', ({ frame }) => see(frame));
    watch.on('Page.frameDetached', ({ frameId }) => this.#frames.delete(frameId));
    ignoreFailures([
      watch.send('Page.enable'),
      watch.send('Page.getFrameTree').then(({ frameTree }) => seeAll(frameTree)),
    ]);
  }

  #detach(sessionId: string | undefined): void {
    const { root } = this.#options.session.process.connection;
    if (sessionId !== undefined) ignoreFailures([root.send('Target.detachFromTarget', { sessionId })]);
  }

  /** Handles a detected frame: a frame of a captcha vendor means that its page has a widget. */
  #seeFrame(page: string, frameId: string, address: string): void {
    const { page: only, automatic: byItself, tell } = this.#options;
    if (this.#frames.has(frameId) || (only !== undefined && only !== page)) return;
    const type = typeOfFrame(address);
    if (type === undefined) return;
    this.#frames.add(frameId);
    tell('Browserless.captchaFound', { type, status: 'found' }, page);
    if (byItself) void this.#solveByItself(page);
  }

  async #solveByItself(page: string): Promise<void> {
    const { tell, log } = this.#options;
    // A page with several widgets is checked again for each of them.
    if (this.#solving.has(page)) return;
    this.#solving.add(page);
    const began = now();
    try {
      const outcome = await this.#solve(page, { appearMs: readyMs, wanted: { visible: true } });
      const { type, solved, token, error } = outcome;
      const time = Math.round(now() - began);
      const params = { autoSolved: true, token, found: type !== undefined, solved, time };
      tell('Browserless.captchaAutoSolved', { ...params, ...(error === null ? {} : { error }) }, page);
    } catch (cause) {
      // The page was closed or the client disconnected; a defect is logged for the operator.
      if (!(cause instanceof ServiceError)) log.warn('captcha.failed', { cause });
    } finally {
      this.#solving.delete(page);
    }
  }

  async #solve(targetId: string, given: { appearMs: number; wanted: CaptchaFilter }): Promise<CaptchaOutcome> {
    const { session, help, tell } = this.#options;
    const { signal } = this.#left;
    const queue = turns.get(session) ?? new Map<string, Promise<unknown>>();
    turns.set(session, queue);
    for (let before = queue.get(targetId); before; before = queue.get(targetId)) {
      await orAborted(before, signal);
    }
    const work = async (): Promise<CaptchaOutcome> => {
      using held = new DisposableStack();
      held.use(session.life.working());
      const adopting = adoptPageTarget(session.process.connection, targetId, undefined);
      const target = await orReleased(adopting, signal, (late) => this.#detach(late.session.id));
      held.defer(() => this.#detach(target.session.id));
      const page = held.use(openPage(target, { signal }));
      // The client handles the dialogs itself.
      page.answersDialogs = false;
      await page.send('Page.setLifecycleEventsEnabled', { enabled: true });
      const { solveCaptcha } = await import('../../../browser/page/captcha/solve.ts');
      return await solveCaptcha(page, {
        ...given,
        help,
        signal,
        mouse: { mouse: { x: 0, y: 0 }, check: () => signal.throwIfAborted() },
        onStart: (type) => tell('Browserless.captchaFound', { type, status: 'solving' }, targetId),
      });
    };
    const running = work();
    const turn = running.catch(() => undefined).finally(() => queue.delete(targetId));
    queue.set(targetId, turn);
    return running;
  }
}
