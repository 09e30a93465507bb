/** Which requests are advertisements and which elements hold them: EasyList's rules, asked through `@ghostery/adblocker`. */
import { FiltersEngine, Request } from '@ghostery/adblocker';
import type { Marks } from '../../injected/hide-ads.ts';
import type { AdBlocker } from './ad-test.ts';

/** How the engine is compiled; a serialised one remembers it. */
export const engineOptions = {
  // Filters are kept as short codes: 1 MB less to read, and quicker to be ready.
  enableCompression: true,
  loadCSPFilters: false,
  enableHtmlFiltering: false,
};

/** @throws Error when another version of the library serialised it */
export function toAdBlocker(serialised: Uint8Array): AdBlocker {
  const engine = FiltersEngine.deserialize(serialised);
  const cosmetics = (url: string, marks: Marks | undefined): string => {
    const { hostname, domain } = Request.fromRawDetails({ url: nameable(url), type: 'main_frame' });
    return engine.getCosmeticsFilters({
      url,
      hostname,
      domain,
      ...marks,
      getBaseRules: marks === undefined,
      getRulesFromHostname: marks === undefined,
      getRulesFromDOM: marks !== undefined,
      // Scripts of filter lists never run.
      getInjectionRules: false,
      getExtendedRules: false,
    }).styles;
  };
  return {
    blocks({ url, kind, documentUrl }) {
      if (!/^(https?|wss?):/.test(url)) return false;
      return engine.match(Request.fromRawDetails({ url, type: kind, sourceUrl: nameable(documentUrl) })).match;
    },
    styles: (url) => cosmetics(url, undefined),
    stylesFor: (url, marks) => cosmetics(url, marks),
  };
}

/** Markup without an address belongs to no site: everything that it loads is of another one. */
function nameable(url: string): string {
  return /^https?:/.test(url) ? url : 'https://page.invalid/';
}
