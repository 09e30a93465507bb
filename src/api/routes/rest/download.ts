/**
 * POST /download: returns the files that pages download while the client's code runs
 * (compatibility.mdx#code-in-requests).
 */
import { type OpenFile, openFile } from '../../../base/runtime/files.ts';
import { codeBody } from '../../../base/schema/request/code.ts';
import { pageRoute } from '../pipeline/route.ts';

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
    const [{ Downloads }, { answerOf }, { runCode }] = await Promise.all([
      import('./downloads.ts'),
      import('./download-answer.ts'),
      import('./run-code.ts'),
    ]);
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
    return answerOf(files);
  },
});
