/**
 * The kind of a paused request. The Fetch domain pauses with coarse kinds: fetch() and EventSource as XHR, preflights
 * too, prefetches as Fetch, text tracks as Media, worker scripts as Other. The Network domain knows better, but may tell
 * later than the pause.
 */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';
import type { ResourceType } from '../../schema/request/fields.ts';
import type { Page } from '../page.ts';

type Paused = EventParams<'Fetch.requestPaused'>;

/** As which kinds the Fetch domain pauses each kind; also the only names that its patterns may hold. */
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

/** Kinds behind a pause that only the Network domain can tell apart. */
const ambiguous: Partial<Record<string, readonly ResourceType[]>> = {
  XHR: ['xhr', 'fetch', 'eventsource'],
  Media: ['media', 'texttrack'],
  Other: ['other', 'script', 'manifest', 'signedexchange', 'fedcm'],
};

/** The Network domain tells within this time, in milliseconds, or not at all (some requests of workers). */
const tellLimitMs = 250;

/** Patterns of Fetch.enable that pause requests of these kinds and as few others as can be. */
export function patternsOf(types: readonly ResourceType[]): { urlPattern: string; resourceType: FetchType }[] {
  const names = new Set(types.flatMap((type) => pausedAs[type]));
  return [...names].map((resourceType) => ({ urlPattern: '*', resourceType }));
}

/** Tells whether a paused request is of a refused kind; at once where its pause says so. */
export function kindTest(
  page: Page,
  session: CdpSession,
  refused: readonly ResourceType[],
): (event: Paused) => boolean | Promise<boolean> {
  const types = new Set<string>(refused);
  const told = new Map<string, string>();
  const asking = new Map<string, (kind: string) => void>();
  page.undo(
    session.on('Network.requestWillBeSent', ({ requestId, type = 'Other' }) => {
      told.set(requestId, type.toLowerCase());
      asking.get(requestId)?.(type.toLowerCase());
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
    const kind = told.get(networkId);
    if (kind !== undefined) return types.has(kind);
    return new Promise((resolve) => {
      const decide = (answer: boolean) => {
        clearTimeout(timer);
        asking.delete(networkId);
        resolve(answer);
      };
      // When in doubt it is refused: the request asked for that.
      const timer = setTimeout(() => decide(true), tellLimitMs);
      asking.set(networkId, (late) => decide(types.has(late)));
    });
  };
}

function isPreflight(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'access-control-request-method');
}
