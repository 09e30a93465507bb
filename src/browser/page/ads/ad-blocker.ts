/** Tests requests and elements against filter lists such as EasyList, with `@ghostery/adblocker`. */
import { FiltersEngine, Request } from '@ghostery/adblocker';
import type { Marks } from '../../injected/hide-ads.ts';
import type { AdBlocker } from './ad-test.ts';

/** Options with which the engine is compiled; a serialized engine includes them. */
export const engineOptions = {
  // Compression makes the engine 1 MB smaller to read and faster to load.
  enableCompression: true,
  loadCSPFilters: false,
  enableHtmlFiltering: false,
};

/**
 * How much of a URL is matched, in characters: no filter looks further, and matching a URL of 2 MB, the longest that
 * Chromium allows, would take a second.
 */
const matchedCharacters = 4_096;
const beginning = (address: string) => address.slice(0, matchedCharacters);

/** @throws Error when a different library version serialized the engine */
export function toAdBlocker(serialized: Uint8Array): AdBlocker {
  const engine = FiltersEngine.deserialize(serialized);
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
      const sourceUrl = nameable(beginning(documentUrl));
      return engine.match(Request.fromRawDetails({ url: beginning(url), type: kind, sourceUrl })).match;
    },
    styles: (url) => cosmetics(url, undefined),
    stylesFor: (url, marks) => cosmetics(url, marks),
  };
}

/**
 * Replaces the URL of a document without an http URL (posted html) with one that belongs to no real site, so that
 * everything it loads is third-party.
 */
function nameable(url: string): string {
  return /^https?:/.test(url) ? url : 'https://page.invalid/';
}
