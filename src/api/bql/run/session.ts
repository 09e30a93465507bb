/** Holds the state that steps share: the current page, its mouse position and recorded requests, and options. */
import { type ConsentHandler, startConsent } from '../../../browser/page/consent/consent.ts';
import { NetworkLog } from '../../../browser/page/requests/network-log.ts';
import { type MainResponse, toMainResponse } from '../../../browser/page/load/navigate.ts';
import type { Page } from '../../../browser/page/page.ts';
import { RequestRules } from '../../../browser/page/requests/request-rules.ts';
import { childTargetsOf } from '../../../browser/page/child-targets.ts';
import type { BqlEnvironment } from './environment.ts';
import { Windows } from './windows.ts';

const defaultStepLimitMs = 30_000;

export interface SessionOptions {
  /** Use mouse, keys and wheel like a person (src/browser/page/act/human.ts). */
  humanlike: boolean;
  /** Pause after each step that acts (Operation.acts), in milliseconds. */
  slowMoMs: number;
  /** Record requests from the start. */
  records: boolean;
  /** Record response bodies too. */
  bodies: boolean;
  /** Reject consent dialogs after each navigation. */
  consent: boolean;
  /** Hides ads after each navigation; undefined when something else hides them or ads are allowed. */
  hideAds?: ((page: Page) => Promise<void>) | undefined;
  /** Watch the browser's windows from the start. */
  windows: boolean;
}

/** A page that steps work on. */
export class Tab {
  readonly page: Page;
  /** Position of the mouse, in CSS pixels of the viewport. */
  mouse = { x: 0, y: 0 };
  /** Number of documents before the latest step that could navigate; waitForNavigation waits for a later one. */
  documentsBefore = 0;
  /** Stops sending extra headers to new frames and workers. */
  headers: { stop(): void } | undefined;
  readonly rules: RequestRules;
  /** Set once consent dialogs are being rejected; this stays on for the page's lifetime. */
  consent: ConsentHandler | undefined;
  readonly #answers = new Map<string, MainResponse>();
  #failedNavigation: string | undefined;
  /** Value of `life.documents` when a step last replaced the document's markup. */
  #written: number | undefined;
  #log: NetworkLog | undefined;

  constructor(page: Page) {
    this.page = page;
    this.rules = new RequestRules(page);
    page.on('Network.responseReceived', (event) => {
      if (event.type !== 'Document' || event.frameId !== page.mainFrameId) return;
      // Only the current document's response is looked up: bound the map in a long session.
      if (this.#answers.size > 20) this.#answers.clear();
      this.#answers.set(event.loaderId, toMainResponse(event));
    });
    // No page has the window's focus, and without focus, form fields do not behave as they do for a user.
    page.session.send('Emulation.setFocusEmulationEnabled', { enabled: true }).catch(() => {});
  }

  /** The response of the current document, if the Network domain was on when it arrived. */
  get answer(): MainResponse | undefined {
    return this.#answers.get(this.page.life.loaderId ?? '');
  }

  /** Why the last navigation failed, unless a step may have changed the document since. */
  get failedNavigation(): string | undefined {
    return this.#written === this.page.life.documents ? undefined : this.#failedNavigation;
  }

  /** @param why reason for the failure; undefined when the navigation did not fail or the page may still load */
  navigated(why: string | undefined): void {
    this.#failedNavigation = why;
  }

  /** Records that a step wrote the document's markup, regardless of its URL. */
  contentReplaced(): void {
    this.#written = this.page.life.documents;
  }

  /** Starts rejecting consent dialogs, from the next document on. Later calls do nothing. */
  async answerConsent(): Promise<void> {
    if (this.consent) return;
    const consent = await startConsent(this.page);
    this.consent = consent;
    const frames = childTargetsOf(this.page).apply(({ session, type }) =>
      type === 'iframe' ? consent.commands(session) : [],
    );
    await this.page.until(Promise.all([...consent.commands(this.page.session), frames.ready]));
  }

  /** Returns the record of requests, and starts it on the first call. */
  log(bodies = false): NetworkLog {
    this.#log ??= new NetworkLog(this.page);
    if (bodies) this.#log.captureBodies();
    return this.#log;
  }
}

/** Side effects of documents on a browser, which matter for its later pages and documents too. */
export interface Marks {
  /** `ranScripts`: code from a document ran in a page; `exposed`: the client's proxy could impersonate a site. */
  readonly traces: { ranScripts: boolean; exposed: boolean };
  /** Values of stored secrets that were filled in: no response may contain them. */
  readonly secrets: Set<string>;
  /** One of the secrets may be filled into http pages, which every proxy can read. */
  plainSecrets: boolean;
  /** Requests were sent through a proxy that a document specified. */
  ownProxy: boolean;
}

export const newMarks = (traces = { ranScripts: false, exposed: false }): Marks => ({
  traces,
  secrets: new Set(),
  plainSecrets: false,
  ownProxy: false,
});

export class BqlSession implements Disposable {
  /** Environment of the running document. */
  environment: BqlEnvironment;
  /** Options of the running document. */
  options: SessionOptions;
  tab: Tab;
  readonly marks: Marks;
  /** Default time limit of a step in milliseconds; 0 for none. */
  stepLimitMs = defaultStepLimitMs;
  readonly #tabs = new Map<Page, Tab>();
  readonly #first: Page;
  #windows: Windows | undefined;

  /**
   * @param page the first page; its owner disposes it, after the session
   * @param marks the browser's marks; by default, those of a browser that no document has used
   */
  constructor(page: Page, environment: BqlEnvironment, options: SessionOptions, marks = newMarks()) {
    this.marks = marks;
    this.environment = environment;
    this.options = options;
    this.#first = page;
    this.tab = this.use(page);
    if (options.windows) this.windows();
  }

  /** Values of stored secrets that were filled in: no response may contain them. */
  get secrets(): ReadonlySet<string> {
    return this.marks.secrets;
  }

  /** Makes a page the current one; keeps its earlier state. */
  use(page: Page): Tab {
    let tab = this.#tabs.get(page);
    if (!tab) {
      tab = new Tab(page);
      this.#tabs.set(page, tab);
      if (this.options.records) tab.log(this.options.bodies);
    }
    return (this.tab = tab);
  }

  /** Removes the request rules, which apply only while a document runs. */
  clearRules(): void {
    for (const { rules } of this.#tabs.values()) rules.clear();
  }

  /** Returns the windows of the browser, and starts watching them on the first call. */
  windows(): Windows {
    return (this.#windows ??= new Windows(this.#first));
  }

  [Symbol.dispose](): void {
    this.#windows?.[Symbol.dispose]();
  }
}
