/** Pages with the operator's settings in them, packed, as long as they fit: made for their first reader only. */

/** The documentation has some 200 pages of about 10 KB each, packed. */
const defaultMost = 400;

export class KeptPages {
  readonly #most: number;
  readonly #pages = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  /** @param most pages that are kept; the one that was not asked for longest goes first */
  constructor(most = defaultMost) {
    this.#most = most;
  }

  /**
   * The page, packed with gzip.
   * @param key changes with everything that the page is made of
   * @param make called when the page is not there; when it fails, the next call makes it anew
   */
  async get(key: string, make: () => Promise<string>): Promise<Uint8Array<ArrayBuffer>> {
    const page = this.#pages.get(key) ?? make().then(pack);
    this.#pages.delete(key);
    this.#pages.set(key, page);
    if (this.#pages.size > this.#most) this.#pages.delete(this.#pages.keys().next().value ?? '');
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
