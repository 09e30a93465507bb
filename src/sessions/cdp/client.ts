/**
 * Connects a CDP client to the browser of a session: puts the gate between them, handles `Browserless.*` commands, and
 * ends only the connection when the client closes a kept browser.
 */
import { ignoreFailures } from '../../browser/cdp/auto-attach.ts';
import type { AttachableSession } from '../lifecycle/session.ts';
import { metricsOf } from '../../browser/processes/client-viewports.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Log } from '../../base/telemetry/log.ts';
import { closedBecause } from '../../base/runtime/http/frames.ts';
import type { CloseReason } from '../../base/runtime/http/socket-bridge.ts';
import type { TextSocket } from '../../base/runtime/http/text-socket.ts';
import type { ProfileKeeper } from '../profiles/storage/profile-keeper.ts';
import type { LiveViews } from '../live/live-views.ts';
import { settingsOf } from '../live/settings.ts';
import { featureOfEvent } from '../../base/account/requested-features.ts';
import { type browserlessEvents, runCommand } from './browserless.ts';
import type { CaptchaReport, ClientPlan, CommandContext } from './command.ts';
import { type ClientCommand, Refusal } from './client-command.ts';
import { CdpGate } from './gate.ts';
import { type ClientRecorder, recordLastMoments } from './last-moments.ts';
import { judge } from './rules/judge.ts';
import { SlowMessages } from './slow-messages.ts';
import { isFile } from './rules/addresses.ts';
import type { RuleContext, Verdict } from './rules/verdict.ts';

export interface CdpClientOptions {
  session: AttachableSession;
  rules: RuleContext;
  /** The target of a client of a single page; undefined for a client of the browser. */
  targetId: string | undefined;
  plan: ClientPlan;
  /** Public base URL of WebSockets, without a trailing slash. */
  socketUrl: string;
  /** Returns the public URL of a file of the session. */
  fileUrl(name: string): string;
  live: LiveViews;
  /** Returns the public URL of a live view. */
  liveUrl(id: string): string;
  /** How long each command is delayed, in milliseconds; 0 for no delay. */
  slowMoMs: number;
  /** Maximum time that a browser may be kept without clients, in milliseconds; 0 for no limit. */
  maxReconnectMs: number;
  /** Keeps `Runtime.enable` from the browser, because pages can detect it. */
  shield: boolean;
  /** True when the browser's requests for documents are signed, each for its host. */
  signsDocuments: boolean;
  /** Starts watching the client's browser for captchas. */
  captchas(tell: SendCaptchaEvent): ClientCaptchas;
  recorder: ClientRecorder;
  /** Saves profiles for this client. */
  keeper: ProfileKeeper;
  /** Called for each command that is refused, and for each that is unknown. */
  refused(method: string, why: 'refused' | 'unknown'): void;
  log: Log;
}

/** Sends an event about a captcha of a page. @param page target id of the page */
export type SendCaptchaEvent = (
  event: 'Browserless.captchaFound' | 'Browserless.captchaAutoSolved',
  params: object,
  page: string,
) => void;

/** Solves captchas for one client. Disposing it ends running attempts. */
export interface ClientCaptchas extends Disposable {
  /** @param page target id. @param appearMs how long the captcha may take to appear, in milliseconds */
  solve(page: string, appearMs: number): Promise<CaptchaReport>;
}

/** RFC 6455 section 7.4.1. */
const normalClosure = 1000;

/** Commands with which a client sets or resets the size of a page. */
const viewportCommands: ReadonlySet<string> = new Set([
  'Emulation.setDeviceMetricsOverride',
  'Emulation.clearDeviceMetricsOverride',
  'Page.setDeviceMetricsOverride',
  'Page.clearDeviceMetricsOverride',
]);

export class CdpClient implements Disposable {
  readonly #options: CdpClientOptions;
  #gate: CdpGate | undefined;
  #socket: TextSocket | undefined;
  #ending: CloseReason | undefined;
  readonly #stops: readonly (() => void)[];
  readonly #captchas: ClientCaptchas;
  readonly #slow: SlowMessages | undefined;

