/** Implements waitForSelector, waitForTimeout, waitForRequest and waitForResponse. */
import { callOn, releaseHandles } from '../../../browser/page/act/elements.ts';
import { compileMatch } from '../../../browser/page/requests/request-match.ts';
import { findElement } from '../find/find-elements.ts';
import { boxOf } from '../../../browser/injected/element.ts';
import { type Maybe, operation } from '../run/operation.ts';
import { badArgument } from '../run/step-error.ts';
import { maxTimerMs } from '../../../base/runtime/deadline.ts';
import { firstRecord, toList } from '../run/records.ts';

export const waitForSelector = operation<{ selector: string; visible?: Maybe<boolean> }>({
  async run({ args, step, page }) {
    const element = await findElement(step, args.selector, { visible: args.visible });
    const { x, y, width, height } = await callOn(page, element, boxOf);
    releaseHandles([element.frame]);
    return { selector: args.selector, x, y, width, height };
  },
});

export const waitForTimeout = operation<{ time: number }>({
  ownTimeout: true,
  async run({ args, page, step }) {
    if (args.time < 0 || args.time > maxTimerMs) {
      throw badArgument(`"time" must be 0 to ${maxTimerMs} milliseconds, got ${args.time}.`);
    }
    step.setTimeoutReason('TIMEOUT', `its ${args.time} ms had not passed.`);
    await page.sleep(args.time);
    return {};
  },
});

export const waitForRequest = operation<{ method?: Maybe<string>; url?: Maybe<string> }>({
  async run({ args, step, tab }) {
    const match = compileMatch({ method: toList(args.method), url: toList(args.url), operator: 'and' });
    step.setTimeoutReason('TIMEOUT', `no request matched ${JSON.stringify({ url: args.url, method: args.method })}.`);
    await firstRecord(step, tab.log(), (record) => match.test(record));
    return { url: args.url ?? null };
  },
});

interface ResponseArgs {
  codes?: Maybe<(number | null)[]>;
  statuses?: Maybe<(number | null)[]>;
  url?: Maybe<string>;
}

export const waitForResponse = operation<ResponseArgs>({
  async run({ args, step, tab }) {
    const statuses = toList(args.statuses).concat(toList(args.codes));
    const match = compileMatch({ status: statuses, url: toList(args.url), operator: 'and' });
    step.setTimeoutReason('TIMEOUT', `no response matched ${JSON.stringify({ url: args.url, statuses })}.`);
    const record = await firstRecord(step, tab.log(), (one) => one.response !== undefined && match.test(one));
    return { status: record.response?.status ?? null, url: args.url ?? null };
  },
});
