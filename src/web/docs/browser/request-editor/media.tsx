/**
 * Shows images, PDFs and foreign pages from bytes. Recognizes them by their first bytes, also as base64 text; the
 * response's own type is not used.
 */
import { type ReactNode, useEffect, useState } from 'react';

/** Types that are shown. A blob gets one of these, never the type that a response specifies. */
type PreviewType = 'image/png' | 'image/jpeg' | 'image/webp' | 'application/pdf';

interface Media {
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

/** Returns a blob URL for the bytes, revoked when they are no longer shown. */
export function useBlobUrl(bytes: Uint8Array<ArrayBuffer>, type: string): string {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    // oxlint-disable-next-line react/set-state-in-effect -- a blob URL is created and revoked like a subscription
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return url;
}

export function MediaView({ media: { bytes, type }, label }: { media: Media; label: string }): ReactNode {
  const url = useBlobUrl(bytes, type);
  if (url === '') return null;
  // oxlint-disable-next-line react/iframe-missing-sandbox -- Chromium's PDF viewer does not load in a sandbox
  if (type === 'application/pdf') return <iframe title={`PDF: ${label}`} src={url} />;
  return <img src={url} alt={label} />;
}

/** Shows foreign HTML in a frame without scripts and without this origin; this page's policy applies there too. */
export function ForeignPage({ bytes }: { bytes: Uint8Array<ArrayBuffer> }): ReactNode {
  const url = useBlobUrl(bytes, 'text/html;charset=utf-8');
  return url === '' ? null : <iframe title="The response as a page" sandbox="" src={url} />;
}

/** Formats a size for people. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
