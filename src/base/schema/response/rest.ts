// Declares the responses of /scrape, /unblock, /performance and /function.

import * as v from 'valibot';
import { listOf, member, namedObject, openObject } from './members.ts';

const headers = v.record(v.string(), v.string());

const element = v.object({
  attributes: listOf(v.object({ name: v.string(), value: v.string() })),
  height: v.number(),
  html: member(v.string(), 'Inner HTML of the element.'),
  left: member(v.number(), 'Distance from the left side of the viewport, in CSS pixels.'),
  text: v.string(),
  top: member(v.number(), 'Distance from the top of the viewport, in CSS pixels.'),
  width: v.number(),
});

const cookie = v.object({
  name: v.string(),
  value: v.string(),
  domain: v.string(),
  path: v.string(),
  expires: member(v.number(), 'Seconds since 1970; -1 for a session cookie.'),
  size: v.number(),
  httpOnly: v.boolean(),
  secure: v.boolean(),
  session: v.boolean(),
  sameSite: v.optional(v.picklist(['Strict', 'Lax', 'None'])),
  priority: v.picklist(['Low', 'Medium', 'High']),
  sourceScheme: v.picklist(['Unset', 'NonSecure', 'Secure']),
  sourcePort: v.number(),
  partitionKey: v.optional(
    v.union([v.string(), v.object({ sourceOrigin: v.string(), hasCrossSiteAncestor: v.literal(true) })]),
  ),
  _crHasCrossSiteAncestor: v.optional(v.literal(false)),
  partitionKeyOpaque: v.optional(v.boolean()),
});

const debug = v.object({
  console: member(listOf(v.string()), 'Console messages of the page.'),
  network: v.object({
    inbound: listOf(v.object({ url: v.string(), status: v.number(), headers })),
    outbound: listOf(v.object({ url: v.string(), method: v.string(), headers })),
  }),
  cookies: v.optional(listOf(cookie)),
  html: v.optional(v.string()),
  screenshot: v.optional(member(v.string(), 'JPEG of the full page, in base64.')),
});

export const scrapeResponse = namedObject('Scrape', {
  data: member(
    listOf(v.object({ selector: v.string(), results: listOf(element) })),
    'One entry for each item of `elements`, in the same order.',
  ),
  debug: v.optional(member(debug, 'The data requested with `debugOpts`.')),
});

export type ScrapeResponse = v.InferOutput<typeof scrapeResponse>;

export const unblockResponse = namedObject('Unblocked', {
  cookies: member(v.nullable(listOf(cookie)), 'Cookies of the page; null when not requested.'),
  content: member(v.nullable(v.string()), 'HTML of the page; null when not requested.'),
  browserWSEndpoint: member(v.nullable(v.string()), 'WebSocket URL of the browser; null when not requested.'),
  ttl: member(v.number(), 'How long the browser waits for a client, in milliseconds; 0 when it is not kept.'),
  screenshot: member(v.nullable(v.string()), 'JPEG of the page, in base64; null when not requested.'),
});

export type UnblockResponse = v.InferOutput<typeof unblockResponse>;

/** The report is passed through as Lighthouse writes it. */
export const performanceResponse = namedObject('Performance', {
  data: member(
    openObject({
      lighthouseVersion: v.string(),
      fetchTime: v.string(),
      audits: v.record(v.string(), v.unknown()),
      categories: v.record(v.string(), v.unknown()),
      runtimeError: v.optional(
        member(openObject({ code: v.string(), message: v.string() }), 'Why the page could not be audited.'),
      ),
    }),
    "Lighthouse's result object.",
  ),
  type: v.literal('json'),
});

/** The result of the client's code. */
export const anyJson = member(v.unknown(), 'The value that the code returned, as JSON.');
