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
/** Bounds the memory in a long session: only current requests are looked up. */
const maxKnownTypes = 2_000;

/** Learns the exact types of requests, in lowercase, from the Network domain. */
export class ReportedTypes {
  readonly #known = new Map<string, string>();
  readonly #pending = new Map<string, (type: string | undefined) => void>();

  /** Listens to a session until the returned function is called. */
  listen(session: CdpSession): () => void {
    return session.on('Network.requestWillBeSent', ({ requestId, type = 'Other' }) => {
      const [oldest = ''] = this.#known.keys();
      if (this.#known.size >= maxKnownTypes) this.#known.delete(oldest);
      this.#known.set(requestId, type.toLowerCase());
      this.#pending.get(requestId)?.(type.toLowerCase());
    });
  }

  /** The type of a request; a promise while it is not known yet, and undefined if it stays unknown. */
  of(requestId: string): string | Promise<string | undefined> {
    const known = this.#known.get(requestId);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const timer = setTimeout(() => resolve(undefined), typeEventLimitMs);
    this.#pending.set(requestId, resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#pending.delete(requestId);
    });
  }
}

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
  const reported = new ReportedTypes();
  page.undo(reported.listen(session));
  return (event) => {
    const { resourceType, networkId = '' } = event;
    if (resourceType === 'Fetch') return types.has('prefetch');
    if (resourceType === 'XHR' && isPreflight(event)) return types.has('preflight');
    const candidates = ambiguous[resourceType];
    if (!candidates) return types.has(resourceType.toLowerCase());
    if (candidates.every((kind) => types.has(kind))) return true;
    if (!candidates.some((kind) => types.has(kind))) return false;
    const kind = reported.of(networkId);
    // Refuse a request whose exact type stays unknown: a refused type must not get through.
    return typeof kind === 'string' ? types.has(kind) : kind.then((late) => late === undefined || types.has(late));
  };
}

/** Whether a paused request asks for permission to send another one. */
export function isPreflight({ request: { method, headers } }: Paused): boolean {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return method === 'OPTIONS' && names.includes('access-control-request-method');
}
