/**
 * POST /download: returns the files that pages download while the client's code runs
 * (compatibility.mdx#code-in-requests).
 */
import { plainName } from '../../../browser/page/file-name.ts';
import { getMimeType } from 'hono/utils/mime';
import { type OpenFile, openFile } from '../../../base/runtime/files.ts';
import { codeBody } from '../../../base/schema/request/code.ts';
import { type RouteResult, pageRoute } from '../pipeline/route.ts';
import type { ArchiveFile } from '../../../base/runtime/media/zip.ts';
import { attachment } from '../http/file-response.ts';

export const download = pageRoute('rest', 'download', {
  summary: 'Files that a page downloads',
  description:
    'Runs an ES module in the browser, like /function, and returns the file that its pages download, with its type and name. Several files are returned as a zip archive. The return value of the code is ignored.',
  body: codeBody,
  readsCode: true,
  callKind: 'code',
  answers: ['application/octet-stream', 'application/zip', '*/*'],
  example: {
    code: 'export default async function ({ page, context }) {\n  await page.setContent(context.html);\n  await page.click("a");\n}',
    context: { html: '<a download="report.csv" href="data:text/csv,a,b">Report</a>' },
  },
  async handle(job) {
    const { page, services } = job;
    const directory = await services.sessions.downloadDirectories.create();
    page.undo(() => void directory.remove());
    const host = services.sessions.codeHosts.hostOf(page.target);
    const [{ Downloads }, { runCode }] = await Promise.all([import('./downloads.ts'), import('./run-code.ts')]);
    const downloads = await Downloads.start(page, host, directory.path, services.config);
    await runCode(job);
    const found = await downloads.finished(page);
    const files: { name: string; file: OpenFile }[] = [];
    for (const { path, name } of found) {
      const file = await openFile(path);
      page.undo(() => void file.close());
      files.push({ name, file });
    }
    // An open file can still be read to its end after its name is removed: no matter what happens from here on, no file
    // is left behind.
    await directory.remove();
    const [only] = files;
    return only && files.length === 1 ? fileAnswer(only.name, only.file) : archiveAnswer(files);
  },
});

async function fileAnswer(name: string, file: OpenFile): Promise<RouteResult> {
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

async function archiveAnswer(files: readonly { name: string; file: OpenFile }[]): Promise<RouteResult> {
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
