/**
 * Makes a browser sign the requests for documents of its pages and frames. Other requests of a page stay unchanged:
 * extra headers would trigger a CORS preflight for requests to other sites, which would fail.
 */
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import type { RequestSigner } from './signer.ts';

/**
 * Pauses every document request of the browser, from any page, just before it is sent: after all page sessions that
 * pause it too, so with the final URL. Chromium pauses each hop of a redirect separately, without the headers of the
 * previous hop.
 * @param root the browser session of the server's own connection
 */
export async function signDocuments(root: CdpSession, signer: RequestSigner): Promise<void> {
  root.on('Fetch.requestPaused', (event) => sign(root, event, signer));
  await root.send('Fetch.enable', {
    patterns: [
      { urlPattern: 'http://*', resourceType: 'Document' },
      { urlPattern: 'https://*', resourceType: 'Document' },
    ],
  });
}

function sign(
  root: CdpSession,
  { requestId, request: { url, headers } }: EventParams<'Fetch.requestPaused'>,
  signer: RequestSigner,
): void {
  // A Referer set here would be sent in full when the request is redirected to another site; one that is left out keeps
  // Chromium's own value.
  const { Referer: _, ...own } = headers;
  const signed = Object.entries(signer.signedHeaders(url, own)).map(([name, value]) => ({ name, value }));
  // The request may no longer exist: the frame was closed, or another navigation started.
  root.send('Fetch.continueRequest', { requestId, headers: signed }).catch(() => {});
}
