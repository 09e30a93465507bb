/** Scrolls through the whole document, so that lazy content loads, and back to the top (`scrollPage`). */
import { withRetry } from '../evaluate.ts';
import { imagesComplete, scrollBack, scrollStep } from '../../injected/document.ts';
import { Traffic } from '../load/traffic.ts';
import type { Page } from '../page.ts';

/** Maximum number of scroll steps on an endless page, each 0.8 window heights. */
const maxSteps = 150;
/** Maximum time for scrolling, in milliseconds. */
const scrollLimitMs = 15_000;
/**
 * Total time in milliseconds to wait for requests that scrolling started; then at most the same time again for images.
 */
const quietLimitMs = 5_000;
/** Quiet means no open request for this long, in milliseconds; bridges the gap between one request and the next. */
const quietMs = 100;

/** Throws only when the page closes, when the request ends, or when navigations keep interrupting. */
export async function scrollThrough(page: Page): Promise<void> {
  page.watchNetwork();
  using traffic = new Traffic(page);
  const start = performance.now();
  for (let step = 0; step < maxSteps && performance.now() - start < scrollLimitMs; step++) {
    if (!(await withRetry(page, () => page.evaluate(scrollStep)))) continue;
    // The page may grow when the content that is loading now arrives: check again whether this is the end.
    await traffic.quiet(quietMs, { limitMs: quietLimitMs });
    if (await withRetry(page, () => page.evaluate(scrollStep))) break;
  }
  const complete = await withRetry(page, () => page.evaluate(scrollBack));
  if (!complete) await waitForImages(page);
}

async function waitForImages(page: Page): Promise<void> {
  const start = performance.now();
  while (performance.now() - start < quietLimitMs) {
    if (await withRetry(page, () => page.evaluate(imagesComplete))) return;
    await page.sleep(quietMs / 2);
  }
}
