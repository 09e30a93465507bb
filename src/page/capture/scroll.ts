/** scrollPage: scrolls through the whole document, so that lazy content loads, and back to the top. */
import { retried } from '../evaluate.ts';
import { imagesComplete, scrollBack, scrollStep } from '../../injected/document.ts';
import type { Page } from '../page.ts';

/** Pages without an end stop being followed after this many window heights … */
const maxSteps = 150;
/** … or this time, in milliseconds. */
const scrollLimitMs = 15_000;
/** Requests that scrolling began get this long altogether, then the page is taken as it is. */
const quietLimitMs = 5_000;
/** No request for this long counts as quiet; it also bridges the gap between a request's end and the next one's start. */
const quietMs = 100;

/** Never fails for what the page does; throws what ends the page or the call. */
export async function scrollThrough(page: Page): Promise<void> {
  const traffic = watchTraffic(page);
  try {
    const start = performance.now();
    for (let step = 0; step < maxSteps && performance.now() - start < scrollLimitMs; step++) {
      if (!(await retried(page, () => page.evaluate(scrollStep)))) continue;
      // The end may move: what is loading now may make the page longer.
      await traffic.quiet(quietMs);
      if (await retried(page, () => page.evaluate(scrollStep))) break;
    }
    const complete = await retried(page, () => page.evaluate(scrollBack));
    if (!complete) await waitForImages(page);
  } finally {
    traffic.stop();
  }
}

async function waitForImages(page: Page): Promise<void> {
  const start = performance.now();
  while (performance.now() - start < quietLimitMs) {
    if (await retried(page, () => page.evaluate(imagesComplete))) return;
    await page.sleep(quietMs / 2);
  }
}

function watchTraffic(page: Page) {
  const running = new Set<string>();
  const started = performance.now();
  let lastChange = started;
  const change = (id: string, runs: boolean) => {
    if (runs) running.add(id);
    else running.delete(id);
    lastChange = performance.now();
  };
  const stops = [
    page.on('Network.requestWillBeSent', ({ requestId }) => change(requestId, true)),
    page.on('Network.loadingFinished', ({ requestId }) => change(requestId, false)),
    page.on('Network.loadingFailed', ({ requestId }) => change(requestId, false)),
  ];
  let spentMs = 0;
  return {
    stop: () => stops.forEach((stop) => stop()),
    /** Waits until nothing has been loading for so long; the time for that is limited over all calls. */
    async quiet(ms: number): Promise<void> {
      const from = performance.now();
      while (spentMs + performance.now() - from < quietLimitMs) {
        if (running.size === 0 && performance.now() - Math.max(lastChange, from) >= ms) break;
        await page.sleep(ms / 4);
      }
      spentMs += performance.now() - from;
    },
  };
}
