/** Shows pictures, PDFs and foreign pages from bytes, through addresses that end with the element. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Media } from './media.ts';

/** A blob URL for the bytes, revoked when they are no longer shown. */
export function useBlobUrl(bytes: Uint8Array<ArrayBuffer>, type: string): string {
  const [url, setUrl] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    // oxlint-disable-next-line react/set-state-in-effect -- an address is taken and given back like a subscription
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
  return url === '' ? null : <iframe title="The answer as a page" sandbox="" src={url} />;
}
