// Decodes what the service produces: pixels of PNG and JPEG, the size of WebP, text and structure of PDF.
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';

export interface DecodedImage {
  width: number;
  height: number;
  /** Red, green, blue, alpha (0 to 255) at a point. */
  at(x: number, y: number): [number, number, number, number];
}

function toImage(width: number, height: number, data: Uint8Array): DecodedImage {
  return {
    width,
    height,
    at(x, y) {
      if (x < 0 || y < 0 || x >= width || y >= height) throw new Error(`(${x}, ${y}) is outside ${width}x${height}`);
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4);
      return [red, green, blue, alpha];
    },
  };
}

/** Decodes a PNG. */
export function readPng(bytes: Uint8Array): DecodedImage {
  const image = PNG.sync.read(Buffer.from(bytes));
  return toImage(image.width, image.height, image.data);
}

/** Decodes a JPEG. */
export function readJpeg(bytes: Uint8Array): DecodedImage {
  const image = jpeg.decode(bytes, { useTArray: true });
  return toImage(image.width, image.height, image.data);
}

/** Width and height of a WebP file, for the three kinds of first chunk (RFC 9649). */
export function webpSize(bytes: Uint8Array): { width: number; height: number; lossless: boolean } {
  const name = (at: number) => new TextDecoder().decode(bytes.subarray(at, at + 4));
  if (name(0) !== 'RIFF' || name(8) !== 'WEBP') throw new Error('not a WebP file');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = name(12);
  if (kind === 'VP8X') {
    const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
    return { width: three(24), height: three(27), lossless: false };
  }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, lossless: true };
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, lossless: false };
}

/** Whether each channel is within the tolerance of the expected color; JPEG and scaling blur colors. */
export function isColor(actual: readonly number[], expected: readonly number[], tolerance = 2): boolean {
  return expected.every((part, index) => Math.abs(part - (actual[index] ?? -1_000)) <= tolerance);
}

export interface Pdf {
  /** Sizes in points (1/72 inch); text items joined by spaces. */
  pages: {
    width: number;
    height: number;
    text: string;
    items: { text: string; x: number; y: number; size: number }[];
  }[];
  info: Record<string, unknown>;
  outline: string[];
  tagged: boolean;
}

/** Reads a PDF with pdf.js. */
export async function readPdf(bytes: Uint8Array): Promise<Pdf> {
  const { getDocument, VerbosityLevel } = await import('unpdf/pdfjs');
  const task = getDocument({ data: bytes.slice(), verbosity: VerbosityLevel.ERRORS });
  const document = await task.promise;
  const pages: Pdf['pages'] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    const content = await page.getTextContent();
    const items = content.items.flatMap((item) =>
      'str' in item && item.str.trim() !== ''
        ? [
            {
              text: item.str,
              x: item.transform[4],
              y: item.transform[5],
              size: Math.hypot(item.transform[2], item.transform[3]),
            },
          ]
        : [],
    );
    pages.push({ width, height, text: items.map((item) => item.text).join(' '), items });
  }
  const metadata = await document.getMetadata();
  const outline = (await document.getOutline()) ?? [];
  const marks = await document.getMarkInfo();
  await task.destroy();
  return {
    pages,
    info: { ...metadata.info },
    outline: outline.map((entry) => entry.title),
    tagged: marks?.Marked === true,
  };
}
