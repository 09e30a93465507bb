/**
 * Tests paused requests against the ad rules, and declares the interface of the blocker. Does not import the library
 * behind it, which ad-lists.ts loads on first use.
 */
import type { EventParams } from '../../cdp/connection.ts';
import type { Marks } from '../../injected/hide-ads.ts';

type Paused = EventParams<'Fetch.requestPaused'>;

/** Resource types that filter lists distinguish, by their names there. */
type RequestKind =
  'sub_frame' | 'stylesheet' | 'image' | 'media' | 'font' | 'script' | 'xhr' | 'ping' | 'csp_report' | 'other';

export interface AdBlocker {
  /** Whether the rules refuse a request; `documentUrl` is the URL of the page or frame that makes it. */
  blocks(request: { url: string; kind: RequestKind; documentUrl: string }): boolean;
  /**
   * CSS of the rules that apply regardless of what the page contains: those for its site, and generic ones that do not
   * depend on marks.
   */
  styles(url: string): string;
  /** CSS of the generic rules for these classes, ids and links. */
  stylesFor(url: string, marks: Marks): string;
}

/** The library's name for each resource type of the Fetch domain. */
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
 * Returns a test that checks whether a paused request (Fetch.requestPaused) of a page or its frames is an
 * advertisement. The page's main document never is one, because the client requested it.
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