  private constructor(options: CdpClientOptions) {
    this.#options = options;
    const { slowMoMs } = options;
    this.#slow = slowMoMs > 0 ? new SlowMessages(slowMoMs, (text) => this.#gate?.receive(text)) : undefined;
    const { session, live } = options;
    this.#stops = [
      session.files.onDownloaded(({ name, size, path }) =>
        this.#tell('Browserless.fileDownloaded', { name, size, path, url: options.fileUrl(name) }),
      ),
      live.onEnded(session, ({ id, targetId, outcome }) => {
        const note = outcome?.note ? { note: outcome.note } : {};
        this.#tell('Browserless.liveComplete', { liveURLId: id, reason: outcome?.reason, ...note }, targetId);
      }),
    ];
    this.#captchas = options.captchas((event, params, page) => this.#tell(event, params, page));
  }

  /** Attaches to the browser. @throws a browser error when the browser has exited or has no such page */
  static async open(options: CdpClientOptions): Promise<CdpClient> {
    const { session, targetId, rules, refused, shield, log } = options;
    using stack = new DisposableStack();
    const client = stack.use(new CdpClient(options));
    client.#gate = await CdpGate.open({
      connection: session.process.connection,
      targetId,
      rules,
      targets: session.targets,
      deliver: (parts) => client.#socket?.sendBytes(parts),
      end: (code, why) => client.close({ code, reason: closedBecause('connection', why) }),
      answer: (command) => client.#answer(command),
      refused,
      shield,
      shieldOpened: (reason) => log.warn('cdp.shield-opened', { reason }),
    });
    stack.move();
    return client;
  }

  /** Starts exchanging messages with the client. */
  start(socket: TextSocket): void {
    this.#socket = socket;
    const { life, process } = this.#options.session;
    const { connection } = process;
    socket.onText((text) => {
      life.recordActivity();
      const judging = this.#slow ? this.#slow.receive(text) : this.#gate?.receive(text);
      if (judging) socket.hold(judging);
      const congestion = connection.congestion();
      if (congestion) socket.hold(congestion);
      return judging;
    });
    if (this.#ending) this.close(this.#ending);
  }

  /** Closes the connection; before `start`, it is closed as soon as there is one. */
  close(reason: CloseReason): void {
    this.#ending ??= reason;
    this.#socket?.close(reason.code, reason.reason);
  }

  /** True while a command of the client runs. */
  get busy(): boolean {
    return this.#gate?.busy ?? false;
  }

  heartbeat(): void {
    this.#tell('Browserless.heartbeat', {});
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
    this.#captchas[Symbol.dispose]();
    this.#slow?.[Symbol.dispose]();
    this.#gate?.[Symbol.dispose]();
  }

  /** @param page the page that the event is about: clients that are attached only to another page do not receive it */
  #tell(event: keyof typeof browserlessEvents, params: object, page?: string): void {
    const { plan, session } = this.#options;
    const feature = featureOfEvent(event);
    if (feature && !plan.has(feature)) return;
    const { life } = session;
    const isElsewhere = (target: string) => page !== undefined && target !== page && life.hasPage(target);
    this.#gate?.sendEvent(event, params, isElsewhere);
  }

  #answer(command: ClientCommand): Promise<Verdict> | Verdict | undefined {
    const { method } = command;
    if (method.startsWith('Browserless.')) return this.#run(command);
    if (method === 'Browser.close') return this.#closeBrowser();
    if (viewportCommands.has(method)) this.#noteViewport(command);
    if (method === 'Page.navigate' || method === 'Target.createTarget') {
      const verdict = this.#judgeFile(command);
      if (verdict) return verdict;
    }
    if (method === 'Fetch.continueRequest') return this.#judgeRewriting(command);
    const { recorder, rules } = this.#options;
    const recorded = recordLastMoments(command, this.#gate?.targetOf(command.sessionId), recorder);
    return recorded?.then(() => judge(method, command.params, rules));
  }

  async #run({ method, params, sessionId }: ClientCommand): Promise<Verdict> {
    const { session, socketUrl, maxReconnectMs, plan, live, liveUrl, recorder, keeper, log } = this.#options;
    const page = () => this.#pageOf(sessionId);
    const context: CommandContext = {
      session,
      socketUrl,
      maxReconnectMs,
      plan,
      recorder,
      keeper,
      page,
      targetId: async () => this.#gate?.targetOf(sessionId) ?? (await this.#firstPage()),
      openLive: async (request) => {
        const { id, outcome } = await live.open(session, await page(), settingsOf(request));
        if (outcome) throw new ServiceError('session-not-found', 'The page has been closed.');
        return { id, url: liveUrl(id) };
      },
      closeLive: (id) => live.close(session, id),
      solveCaptcha: async (appearMs) => this.#captchas.solve(await page(), appearMs),
    };
    try {
      const answer = await runCommand(method, params, context);
      return answer === undefined ? { unknown: true } : { answer };
    } catch (cause) {
      if (cause instanceof Refusal || cause instanceof ServiceError) return { refuse: `${method}: ${cause.message}` };
      log.error('cdp.command-failed', { method, cause });
      return { refuse: `${method} failed; see the server log` };
    }
  }

  /** The page behind a session of the client; the first page for the browser itself, and for workers and frames. */
  async #pageOf(sessionId: string | undefined): Promise<string> {
    const target = this.#gate?.targetOf(sessionId);
    if (target !== undefined && this.#options.session.life.hasPage(target)) return target;
    const page = await this.#firstPage();
    if (page === undefined) throw new Refusal('There is no page.');
    return page;
  }

  async #firstPage(): Promise<string | undefined> {
    const { targetInfos } = await this.#options.session.process.connection.root.send('Target.getTargets');
    return targetInfos.find(({ type }) => type === 'page')?.targetId;
  }

  /**
   * A client cannot close a kept browser: only that client's connection ends. The server responds anyway, because a
   * browser that exits may leave its own response in its pipe.
   */
  #closeBrowser(): Verdict {
    const { session } = this.#options;
    if (session.keep) {
      queueMicrotask(() =>
        this.close({ code: normalClosure, reason: closedBecause('connection', 'the browser is kept') }),
      );
    } else {
      session.closeRequested();
      const close = () => session.process.connection.root.send('Browser.close');
      ignoreFailures([session.life.lastWork()?.then(close) ?? close()]);
    }
    return { answer: {} };
  }

  /** Records the viewport of a page, so that a live view that changes it can restore it later. */
  #noteViewport({ method, params, sessionId }: ClientCommand): void {
    const page = this.#gate?.targetOf(sessionId);
    if (page === undefined) return;
    this.#options.session.viewports.record(page, method.includes('.clear') ? undefined : metricsOf(params));
  }

  /** Ends the session of a client that opens a file on the server, as other servers' clients expect. */
  #judgeFile({ params: { url } }: ClientCommand): Verdict | undefined {
    const { rules, session } = this.#options;
    if (typeof url !== 'string' || !isFile(url) || rules.allowsUrl('file:///')) return undefined;
    session.life.end(new ServiceError('forbidden-destination', 'Navigation to a file: address is not allowed'));
    return { refuse: 'Navigation to a file: address is not allowed' };
  }

  /**
   * Refuses to change the URL of a request on a session of the browser. When two such sessions intercept a request,
   * Chromium asks them in varying order, so a client could send a request to another host after it was signed for the
   * first. Sessions of pages are asked before both.
   */
  #judgeRewriting({ params, sessionId }: ClientCommand): Verdict | undefined {
    if (!this.#options.signsDocuments || params['url'] === undefined || !this.#gate?.isOfBrowser(sessionId)) {
      return undefined;
    }
    return {
      refuse:
        'This server signs document requests for their hosts (WEB_BOT_AUTH_KEY). To change "url", send Fetch.enable and Fetch.continueRequest on the session of a page.',
    };
  }
}
