/**
 * Detects a main response that is a file instead of a page, and takes its body before Chromium sees it (Fetch domain,
 * response stage): a PDF, an image or an archive is then delivered unchanged, instead of the page of Chromium's viewer.
 */
import { parse } from 'content-disposition';
import { ServiceError } from '../../../base/errors.ts';
import type { EventParams } from '../../cdp/connection.ts';
import { nameOfFile } from '../file-name.ts';
import type { Page } from '../page.ts';
import { streamOf } from '../stream.ts';

type Paused = EventParams<'Fetch.requestPaused'>;

export interface MainFile {
  url: string;
  status: number;
  contentType: string;
  /** Safe as a file name. */
  name: string;
  body: ReadableStream<Uint8Array>;
}

export interface MainFileWatch {
  /** The `takeAnswer` option of preparePage. */
  takeAnswer(event: Paused): boolean;
  /** Resolves when the response is a file, rejects when its body cannot be taken, and otherwise never settles. */
  readonly file: Promise<MainFile>;
}

/** Watches the responses of the main document for a file. */
export function watchForFile(page: Page): MainFileWatch {
  const found = Promise.withResolvers<MainFile>();
  // The caller may have stopped waiting when it rejects.
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
          body: complete(streamOf(page, stream), lengthOf(event)),
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
  // A redirect leads to another response, and a response without a body is not a file.
  if (responseErrorReason !== undefined || status < 200 || status === 204 || status === 205) return false;
  if (status >= 300 && status < 400) return false;
  const type = headerOf(event, 'content-type');
  const attached = /^\s*attachment\b/i.test(headerOf(event, 'content-disposition') ?? '');
  // Without a content type, the browser sniffs it.
  return attached || (type !== undefined && !pageTypes.test(type.trim()));
}

function headerOf({ responseHeaders = [] }: Paused, name: string): string | undefined {
  return responseHeaders.find((header) => header.name.toLowerCase() === name)?.value;
}

/** Length of the body in bytes; undefined when it is not known, or is that of the compressed body. */
function lengthOf(event: Paused): number | undefined {
  if (headerOf(event, 'content-encoding') !== undefined) return undefined;
  const length = headerOf(event, 'content-length');
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
}

/** Fails at the end of a body that is shorter than announced: Chromium ends it without an error. */
function complete(body: ReadableStream<Uint8Array>, length = 0): ReadableStream<Uint8Array> {
  let missing = length;
  if (missing === 0) return body;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        missing -= chunk.length;
        controller.enqueue(chunk);
      },
      flush(controller) {
        if (missing > 0)
          controller.error(
            new ServiceError('navigation-failed', 'The site closed the connection before the end of the file.'),
          );
      },
    }),
  );
}

function fileNameOf(event: Paused): string {
  const disposition = headerOf(event, 'content-disposition');
  const named = disposition === undefined ? undefined : parse(disposition).parameters['filename'];
  return nameOfFile(named, event.request.url, headerOf(event, 'content-type') ?? '');
}
