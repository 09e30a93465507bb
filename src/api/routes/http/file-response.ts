/** Builds responses for files from pages or clients, and the header that names them (RFC 6266). */
import type { OpenFile } from '../../../base/runtime/files.ts';
import { create } from 'content-disposition';

/** Responds with a file as a download, and closes the file with the response; without a body for HEAD. */
export function fileResponse(file: OpenFile, name: string, { method }: Request): Response {
  const headers = {
    // An HTML file must not run with the server's origin when a browser opens it.
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

/** File systems allow names of 255 bytes; a character may take four bytes, or twelve percent-encoded. */
const maxNameCharacters = 200;

/** `attachment; filename="<name>"`; always in quotation marks, for clients that look for them. */
export function attachment(name: string): string {
  return create(shortened(name.toWellFormed())).replace(/(; filename)=([^";]+)/, '$1="$2"');
}

/** Shortens a long name, but keeps its extension. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= maxNameCharacters) return name;
  const [ending = ''] = /\.\w{1,10}$/.exec(name) ?? [];
  return characters.slice(0, maxNameCharacters - ending.length).join('') + ending;
}
