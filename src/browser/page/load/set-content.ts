/** Loads the HTML of a request at about:blank (Page.setDocumentContent), with its scripts and sub-resources. */
import { ServiceError } from '../../../base/errors.ts';
import type { GoToOptions } from '../../../base/schema/request/fields.ts';
import { attempt, toLifecycleEvents } from './navigate.ts';
import { Traffic } from './traffic.ts';
import type { Page } from '../page.ts';

/** How long few requests must be open for network idle, in milliseconds, as Chromium defines it. */
const idleMs = 500;

export interface SetContentOptions extends GoToOptions {
  bestAttempt: boolean;
}

/**
 * Replaces the document with this HTML and waits for its lifecycle events. Page.setDocumentContent takes half the time
 * of document.write and works with scripts off.
 * @throws ServiceError `wait-timeout`, unless bestAttempt
 */
export async function setContent(page: Page, html: string, options: SetContentOptions): Promise<undefined> {
  const { timeout, bestAttempt, waitUntil } = options;
  // Chromium reports network idle for navigations only.
  const idle = waitUntil.flatMap((event) => (event === 'networkidle0' ? [0] : event === 'networkidle2' ? [2] : []));
  const events = waitUntil.filter((event) => event === 'load' || event === 'domcontentloaded');
  const load = async (): Promise<void> => {
    if (idle.length === 0) page.quietNetwork();
    else page.watchNetwork();
    using traffic = idle.length === 0 ? undefined : new Traffic(page);
    traffic?.watchChildren();
    page.life.pdf = undefined;
    const { documents } = page.life;
    const reached = page.life.reached(
      toLifecycleEvents(events.length === 0 ? ['load'] : events),
      () => page.life.documents > documents,
    );
    await Promise.all([page.send('Page.setDocumentContent', { frameId: page.mainFrameId, html }), reached]);
    await traffic?.quiet(idleMs, { open: Math.min(...idle) });
    page.quietNetwork();
  };
  const awaited = `"${waitUntil.join('", "')}"`;
  const timeoutError = () =>
    new ServiceError(
      'wait-timeout',
      `The HTML did not reach ${awaited} within ${timeout} ms: something in it did not finish loading. Raise gotoOptions.timeout, wait for less with gotoOptions.waitUntil, or set bestAttempt.`,
    );
  await attempt(page, bestAttempt, () =>
    page.waiting.for(`the HTML to reach ${awaited}`, page.withTimeout(load(), timeout, timeoutError)),
  );
}
