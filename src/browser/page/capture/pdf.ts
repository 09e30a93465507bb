/** Prints the page (Page.printToPDF) and streams the document, so that the server never holds a large one in memory. */
import { type CommandParams, ProtocolError } from '../../cdp/connection.ts';
import { ServiceError } from '../../../base/errors.ts';
import { paperSize } from '../../../base/schema/request/pdf-options.ts';
import type { PdfOptions } from '../../../base/schema/request/fields.ts';
import { evaluateText, withRetry } from '../evaluate.ts';
import { toExpression } from '../page-function.ts';
import { withFonts } from './fonts.ts';
import { documentHeight } from '../../injected/document.ts';
import type { Page } from '../page.ts';
import { closeStream, readChunk, streamOf } from '../stream.ts';

const pixelsPerInch = 96;
/** Added to the page's height, so that rounding it to points does not push the last line onto a second page. */
const roundingPixels = 1;

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
  const command = toCommand(options, await paperOf(page, options));
  const print = () => openDocument(page, command);
  const timeoutError = () =>
    new ServiceError('wait-timeout', `Printing took longer than ${options.timeout} ms (options.timeout).`);
  const handle = await page.withTimeout(
    options.waitForFonts ? withFonts(page, print, (unused) => closeStream(page, unused)) : print(),
    options.timeout,
    timeoutError,
  );
  // Chromium reports the end only with an empty chunk after the last one, and any chunk may be shorter than requested:
  // a small document is complete when the second chunk is empty.
  const first = await readChunk(page, handle);
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

interface Paper {
  /** Inches, before landscape swaps the sides. */
  width: number;
  height: number;
}

function toCommand(options: PdfOptions, paper: Paper): CommandParams<'Page.printToPDF'> {
  const { top = 0, bottom = 0, left = 0, right = 0 } = options.margin;
  return {
    transferMode: 'ReturnAsStream',
    landscape: options.landscape,
    displayHeaderFooter: options.displayHeaderFooter,
    headerTemplate: options.headerTemplate === undefined ? undefined : withoutOutside(options.headerTemplate),
    footerTemplate: options.footerTemplate === undefined ? undefined : withoutOutside(options.footerTemplate),
    printBackground: options.printBackground,
    scale: options.scale,
    paperWidth: paper.width,
    paperHeight: paper.height,
    marginTop: top,
    marginBottom: bottom,
    marginLeft: left,
    marginRight: right,
    pageRanges: options.pageRanges ?? '',
    preferCSSPageSize: options.preferCSSPageSize,
    generateTaggedPDF: options.tagged,
    generateDocumentOutline: options.outline,
  };
}

async function paperOf(page: Page, options: PdfOptions): Promise<Paper> {
  const paper = paperSize(options);
  if (!options.fullPage) return paper;
  const width = options.landscape ? paper.height : paper.width;
  const { left = 0, right = 0, top = 0, bottom = 0 } = options.margin;
  // Measure the document as it will be printed: with print styles, as wide as the printable part of the paper.
  await Promise.all([
    page.send('Emulation.setEmulatedMedia', { media: 'print' }),
    page.send('Emulation.setDeviceMetricsOverride', {
      width: Math.max(1, Math.round(((width - left - right) * pixelsPerInch) / options.scale)),
      height: page.viewport?.height ?? 0,
      deviceScaleFactor: page.viewport?.deviceScaleFactor ?? 1,
      mobile: false,
    }),
  ]);
  const measured = await withRetry(page, () => evaluateText<number>(page, toExpression(documentHeight, [])));
  const height = ((measured + roundingPixels) * options.scale) / pixelsPerInch + top + bottom;
  return options.landscape ? { width: height, height: width } : { width, height };
}

/**
 * Removes external style sheets, imports and CSS `url()`s (fonts, images) from a template. Chromium draws the header
 * and footer in a document that may not load anything, and Chromium 156 crashes on the attempt instead of ignoring it.
 */
export function withoutOutside(template: string): string {
  return template
    .replace(/<link\b[^>]*(?:>|$)/gi, (tag) => (/\bhref\s*=\s*(?:["']\s*)?data:/i.test(tag) ? tag : ''))
    .replace(/@import\b(?!\s*(?:url\(\s*)?(?:["']\s*)?data:)[^;}<]*;?/gi, '')
    .replace(/\burl\((?!\s*(?:["']\s*)?(?:data:|#))[^)]*(?:\)|$)/gi, 'url(data:,)');
}
