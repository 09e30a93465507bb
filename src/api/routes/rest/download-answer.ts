/** Makes the response of /download from the files: one as it is, several as a zip archive. */
import { getMimeType } from 'hono/utils/mime';
import type { OpenFile } from '../../../base/runtime/files.ts';
import type { ArchiveFile } from '../../../base/runtime/media/zip.ts';
import { plainName } from '../../../browser/page/file-name.ts';
import { attachment } from '../http/file-response.ts';
import type { RouteResult } from '../pipeline/route.ts';

interface NamedFile {
  name: string;
  file: OpenFile;
}

export function answerOf(files: readonly NamedFile[]): Promise<RouteResult> {
  const [only] = files;
  return only && files.length === 1 ? fileAnswer(only) : archiveAnswer(files);
}

async function fileAnswer({ name, file }: NamedFile): Promise<RouteResult> {
  return {
    body: file.stream(),
    // oxlint-disable-next-line browserd/raced-await -- a local file
    contentType: typeOfName(name) ?? (await typeOfBytes(await file.read(0, sampleBytes))) ?? unknownType,
    headers: { 'Content-Disposition': attachment(name), 'Content-Length': String(file.bytes) },
  };
}

/** The type that a file name implies; without a charset, because the charset of the file is unknown. */
function typeOfName(name: string): string | undefined {
  return getMimeType(name)?.replace(/;.*/, '');
}

async function typeOfBytes(head: Uint8Array): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(head))?.mime;
}

/** How many bytes at the start of a file are used to detect its type. */
const sampleBytes = 2 ** 13;
const unknownType = 'application/octet-stream';

async function archiveAnswer(files: readonly NamedFile[]): Promise<RouteResult> {
  const { zipOf } = await import('../../../base/runtime/media/zip.ts');
  const taken = new Set<string>();
  const entries: ArchiveFile[] = files.map(({ name, file }) => ({ path: freeName(name, taken), bytes: file.stream() }));
  return {
    body: zipOf(entries),
    contentType: 'application/zip',
    headers: { 'Content-Disposition': attachment('downloads.zip') },
  };
}

/** Makes a name that is not a path and that no other file has: `a.txt`, `a (2).txt`. */
function freeName(name: string, taken: Set<string>): string {
  const plain = plainName(name);
  const dot = plain.lastIndexOf('.') > 0 ? plain.lastIndexOf('.') : plain.length;
  let free = plain;
  for (let count = 2; taken.has(free); count++) free = `${plain.slice(0, dot)} (${count})${plain.slice(dot)}`;
  taken.add(free);
  return free;
}
