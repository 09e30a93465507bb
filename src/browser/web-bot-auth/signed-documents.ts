/**
 * Has a browser sign the documents that its pages and their frames load. Other requests of a page go out as they are:
 * with further headers, those to other sites would first have to ask them for permission (CORS), and fail.
 */
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import type { RequestSigner } from './signer.ts';

/**
 * Holds up every document request of the browser, of whatever page, just before it goes out: after all sessions of
 * pages that hold it up too, so with the address to which it really goes. Chromium holds each hop of a redirect up by
 * itself, without the headers of the hop before.
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
  // A Referer that is named here would go along whole when the request is redirected to another site; one that is not
  // named stays what it is.
  const { Referer: _, ...own } = headers;
  const signed = Object.entries(signer.signed(url, own)).map(([name, value]) => ({ name, value }));
  // The request may be gone: a closed frame, another navigation.
  root.send('Fetch.continueRequest', { requestId, headers: signed }).catch(() => {});
}
