/** Handles `/export`; loaded with the first such request. */
import { readContent } from '../../../browser/page/capture/content.ts';
import { safeName } from '../../../browser/page/file-name.ts';
import { type MainFile, watchForFile } from '../../../browser/page/requests/main-file.ts';
import { ResourceRecorder } from '../../../browser/page/snapshot/resource-recorder.ts';
import { takeSnapshot } from '../../../browser/page/snapshot/snapshot.ts';
import type { ExportBody } from '../../../base/schema/request/address-bodies.ts';
import { attachment } from '../http/file-response.ts';
import { siteMediaType } from '../http/header-text.ts';
import type { RouteResult, PageJob } from '../pipeline/route.ts';
import { zipOf } from '../../../base/runtime/media/zip.ts';
import { loadPage } from './load-page.ts';

export async function answerExport(job: PageJob<ExportBody>): Promise<RouteResult> {
  const watch = watchForFile(job.page);
  const recorder = job.body.includeResources ? new ResourceRecorder(job.page) : undefined;
  const loading = loadPage(job, {
    takeAnswer: watch.takeAnswer,
    everyFrame: recorder ? [recorder.commands] : [],
  });
  // The URL of a file never loads as a page; that does not fail the request.
  loading.catch(() => {});
  const first = await Promise.race([loading.then((headers) => ({ headers })), watch.file]);
  return 'body' in first ? fileAnswer(first) : pageAnswer(job, first.headers, recorder);
}

async function pageAnswer(
  { page, body }: PageJob<ExportBody>,
  headers: Record<string, string>,
  recorder: ResourceRecorder | undefined,
): Promise<RouteResult> {
  if (!recorder) {
    const html = await page.waiting.for("the page's HTML", readContent(page));
    return { body: html, contentType: 'text/html; charset=UTF-8', headers };
  }
  const name = `${safeName(new URL(body.url).hostname, '')}.zip`;
  return {
    body: zipOf(await page.waiting.for("the page's resources", takeSnapshot(page, recorder))),
    contentType: 'application/zip',
    headers: { ...headers, 'Content-Disposition': attachment(name) },
  };
}

function fileAnswer({ body, contentType, name, status }: MainFile): RouteResult {
  return {
    body,
    contentType: siteMediaType(contentType),
    headers: { 'Content-Disposition': attachment(name), 'X-Response-Code': String(status) },
  };
}
