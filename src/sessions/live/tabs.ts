/** Follows the pages of a session, which a live view shows as tabs. */
import type { CdpSession, EventParams } from '../../browser/cdp/connection.ts';

type TargetInfo = EventParams<'Target.targetCreated'>['targetInfo'];

export interface Tab {
  id: string;
  title: string;
  url: string;
  /** The page that opened the tab; undefined when a client or a person opened it. */
  openerId: string | undefined;
}

export interface TabListener {
  opened(tab: Tab): void;
  changed(tab: Tab): void;
  closed(id: string): void;
}

export class Tabs implements Disposable {
  readonly #root: CdpSession;
  readonly #listener: TabListener;
  /** Whether a page that shows this URL may be watched. */
  readonly #mayShow: (address: string) => boolean;
  readonly #tabs = new Map<string, Tab>();
  /** True once the open pages are listed; the list covers earlier events. */
  #started = false;
  readonly #stops: readonly (() => void)[];

  /** @param root browser-level session with target discovery enabled */
  constructor(root: CdpSession, mayShow: (address: string) => boolean, listener: TabListener) {
    this.#root = root;
    this.#mayShow = mayShow;
    this.#listener = listener;
    this.#stops = [
      root.on('Target.targetCreated', ({ targetInfo }) => this.#note(targetInfo)),
      root.on('Target.targetInfoChanged', ({ targetInfo }) => this.#note(targetInfo)),
      root.on('Target.targetDestroyed', ({ targetId }) => this.#gone(targetId)),
    ];
  }

  /** Lists the open pages. @throws any error that the browser returns */
  async start(): Promise<void> {
    const { targetInfos } = await this.#root.send('Target.getTargets');
    this.#started = true;
    for (const info of targetInfos) this.#note(info);
  }

  get(id: string): Tab | undefined {
    return this.#tabs.get(id);
  }

  get list(): readonly Tab[] {
    return [...this.#tabs.values()];
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  #note({ targetId: id, type, title, url, openerId }: TargetInfo): void {
    if (type !== 'page' || !this.#started) return;
    if (!this.#mayShow(url)) return this.#gone(id);
    const known = this.#tabs.get(id);
    const tab = { id, title: title.slice(0, 500), url: url.slice(0, 2_000), openerId };
    this.#tabs.set(id, tab);
    if (!known) this.#listener.opened(tab);
    else if (known.title !== tab.title || known.url !== tab.url) this.#listener.changed(tab);
  }

  #gone(id: string): void {
    if (this.#tabs.delete(id)) this.#listener.closed(id);
  }
}
