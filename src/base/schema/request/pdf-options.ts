// Defines PDFOptions. Lengths are converted to inches here, so that an invalid unit returns a 400 and the printing code
// receives only numbers.

import { listLimits } from '../../limits.ts';
import * as v from 'valibot';
import { field, flag, ignoredField, overridden, timeoutMs } from './primitives.ts';

/** Width and height in inches, as defined by Puppeteer. */
const paperFormats = {
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
  ledger: [17, 11],
  a0: [33.1102, 46.811],
  a1: [23.3858, 33.1102],
  a2: [16.5354, 23.3858],
  a3: [11.6929, 16.5354],
  a4: [8.2677, 11.6929],
  a5: [5.8268, 8.2677],
  a6: [4.1339, 5.8268],
} as const satisfies Record<string, readonly [width: number, height: number]>;

export type PaperFormat = keyof typeof paperFormats;

const formatNames = 'A0 to A6, Letter, Legal, Ledger or Tabloid';

function isFormat(name: string): name is PaperFormat {
  return Object.hasOwn(paperFormats, name);
}

const format = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }): PaperFormat => {
    const name = dataset.value.toLowerCase();
    if (isFormat(name)) return name;
    addIssue({ message: `must be ${formatNames}, got ${JSON.stringify(dataset.value.slice(0, 40))}` });
    return NEVER;
  }),
);

const pixelsPerInch = 96;
const perInch = { px: pixelsPerInch, in: 1, cm: 2.54, mm: 25.4 } as const;

function isUnit(text: string): text is keyof typeof perInch {
  return Object.hasOwn(perInch, text);
}

/**
 * Converts a length to inches; undefined when the text is not a length. A number, or text without a unit, means CSS
 * pixels.
 */
export function toInches(length: number | string): number | undefined {
  if (typeof length === 'number') return length / pixelsPerInch;
  const [, amount, unit = ''] = /^(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)$/i.exec(length.trim()) ?? [];
  const name = unit.toLowerCase() || 'px';
  return amount !== undefined && isUnit(name) ? Number(amount) / perInch[name] : undefined;
}

const length = v.pipe(
  v.union([v.number(), v.string()]),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const inches = toInches(dataset.value);
    if (inches !== undefined && inches >= 0) return inches;
    addIssue({
      message: `must be a length of 0 or more: a number of pixels, or text with px, in, cm or mm such as "10cm", got ${JSON.stringify(dataset.value).slice(0, 40)}`,
    });
    return NEVER;
  }),
);

/** Longest side of the paper in inches: PDF readers accept at most 14400 units of 1/72 inch. */
const maxPaperInches = 200;
const paperSide = v.pipe(
  length,
  v.check(
    (inches) => inches > 0 && inches <= maxPaperInches,
    `must be more than 0 and at most ${maxPaperInches} inches`,
  ),
);

const pageRanges = v.pipe(
  v.string(),
  v.check(
    (text) =>
      text.trim() === '' ||
      (text.length <= listLimits.textCharacters &&
        text.split(',').every((part) => {
          const [, first, dash, last = ''] = /^(\d*)(?:\s*(-)\s*(\d*))?$/.exec(part.trim()) ?? [];
          if (first === undefined || (first === '' && last === '')) return false;
          if (dash === undefined) return Number(first) > 0;
          return (first === '' || Number(first) > 0) && (last === '' || Number(last) >= Number(first || 1));
        })),
    `must be page numbers and ranges such as "1-5, 8, 11-13", starting at 1, in at most ${listLimits.textCharacters} characters`,
  ),
);

const template = v.pipe(
  v.string(),
  v.maxLength(listLimits.templateCharacters, `must have at most ${listLimits.templateCharacters} characters`),
);

const pdfObject = v.strictObject({
  scale: v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(2), v.description('Scale of the page.')), 1),
  displayHeaderFooter: flag('Print header and footer.'),
  headerTemplate: field(
    template,
    'HTML of the header, with displayHeaderFooter; elements with class date, title, url, pageNumber or totalPages are filled in.',
  ),
  footerTemplate: field(template, 'HTML of the footer, with displayHeaderFooter.'),
  printBackground: flag('Print background graphics.'),
  landscape: flag('Landscape orientation.'),
  pageRanges: field(pageRanges, 'Pages to print, such as `1-5, 8`; empty for all.'),
  format: field(format, `Paper format (case-insensitive): ${formatNames}. Overrides width and height.`),
  width: field(paperSide, 'Paper width: CSS pixels, or text with px, in, cm or mm.'),
  height: field(paperSide, 'Paper height: CSS pixels, or text with px, in, cm or mm.'),
  preferCSSPageSize: flag(
    'Prefer the page size set in CSS to format, width, height and landscape, except with fullPage.',
  ),
  margin: v.optional(
    v.pipe(
      v.strictObject({
        top: field(length, 'Top margin.'),
        bottom: field(length, 'Bottom margin.'),
        left: field(length, 'Left margin.'),
        right: field(length, 'Right margin.'),
      }),
      v.description('Margins: CSS pixels, or text with px, in, cm or mm. Default 0.'),
    ),
    {},
  ),
  path: ignoredField(v.string(), 'no file is written on the server'),
  omitBackground: flag('Omit the background of a dark color scheme.'),
  tagged: v.optional(
    v.pipe(v.boolean(), v.description('Create an accessible, tagged PDF; always with outline.')),
    true,
  ),
  outline: flag('Create an outline from the headings; includes tags.'),
  timeout: timeoutMs('Time limit for printing in milliseconds; 0 for none.'),
  waitForFonts: v.optional(v.pipe(v.boolean(), v.description('Wait up to 5 s for fonts; if false, up to 2 s.')), true),
  fullPage: flag(
    'Print one page as tall as the document, whatever its @page rules; cannot be combined with height or format.',
  ),
});

/** Widths, heights and margins in inches, format in lowercase, defaults filled in. */
export type PdfOptions = v.InferOutput<typeof pdfObject>;

export const pdfOptions = v.pipe(
  pdfObject,
  overridden({
    headerTemplate: ({ displayHeaderFooter }) => !displayHeaderFooter,
    footerTemplate: ({ displayHeaderFooter }) => !displayHeaderFooter,
    width: (options) => options.format !== undefined,
    height: (options) => options.format !== undefined,
    preferCSSPageSize: ({ preferCSSPageSize, fullPage }) => preferCSSPageSize && fullPage,
    tagged: ({ tagged, outline }) => !tagged && outline,
  }),
  v.check(
    (options) => !options.fullPage || (options.height === undefined && options.format === undefined),
    '"fullPage" option cannot be used with "height" or "format" options.',
  ),
  v.check((options) => {
    const paper = paperSize(options);
    const [width, height] = options.landscape ? [paper.height, paper.width] : [paper.width, paper.height];
    const { left = 0, right = 0, top = 0, bottom = 0 } = options.margin;
    return left + right < width && (options.fullPage || top + bottom < height);
  }, 'leaves no printable area: make the margins smaller or the paper larger'),
);

/** Paper size in inches before landscape rotates it: the format, else width and height, else Letter. */
export function paperSize(options: Pick<PdfOptions, 'format' | 'width' | 'height'>): { width: number; height: number } {
  const [width, height] = paperFormats[options.format ?? 'letter'];
  if (options.format !== undefined) return { width, height };
  return { width: options.width ?? width, height: options.height ?? height };
}
