/** Caches gzipped pages that contain the operator's settings, so that only the first request for a page builds it. */

/** The documentation has some 200 pages of about 10 KB each, gzipped. */
const defaultMaxPages = 400;

export class PageCache {
  readonly #maxPages: number;
  readonly #pages = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  /** @param maxPages size of the cache in pages; it evicts the least recently used page */
  constructor(maxPages = defaultMaxPages) {
    this.#maxPages = maxPages;
  }

  /**
   * Returns the page, compressed with gzip.
   * @param key changes with everything that goes into the page
   * @param make called when the page is not cached; after a failure, the next call tries again
   */
  async get(key: string, make: () => Promise<string>): Promise<Uint8Array<ArrayBuffer>> {
    const page = this.#pages.get(key) ?? make().then(pack);
    this.#pages.delete(key);
    this.#pages.set(key, page);
    if (this.#pages.size > this.#maxPages) this.#pages.delete(this.#pages.keys().next().value ?? '');
    try {
      return await page;
    } catch (error) {
      if (this.#pages.get(key) === page) this.#pages.delete(key);
      throw error;
    }
  }
}

async function pack(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
