// Defines the fields that control when a page is ready: navigation options and the four waits.

import * as v from 'valibot';
import { listLimits } from '../../limits.ts';
import { field, flag, ignoredField, listOf, requiredText, timeoutMs } from './primitives.ts';

const lifecycles = ['load', 'domcontentloaded', 'networkidle0', 'networkidle2'] as const;
export type Lifecycle = (typeof lifecycles)[number];

const referrerPolicies = [
  'no-referrer',
  'no-referrer-when-downgrade',
  'origin',
  'origin-when-cross-origin',
  'same-origin',
  'strict-origin',
  'strict-origin-when-cross-origin',
  'unsafe-url',
] as const;

/** The parsed value is always a list. */
const waitUntil = v.pipe(
  v.union([v.picklist(lifecycles), v.pipe(listOf(v.picklist(lifecycles), listLimits.waitUntil), v.nonEmpty())]),
  v.description('When navigation is considered finished: one event, or a list of events that must all happen.'),
  v.transform((events): Lifecycle[] => (typeof events === 'string' ? [events] : events)),
);

export const gotoOptions = v.strictObject({
  referer: field(v.string(), 'Referer header; no effect with html, which has no address to send it to.'),
  referrerPolicy: field(v.picklist(referrerPolicies), 'Referrer policy of the navigation; no effect with html.'),
  timeout: timeoutMs('Time limit of the navigation in milliseconds; 0 for none.'),
  waitUntil: v.optional(waitUntil, 'load'),
  signal: ignoredField(v.unknown(), 'an AbortSignal cannot be sent; close the connection to cancel the request'),
});

const waitForEvent = v.strictObject({
  event: v.pipe(requiredText, v.description('Name of a DOM event on document or window.')),
  timeout: timeoutMs('Time limit in milliseconds; 0 for none.'),
});

const waitForFunction = v.strictObject({
  fn: v.pipe(requiredText, v.description('JavaScript function or expression that must become truthy.')),
  polling: v.optional(
    v.pipe(
      v.union([v.picklist(['raf', 'mutation']), v.pipe(v.number(), v.minValue(0))]),
      v.description(
        'How often it is evaluated: on each frame, on each document change, or at an interval in milliseconds.',
      ),
    ),
    'raf',
  ),
  timeout: timeoutMs('Time limit in milliseconds; 0 for none.'),
});

const waitForSelector = v.strictObject({
  selector: v.pipe(requiredText, v.description('CSS selector.')),
  hidden: flag('Wait until it is hidden or removed.'),
  visible: flag('Wait until it is visible.'),
  timeout: timeoutMs('Time limit in milliseconds; 0 for none.'),
});

export const waitEntries = {
  waitForEvent: field(waitForEvent, 'Waits for a DOM event.'),
  waitForFunction: field(waitForFunction, 'Waits for a function in the page to return something truthy.'),
  waitForSelector: field(waitForSelector, 'Waits for an element.'),
  waitForTimeout: field(v.pipe(v.number(), v.minValue(0)), 'Waits for this many milliseconds.'),
} as const;

const waits = v.object(waitEntries);

export type GoToOptions = v.InferOutput<typeof gotoOptions>;
export type WaitForEvent = v.InferOutput<typeof waitForEvent>;
export type WaitForFunction = v.InferOutput<typeof waitForFunction>;
export type WaitForSelector = v.InferOutput<typeof waitForSelector>;
/** The four waits of a request. */
export type Waits = v.InferOutput<typeof waits>;
