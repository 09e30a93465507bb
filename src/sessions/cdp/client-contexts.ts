/** Tracks the contexts of code that drives part of a browser: the code's own context, and those that it creates. */
import type { BrowserConnection } from '../../browser/cdp/connection.ts';
import { createContext } from '../../browser/processes/page-target.ts';
import { Refusal } from './client-command.ts';
import { noOwnProxy } from './context-rules.ts';
import type { Params } from './rules/verdict.ts';

interface ClientContextsOptions {
  connection: BrowserConnection;
  /** The client's own context; undefined for the default context of a browser that only this client uses. */
  contextId: string | undefined;
  /** The proxy of contexts that the client creates; undefined for the browser's proxy. */
  proxyServer: string | undefined;
}

/** How many contexts the client may create besides its own. */
const maxContexts = 16;

export class ClientContexts implements Disposable {
  readonly #options: ClientContextsOptions;
  readonly #made = new Set<string>();
  #downloads: { behavior: Params; sessionId: string | undefined } = {
    behavior: { behavior: 'deny' },
    sessionId: undefined,
  };

  constructor(options: ClientContextsOptions) {
    this.#options = options;
  }

  /** Ids of the contexts that the client created. */
  get created(): string[] {
    return [...this.#made];
  }

  has(browserContextId: string): boolean {
    return this.#made.has(browserContextId);
  }

  /**
   * Sets where downloads of all contexts go, present and future.
   * @param behavior parameters of Browser.setDownloadBehavior
   * @param sessionId the session of the browser that receives their events
   */
  async setDownloads(behavior: Params, sessionId: string | undefined): Promise<void> {
    this.#downloads = { behavior, sessionId };
    await Promise.all([this.#options.contextId, ...this.#made].map((id) => this.#applyDownloads(id)));
  }

  /** @throws Refusal for a proxy, and for too many contexts */
  async create(params: Params): Promise<object> {
    if (params['proxyServer'] !== undefined) throw new Refusal(noOwnProxy);
    if (this.#made.size >= maxContexts) throw new Refusal(`At most ${maxContexts} contexts can be created.`);
    const { connection, proxyServer } = this.#options;
    const browserContextId = await createContext(connection.root, proxyServer);
    this.#made.add(browserContextId);
    await this.#applyDownloads(browserContextId);
    return { browserContextId };
  }

  /** @throws Refusal for a context that the client did not create */
  async dispose(browserContextId: string): Promise<object> {
    if (!this.#made.delete(browserContextId)) throw new Refusal('Failed to find browser context');
    await this.#options.connection.root.send('Target.disposeBrowserContext', { browserContextId });
    return {};
  }

  async #applyDownloads(browserContextId: string | undefined): Promise<void> {
    const { connection } = this.#options;
    const { behavior, sessionId } = this.#downloads;
    await connection.command('Browser.setDownloadBehavior', { ...behavior, browserContextId }, sessionId);
  }

  [Symbol.dispose](): void {
    for (const browserContextId of this.#made) {
      this.#options.connection.root.send('Target.disposeBrowserContext', { browserContextId }).catch(() => {});
    }
    this.#made.clear();
  }
}
