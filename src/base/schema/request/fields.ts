// Defines the JSON bodies of the page routes (compatibility.mdx#page-routes). Defaults are filled in here: for
// handlers, a field without a default is undefined when omitted, and every other field has a value.

import * as v from 'valibot';
import { listLimits } from '../../limits.ts';
import {
  cookie,
  credentials,
  requestInterceptor,
  resourceTypes,
  scriptTag,
  styleTag,
  userAgent,
  viewport,
} from './page-fields.ts';
import {
  field,
  flag,
  httpHeaders,
  ignoredField,
  listOf,
  overridden,
  regExpSource,
  requiredText,
  timeoutMs,
} from './primitives.ts';
import { pdfOptions } from './pdf-options.ts';
import { screenshotOptions } from './screenshot-options.ts';
import { gotoOptions, waitEntries } from './waits.ts';

export type {
  CookieParam,
  Credentials,
  RequestInterceptor,
  ResourceType,
  ScriptTag,
  StyleTag,
  UserAgent,
  Viewport,
} from './page-fields.ts';
export type { PdfOptions } from './pdf-options.ts';
export type { ScreenshotOptions } from './screenshot-options.ts';
export type { GoToOptions, WaitForEvent, WaitForFunction, WaitForSelector, Waits } from './waits.ts';

/** An optional list that is empty when omitted. */
const list = <const S extends v.GenericSchema>(item: S, most: number, text: string) =>
  v.optional(v.pipe(listOf(item, most), v.description(text)), []);

/** An empty URL is treated as omitted. */
const address = v.pipe(
  v.string(),
  v.trim(),
  v.transform((text) => (text === '' ? undefined : text)),
);

export const commonEntries = {
  url: field(address, 'URL of the page. Takes precedence over html.'),
  html: field(v.string(), 'HTML to load instead of a URL.'),
  addScriptTag: list(scriptTag, listLimits.addScriptTag, 'Scripts added to the page after loading.'),
  addStyleTag: list(styleTag, listLimits.addStyleTag, 'Style sheets added to the page after loading.'),
  authenticate: field(v.nullable(credentials), 'Credentials for HTTP authentication.'),
  bestAttempt: flag('Continue when loading or a wait fails.'),
  cookies: list(cookie, listLimits.cookies, 'Cookies set before the page loads.'),
  emulateMediaType: field(v.picklist(['screen', 'print', '']), 'CSS media type.'),
  gotoOptions: v.optional(v.pipe(gotoOptions, v.description('How the page is loaded.')), {}),
  rejectRequestPattern: list(
    regExpSource,
    listLimits.patterns,
    'Requests whose URL matches one of these regular expressions are blocked. Patterns with lookaround or backreferences share 50 ms per request.',
  ),
  rejectResourceTypes: list(
    v.picklist(resourceTypes),
    listLimits.resourceTypes,
    'Requests for these resource types are blocked.',
  ),
  requestInterceptors: list(
    requestInterceptor,
    listLimits.requestInterceptors,
    'Mock responses for requests of the page.',
  ),
  setExtraHTTPHeaders: field(
    httpHeaders,
    'Headers added to every request of the page. Those that only the browser can write, such as Host and :path, have no effect.',
  ),
  setJavaScriptEnabled: v.optional(v.pipe(v.boolean(), v.description("Whether the page's scripts run.")), true),
  userAgent: field(userAgent, 'User agent: a string, or an object with client hints.'),
  viewport: field(
    v.nullable(viewport),
    'Size of the viewport, 800 × 600 when omitted or null. Needs both width and height.',
  ),
  ...waitEntries,
  blockAds: flag('Block advertisements and trackers.'),
  scrollPage: flag('Scroll through the page, so that lazy-loaded content is included.'),
} as const;

/** The field `cookies` alone. */
export const cookieList = v.object({ cookies: commonEntries.cookies });

const common = v.object(commonEntries);
/** The fields that all page routes share. */
export type CommonFields = v.InferOutput<typeof common>;

const hasSource = (body: { url?: string | undefined; html?: string | undefined }) =>
  body.url !== undefined || (body.html ?? '') !== '';
const sourceMissing = 'One of "url" or "html" properties are required.';

interface Source {
  url?: string | undefined;
}

/** HTML is loaded without a navigation: nothing sends a referrer. */
const sourceOverrides = <Body extends Source>() =>
  overridden<Body>({
    html: ({ url }) => url !== undefined,
    'gotoOptions.referer': ({ url }) => url === undefined,
    'gotoOptions.referrerPolicy': ({ url }) => url === undefined,
  });

const blockConsentModals = flag('Reject consent dialogs automatically.');

export const contentBody = v.pipe(
  v.strictObject(commonEntries),
  v.check((body) => hasSource(body), sourceMissing),
  sourceOverrides(),
);

export const markdownBody = v.pipe(
  v.strictObject({
    ...commonEntries,
    selector: field(requiredText, 'CSS selector of the elements to convert; the whole page when omitted.'),
    onlyMainContent: flag('Only the main content, without menus, sidebars and footers.'),
    links: v.optional(
      v.pipe(
        v.picklist(['inline', 'referenced', 'none']),
        v.description('Whether link URLs appear inline next to the link text, once at the end, or not at all.'),
      ),
      'inline',
    ),
  }),
  v.check((body) => hasSource(body), sourceMissing),
  sourceOverrides(),
  v.check(
    ({ selector, onlyMainContent }) => selector === undefined || !onlyMainContent,
    '"selector" and "onlyMainContent" cannot be used together: leave one of them out.',
  ),
);

export const pdfBody = v.pipe(
  v.strictObject({
    ...commonEntries,
    blockConsentModals,
    options: v.optional(v.pipe(pdfOptions, v.description('PDF options.')), {}),
  }),
  v.check((body) => hasSource(body), sourceMissing),
  sourceOverrides(),
);

export const screenshotBody = v.pipe(
  v.strictObject({
    ...commonEntries,
    blockConsentModals,
    options: v.optional(v.pipe(screenshotOptions, v.description('Image options.')), {}),
    selector: field(requiredText, 'CSS selector of the element to capture.'),
  }),
  v.check((body) => hasSource(body), sourceMissing),
  sourceOverrides(),
  overridden({
    'options.captureBeyondViewport': ({ selector, options }) =>
      selector !== undefined && options.captureBeyondViewport === false,
  }),
  v.forward(
    v.check(
      ({ selector, options }) => selector === undefined || !options.fullPage,
      'cannot be used together with "options.fullPage"; leave one of them out',
    ),
    ['selector'],
  ),
);

const scrapeElement = v.strictObject({
  selector: v.pipe(requiredText, v.description('CSS selector.')),
  timeout: timeoutMs('How long to wait for it in milliseconds; 0 for no limit.'),
});

const debugOpts = v.strictObject({
  console: flag('Console messages.'),
  cookies: flag('Cookies of the page.'),
  html: flag('HTML of the page.'),
  network: flag('Requests and responses.'),
  screenshot: flag('Image of the page, base64.'),
});

export const scrapeBody = v.pipe(
  v.strictObject({
    ...commonEntries,
    elements: v.pipe(listOf(scrapeElement, listLimits.elements), v.description('Elements to scrape.')),
    debugOpts: field(debugOpts, 'Additional debug information to return.'),
    profile: ignoredField(v.string(), 'send it as the `profile` query parameter'),
  }),
  v.check((body) => hasSource(body), sourceMissing),
  sourceOverrides(),
);

export type ScrapeElement = v.InferOutput<typeof scrapeElement>;
export type DebugOpts = v.InferOutput<typeof debugOpts>;
