/** Waits for web fonts before a page is captured or printed; pages without any do not wait. */
import { evaluateText } from '../evaluate.ts';
import { toExpression } from '../page-function.ts';
import { fontsReady } from '../../injected/document.ts';
import type { Page } from '../page.ts';

/** A font that is not there by then is taken for dead, and the page is shown without it. */
const fontLimitMs = 5_000;

/**
 * Runs `work` at once, beside the question whether fonts are still on their way. Only when they were, it is run again
 * after they came: asking first would cost every page a round trip.
 * @param discard releases the result of the run that came too early
 */
export async function withFonts<T>(page: Page, work: () => Promise<T>, discard?: (early: T) => void): Promise<T> {
  const ready = evaluateText<boolean>(page, toExpression(fontsReady, []))
    // A page that tampers with document.fonts, or leaves meanwhile, is taken as it is.
    .catch(() => true);
  const early = work();
  // It may fail before it is awaited below.
  early.catch(() => {});
  let wasReady;
  try {
    wasReady = await page.within(ready, fontLimitMs, () => new Error('fonts'));
  } catch {
    wasReady = page.signal.aborted || page.failure.aborted;
  }
  const result = await early;
  if (wasReady) return result;
  discard?.(result);
  return work();
}
