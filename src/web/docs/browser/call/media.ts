/** Recognizes images and PDFs, also as base64 text, by their first bytes; the response's own type is not used. */

/** Types that are shown. A blob gets one of these, never the type that a response specifies. */
export type PreviewType = 'image/png' | 'image/jpeg' | 'image/webp' | 'application/pdf';

export interface Media {
  type: PreviewType;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Maximum length of text that is decoded, in characters. */
const maxCharacters = 64 * 2 ** 20;
/** Minimum length of text that is decoded, in characters. */
const minCharacters = 64;

const startsWith = (bytes: Uint8Array, text: string, at = 0): boolean =>
  [...text].every((char, index) => bytes[at + index] === char.charCodeAt(0));

export function typeOfBytes(bytes: Uint8Array): PreviewType | undefined {
  if (startsWith(bytes, '\x89PNG')) return 'image/png';
  if (startsWith(bytes, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'image/webp';
  return startsWith(bytes, '%PDF-') ? 'application/pdf' : undefined;
}

/** Returns the bytes of base64 text; undefined for other text. */
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Returns the image or PDF in base64 text, with or without a `data:` prefix; undefined when there is none. */
export function mediaInText(text: string): Media | undefined {
  if (text.length < minCharacters || text.length > maxCharacters) return undefined;
  const base64 = text.replace(/^data:[\w/+.-]+;base64,/, '').trim();
  const first = bytesOfBase64(base64.slice(0, 32));
  if (first === undefined || typeOfBytes(first) === undefined) return undefined;
  const bytes = bytesOfBase64(base64);
  const type = bytes && typeOfBytes(bytes);
  return bytes && type && { type, bytes };
}
