/** Waits for web fonts before a page is captured or printed; a page that loads none does not wait. */
import { evaluateText } from '../evaluate.ts';
import { toExpression } from '../page-function.ts';
import { fontsReady } from '../../injected/document.ts';
import type { Page } from '../page.ts';

/** Time limit of the wait for fonts, in milliseconds; after that, the page is captured without them. */
const fontLimitMs = 5_000;

/** Resolves with true if no font was loading, otherwise with false once all have loaded or the time limit has passed. */
export async function fontsLoaded(page: Page): Promise<boolean> {
  const ready = evaluateText<boolean>(page, toExpression(fontsReady, []))
    // If the page tampers with document.fonts or navigates in the meantime, capture it as it is.
    .catch(() => true);
  try {
    return await page.withTimeout(ready, fontLimitMs, () => new Error('fonts'));
  } catch {
    return page.signal.aborted || page.failure.aborted;
  }
}

/**
 * Runs `work`, which the page must not notice, immediately and asks the page in parallel whether fonts are still
 * loading. If they were, runs it again once they have loaded. Asking first would cost a round trip for every page.
 */
export async function withFonts<T>(page: Page, work: () => Promise<T>): Promise<T> {
  const loaded = fontsLoaded(page);
  const early = work();
  // The promise may reject before it is awaited below.
  early.catch(() => {});
  const wasReady = await loaded;
  const result = await early;
  return wasReady ? result : work();
}
