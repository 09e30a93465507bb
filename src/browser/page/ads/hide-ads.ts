/**
 * Hides the elements that advertisements leave behind, with a constructed style sheet that leaves the page's HTML
 * unchanged. It is adopted in an isolated world, which hides it from the page's scripts.
 */
import type { CdpSession } from '../../cdp/connection.ts';
import { withRetry } from '../evaluate.ts';
import { type PageFunction, toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import type { AdBlocker } from './ad-test.ts';
import { collectMarks, replaceSheet } from '../../injected/hide-ads.ts';

/** Runs a function from src/browser/injected in an isolated world of the main frame. */
type Run = <Args extends readonly unknown[], Result>(
  fn: PageFunction<Args, Result>,
  ...args: Args
) => Promise<Awaited<Result>>;

/** Limit on the number of collected classes, ids and links: more than even a very large page has. */
const maxMarks = 50_000;

/** Hides the ads present now; run it again when the page has loaded more. */
export async function hideAds(page: Page, blocker: AdBlocker): Promise<void> {
  await withRetry(page, () => hide((fn, ...args) => page.evaluate(fn, ...args), blocker));
}

/** Does the same on a CDP session without a Page, for sockets. */
export async function hideAdsOn(session: CdpSession, frameId: string, blocker: AdBlocker): Promise<void> {
  // Chromium returns the same world for the same name.
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: 'browserd ads' });
  await hide(async (fn, ...args) => {
    const expression = toExpression(fn, args);
    const { result } = await session.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      returnByValue: true,
    });
    return result.value;
  }, blocker);
}

async function hide(run: Run, blocker: AdBlocker): Promise<void> {
  const found = await run(collectMarks, maxMarks);
  const css = blocker.styles(found.url) + blocker.stylesFor(found.url, found.marks);
  await run(replaceSheet, css);
}
