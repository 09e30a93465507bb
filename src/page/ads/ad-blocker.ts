/** Which requests are advertisements and which elements hold them: EasyList's rules, asked through `@ghostery/adblocker`. */
import { FiltersEngine, Request } from '@ghostery/adblocker';
import type { EventParams } from '../../browsers/cdp-connection.ts';

type Paused = EventParams<'Fetch.requestPaused'>;
type Kind = NonNullable<Parameters<typeof Request.fromRawDetails>[0]['type']>;

/** What the generic rules are looked up by. */
export interface Marks {
  classes: string[];
  ids: string[];
  hrefs: string[];
}

export interface AdBlocker {
  /** Whether the rules refuse a request; `documentUrl` is the address of the page or frame that makes it. */
  blocks(request: { url: string; kind: Kind; documentUrl: string }): boolean;
  /** CSS that hides what is an advertisement on this page whatever it holds: rules of the site, rules without a mark. */
  styles(url: string): string;
  /** CSS of the generic rules for these marks. */
  stylesFor(url: string, marks: Marks): string;
}

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

/** Names that the Fetch domain has for kinds of requests, in the library's words. */
const kinds: Partial<Record<string, Kind>> = {
  Document: 'sub_frame',
  Stylesheet: 'stylesheet',
  Image: 'image',
  Media: 'media',
  Font: 'font',
  Script: 'script',
  XHR: 'xhr',
  Ping: 'ping',
  CSPViolationReport: 'csp_report',
};

/**
 * Tells of each paused request (Fetch.requestPaused) of a page and its frames whether it is an advertisement. The page's
 * own document never is: who asks for an address gets it.
 */
export function adTest(blocker: AdBlocker, mainFrameId: string): (event: Paused) => boolean {
  const documents = new Map<string, string>();
  return ({ frameId, resourceType, request }) => {
    const isDocument = resourceType === 'Document';
    const documentUrl = documents.get(isDocument ? mainFrameId : frameId) ?? documents.get(mainFrameId) ?? '';
    if (isDocument) documents.set(frameId, request.url);
    if (isDocument && frameId === mainFrameId) return false;
    return blocker.blocks({ url: request.url, kind: kinds[resourceType] ?? 'other', documentUrl });
  };
}
