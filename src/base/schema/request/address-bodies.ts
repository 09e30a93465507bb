// Defines the JSON bodies of the routes that open a URL and do not accept `html`: /export and /unblock.

import * as v from 'valibot';
import { listLimits } from '../../limits.ts';
import { commonEntries } from './fields.ts';
import { field, flag, ignoresHeaders, mapOf } from './primitives.ts';

const { html: _html, url: _url, setExtraHTTPHeaders, ...entries } = commonEntries;

/** Clients also send numbers as header values. */
const headers = v.pipe(
  mapOf(v.union([v.string(), v.number(), v.boolean()]), listLimits.headers),
  v.transform((map) => Object.fromEntries(Object.entries(map).map(([name, value]) => [name, String(value)]))),
  setExtraHTTPHeaders.wrapped,
  ignoresHeaders,
);

export const exportBody = v.pipe(
  v.strictObject({
    url: v.pipe(
      v.string(),
      v.trim(),
      v.nonEmpty('must be the URL to export'),
      v.description('URL of the page or file.'),
    ),
    ...entries,
    setExtraHTTPHeaders,
    headers: field(headers, 'Headers added to every request of the page; same as setExtraHTTPHeaders.'),
    blockConsentModals: flag('Reject consent dialogs automatically.'),
    includeResources: flag('Respond with a zip archive of the page and all its resources.'),
  }),
  v.transform(({ headers: also, setExtraHTTPHeaders: given, ...body }) => ({
    ...body,
    html: undefined,
    setExtraHTTPHeaders: also === undefined && given === undefined ? undefined : { ...also, ...given },
  })),
);

export type ExportBody = v.InferOutput<typeof exportBody>;

/** How long a browser may wait for its client, in milliseconds. */
export const maxTtlMs = 30_000;

const { authenticate, bestAttempt, gotoOptions, waitForEvent, waitForFunction, waitForSelector, waitForTimeout } =
  commonEntries;

const wanted = (text: string) => v.optional(v.pipe(v.boolean(), v.description(text)), true);

export const unblockBody = v.pipe(
  v.strictObject({
    url: v.pipe(v.string(), v.trim(), v.nonEmpty('must be the URL of a page'), v.description('URL of the page.')),
    browserWSEndpoint: flag('Keep the browser open and return its WebSocket URL.'),
    cookies: wanted('Return the cookies of the page.'),
    content: wanted('Return the HTML of the page.'),
    screenshot: wanted('Return a JPEG of the page, in base64.'),
    ttl: field(
      v.pipe(v.number(), v.minValue(0, 'must not be negative'), v.maxValue(maxTtlMs, `must be at most ${maxTtlMs}`)),
      `How long the browser waits for a client, in milliseconds; with browserWSEndpoint the default is ${maxTtlMs}.`,
    ),
    authenticate,
    bestAttempt,
    gotoOptions,
    waitForEvent,
    waitForFunction,
    waitForSelector,
    waitForTimeout,
    ignoreHTTPSErrors: flag('Accept certificates that cannot be verified; same as acceptInsecureCerts in launch.'),
  }),
  v.check(
    ({ browserWSEndpoint, ttl }) => !(browserWSEndpoint && ttl === 0),
    'needs a "ttl" above 0 with "browserWSEndpoint"',
  ),
);

export type UnblockBody = v.InferOutput<typeof unblockBody>;
