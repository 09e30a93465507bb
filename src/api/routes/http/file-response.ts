/** Answers with a file that a page or a client has made. */
import type { OpenFile } from '../../../base/runtime/files.ts';
import { attachment } from './attachment.ts';

/** The file as a download, which is closed with the answer; without a body for HEAD. */
export function fileResponse(file: OpenFile, name: string, { method }: Request): Response {
  const headers = {
    // A page in a file must not run with the server's origin when a browser opens it.
    'Content-Type': 'application/octet-stream',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'sandbox',
    'Content-Disposition': attachment(name),
    'Content-Length': String(file.bytes),
    'Cache-Control': 'no-store',
  };
  if (method !== 'HEAD') return new Response(file.stream(), { headers });
  void file.close();
  return new Response(null, { headers });
}
