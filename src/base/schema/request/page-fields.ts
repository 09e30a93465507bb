// Defines the fields that set up the page: cookies, viewport, user agent, interception, tags.

import * as v from 'valibot';
import { listLimits } from '../../limits.ts';
import {
  checkAll,
  field,
  headerProblem,
  linesOf,
  ignoredField,
  listOf,
  mapOf,
  regExpSource,
  requiredText,
} from './primitives.ts';

const fileRefused = v.pipe(
  v.string(),
  v.check(() => false, 'is not allowed: server files cannot be read; send the text in "content" or use "url"'),
);
const hasSource = (tag: { url?: unknown; content?: unknown; path?: unknown }) =>
  tag.url !== undefined || tag.content !== undefined || tag.path !== undefined;
const sourceMissing = 'needs "url" or "content"';
const hasBoth = (tag: { url?: unknown; content?: unknown }) => tag.url !== undefined && tag.content !== undefined;
const oneOnly = 'has both "url" and "content", but a tag accepts only one; split it into two entries';

const sourceFields = (what: string) => ({
  url: field(requiredText, `URL of the ${what}.`),
  content: field(v.string(), `Source of the ${what}.`),
  path: field(fileRefused, 'Not allowed: server files cannot be read.'),
});

export const scriptTag = v.pipe(
  v.strictObject({
    ...sourceFields('script'),
    type: field(v.string(), 'Type attribute; `module` for an ES module.'),
    id: field(v.string(), 'Id attribute.'),
  }),
  v.check((tag) => hasSource(tag), sourceMissing),
  v.check((tag) => !hasBoth(tag), oneOnly),
);

export const styleTag = v.pipe(
  v.strictObject(sourceFields('style sheet')),
  v.check((tag) => hasSource(tag), sourceMissing),
  v.check((tag) => !hasBoth(tag), oneOnly),
);

export const credentials = v.strictObject({
  username: v.pipe(v.string(), v.description('Username.')),
  password: v.pipe(v.string(), v.description('Password.'), v.metadata({ secret: true })),
});

const partitionKey = v.union([
  v.string(),
  v.strictObject({
    sourceOrigin: v.pipe(v.string(), v.description('Origin of the top-level site.')),
    hasCrossSiteAncestor: field(v.boolean(), 'Whether an ancestor frame belongs to another site.'),
  }),
  v.strictObject({
    topLevelSite: v.pipe(v.string(), v.description('The top-level site, as the DevTools protocol names it.')),
    hasCrossSiteAncestor: field(v.boolean(), 'Whether an ancestor frame belongs to another site.'),
  }),
]);

/** A part that a cookie may lack: cookies of BrowserQL have null there. */
const part = <const S extends v.GenericSchema>(schema: S, text: string) =>
  v.optional(
    v.pipe(
      v.nullable(schema),
      v.transform((value) => value ?? undefined),
      v.description(text),
    ),
  );

export const cookie = v.pipe(
  v.strictObject({
    name: v.pipe(v.string(), v.description('Name.')),
    value: v.pipe(v.string(), v.description('Value.'), v.metadata({ secret: true })),
    url: part(v.string(), 'URL that determines domain, path and scheme; defaults to the page URL.'),
    domain: part(v.string(), 'Domain.'),
    path: part(v.string(), 'Path.'),
    secure: part(v.boolean(), 'Sent only over HTTPS.'),
    httpOnly: part(v.boolean(), 'Not accessible to scripts.'),
    sameSite: part(v.picklist(['Strict', 'Lax', 'None', 'Default']), 'SameSite attribute.'),
    expires: part(v.number(), 'Seconds since 1970; -1 or null for a session cookie.'),
    priority: part(v.picklist(['Low', 'Medium', 'High']), 'Priority.'),
    sourceScheme: part(v.picklist(['Unset', 'NonSecure', 'Secure']), 'Scheme of the URL that set it.'),
    sourcePort: part(v.number(), 'Port of the URL that set it; must match the port in url.'),
    partitionKey: part(partitionKey, 'Partition key of a cookie with the Partitioned attribute.'),
    hasCrossSiteAncestor: part(
      v.boolean(),
      'For a `partitionKey` that is text: whether an ancestor frame belongs to another site, as BrowserQL returns it.',
    ),
    _crHasCrossSiteAncestor: part(v.boolean(), "Playwright's name for hasCrossSiteAncestor."),
    size: ignoredField(v.number(), 'derived from name and value'),
    session: ignoredField(v.boolean(), 'derived from `expires`'),
    sameParty: ignoredField(v.boolean(), 'browsers no longer support this attribute'),
    partitionKeyOpaque: ignoredField(v.boolean(), 'set by the browser'),
  }),
  v.check(({ name, value }) => name !== '' || value !== '', 'needs a name or a value'),
);

/**
 * Chromium keeps several copies of a frame at four bytes per pixel: one copy of 268 million pixels takes a gigabyte.
 */
const maxPixels = 2 ** 28;
const side = (text: string) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16_384), v.description(text));

