/** Searches in a worker: fetches the index and answers queries. It rejects messages from other origins. */
import { type Endpoint, expose } from 'comlink';
import { type Found, type Index, loadIndex, search } from '../../search/engine.ts';
import { type Passage, passagesFor } from '../../search/passages.ts';

let index: Promise<Index> | undefined;
let indexUrl = '';

const api = {
  /** Fetches an index from this origin; a second call returns immediately. */
  async fetchIndexes(url: string): Promise<number> {
    const address = new URL(url, location.href);
    if (address.origin !== location.origin) throw new Error(`The index must come from ${location.origin}.`);
    if (index === undefined || address.href !== indexUrl) {
      indexUrl = address.href;
      index = fetch(address).then(async (response) => {
        if (!response.ok) throw new Error(`The search index could not be loaded: ${response.status}.`);
        const loaded = await loadIndex(await response.text());
        // The first queries on an index are slow: run two before the reader's first query.
        search(loaded, 'timeout', 8);
        search(loaded, 'pdf mar', 8);
        return loaded;
      });
      index.catch(() => (index = undefined));
    }
    return (await index).sections.length;
  },
  async search(url: string, query: string, limit: number): Promise<Found> {
    await api.fetchIndexes(url);
    if (index === undefined) return { hits: [], instead: [] };
    return search(await index, query, limit);
  },
  async passages(url: string, question: string, most: number, length: number): Promise<Passage[]> {
    await api.fetchIndexes(url);
    return index === undefined ? [] : passagesFor(await index, question, most, length);
  },
};

export type SearchWorker = typeof api;

const page: Endpoint = {
  addEventListener: (type, listener) => addEventListener(type, listener),
  removeEventListener: (type, listener) => removeEventListener(type, listener),
  // In a worker, the second argument of postMessage lists transferables; it is not an origin.
  postMessage: (message, transfer) => postMessage(message, { transfer: transfer ?? [] }),
};

// Messages from the page that owns the worker have the empty origin.
expose(api, page, ['', location.origin]);
