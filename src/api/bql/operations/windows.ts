/** Implements switchToWindow (other windows of the browser) and reconnect (keeps the browser after the document). */
import { evaluateText, withRetry } from '../../../browser/page/evaluate.ts';
import { maxTimerMs } from '../../../base/runtime/deadline.ts';
import { readTitleAndAddress } from '../../../browser/injected/document.ts';
import { toExpression } from '../../../browser/page/page-function.ts';
import type { Page } from '../../../browser/page/page.ts';
import { matchesGlob } from '../../../browser/page/requests/request-match.ts';
import { type Maybe, operation } from '../run/operation.ts';
import { Step } from '../run/step.ts';
import { badArgument, StepError } from '../run/step-error.ts';
import { toHttpResponse, toLifecycleEvents, type WaitUntil } from './navigation.ts';

interface WindowArgs {
  url?: Maybe<string>;
  title?: Maybe<string>;
  newest?: Maybe<boolean>;
  timeout?: Maybe<number>;
  waitUntil?: Maybe<WaitUntil>;
}

const defaultTimeoutMs = 5_000;

export const switchToWindow = operation<WindowArgs>({
  // A missing window is reported in the result (`success: false`), not as a failed step.
  ownTimeout: true,
  async run(call) {
    const { args, session, info, tab } = call;
    const { url, title, newest } = args;
    const failed = (error: string) => ({ success: false, error, title: null, url: null, navigation: null });
    if (typeof url !== 'string' && typeof title !== 'string' && newest !== true) {
      return failed('"switchToWindow" needs "url", "title" or "newest".');
    }
    const limitMs = args.timeout ?? defaultTimeoutMs;
    if (limitMs < 0) return failed(`"timeout" must be 0 (no limit) or greater, got ${limitMs}.`);
    const step = new Step(tab.page, info.fieldName, limitMs, call.step.signal);
    call.step.setTimeoutReason('TIMEOUT', `no window matched ${JSON.stringify({ url, title, newest })}.`);
    try {
      return await step.run(async () => {
        step.setTimeoutReason('TIMEOUT', 'no such window is open.');
        const windows = session.windows();
        const found = await step.until(async () => {
          const fitting = (await windows.list()).filter(
            (one) =>
              (typeof url !== 'string' || matchesGlob(url, one.url)) &&
              (typeof title !== 'string' || matchesGlob(title, one.title)) &&
              // `newest` never selects the current window.
              (newest !== true || one.targetId !== tab.page.target.targetId),
          );
          return newest === true ? fitting.at(-1) : fitting[0];
        });
        const page = await windows.open(found.targetId);
        const current = session.use(page);
        if (session.options.consent) await current.answerConsent();
        if (args.waitUntil) await loaded(page, args.waitUntil, step);
        // The window's document loaded before the consent script was set up: start the script in it now.
        if (session.options.consent) await current.consent?.beginHere();
        const navigation = args.waitUntil
          ? await toHttpResponse({ ...call, page, tab: current }, current.answer)
          : null;
        const about = toExpression(readTitleAndAddress, []);
        const known = await withRetry(page, () => evaluateText<{ title: string; url: string }>(page, about));
        return { success: true, error: null, ...known, navigation };
      });
    } catch (error) {
      if (error instanceof StepError) return failed(error.message);
      throw error;
    }
  },
});

export const reconnect = operation<{ timeout?: Maybe<number> }>({
  // `timeout` is how long the browser is kept.
  ownTimeout: true,
  async run({ args, session, page }) {
    const timeout = keepAliveMs(args.timeout);
    if (!session.environment.reconnect) throw badArgument(cannotKeep);
    return session.environment.reconnect(timeout, page.target.targetId);
  },
});

/** Error for a document whose browser is always closed when it finishes. */
export const cannotKeep = 'This browser cannot be kept open.';

/** Returns how long to keep the browser, in milliseconds. @throws StepError `BAD_ARGUMENT` for an invalid time */
export function keepAliveMs(timeout: Maybe<number>): number {
  const ms = timeout ?? 30_000;
  if (ms > 0 && ms <= maxTimerMs) return ms;
  throw badArgument(`"timeout" must be 1 to ${maxTimerMs} milliseconds, got ${ms}.`);
}

async function loaded(page: Page, waitUntil: WaitUntil, step: Step): Promise<void> {
  step.setTimeoutReason('TIMEOUT', `the window did not reach "${waitUntil}".`);
  await page.life.reached(toLifecycleEvents(waitUntil, 'networkAlmostIdle'), () => true);
}
