/** Declares the body of `POST /session` (compatibility.mdx#session-api). */
import * as v from 'valibot';
import { listLimits, urlCharacters } from '../../../base/limits.ts';
import { maxTimerMs } from '../../../base/runtime/deadline.ts';
import {
  countryCode,
  domainList,
  field,
  ignoredField,
  listOf,
  placeName,
} from '../../../base/schema/request/primitives.ts';

/** Default time to live, in milliseconds. */
export const defaultTtlMs = 300_000;

const proxy = v.strictObject({
  type: v.pipe(v.literal('residential', 'must be "residential"'), v.description('Kind of proxy.')),
  sticky: field(v.boolean(), 'Keep the same proxy IP address. Default true.'),
  country: field(countryCode, 'Two-letter country code. Default us.'),
  city: field(
    placeName,
    'City, from GET /proxy/cities if the operator lists them; spaces and hyphens become underscores.',
  ),
  state: field(placeName, 'State; spaces and hyphens become underscores.'),
  preset: ignoredField(v.string(), 'the provider is chosen by the operator'),
});

export const sessionBody = v.strictObject({
  ttl: field(
    v.pipe(v.number(), v.minValue(1, 'must be at least 1'), v.maxValue(maxTimerMs, `must be at most ${maxTimerMs}`)),
    'Time to live in milliseconds. Default 300000.',
  ),
  processKeepAlive: field(
    v.pipe(v.number(), v.minValue(0, 'must not be negative'), v.maxValue(maxTimerMs, `must be at most ${maxTimerMs}`)),
    'How long the browser keeps running after its last client has disconnected, in milliseconds. Default 0: it closes, and the next client gets a new one with the same data.',
  ),
  stealth: field(
    v.boolean(),
    'Use a browser that hides that it is automated; BrowserQL needs it. It is a full browser, with a window if the server has a display. Default false.',
  ),
  blockAds: field(v.boolean(), 'Block advertisements. Default false.'),
  headless: field(v.boolean(), 'False for a browser with a window. Default true; has no effect with stealth.'),
  args: field(listOf(v.string(), listLimits.launchArgs), 'Command-line flags of the browser.'),
  extensions: field(
    listOf(v.string(), listLimits.names),
    'Names of extensions that the operator offers, as with --load-extension in args.',
  ),
  browser: field(
    v.picklist(['chromium', 'chrome', 'stealth']),
    'The browser; `stealth` is chromium with "stealth": true. Default chromium.',
  ),
  url: field(
    v.pipe(
      v.string(),
      v.check((text) => text.length <= urlCharacters, `has more than ${urlCharacters} characters; shorten it`),
      v.url('must be an absolute URL'),
    ),
    'URL that the first browser of the session opens for its first client. Loading stops after 10 seconds if the site has not responded; later browsers start with an empty page.',
  ),
  replay: field(v.boolean(), 'Record its pages as a replay, unless a client sends replay=false. Default false.'),
  profile: field(
    v.pipe(v.string(), v.nonEmpty()),
    'Stored profile with the cookies, localStorage, and IndexedDB that the first browser of the session starts with.',
  ),
  proxy: field(proxy, 'Use a proxy from the operator’s provider.'),
  allowedDomains: field(
    domainList,
    'Domains that its browsers may reach: `example.com` with its subdomains, `*.example.com`, or an IP address.',
  ),
});
