/** Loads the HTML of a request at about:blank (Page.setDocumentContent), with its scripts and sub-resources. */
import { ServiceError } from '../../../base/errors.ts';
import type { GoToOptions } from '../../../base/schema/request/fields.ts';
import { attempt, toLifecycleEvents } from './navigate.ts';
import type { Page } from '../page.ts';

export interface SetContentOptions extends GoToOptions {
  bestAttempt: boolean;
}

/**
 * Replaces the document with this HTML and waits for its lifecycle events. Page.setDocumentContent takes half the time
 * of document.write and works with scripts off.
 * @throws ServiceError `wait-timeout`, unless bestAttempt
 */
export async function setContent(page: Page, html: string, options: SetContentOptions): Promise<undefined> {
  const { timeout, bestAttempt } = options;
  const waitUntil = withoutIdle(options.waitUntil);
  const load = async (): Promise<void> => {
    page.quietNetwork();
    const { documents } = page.life;
    const reached = page.life.reached(toLifecycleEvents(waitUntil), () => page.life.documents > documents);
    await Promise.all([page.send('Page.setDocumentContent', { frameId: page.mainFrameId, html }), reached]);
  };
  const events = `"${waitUntil.join('", "')}"`;
  const timeoutError = () =>
    new ServiceError(
      'wait-timeout',
      `The HTML did not reach ${events} within ${timeout} ms: something in it did not finish loading. Raise gotoOptions.timeout, wait for less with gotoOptions.waitUntil, or set bestAttempt.`,
    );
  await attempt(page, bestAttempt, () =>
    page.waiting.for(`the HTML to reach ${events}`, page.withTimeout(load(), timeout, timeoutError)),
  );
}

/** Drops the network idle events, which Chromium reports for navigations only. */
function withoutIdle(waitUntil: GoToOptions['waitUntil']): GoToOptions['waitUntil'] {
  const kept = waitUntil.filter((event) => event === 'load' || event === 'domcontentloaded');
  return kept.length === 0 ? ['load'] : kept;
}
