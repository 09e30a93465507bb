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

/** Time to live when the body names none, in milliseconds. */
export const defaultTtlMs = 300_000;

const proxy = v.strictObject({
  type: v.pipe(v.literal('residential', 'must be "residential"'), v.description('Kind of proxy.')),
  sticky: field(v.boolean(), 'Keep the address of the proxy. Default true.'),
  country: field(countryCode, 'Country, two letters. Default us.'),
  city: field(
    placeName,
    'City, one of GET /proxy/cities where the operator lists them; blanks and hyphens become underscores.',
  ),
  state: field(placeName, 'State; blanks and hyphens become underscores.'),
  preset: ignoredField(v.string(), 'the provider is chosen by the operator'),
});

export const sessionBody = v.strictObject({
  ttl: field(
    v.pipe(v.number(), v.minValue(1, 'must be at least 1'), v.maxValue(maxTimerMs, `must be at most ${maxTimerMs}`)),
    'Time to live in milliseconds. Default 300000.',
  ),
  processKeepAlive: field(
    v.pipe(v.number(), v.minValue(0, 'must not be negative'), v.maxValue(maxTimerMs, `must be at most ${maxTimerMs}`)),
    'How long the browser stays after its last client left, in milliseconds. Default 0: it ends, and the next client gets a new one with the old data.',
  ),
  stealth: field(
    v.boolean(),
    'A browser that hides that a program drives it, which BrowserQL needs: a full one, with a window where the server has a display. Default false.',
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
    'Address that the first browser of the session shows to its first client. A site that has not answered after 10 seconds is given up; later browsers begin with an empty page.',
  ),
  replay: field(
    v.boolean(),
    'Record what happens in its pages as a replay, unless a client says replay=false. Default false.',
  ),
  profile: field(
    v.pipe(v.string(), v.nonEmpty()),
    'Stored profile whose cookies, localStorage and IndexedDB the first browser of the session begins with.',
  ),
  proxy: field(proxy, 'A proxy of the operator’s provider.'),
  allowedDomains: field(
    domainList,
    'Domains that its browsers may reach: `example.com` with its subdomains, `*.example.com`, or an address.',
  ),
});
