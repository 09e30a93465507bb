/**
 * An address that is no page: its answer is taken before the browser sees it (Fetch domain, response stage), so that a
 * PDF, an image or an archive comes out as it is and not as the viewer that Chromium would make of it.
 */
import { parse } from 'content-disposition';
import type { EventParams } from '../../cdp/connection.ts';
import { safeName } from '../file-name.ts';
import type { Page } from '../page.ts';
import { streamOf } from '../stream.ts';

type Paused = EventParams<'Fetch.requestPaused'>;

export interface MainFile {
  url: string;
  status: number;
  contentType: string;
  /** Safe as the name of a file. */
  name: string;
  body: ReadableStream<Uint8Array>;
}

export interface MainFileWatch {
  /** The rule for preparePage. */
  takeAnswer(event: Paused): boolean;
  /** Resolves when the address turns out to be a file, otherwise never. */
  readonly file: Promise<MainFile>;
}

/** Watches the answers of the main document for one that is no page. */
export function watchForFile(page: Page): MainFileWatch {
  const found = Promise.withResolvers<MainFile>();
  // Nobody may be waiting for it any more when it fails.
  found.promise.catch(() => {});
  return {
    file: found.promise,
    takeAnswer(event) {
      const { frameId, resourceType, request, requestId } = event;
      if (resourceType !== 'Document' || frameId !== page.mainFrameId || !isFile(event)) return false;
      const open = async (): Promise<MainFile> => {
        const { stream } = await page.send('Fetch.takeResponseBodyAsStream', { requestId });
        return {
          url: request.url,
          status: event.responseStatusCode ?? 200,
          contentType: headerOf(event, 'content-type') ?? 'application/octet-stream',
          name: fileNameOf(event),
          body: streamOf(page, stream),
        };
      };
      open().then(found.resolve, found.reject);
      return true;
    },
  };
}

const pageTypes = /^(text\/html|application\/xhtml\+xml|multipart\/x-mixed-replace)\s*(;|$)/i;

function isFile(event: Paused): boolean {
  const { responseStatusCode: status = 0, responseErrorReason } = event;
  // Redirects go on, and an answer without a body is no file.
  if (responseErrorReason !== undefined || status < 200 || status === 204 || status === 205) return false;
  if (status >= 300 && status < 400) return false;
  const type = headerOf(event, 'content-type');
  const attached = /^\s*attachment\b/i.test(headerOf(event, 'content-disposition') ?? '');
  // Without a type the browser finds out what it is.
  return attached || (type !== undefined && !pageTypes.test(type.trim()));
}

function headerOf({ responseHeaders = [] }: Paused, name: string): string | undefined {
  return responseHeaders.find((header) => header.name.toLowerCase() === name)?.value;
}

function fileNameOf(event: Paused): string {
  const disposition = headerOf(event, 'content-disposition');
  const named = disposition === undefined ? undefined : parse(disposition).parameters['filename'];
  return safeName(named ?? event.request.url, headerOf(event, 'content-type') ?? '');
}
