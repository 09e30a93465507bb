/**
 * Reads the pictures and fonts that the document of a page has loaded, and the style sheets that its recorder may not
 * read, which are those from other sites. Chromium still has them in memory: nothing is requested again.
 */
import { toBase64 } from '../../../base/runtime/bytes.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import { replayLimits } from '../../../base/limits.ts';
import type { CdpSession, EventParams } from '../../../browser/cdp/connection.ts';
import type { ProtocolEvent } from './event-log.ts';

/** How long the end of a recording waits for what is being read, in milliseconds. */
const settleMs = 1_000;

export interface PageResourcesOptions {
  /** The server's session with the page, in which Network is enabled. */
  session: CdpSession;
  /** Target id of the page. */
  page: string;
  /** Called with each resource, once per URL. */
  report(timestamp: number, event: ProtocolEvent): void;
}

type RequestSent = EventParams<'Network.requestWillBeSent'>;

interface Loading {
  /** As in the document: before redirects, without a fragment. */
  url: string;
  /** Chromium's resource type. */
  type: string;
  frameId: string;
  /** Empty until the response is known. */
  mimeType: string;
  /** Size of the body that has arrived so far. */
  bytes: number;
}

export class PageResources implements Disposable {
  readonly #options: PageResourcesOptions;
  readonly #stops: (() => void)[];
  readonly #loading = new Map<string, Loading>();
  /** URLs that are recorded or being read. */
  readonly #known = new Set<string>();
  readonly #reading = new Set<Promise<void>>();
  /** Size of what is recorded, and of what is being read as far as it is known. */
  #bytes = 0;
  /** The site of the page: documents of other sites in its frames are not recorded. */
  #origin = '';
  readonly #told = new Set<string>();

  constructor(options: PageResourcesOptions) {
    this.#options = options;
    const { session } = options;
    this.#stops = [
      session.on('Network.requestWillBeSent', (event) => this.#sent(event)),
      session.on('Network.responseReceived', ({ requestId, response, type }) => {
        const loading = this.#loading.get(requestId);
        if (loading) Object.assign(loading, { mimeType: response.status >= 400 ? '' : response.mimeType, type });
      }),
      session.on('Network.dataReceived', ({ requestId, dataLength }) => {
        const loading = this.#loading.get(requestId);
        if (loading) loading.bytes += dataLength;
      }),
      session.on('Network.loadingFailed', ({ requestId }) => this.#loading.delete(requestId)),
      session.on('Network.loadingFinished', ({ requestId }) => this.#finished(requestId)),
    ];
  }

  /** Resolves when what is being read is recorded, or after a timeout. */
  async settled(): Promise<void> {
    using deadline = startDeadline(settleMs, () => undefined, [this.#options.session.closed]);
    await orAborted(Promise.all(this.#reading), deadline.signal).catch(() => {});
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#loading.clear();
  }

  #sent({ requestId, request, type = 'Other', frameId = '', documentURL }: RequestSent): void {
    const origin = URL.parse(documentURL)?.origin ?? '';
    const isMain = frameId === this.#options.page;
    if (isMain) this.#origin = origin;
    // The first URL of a redirected request is the one in the document.
    if (this.#loading.has(requestId) || this.#loading.size >= replayLimits.openRequests) return;
    if (/^https?:/.test(documentURL) && origin !== this.#origin) return;
    if (!isShownType(type) || (type === 'Document' && isMain)) return;
    this.#loading.set(requestId, { url: withoutFragment(request.url), type, frameId, mimeType: '', bytes: 0 });
  }

  #finished(requestId: string): void {
    const loading = this.#loading.get(requestId);
    this.#loading.delete(requestId);
    if (!loading || !isShown(loading, this.#origin)) return;
    const { url, bytes } = loading;
    if (/^data:/i.test(url) || this.#known.has(url) || url.length > replayLimits.resourceUrlCharacters) return;
    if (!this.#fits(bytes)) return;
    this.#known.add(url);
    this.#bytes += bytes;
    const reading = this.#read(requestId, loading).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  }

  async #read(requestId: string, loading: Loading): Promise<void> {
    const { url, type, bytes, frameId } = loading;
    const { session } = this.#options;
    const found =
      type === 'Document' ? this.#markupOf(frameId) : session.send('Network.getResponseBody', { requestId });
    // The document may have been left.
    const { body, base64Encoded } = await found.catch(() => ({ body: '', base64Encoded: false }));
    this.#bytes -= bytes;
    const data = base64Encoded ? body : toBase64(new TextEncoder().encode(body));
    const size = Math.floor((data.length * 3) / 4);
    if (data === '') this.#known.delete(url);
    if (data === '' || !this.#fits(size)) return;
    this.#bytes += size;
    this.#report({ tag: 'resource', payload: { url, data: `data:${dataType(loading)};base64,${data}` } });
  }

  /** The drawing that an element shows as a document: Chromium does not keep the text of documents. */
  async #markupOf(frameId: string): Promise<{ body: string; base64Encoded: boolean }> {
    const { session } = this.#options;
    const worldName = 'browserd drawing';
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName });
    const expression = `new Promise((resolve) => {
      const read = () => resolve(new XMLSerializer().serializeToString(document));
      if (document.readyState === 'complete') read();
      else addEventListener('load', read, { once: true });
    })`;
    const params = { expression, contextId, awaitPromise: true, returnByValue: true };
    const { result } = await session.send('Runtime.evaluate', params);
    return { body: String(result.value ?? ''), base64Encoded: false };
  }

  /** Reports once what is left out. */
  #fits(bytes: number): boolean {
    const { resourceBytes, resourcesBytes, resources } = replayLimits;
    const megabytes = (size: number) => Math.round(size / 2 ** 20);
    if (bytes > resourceBytes) {
      this.#notice(`Pictures and fonts of more than ${megabytes(resourceBytes)} MB are left out.`);
      return false;
    }
    if (this.#bytes + bytes <= resourcesBytes && this.#known.size <= resources) return true;
    this.#notice(
      `Pictures and fonts of this tab are left out from here that exceed ${megabytes(resourcesBytes)} MB or ${resources} files in all.`,
    );
    return false;
  }

  #notice(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#report({ tag: 'notice', payload: { text } });
  }

  #report(event: ProtocolEvent): void {
    this.#options.report(Date.now(), event);
  }
}

function isShownType(type: string): boolean {
  return /^(?:Image|Font|Stylesheet|Other|Document)$/.test(type);
}

/** @param site URL of the document, whose own style sheets the recorder reads */
function isShown({ url, type, mimeType }: Loading, site: string): boolean {
  if (mimeType === '') return false;
  if (type === 'Image' || type === 'Font') return true;
  if (type === 'Stylesheet') return URL.parse(url)?.origin !== URL.parse(site)?.origin;
  // Files that SVG elements refer to, and drawings in frames and objects.
  return mimeType === 'image/svg+xml' && (type === 'Other' || type === 'Document');
}

/** The player shows no other types; browsers find out the format of pictures and fonts themselves, except SVG. */
function dataType({ type, mimeType }: Loading): string {
  if (type === 'Stylesheet') return 'text/css';
  const group = type === 'Font' ? 'font' : 'image';
  return new RegExp(`^${group}/[\\w.+-]+$`).test(mimeType) ? mimeType : `${group}/x`;
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
