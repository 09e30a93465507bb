/** Shows images, PDFs and foreign pages from bytes, through blob URLs that are revoked with the element. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Media } from './media.ts';

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
