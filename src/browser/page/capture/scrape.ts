/** Waits for all selectors in parallel, then reads all their elements in one call (compatibility.mdx#scrape). */
import { ServiceError } from '../../../base/errors.ts';
import type { ScrapeElement } from '../../../base/schema/request/fields.ts';
import { withRetry } from '../evaluate.ts';
import { readElements, type Scraped } from '../../injected/read-elements.ts';
import { pollSelector } from '../../injected/wait.ts';
import { canContinue } from '../load/navigate.ts';
import type { Page } from '../page.ts';
import { invalidSelector, describeSelector } from '../load/waits.ts';

export interface ScrapedElement {
  selector: string;
  results: Scraped[];
}

/**
 * @param bestAttempt returns no results for an element that does not appear, instead of failing
 * @throws ServiceError `wait-timeout`; `invalid-body` for an invalid selector
 */
export async function scrapeElements(
  page: Page,
  elements: readonly ScrapeElement[],
  bestAttempt: boolean,
): Promise<ScrapedElement[]> {
  if (elements.length === 0) return [];
  const selectors = elements.map(({ selector }) => selector);
  const read = () => withRetry(page, () => page.evaluate(readElements, selectors));
  const early = await read();
  const missing = elements.filter((_, index) => early[index]?.length === 0);
  early.forEach((results, index) => {
    if (results === null) throw invalidSelector(selectors[index] ?? '', `elements[${index}].selector`);
  });
  if (missing.length > 0) await Promise.all(missing.map((element) => appear(page, element, bestAttempt)));
  const results = missing.length > 0 ? await read() : early;
  return elements.map(({ selector }, index) => ({ selector, results: results[index] ?? [] }));
}

async function appear(page: Page, { selector, timeout }: ScrapeElement, bestAttempt: boolean): Promise<void> {
  const timeoutError = () => new ServiceError('wait-timeout', `Timed out waiting for selector "${selector}"`);
  const poll = () => page.evaluate(pollSelector, selector, 'present', timeout);
  try {
    await page.waiting.for(
      describeSelector(selector),
      page.withTimeout(withRetry(page, poll, Infinity), timeout, timeoutError),
    );
  } catch (error) {
    if (!bestAttempt || !canContinue(page, error)) throw error;
  }
}
