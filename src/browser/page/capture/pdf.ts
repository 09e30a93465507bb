/** Prints the page (Page.printToPDF) and streams the document, so that the server never holds a large one in memory. */
import { type CommandParams, ProtocolError } from '../../cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { paperSize } from '../../../base/schema/request/pdf-options.ts';
import type { PdfOptions } from '../../../base/schema/request/fields.ts';
import { fontsLoaded } from './fonts.ts';
import { type Paper, printOnOneSheet } from './one-sheet.ts';
import type { Page } from '../page.ts';
import { closeStream, readChunk, streamOf } from '../stream.ts';

/**
 * Prints the page.
 * @returns the whole document when it is small, otherwise a stream that reads on demand; the page must live until the
 *   stream ends, and canceling the stream frees the document in the browser
 * @throws ServiceError `invalid-body` for page ranges outside the document, `wait-timeout`, `page-crashed`
 */
export async function printToPdf(page: Page, options: PdfOptions): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  if (options.omitBackground) {
    await page.send('Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } });
  }
  const templates = await templatesOf(options);
  const printOn = (paper: Paper) => openDocument(page, { ...toCommand(options, paper), ...templates });
  const print = async () => {
    // The document is printed only once: pages see each print (beforeprint, afterprint).
    if (options.waitForFonts) await fontsLoaded(page);
    return options.fullPage ? printOnOneSheet(page, options, printOn) : printOn(paperSize(options));
  };
  const timeoutError = () =>
    new ServiceError('wait-timeout', `Printing took longer than ${options.timeout} ms (options.timeout).`);
  const handle = await page.withTimeout(print(), options.timeout, timeoutError);
  // Chromium reports the end only with an empty chunk after the last one, and any chunk may be shorter than requested:
  // a small document is complete when the second chunk is empty.
  const first = await readChunk(page, handle, 0);
  const second = first.eof ? undefined : await readChunk(page, handle);
  if (!second || (second.eof && second.bytes.length === 0)) {
    closeStream(page, handle);
    return first.bytes;
  }
  return streamOf(page, handle, [first, second]);
}

async function openDocument(page: Page, command: CommandParams<'Page.printToPDF'>): Promise<string> {
  try {
    const { stream } = await page.send('Page.printToPDF', command);
    if (stream === undefined) throw new Error('Page.printToPDF returned no stream');
    return stream;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    // Chromium reports a crash of the renderer a moment after the failed print: wait for it, so that the crash is
    // reported as the error.
    await page.sleep(crashEventMs);
    if (command.pageRanges) {
      throw new ServiceError(
        'invalid-body',
        `"options.pageRanges" (${command.pageRanges}) is not valid for this document: ${error.message}.`,
        { cause: error, issues: [{ path: 'options.pageRanges', message: error.message }] },
      );
    }
    throw new ServiceError('bad-request', `The page could not be printed: ${error.message}. Check "options".`, {
      cause: error,
    });
  }
}

const crashEventMs = 20;

/** The header and footer, without what they would load. */
async function templatesOf({ displayHeaderFooter, headerTemplate, footerTemplate }: PdfOptions) {
  if (!displayHeaderFooter || (headerTemplate === undefined && footerTemplate === undefined)) return {};
  const { withoutOutside } = await import('./template.ts');
  const cleaned = (template: string | undefined) => (template === undefined ? undefined : withoutOutside(template));
  return { headerTemplate: cleaned(headerTemplate), footerTemplate: cleaned(footerTemplate) };
}

function toCommand(options: PdfOptions, paper: Paper): CommandParams<'Page.printToPDF'> {
  const { top = 0, bottom = 0, left = 0, right = 0 } = options.margin;
  return {
    transferMode: 'ReturnAsStream',
    landscape: options.landscape,
    displayHeaderFooter: options.displayHeaderFooter,
    printBackground: options.printBackground,
    scale: options.scale,
    paperWidth: paper.width,
    paperHeight: paper.height,
    marginTop: top,
    marginBottom: bottom,
    marginLeft: left,
    marginRight: right,
    pageRanges: options.pageRanges ?? '',
    preferCSSPageSize: options.preferCSSPageSize && !options.fullPage,
    // The outline is made of the tags of the headings.
    generateTaggedPDF: options.tagged || options.outline,
    generateDocumentOutline: options.outline,
  };
}
