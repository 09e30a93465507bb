/**
 * Hides the elements that advertisements leave behind, with a style sheet that is no part of the markup (the page's HTML
 * stays what it was). Chromium's isolated worlds keep it from the page's scripts.
 */
import type { CdpSession } from '../../cdp/connection.ts';
import { retried } from '../evaluate.ts';
import { type PageFunction, toExpression } from '../page-function.ts';
import type { Page } from '../page.ts';
import type { AdBlocker } from './ad-test.ts';
import { collectMarks, replaceSheet } from '../../injected/hide-ads.ts';

/** Runs a function of ours in the isolated world of the main frame. */
type Run = <Args extends readonly unknown[], Result>(
  fn: PageFunction<Args, Result>,
  ...args: Args
) => Promise<Awaited<Result>>;

/** The marks in the document that are there: at most as many as a very large page has. */
const maxMarks = 50_000;

/** Hides what is there now; run it again when more has come. Never fails for what the page does. */
export async function hideAds(page: Page, blocker: AdBlocker): Promise<void> {
  await retried(page, () => hide((fn, ...args) => page.evaluate(fn, ...args), blocker));
}

/** The same on a session that is not driven by a Page, for sockets. */
export async function hideAdsOn(session: CdpSession, frameId: string, blocker: AdBlocker): Promise<void> {
  // The same name gives the same world again.
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
