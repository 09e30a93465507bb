/** Implements goto, back, forward, reload, content, waitForNavigation, url and title. */
import type { LifecycleEvent } from '../../../browser/page/document-lifecycle.ts';
import { evaluateText, withRetry } from '../../../browser/page/evaluate.ts';
import { readAddress, readTitle } from '../../../browser/injected/document.ts';
import { toExpression } from '../../../browser/page/page-function.ts';
import { goInHistory, nextDocument, reloadPage } from '../../../browser/page/load/history.ts';
import {
  type MainResponse,
  navigate,
  readOwnResponse,
  refusePdf,
  shortUrl,
} from '../../../browser/page/load/navigate.ts';
import { setContent } from '../../../browser/page/load/set-content.ts';
import { type Maybe, operation, type StepCall } from '../run/operation.ts';

/** The lifecycle events of Chromium that mean each value of `waitUntil`. */
const lifecycleEvents = {
  // The new document has started, so it is committed: nothing more to wait for.
  commit: [],
  load: ['load'],
  domContentLoaded: ['DOMContentLoaded'],
  firstMeaningfulPaint: ['firstMeaningfulPaint'],
  firstContentfulPaint: ['firstContentfulPaint'],
  // Chromium no longer reports interactiveTime: wait for load and an almost idle network instead.
  interactiveTime: ['load', 'networkAlmostIdle'],
} as const satisfies Record<string, readonly LifecycleEvent[]>;

export type WaitUntil = keyof typeof lifecycleEvents | 'networkIdle';

/**
 * Converts `waitUntil` to Chromium's lifecycle events.
 * @param idle event for `networkIdle`: networkAlmostIdle allows two open connections, networkIdle none
 */
export function toLifecycleEvents(
  waitUntil: Maybe<WaitUntil>,
  idle: 'networkIdle' | 'networkAlmostIdle',
): LifecycleEvent[] {
  return waitUntil === 'networkIdle' ? [idle] : [...lifecycleEvents[waitUntil ?? 'load']];
}

/** Rejects consent dialogs and hides ads if the options say so, then builds the result of a navigation. */
export async function toHttpResponse({ page, session, tab }: StepCall<unknown>, known: MainResponse | undefined) {
  refusePdf(page);
  const { consent, hideAds } = session.options;
  if (consent) await tab.consent?.settled();
  await hideAds?.(page);
  const response = known ?? (await readOwnResponse(page));
  const url = response?.url ?? (await readUrl({ page }));
  // The egress remembers the connections of all tokens: report an address only if this page connected to it.
  const address = response?.connected ? session.environment.addressOf(url) : undefined;
  return {
    status: response?.status ?? null,
    text: response ? response.statusText || (response.status === 200 ? 'OK' : '') : null,
    url,
    ip: address?.ip ?? null,
    port: address?.port ?? null,
  };
}

function readUrl({ page }: Pick<StepCall<unknown>, 'page'>): Promise<string> {
  return withRetry(page, () => evaluateText<string>(page, toExpression(readAddress, [])));
}

function setWaitMessage(call: StepCall<{ waitUntil?: Maybe<WaitUntil> }>, what: string): void {
  const event = call.args.waitUntil ?? 'load';
  call.step.setTimeoutReason(
    'TIMEOUT',
    `${what} did not reach "${event}". Raise "timeout" or choose an earlier "waitUntil".`,
  );
}

/** Reads response bodies before the page navigates, which discards them. */
async function saveBodies({ session, tab }: StepCall<unknown>): Promise<void> {
  if (session.options.bodies) await tab.log(true).readBodies();
}

export const goto = operation<{ url: string; waitUntil?: Maybe<WaitUntil> }>({
  navigates: true,
  async run(call) {
    const { args, page, session, tab } = call;
    const { href } = session.environment.checkUrl(args.url, 'url');
    await saveBodies(call);
    setWaitMessage(call, `the navigation to ${shortUrl(href)}`);
    tab.documentsBefore = page.life.documents;
    const response = await navigate(page, href, {
      // The step has its own limit.
      timeout: 0,
      waitUntil: ['load'],
      lifeEvents: toLifecycleEvents(args.waitUntil, 'networkAlmostIdle'),
      bestAttempt: false,
      explain: (url) => session.environment.explain(url),
    });
    tab.documentsBefore = page.life.documents;
    return toHttpResponse(call, response);
  },
});

function inHistory(delta: -1 | 1) {
  return operation<{ waitUntil?: Maybe<WaitUntil> }>({
    navigates: true,
    async run(call) {
      const { args, page, tab } = call;
      setWaitMessage(call, 'the navigation');
      await saveBodies(call);
      if (!(await goInHistory(page, delta, toLifecycleEvents(args.waitUntil, 'networkIdle')))) return null;
      tab.documentsBefore = page.life.documents;
      return toHttpResponse(call, tab.answer);
    },
  });
}

export const back = inHistory(-1);
export const forward = inHistory(1);

export const reload = operation<{ waitUntil?: Maybe<WaitUntil> }>({
  navigates: true,
  async run(call) {
    const { args, page, tab } = call;
    setWaitMessage(call, 'the page');
    await saveBodies(call);
    await reloadPage(page, toLifecycleEvents(args.waitUntil, 'networkIdle'));
    tab.documentsBefore = page.life.documents;
    return toHttpResponse(call, tab.answer);
  },
});

export const waitForNavigation = operation<{ waitUntil?: Maybe<WaitUntil> }>({
  async run(call) {
    const { args, page, tab } = call;
    call.step.setTimeoutReason('TIMEOUT', `no navigation reached "${args.waitUntil ?? 'load'}".`);
    await call.step.requirePage();
    await nextDocument(page, tab.documentsBefore, toLifecycleEvents(args.waitUntil, 'networkAlmostIdle'));
    tab.documentsBefore = page.life.documents;
    return toHttpResponse(call, tab.answer);
  },
});

export const content = operation<{ html: string; waitUntil?: Maybe<WaitUntil> }>({
  navigates: true,
  async run(call) {
    const { args, page, tab } = call;
    setWaitMessage(call, 'the HTML');
    const waitUntil = args.waitUntil ?? 'load';
    // Pending loads of the previous document would delay the new document's load event.
    await page.until(page.session.send('Page.stopLoading').catch(() => {}));
    await setContent(page, args.html, {
      timeout: 0,
      waitUntil: [waitUntil === 'networkIdle' ? 'networkidle0' : waitUntil === 'load' ? 'load' : 'domcontentloaded'],
      bestAttempt: false,
    });
    tab.contentReplaced();
    tab.documentsBefore = page.life.documents;
    return { status: 200, text: 'OK', url: await readUrl({ page }) };
  },
});

export const url = operation({
  run: async ({ page }) => ({ url: await readUrl({ page }) }),
});

export const title = operation({
  run: async ({ page }) => ({ title: await withRetry(page, () => page.evaluate(readTitle)) }),
});
