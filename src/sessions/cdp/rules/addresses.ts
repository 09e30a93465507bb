/**
 * Decides by scheme which URLs a client may open and its pages may show. Parses them as Chromium does, which trims
 * spaces and control characters, skips tabs and line breaks, and ignores the case of a scheme.
 */
import { urlCharacters } from '../../../base/limits.ts';
import type { RuleContext } from './verdict.ts';

type Policy = Pick<RuleContext, 'allowsUrl'>;

/** Whether a URL of a scheme may be opened; `rest` is what follows the scheme and its colon. */
type SchemeRule = (rest: string, text: string, policy: Policy) => boolean;

const always: SchemeRule = () => true;
const byPolicy: SchemeRule = (_, text, policy) => policy.allowsUrl(text);

const schemes: ReadonlyMap<string, SchemeRule> = new Map<string, SchemeRule>([
  ['http', byPolicy],
  ['https', byPolicy],
  // Pages connect to these and never show them: the network policy checks the connection.
  ['ws', always],
  ['wss', always],
  ['data', always],
  ['javascript', always],
  // Other `about:` URLs are aliases of `chrome:` URLs.
  ['about', (rest) => /^(?:blank|srcdoc)(?:[?#]|$)/.test(rest)],
  // A blob URL contains the origin of the page that created it, or `null` for a page without one.
  ['blob', (rest, _, policy) => rest.startsWith('null/') || allowsOrigin(rest, policy)],
  ['file', byPolicy],
]);

const isNewTabPage = (rest: string) => /^\/\/(?:newtab|new-tab-page|new-tab-page-third-party)\/?(?:[?#]|$)/i.test(rest);

/**
 * URLs that a browser shows on its own, but that no client may open: a `chrome:` page can open every other one, and a
 * page of an extension (such as the PDF viewer) can open every file.
 */
const visibleSchemes: ReadonlyMap<string, SchemeRule> = new Map<string, SchemeRule>([
  // Every failed load shows it.
  ['chrome-error', always],
  ['chrome-extension', always],
  ['chrome', isNewTabPage],
]);

/** The scheme of a URL, in lowercase and without its colon; undefined when the text has none. */
export function schemeOf(text: string): string | undefined {
  return split(text)?.scheme;
}

/**
 * Whether a client may open this URL. A URL without a scheme is never opened, because no browser would know where it
 * leads.
 */
export function allowsAddress(text: string, policy: Policy): boolean {
  const parts = split(text);
  if (!parts) return false;
  return schemes.get(parts.scheme)?.(parts.rest, parts.text, policy) ?? false;
}

/** Whether a page may show this URL: one that its client may open, or one that the browser shows on its own. */
export function allowsVisible(text: string, policy: Policy): boolean {
  const parts = split(text);
  if (!parts) return false;
  return (visibleSchemes.get(parts.scheme) ?? schemes.get(parts.scheme))?.(parts.rest, parts.text, policy) ?? false;
}

/** True for the page that a full browser shows in a new tab. */
export function isNewTab(text: string): boolean {
  const parts = split(text);
  return parts?.scheme === 'chrome' && isNewTabPage(parts.rest);
}

/** The page that runs the code of a request. It belongs to the server: clients do not see it. */
export const codeHostUrl = 'http://function.localhost/';

/** Returns checks of the URLs that targets show; `allowsAddress` decides what clients may open. */
export function addressJudge(allowsUrl: RuleContext['allowsUrl']) {
  const allows = (address: string) => address === '' || allowsVisible(address, { allowsUrl });
  return {
    mayShow: (address: string) => address === codeHostUrl || allows(address),
    // From its own pages, including the new tab page, a browser lets scripts navigate to all of its settings.
    mayDrive: (address: string) => address !== codeHostUrl && schemeOf(address) !== 'chrome' && allows(address),
    endsSession: (address: string) => isFile(address) && !allows(address),
  };
}

/** True for the URL of a file, including behind any number of `view-source:` prefixes. */
export function isFile(address: string): boolean {
  const text = split(address)?.text ?? '';
  const viewed = /[\0-\x20]*view-source:/iy;
  let at = 0;
  while (viewed.test(text)) at = viewed.lastIndex;
  return schemeOf(text.slice(at)) === 'file';
}

/** Whether blobs of this origin may be opened. */
function allowsOrigin(origin: string, policy: Policy): boolean {
  const scheme = split(origin)?.scheme;
  return scheme !== undefined && ['http', 'https', 'file'].includes(scheme) && allowsAddress(origin, policy);
}

/** Splits a URL as a browser parses it; undefined when it is too long or has no scheme. */
function split(given: string): { scheme: string; rest: string; text: string } | undefined {
  if (given.length > urlCharacters) return undefined;
  // https://url.spec.whatwg.org/#concept-basic-url-parser, steps 1 to 3.
  const text = given.replace(/^[\0-\x20]+|(?<![\0-\x20])[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  const scheme = text.slice(0, colon).toLowerCase();
  return /^[a-z][a-z\d+.-]*$/.test(scheme) ? { scheme, rest: text.slice(colon + 1), text } : undefined;
}
