/** Waits for web fonts before a page is captured or printed; a page that loads none does not wait. */
import { evaluateText } from '../evaluate.ts';
import { toExpression } from '../page-function.ts';
import { fontsReady } from '../../injected/document.ts';
import type { Page } from '../page.ts';

/** Time limit of the wait for fonts, in milliseconds; after that, the page is captured without them. */
const fontLimitMs = 5_000;

/**
 * Runs `work` immediately and asks the page in parallel whether fonts are still loading. If they were, runs it again
 * once they have loaded. Asking first would cost a round trip for every page.
 * @param discard releases the result of the first run when the work runs again
 */
export async function withFonts<T>(page: Page, work: () => Promise<T>, discard?: (early: T) => void): Promise<T> {
  const ready = evaluateText<boolean>(page, toExpression(fontsReady, []))
    // If the page tampers with document.fonts or navigates in the meantime, capture it as it is.
    .catch(() => true);
  const early = work();
  // The promise may reject before it is awaited below.
  early.catch(() => {});
  let wasReady;
  try {
    wasReady = await page.withTimeout(ready, fontLimitMs, () => new Error('fonts'));
  } catch {
    wasReady = page.signal.aborted || page.failure.aborted;
  }
  const result = await early;
  if (wasReady) return result;
  discard?.(result);
  return work();
}
