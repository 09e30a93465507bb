/** Rules for commands that name an address to open. */
import { allowsAddress, isNewTab, schemeOf } from './addresses.ts';
import type { Params, RuleContext, Verdict } from './verdict.ts';

/** What Chromium answers to an address that it cannot read; clients know the sentence. */
const notAnAddress = 'Cannot navigate to invalid URL';

/** Checks the parameter `url`; a command without one passes. */
export function openUrl(params: Params, context: RuleContext): Verdict {
  const { url } = params;
  if (url === undefined) return { pass: params };
  if (typeof url !== 'string') return { refuse: 'The address must be a string.' };
  const reason = refusalOf(url, context);
  if (reason !== undefined) return { refuse: reason };
  // The new tab of a full browser is a page of its own, from which scripts reach its settings: open an empty one.
  return { pass: schemeOf(url) === 'chrome' ? { ...params, url: 'about:blank' } : params };
}

/**
 * Checks the address of a navigation. In place of the page that a full browser shows in a new tab it opens a blank one:
 * code of that page could open everything else of `chrome:`.
 */
export function openPage(params: Params, context: RuleContext): Verdict {
  const { url } = params;
  return typeof url === 'string' && isNewTab(url) ? toBlank(params) : openUrl(params, context);
}

/** Checks the address of a new page. Like Chromium, it opens about:blank for a text that is no address. */
export function newTarget(params: Params, context: RuleContext): Verdict {
  const { url } = params;
  return typeof url === 'string' && schemeOf(url) === undefined ? toBlank(params) : openPage(params, context);
}

/** Why an address is not opened, as a sentence; undefined for one that is. */
export function refusalOf(url: string, context: Pick<RuleContext, 'allowsUrl'>): string | undefined {
  if (allowsAddress(url, context)) return undefined;
  const scheme = schemeOf(url);
  if (scheme === undefined) return notAnAddress;
  if (scheme === 'http' || scheme === 'https') return 'This address cannot be opened here.';
  if (scheme === 'file') return 'Addresses of files cannot be opened here; the operator can set ALLOW_FILE_PROTOCOL.';
  return `Addresses of ${scheme.slice(0, 40)}: cannot be opened here; use http: or https:.`;
}

function toBlank(params: Params): Verdict {
  return { pass: { ...params, url: 'about:blank' } };
}
