/** Allows or denies downloads in all contexts of a browser, including those that clients create later. */
import type { CdpSession } from '../../browser/cdp/connection.ts';

export class DownloadPermission {
  readonly #root: CdpSession;
  readonly #directory: string;
  #enabled: boolean | undefined;
  /** Contexts with the permission, besides the default one. */
  readonly #contexts = new Set<string>();

  /**
   * @param root browser-level session with target discovery enabled
   * @param directory where downloads are saved
   */
  constructor(root: CdpSession, directory: string) {
    this.#root = root;
    this.#directory = directory;
    root.on('Target.targetCreated', ({ targetInfo: { browserContextId } }) => {
      if (this.#enabled === undefined || browserContextId === undefined || this.#contexts.has(browserContextId)) return;
      // The context may already have been disposed.
      this.#apply(browserContextId).catch(() => {});
    });
  }

  /** @throws ProtocolError, ConnectionClosed */
  async set(enabled: boolean): Promise<void> {
    this.#enabled = enabled;
    this.#contexts.clear();
    const { browserContextIds } = await this.#root.send('Target.getBrowserContexts');
    // A context may be disposed in the meantime; the default one stays.
    await Promise.all([this.#apply(undefined), ...browserContextIds.map((id) => this.#apply(id).catch(() => {}))]);
  }

  async #apply(browserContextId: string | undefined): Promise<void> {
    if (browserContextId !== undefined) this.#contexts.add(browserContextId);
    await this.#root.send('Browser.setDownloadBehavior', {
      ...(this.#enabled ? { behavior: 'allow', downloadPath: this.#directory } : { behavior: 'deny' }),
      ...(browserContextId === undefined ? {} : { browserContextId }),
    });
  }
}
