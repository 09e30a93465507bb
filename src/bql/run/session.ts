/** The state that steps share: the current page, the mouse on it, what was recorded, and the session's preferences. */
import { type ConsentAnswers, startConsent } from '../../page/consent/consent.ts';
import { NetworkLog } from '../../page/requests/network-log.ts';
import type { MainResponse } from '../../page/load/navigate.ts';
import type { Page } from '../../page/page.ts';
import { RequestRules } from '../../page/requests/request-rules.ts';
import { childTargetsOf } from '../../page/child-targets.ts';
import type { BqlEnvironment } from './environment.ts';
import { Windows } from './windows.ts';

const defaultStepLimitMs = 30_000;

export interface SessionOptions {
  /** Curved mouse paths, uneven typing with corrected mistakes. */
  humanlike: boolean;
  /** Pause after each step, in milliseconds. */
  slowMoMs: number;
  /** Keep records of requests from the start. */
  records: boolean;
  /** Keep bodies of responses. */
  bodies: boolean;
  /** Consent dialogs are refused after each navigation. */
  consent: boolean;
  /** Hides what is left of advertisements after each navigation, where nobody else does it. */
  hideAds?: ((page: Page) => Promise<void>) | undefined;
  /** Watch the windows of the browser from the start. */
  windows: boolean;
}

/** A page that steps work on. */
export class Tab {
  readonly page: Page;
  /** Where the mouse is, in CSS pixels of the window. */
  mouse = { x: 0, y: 0 };
  /** Documents that the page had before the latest step that could lead away. */
  documentsBefore = 0;
  /** Sending of extra headers to frames and workers that come. */
  headers: { stop(): void } | undefined;
  readonly rules: RequestRules;
  /** Undefined until consent dialogs shall be answered; from then on they are, as long as the page lives. */
  consent: ConsentAnswers | undefined;
  readonly #answers = new Map<string, MainResponse>();
  #log: NetworkLog | undefined;

  constructor(page: Page) {
    this.page = page;
    this.rules = new RequestRules(page);
    page.on('Network.responseReceived', ({ type, frameId, loaderId, response }) => {
      if (type !== 'Document' || frameId !== page.mainFrameId) return;
      const { status, statusText, url, headers, mimeType } = response;
      // One document is asked about; the map would grow with the session.
      if (this.#answers.size > 20) this.#answers.clear();
      this.#answers.set(loaderId, { status, statusText, url, headers, mimeType });
    });
    // Pages are many and none has the window's focus; without it fields do not behave as in front of a person.
    page.session.send('Emulation.setFocusEmulationEnabled', { enabled: true }).catch(() => {});
  }

  /** What the document that is there was answered with, as far as reports were on. */
  get answer(): MainResponse | undefined {
    return this.#answers.get(this.page.life.loaderId ?? '');
  }

  /** Begins to answer consent dialogs, from the next document on. Later calls cost nothing. */
  async answerConsent(): Promise<void> {
    if (this.consent) return;
    const consent = await startConsent(this.page);
    this.consent = consent;
    const frames = childTargetsOf(this.page).apply(({ session, type }) =>
      type === 'iframe' ? consent.commands(session) : [],
    );
    await this.page.until(Promise.all([...consent.commands(this.page.session), frames.ready]));
  }

  /** The record of requests; it begins with the first call at the latest. */
  log(bodies = false): NetworkLog {
    this.#log ??= new NetworkLog(this.page);
    if (bodies) this.#log.keepBodies();
    return this.#log;
  }
}

export class BqlSession implements Disposable {
  /** Of the document that runs. */
  environment: BqlEnvironment;
  /** Of the document that runs. */
  options: SessionOptions;
  tab: Tab;
  /** Limit of each step in milliseconds; 0 for none. */
  stepLimitMs = defaultStepLimitMs;
  readonly #tabs = new Map<Page, Tab>();
  readonly #first: Page;
  #windows: Windows | undefined;

  /** @param page the page to begin with; its owner disposes it, after the session */
  constructor(page: Page, environment: BqlEnvironment, options: SessionOptions) {
    this.environment = environment;
    this.options = options;
    this.#first = page;
    this.tab = this.use(page);
    if (options.windows) this.windows();
  }

  /** Makes a page the current one; what was recorded of it before is kept. */
  use(page: Page): Tab {
    let tab = this.#tabs.get(page);
    if (!tab) {
      tab = new Tab(page);
      this.#tabs.set(page, tab);
      if (this.options.records) tab.log(this.options.bodies);
    }
    return (this.tab = tab);
  }

  /** Takes back what holds only while a document runs. */
  settle(): void {
    for (const { rules } of this.#tabs.values()) rules.clear();
  }

  /** The windows of the browser. */
  windows(): Windows {
    return (this.#windows ??= new Windows(this.#first));
  }

  [Symbol.dispose](): void {
    this.#windows?.[Symbol.dispose]();
  }
}
