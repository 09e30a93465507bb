/**
 * Determines the resource type of a paused request. The Fetch domain reports coarse types: fetch(), EventSource and
 * preflights as XHR, prefetches as Fetch, text tracks as Media, worker scripts as Other. The Network domain reports the
 * exact type, but its event may arrive after the pause.
 */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';
import type { ResourceType } from '../../../base/schema/request/fields.ts';
import type { Page } from '../page.ts';

type Paused = EventParams<'Fetch.requestPaused'>;

/** The Fetch domain's types for each of our types. Its patterns accept only these names. */
const pausedAs: Record<ResourceType, readonly FetchType[]> = {
  document: ['Document'],
  stylesheet: ['Stylesheet'],
  image: ['Image'],
  media: ['Media'],
  font: ['Font'],
  script: ['Script', 'Other'],
  texttrack: ['Media'],
  xhr: ['XHR'],
  fetch: ['XHR'],
  prefetch: ['Fetch'],
  eventsource: ['XHR'],
  // Never paused: see refuseSockets.
  websocket: [],
  manifest: ['Other'],
  signedexchange: ['Other'],
  ping: ['Ping'],
  cspviolationreport: ['CSPViolationReport'],
  preflight: ['XHR'],
  fedcm: ['Other'],
  other: ['Other'],
};

type FetchType =
  | 'Document'
  | 'Stylesheet'
  | 'Image'
  | 'Media'
  | 'Font'
  | 'Script'
  | 'XHR'
  | 'Fetch'
  | 'Ping'
  | 'CSPViolationReport'
  | 'Other';

/** Types that the Fetch domain lumps together; only the Network domain tells them apart. */
const ambiguous: Partial<Record<string, readonly ResourceType[]>> = {
  XHR: ['xhr', 'fetch', 'eventsource'],
  Media: ['media', 'texttrack'],
  Other: ['other', 'script', 'manifest', 'signedexchange', 'fedcm'],
};

/**
 * Time in milliseconds to wait for the Network event; if it takes longer, it never arrives (some requests of workers).
 */
const typeEventLimitMs = 250;

/** Patterns for Fetch.enable that pause requests of these types and as few others as possible. */
export function patternsOf(types: readonly ResourceType[]): { urlPattern: string; resourceType: FetchType }[] {
  const names = new Set(types.flatMap((type) => pausedAs[type]));
  return [...names].map((resourceType) => ({ urlPattern: '*', resourceType }));
}

/**
 * Returns a test that checks whether a paused request is of a refused type; synchronous where the Fetch event is
 * enough.
 */
export function kindTest(
  page: Page,
  session: CdpSession,
  refused: readonly ResourceType[],
): (event: Paused) => boolean | Promise<boolean> {
  const types = new Set<string>(refused);
  const reportedTypes = new Map<string, string>();
  const pending = new Map<string, (kind: string) => void>();
  page.undo(
    session.on('Network.requestWillBeSent', ({ requestId, type = 'Other' }) => {
      reportedTypes.set(requestId, type.toLowerCase());
      pending.get(requestId)?.(type.toLowerCase());
    }),
  );
  return (event) => {
    const { resourceType, networkId = '', request } = event;
    if (resourceType === 'Fetch') return types.has('prefetch');
    if (resourceType === 'XHR' && request.method === 'OPTIONS' && isPreflight(request.headers))
      return types.has('preflight');
    const candidates = ambiguous[resourceType];
    if (!candidates) return types.has(resourceType.toLowerCase());
    if (candidates.every((kind) => types.has(kind))) return true;
    if (!candidates.some((kind) => types.has(kind))) return false;
    const kind = reportedTypes.get(networkId);
    if (kind !== undefined) return types.has(kind);
    return new Promise((resolve) => {
      const decide = (answer: boolean) => {
        clearTimeout(timer);
        pending.delete(networkId);
        resolve(answer);
      };
      // Refuse a request whose exact type stays unknown: a refused type must not get through.
      const timer = setTimeout(() => decide(true), typeEventLimitMs);
      pending.set(networkId, (late) => decide(types.has(late)));
    });
  };
}

function isPreflight(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'access-control-request-method');
}
