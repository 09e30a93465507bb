/** Prints the whole document on one sheet (`fullPage`): the height of the paper follows from the document. */
import { ServiceError } from '../../../base/errors.ts';
import { paperSize } from '../../../base/schema/request/pdf-options.ts';
import type { PdfOptions } from '../../../base/schema/request/fields.ts';
import { documentHeight } from '../../injected/document.ts';
import { freezeHeights, noteHeights, setPrintRules, undoPrintRules } from '../../injected/print.ts';
import type { PageFunction } from '../page-function.ts';
import { withRetry } from '../evaluate.ts';
import type { Page } from '../page.ts';
import { closeStream, readChunk } from '../stream.ts';

const pixelsPerInch = 96;
/** Added to the page's height, so that rounding it to points does not push the last line onto a second sheet. */
const roundingPixels = 1;
/** Longest text that contains the number of sheets, in characters. */
const countCharacters = 50;
/** Maximum number of times that a document is printed. */
const maxPrints = 4;

export interface Paper {
  /** Inches, before landscape swaps the sides. */
  width: number;
  height: number;
}

/**
 * Prints the document on paper as tall as the document, without its `@page` rules and forced breaks. Prints again, on
 * taller paper, when the document needs more than one sheet.
 * @param print prints on this paper and returns the handle of the document
 * @returns the handle of the document with one sheet
 * @throws ServiceError `bad-request` for a document that never fits on one sheet
 */
export async function printOnOneSheet(
  page: Page,
  options: PdfOptions,
  print: (paper: Paper) => Promise<string>,
): Promise<string> {
  const { width, height: side } = paperSize(options);
  const across = options.landscape ? side : width;
  const { left = 0, right = 0, top = 0, bottom = 0 } = options.margin;
  const call = <Args extends readonly unknown[], Result>(fn: PageFunction<Args, Result>, ...args: Args) =>
    withRetry(page, () => page.evaluate(fn, ...args));
  const paperFor = (pixels: number): Paper => {
    const height = ((pixels + roundingPixels) * options.scale) / pixelsPerInch + top + bottom;
    return options.landscape ? { width: height, height: across } : { width: across, height };
  };
  // Lay the document out as it will be printed: with print styles, as wide as the printable part of the paper.
  const columns = Math.max(1, Math.round(((across - left - right) * pixelsPerInch) / options.scale));
  const layOut = (rows: number) =>
    page.send('Emulation.setDeviceMetricsOverride', {
      width: columns,
      height: rows,
      deviceScaleFactor: page.viewport?.deviceScaleFactor ?? 1,
      mobile: false,
    });
  const rows = page.viewport?.height ?? 0;
  await Promise.all([page.send('Emulation.setEmulatedMedia', { media: page.emulatedMedia || 'print' }), layOut(rows)]);
  try {
    await call(setPrintRules, [top, right, bottom, left]);
    let pixels = await call(documentHeight);
    for (let prints = 1; ; prints++) {
      const handle = await print(paperFor(pixels));
      const sheets = await countSheets(page, handle);
      if (sheets <= 1) return handle;
      closeStream(page, handle);
      if (prints === maxPrints) throw tooLong(sheets);
      if (prints > 1) pixels *= sheets;
      else {
        // Heights in vh grow with the paper: give them the height that they have in the window.
        await layOut(Math.ceil(pixels) * 2);
        await call(noteHeights);
        await layOut(rows);
        await call(freezeHeights);
        pixels = await call(documentHeight);
      }
    }
  } finally {
    restore(page);
  }
}

function tooLong(sheets: number): ServiceError {
  return new ServiceError(
    'bad-request',
    `The document still needed ${sheets} sheets after it was printed ${maxPrints} times, each time on taller paper: it grows with the paper. Print without "fullPage".`,
    { issues: [{ path: 'options.fullPage', message: 'the document does not fit on one sheet' }] },
  );
}

/** Gives the page the layout back that it had; a later step of the same document may use it. */
function restore(page: Page): void {
  const { session, viewport, emulatedMedia } = page;
  const steps = [
    session.send('Emulation.setEmulatedMedia', { media: emulatedMedia }),
    viewport
      ? session.send('Emulation.setDeviceMetricsOverride', viewport)
      : session.send('Emulation.clearDeviceMetricsOverride'),
    page.evaluate(undoPrintRules),
  ];
  for (const step of steps) step.catch(() => {});
}

/** Number of sheets in a PDF document. Chromium writes the dictionary of the page tree uncompressed. */
async function countSheets(page: Page, handle: string): Promise<number> {
  const decoder = new TextDecoder('latin1');
  let sheets = 1;
  let before = '';
  for (let offset: number | undefined = 0, eof = false; !eof; offset = undefined) {
    const chunk = await readChunk(page, handle, offset);
    ({ eof } = chunk);
    const text = before + decoder.decode(chunk.bytes);
    for (const [, count] of text.matchAll(/\/Type \/Pages\s\/Count (\d+)/g)) {
      sheets = Math.max(sheets, Number(count));
    }
    before = text.slice(-countCharacters);
  }
  return sheets;
}