export const viewport = v.pipe(
  v.strictObject({
    width: side('Width in CSS pixels.'),
    height: side('Height in CSS pixels.'),
    deviceScaleFactor: v.optional(
      v.pipe(v.number(), v.gtValue(0), v.maxValue(10), v.description('Device pixels per CSS pixel.')),
      1,
    ),
    isMobile: v.optional(v.pipe(v.boolean(), v.description('Honor the viewport meta tag.')), false),
    mobile: v.optional(v.pipe(v.boolean(), v.description('The same as isMobile, as BrowserQL names it.')), false),
    isLandscape: v.optional(v.pipe(v.boolean(), v.description('Landscape orientation.')), false),
    hasTouch: v.optional(v.pipe(v.boolean(), v.description('Touch events.')), false),
  }),
  v.check(
    ({ width, height, deviceScaleFactor }) => width * height * deviceScaleFactor ** 2 <= maxPixels,
    `is too large: width × height × deviceScaleFactor² must be at most ${maxPixels} pixels; make one of them smaller`,
  ),
  v.transform(({ mobile, ...rest }) => ({ ...rest, isMobile: rest.isMobile || mobile })),
);

const brand = v.strictObject({ brand: v.string(), version: v.string() });

const userAgentObject = v.strictObject({
  userAgent: field(v.string(), 'User-Agent header and navigator.userAgent.'),
  platform: field(v.string(), 'navigator.platform.'),
  userAgentMetadata: field(
    v.strictObject({
      brands: field(listOf(brand, listLimits.brands), 'Sec-CH-UA.'),
      fullVersionList: field(listOf(brand, listLimits.brands), 'Sec-CH-UA-Full-Version-List.'),
      fullVersion: field(v.string(), 'Sec-CH-UA-Full-Version.'),
      platform: v.pipe(v.string(), v.description('Sec-CH-UA-Platform.')),
      platformVersion: v.pipe(v.string(), v.description('Sec-CH-UA-Platform-Version.')),
      architecture: v.pipe(v.string(), v.description('Sec-CH-UA-Arch.')),
      model: v.pipe(v.string(), v.description('Sec-CH-UA-Model.')),
      mobile: v.pipe(v.boolean(), v.description('Sec-CH-UA-Mobile.')),
      bitness: field(v.string(), 'Sec-CH-UA-Bitness.'),
      wow64: field(v.boolean(), 'Sec-CH-UA-WoW64.'),
      formFactors: field(listOf(v.string(), listLimits.brands), 'Sec-CH-UA-Form-Factors.'),
    }),
    'Matching client hints.',
  ),
});

/** Clients send a string or the object; the parsed value is the object. */
export const userAgent = v.union([
  v.pipe(
    v.string(),
    v.transform((text): v.InferOutput<typeof userAgentObject> => (text === '' ? {} : { userAgent: text })),
  ),
  userAgentObject,
]);

const headerValue = v.union([v.string(), v.number(), v.boolean(), listOf(v.string(), listLimits.headers)]);
/** Puppeteer and the protocol write several headers of one name as lines of one value. */
const toHeaderList = (name: string, value: v.InferOutput<typeof headerValue>) =>
  (Array.isArray(value) ? value : linesOf(String(value))).map((text) => ({ name, value: text }));

/** Accepts a map or a list of {name, value}; the parsed value is the list, without pseudo-headers such as `:status`. */
const responseHeaders = v.pipe(
  v.union([
    v.pipe(
      listOf(v.strictObject({ name: v.string(), value: headerValue }), listLimits.headers),
      v.transform((list) => list.flatMap(({ name, value }) => toHeaderList(name, value))),
    ),
    v.pipe(
      mapOf(headerValue, listLimits.headers),
      v.transform((map) => Object.entries(map).flatMap(([name, value]) => toHeaderList(name, value))),
    ),
  ]),
  v.transform((headers) => headers.filter(({ name }) => !name.startsWith(':'))),
  checkAll((headers) => headers.map(({ name, value }) => headerProblem(name, value))),
);

export const requestInterceptor = v.strictObject({
  pattern: v.pipe(
    regExpSource,
    v.description(
      'Regular expression matched against the URL of each request; a pattern with lookaround or backreferences counts toward the limit of 50 ms per request.',
    ),
  ),
  response: v.pipe(
    v.strictObject({
      status: field(v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)), 'HTTP status; default 200.'),
      headers: field(responseHeaders, 'Response headers: a map of strings, or a list of {name, value}.'),
      contentType: field(v.string(), 'Content-Type header.'),
      body: field(v.string(), 'Body: text, or base64-encoded bytes.'),
    }),
    v.description('The response that the page receives.'),
  ),
});

/** Resource types as named in Chromium's Fetch domain, in lowercase. */
export const resourceTypes = [
  'cspviolationreport',
  'document',
  'eventsource',
  'fedcm',
  'fetch',
  'font',
  'image',
  'manifest',
  'media',
  'other',
  'ping',
  'prefetch',
  'preflight',
  'script',
  'signedexchange',
  'stylesheet',
  'texttrack',
  'websocket',
  'xhr',
] as const;

export type ScriptTag = v.InferOutput<typeof scriptTag>;
export type StyleTag = v.InferOutput<typeof styleTag>;
export type Credentials = v.InferOutput<typeof credentials>;
export type CookieParam = v.InferOutput<typeof cookie>;
export type Viewport = v.InferOutput<typeof viewport>;
export type UserAgent = v.InferOutput<typeof userAgent>;
export type RequestInterceptor = v.InferOutput<typeof requestInterceptor>;
export type ResourceType = (typeof resourceTypes)[number];
