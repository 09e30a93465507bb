/** Measures what the pages of a virtual browser store in the process that it shares. */
import type { BrowserConnection } from '../../cdp/connection.ts';
import type { TargetInfo } from './target-info.ts';

/** Maximum number of origins remembered per context; a page that opens more is unusual. */
const maxOrigins = 1_000;

/** Number of characters of a URL that are read to find its origin. */
const headCharacters = 1_000;

export class StoredData {
  readonly #connection: BrowserConnection;
  /** Origins that were open in each context. */
  readonly #origins = new Map<string, Set<string>>();

  constructor(connection: BrowserConnection) {
    this.#connection = connection;
  }

  /** Records the origin of a target. */
  note({ browserContextId = '', url }: TargetInfo): void {
    const origin = URL.parse(url.slice(0, headCharacters))?.origin ?? 'null';
    const origins = this.#origins.get(browserContextId) ?? new Set();
    if (origin === 'null' || origins.size >= maxOrigins) return;
    this.#origins.set(browserContextId, origins.add(origin));
  }

  /** Forgets a context that no longer exists. */
  forget(contextId: string): void {
    this.#origins.delete(contextId);
  }

  /**
   * Bytes of the caches, databases and private files of all its origins, without those of other sites' frames.
   * @param targets the open targets: only a page can report the usage of its context
   * @throws any error that the browser reports
   */
  async bytes(targets: readonly TargetInfo[]): Promise<number> {
    const pages = new Map(
      targets.flatMap(({ type, targetId, browserContextId = '' }) =>
        type === 'page' ? [[browserContextId, targetId]] : [],
      ),
    );
    const sums = await Promise.all([...pages].map(([context, page]) => this.#bytesOf(context, page)));
    return sums.reduce((sum, each) => sum + each, 0);
  }

  async #bytesOf(contextId: string, targetId: string): Promise<number> {
    const { root } = this.#connection;
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    const session = this.#connection.session(sessionId);
    const usages = await Promise.allSettled(
      [...(this.#origins.get(contextId) ?? [])].map((origin) => session.send('Storage.getUsageAndQuota', { origin })),
    );
    root.send('Target.detachFromTarget', { sessionId }).catch(() => {});
    return usages.reduce((sum, usage) => sum + (usage.status === 'fulfilled' ? usage.value.usage : 0), 0);
  }
}
