/** Rules for commands that specify a URL to open. */
import { allowsAddress, isNewTab, schemeOf } from './addresses.ts';
import type { Params, RuleContext, Verdict } from './verdict.ts';

/** Chromium's error for a URL that it cannot parse; clients know the message. */
const notAnAddress = 'Cannot navigate to invalid URL';

/** Checks the `url` parameter; a command without one passes. */
export function openUrl(params: Params, context: RuleContext): Verdict {
  const { url } = params;
  if (url === undefined) return { pass: params };
  if (typeof url !== 'string') return { refuse: 'The URL must be a string.' };
  const reason = refusalOf(url, context);
  if (reason !== undefined) return { refuse: reason };
  // A full browser's new tab page is one of its own pages, from which scripts reach its settings: open a blank page.
  return { pass: schemeOf(url) === 'chrome' ? { ...params, url: 'about:blank' } : params };
}

/**
 * Checks the URL of a navigation. Opens a blank page in place of a full browser's new tab page, because code in that
 * page could open every other `chrome:` page.
 */
export function openPage(params: Params, context: RuleContext): Verdict {
  const { url } = params;
  return typeof url === 'string' && isNewTab(url) ? toBlank(params) : openUrl(params, context);
}

/** Checks the URL of a new page. Like Chromium, it opens about:blank for text that is not a URL. */
export function newTarget(params: Params, context: RuleContext): Verdict {
  const { url } = params;
  return typeof url === 'string' && schemeOf(url) === undefined ? toBlank(params) : openPage(params, context);
}

/** Returns a message that says why a URL may not be opened; undefined when it may. */
export function refusalOf(url: string, context: Pick<RuleContext, 'allowsUrl'>): string | undefined {
  if (allowsAddress(url, context)) return undefined;
  const scheme = schemeOf(url);
  if (scheme === undefined) return notAnAddress;
  if (scheme === 'http' || scheme === 'https') return 'This URL cannot be opened here.';
  if (scheme === 'file')
    return 'The scheme file: cannot be opened here; the operator can allow it with ALLOW_FILE_PROTOCOL.';
  return `The scheme ${scheme.slice(0, 40)}: cannot be opened here; use http: or https:.`;
}

function toBlank(params: Params): Verdict {
  return { pass: { ...params, url: 'about:blank' } };
}
