/**
 * What ad blocking asks of the rules, and which paused requests they refuse. The library behind it is not imported here:
 * it is loaded on first use (ad-lists.ts).
 */
import type { EventParams } from '../../cdp/connection.ts';
import type { Marks } from '../../injected/hide-ads.ts';

type Paused = EventParams<'Fetch.requestPaused'>;

/** Kinds of requests that the rules tell apart, in the words of filter lists. */
type RequestKind =
  'sub_frame' | 'stylesheet' | 'image' | 'media' | 'font' | 'script' | 'xhr' | 'ping' | 'csp_report' | 'other';

export interface AdBlocker {
  /** Whether the rules refuse a request; `documentUrl` is the address of the page or frame that makes it. */
  blocks(request: { url: string; kind: RequestKind; documentUrl: string }): boolean;
  /** CSS that hides what is an advertisement on this page whatever it holds: rules of the site, rules without a mark. */
  styles(url: string): string;
  /** CSS of the generic rules for these marks. */
  stylesFor(url: string, marks: Marks): string;
}

/** Names that the Fetch domain has for kinds of requests, in the library's words. */
const kinds: Partial<Record<string, RequestKind>> = {
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
