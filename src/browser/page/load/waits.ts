/**
 * Runs the four waits of a request: time, function, selector, event (compatibility.mdx#waits). The last three run
 * inside the page and start again in the next document when a navigation interrupts them.
 */
import { ServiceError, truncate } from '../../../base/errors.ts';
import type { WaitForEvent, WaitForFunction, WaitForSelector, Waits } from '../../../base/schema/request/fields.ts';
import { evaluateText, PageScriptError, withRetry } from '../evaluate.ts';
import { awaitEvent, pollFunction, pollSelector } from '../../injected/wait.ts';
import { toCall } from '../page-function.ts';
import { canContinue } from './navigate.ts';
import type { Page } from '../page.ts';

/**
 * Runs the waits that the request specifies, in this order: time, function, selector, event.
 * @param bestAttempt continue when a wait fails
 * @returns the messages of the waits that failed
 * @throws ServiceError `wait-timeout`, `bad-request` when the function throws, `invalid-body` when it does not parse or
 *   a selector is invalid
 */
export async function settle(page: Page, waits: Waits, bestAttempt: boolean): Promise<string[]> {
  const failed: string[] = [];
  const run = async (wait: Promise<void>): Promise<void> => {
    try {
      await wait;
    } catch (error) {
      if (!bestAttempt || !canContinue(page, error)) throw error;
      failed.push(error instanceof Error ? error.message : String(error));
    }
  };
  if (waits.waitForTimeout !== undefined) {
    await page.waiting.for(`the ${waits.waitForTimeout} ms of waitForTimeout`, page.sleep(waits.waitForTimeout));
  }
  if (waits.waitForFunction) await run(waitForFunction(page, waits.waitForFunction));
  if (waits.waitForSelector) await run(waitForSelector(page, waits.waitForSelector));
  if (waits.waitForEvent) await run(waitForEvent(page, waits.waitForEvent));
  return failed;
}

/** Whether the request has any wait, during which the page may change. */
export function hasWaits(waits: Waits): boolean {
  const all = [waits.waitForTimeout, waits.waitForFunction, waits.waitForSelector, waits.waitForEvent];
  return all.some((wait) => wait !== undefined);
}

/** @throws ServiceError `wait-timeout`, `invalid-body` for an invalid selector */
export async function waitForSelector(
  page: Page,
  { selector, hidden, visible, timeout }: WaitForSelector,
  field = 'waitForSelector',
): Promise<void> {
  const state = hidden ? 'hidden' : visible ? 'visible' : 'present';
  const wanted = state === 'present' ? '' : ` to be ${state}`;
  const timeoutError = () =>
    new ServiceError(
      'wait-timeout',
      `Timed out waiting for selector "${selector}"${wanted} (${field}.timeout is ${timeout} ms).`,
    );
  const poll = () => page.evaluate(pollSelector, selector, state, timeout);
  const polling = page.withTimeout(withRetry(page, poll, Infinity), timeout, timeoutError);
  const outcome = await page.waiting.for(`${describeSelector(selector)}${wanted}`, polling);
  if (outcome === 'late') throw timeoutError();
  if (outcome === 'invalid') throw invalidSelector(selector, `${field}.selector`);
}

/** Describes a selector for Waiting. */
export function describeSelector(selector: string): string {
  return `the selector "${truncate(selector, 200)}"`;
}

export function invalidSelector(selector: string, field: string): ServiceError {
  return new ServiceError('invalid-body', `"${field}" is not a valid CSS selector: ${selector.slice(0, 200)}`, {
    issues: [{ path: field, message: 'is not a valid CSS selector' }],
  });
}

/**
 * Waits until the function or expression returns a truthy value. Runs it in the page's own world, where the page's
 * variables are.
 * @throws ServiceError `wait-timeout`, `bad-request` when it throws, `invalid-body` when it does not parse
 */
export async function waitForFunction(page: Page, wait: WaitForFunction): Promise<void> {
  const { timeout } = wait;
  const timeoutError = () =>
    new ServiceError(
      'wait-timeout',
      `Timed out waiting for function: it did not return a truthy value within ${timeout} ms (waitForFunction.timeout).`,
    );
  const polling = page.withTimeout(pollUntilTruthy(page, wait, timeoutError), timeout, timeoutError);
  await page.waiting.for('the function of waitForFunction to return something truthy', polling);
}

/** Polling interval with scripts off: the page's timers and animation frames do not run then, so the server polls. */
const outsidePollingMs = 100;

async function pollUntilTruthy(
  page: Page,
  { fn, polling, timeout }: WaitForFunction,
  timeoutError: () => Error,
): Promise<void> {
  const inside = page.javaScriptEnabled ? polling : 'once';
  for (;;) {
    const { state, message } = await withRetry(page, () => callPredicate(page, fn, inside, timeout), Infinity);
    if (state === 'found') return;
    if (state === 'threw') {
      throw new ServiceError(
        'bad-request',
        `waitForFunction.fn threw ${message}. Make it return false while the page is not ready, for example with "?.".`,
        { callersText: true },
      );
    }
    if (inside !== 'once') throw timeoutError();
    await page.sleep(typeof polling === 'number' ? Math.max(polling, 1) : outsidePollingMs);
  }
}

type Predicate = Awaited<ReturnType<typeof pollFunction>>;

async function callPredicate(
  page: Page,
  fn: string,
  polling: Parameters<typeof pollFunction>[1],
  timeout: number,
): Promise<Predicate> {
  let problem: PageScriptError | undefined;
  for (const predicate of toPredicates(fn)) {
    try {
      return await evaluateText<Predicate>(
        page,
        toCall(pollFunction, predicate, JSON.stringify(polling), String(timeout)),
      );
    } catch (error) {
      if (!(error instanceof PageScriptError)) throw error;
      problem ??= error;
      if (!error.syntax) break;
    }
  }
  throw new ServiceError('invalid-body', `"waitForFunction.fn" cannot be run: ${problem?.message ?? 'it is empty'}.`, {
    issues: [{ path: 'waitForFunction.fn', message: problem?.message ?? 'is empty' }],
    callersText: true,
  });
}

/**
 * Returns possible readings of the text, most likely first: a function to call, an expression, or a function body. The
 * browser decides by parsing, because text that does not parse has not run.
 */
export function toPredicates(fn: string): string[] {
  const text = fn.trim().replace(/(?<!;);+$/, '');
  const isFunction = /^(async\s+)?function\b/.test(text) || /^(async\s*)?(\([^]*?\)|[\w$]+)\s*=>/.test(text);
  const maybeAsync = /\bawait\b/.test(text) ? 'async ' : '';
  const expression = `${maybeAsync}() => (${text}\n)`;
  const body = `${maybeAsync}() => {${text}\n}`;
  return isFunction ? [`(${text}\n)`, expression] : [expression, body];
}

/** Waits for a DOM event on document or window; misses one that fired before. @throws ServiceError `wait-timeout` */
export async function waitForEvent(page: Page, { event, timeout }: WaitForEvent): Promise<void> {
  const timeoutError = () =>
    new ServiceError('wait-timeout', `Timed out waiting for event "${event}" (waitForEvent.timeout is ${timeout} ms).`);
  const fired = withRetry(page, () => page.evaluate(awaitEvent, event), Infinity);
  await page.waiting.for(`the event "${truncate(event, 200)}"`, page.withTimeout(fired, timeout, timeoutError));
}
