/** Runs one worker for all search fields and restarts it once when it fails. */
import { type Remote, wrap } from 'comlink';
import type { Found } from '../../search/engine.ts';
import type { Passage } from '../../search/passages.ts';
import { indexUrl, scriptAddress, workerUrl } from '../shell/page-context.ts';
import type { SearchWorker } from './search-worker.ts';

let worker: Remote<SearchWorker> | undefined;
let starts = 0;

function current(): Remote<SearchWorker> {
  if (worker === undefined) {
    starts++;
    const thread = new Worker(scriptAddress(workerUrl), { name: 'docs-search' });
    thread.addEventListener('error', () => (worker = undefined));
    worker = wrap<SearchWorker>(thread);
  }
  return worker;
}

/** Fetches the index and warms it up. */
export async function warmSearch(): Promise<void> {
  await current().fetchIndexes(indexUrl);
}

/** @throws Error when the index cannot be fetched; the server's search page works without it */
export function searchFor(query: string, limit: number): Promise<Found> {
  return withRetry((search) => search.search(indexUrl, query, limit));
}

/** Returns the passages that best answer a question. @throws Error when the index cannot be fetched */
export function passagesOf(question: string, most: number, length: number): Promise<Passage[]> {
  return withRetry((search) => search.passages(indexUrl, question, most, length));
}

async function withRetry<T>(ask: (search: Remote<SearchWorker>) => Promise<T>): Promise<T> {
  try {
    return await ask(current());
  } catch (error) {
    if (starts > 1) throw error;
    worker = undefined;
    return ask(current());
  }
}
