/**
 * Records the response bodies of the resources that a page loads (Network domain), so that an export can write them
 * next to the markup without requesting anything from the site again.
 */
import type { CdpSession, EventParams } from '../../cdp/connection.ts';
import type { Page } from '../page.ts';
import { fromBase64 } from '../../../base/runtime/bytes.ts';

export interface Resource {
  /** After redirects, without a fragment. */
  url: string;
  mimeType: string;
  bytes: Uint8Array;
  kind: EventParams<'Network.responseReceived'>['type'];
}

/** Memory for the bodies of one export in bytes; links to resources beyond it keep their original URL. */
const maxTotalBytes = 200 * 2 ** 20;
const maxResourceBytes = 50 * 2 ** 20;

/** Resource types that a document shows or runs. Not the documents of frames: the export serializes their DOM. */
const recordedTypes = new Set<string>([
  'Stylesheet',
  'Image',
  'Media',
  'Font',
  'Script',
  'TextTrack',
  'Manifest',
  'Other',
]);

/** Types of files that a frame or an object shows although they are no markup. */
const shownAsDocument = /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf)/;

interface Running {
  /** Every URL of a redirect chain. */
  urls: string[];
  answer?: EventParams<'Network.responseReceived'>;
}

export class ResourceRecorder {
  /** Resources by every URL of their redirect chains. */
  readonly found = new Map<string, Resource>();
  /** Sessions of the page and its out-of-process iframes, by the id of their topmost frame. */
  readonly sessions = new Map<string, CdpSession>();
  readonly #page: Page;
  readonly #reading = new Set<Promise<void>>();
  #bytes = 0;
  /** Expected size of the bodies being read from the browser now. */
  #readingBytes = 0;

  constructor(page: Page) {
    this.#page = page;
    page.networkNeeded = true;
  }

  /** Commands for the page and each out-of-process iframe, sent before they load. */
  readonly commands = (session: CdpSession, frameId: string): Promise<unknown>[] => {
    this.sessions.set(frameId, session);
    const running = new Map<string, Running>();
    const listen = [
      session.on('Network.requestWillBeSent', ({ requestId, request }) => {
        const known = running.get(requestId);
        if (known) known.urls.push(request.url);
        else running.set(requestId, { urls: [request.url] });
      }),
      session.on('Network.responseReceived', (event) => {
        const known = running.get(event.requestId);
        if (known) known.answer = event;
      }),
      session.on('Network.loadingFailed', ({ requestId }) => running.delete(requestId)),
      session.on('Network.loadingFinished', ({ requestId }) => {
        const known = running.get(requestId);
        running.delete(requestId);
        if (known?.answer === undefined || known.answer.response.status >= 400) return;
        const { type, response } = known.answer;
        if (!recordedTypes.has(type) && !(type === 'Document' && shownAsDocument.test(response.mimeType))) return;
        const read = this.#read(session, requestId, known.urls, known.answer).catch(() => {});
        this.#reading.add(read);
        void read.finally(() => this.#reading.delete(read));
      }),
    ];
    for (const stop of listen) this.#page.undo(stop);
    return [
      session.send('Network.enable', { maxTotalBufferSize: maxTotalBytes, maxResourceBufferSize: maxResourceBytes }),
    ];
  };

  /** Resolves when the bodies of all finished requests have been read. */
  async settled(): Promise<void> {
    while (this.#reading.size > 0) await this.#page.until(Promise.allSettled(this.#reading));
  }

  async #read(
    session: CdpSession,
    requestId: string,
    urls: readonly string[],
    { response, type }: EventParams<'Network.responseReceived'>,
  ): Promise<void> {
    const expected = response.encodedDataLength;
    if (this.#bytes + this.#readingBytes + expected > maxTotalBytes) return;
    this.#readingBytes += expected;
    const reading = session.send('Network.getResponseBody', { requestId });
    const { body, base64Encoded } = await reading.finally(() => (this.#readingBytes -= expected));
    const bytes = base64Encoded ? fromBase64(body) : new TextEncoder().encode(body);
    if (this.#bytes + bytes.length > maxTotalBytes) return;
    this.#bytes += bytes.length;
    const resource = { url: withoutFragment(response.url), mimeType: response.mimeType, bytes, kind: type };
    // Keep the first response, which is the one that the page shows; a later one may be a partial response.
    for (const url of [...urls, response.url].map(withoutFragment)) {
      if (!this.found.has(url)) this.found.set(url, resource);
    }
  }
}

export function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
