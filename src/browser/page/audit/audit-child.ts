/**
 * Runs one Lighthouse audit as a child process, because Lighthouse keeps performance marks per process and two audits
 * must not share them. Reads an AuditOrder as JSON from the first line of stdin, then exchanges messages with the
 * browser through its parent process; writes the result or `{"problem"}` to stdout and progress to stderr.
 */
import { importPackage, ownDirectories } from '../../../base/program/assets.ts';
import { urlOf } from '../../../base/runtime/files.ts';
import { readLines, writeLine, writeMessage, writeProgress } from '../../../base/runtime/machine.ts';
import type { Config } from 'lighthouse';
import type { ConnectionTransport } from 'puppeteer-core';
import type { AuditRequest } from './audit.ts';

/** Runs to the end of the audit; only the server starts it. */
export async function runAudit(): Promise<void> {
  let take: ((line: string) => void) | undefined;
  const firstLine = Promise.withResolvers<string>();
  const stopReading = readLines((line) => (take ? take(line) : firstLine.resolve(line)));
  // Only the server starts this script.
  const order = JSON.parse(await firstLine.promise) as AuditRequest;
  const [{ default: lighthouse, getAuditList }, { default: logger }, { default: puppeteer }] = await Promise.all([
    importPackage<typeof import('lighthouse')>('lighthouse'),
    importPackage<typeof import('lighthouse-logger')>('lighthouse-logger'),
    importPackage<typeof import('puppeteer-core')>('puppeteer-core'),
  ]);
  logger.events.on('status', (parts: unknown[]) => writeProgress(String(parts[1] ?? '')));

  /** Folders of the server and its packages, as URLs and as paths. */
  const folders = ownDirectories()
    .filter((folder) => folder !== '/')
    .flatMap((folder) => [urlOf(folder), folder]);
  /** Removes these folders from text: `file:///srv/browserd/src/main.ts` becomes `src/main.ts`. */
  const withoutFolders = (text: string) => folders.reduce((rest, folder) => rest.replaceAll(folder, ''), text);
  /** Fields that contain Lighthouse's own error messages; other fields contain data from the page. */
  const messageFields = new Set(['errorMessage', 'message', 'explanation']);
  /** Stack traces name files on the server and are useless to clients. */
  const redact = (name: string, value: unknown) => {
    if (name === 'errorStack') return undefined;
    return typeof value === 'string' && messageFields.has(name) ? withoutFolders(value) : value;
  };

  const known = new Set(getAuditList().map((file) => file.replace(/\.js$/, '')));
  const { limitMs } = order;
  const config = {
    ...order.config,
    extends: 'lighthouse:default',
    settings: {
      // Lighthouse's own limits are 30 and 45 s. Stay below the request's limit, so that a page that never becomes
      // ready results in a report instead of a timeout.
      ...(limitMs > 0
        ? { maxWaitForFcp: Math.min(30_000, limitMs / 3), maxWaitForLoad: Math.min(45_000, limitMs / 2) }
        : {}),
      ...order.config?.settings,
      ...(order.budgets === undefined ? {} : { budgets: order.budgets }),
    },
    // The server checked only that the client's config is an object; Lighthouse checks the rest.
  } as Config;
  const unknownAudits = (order.config?.audits ?? []).filter((name) => !known.has(name));
  if (unknownAudits.length > 0) {
    // Lighthouse would look for a module file of this name on the server.
    writeLine(JSON.stringify({ problem: `config.audits contains unknown audits: ${unknownAudits.join(', ')}` }));
  } else {
    const transport: ConnectionTransport = { send: writeMessage, close: () => {} };
    take = (line) => transport.onmessage?.(line);
    try {
      const browser = await puppeteer.connect({ transport, defaultViewport: null });
      const page = await browser.newPage();
      const configWithBudgets =
        order.budgets === undefined ? config : await (await import('./budget-audits.ts')).withBudgetAudits(config);
      const result = await lighthouse(order.url, { output: 'json', logLevel: 'silent' }, configWithBudgets, page);
      writeLine(JSON.stringify(result?.lhr, redact));
    } catch (error) {
      writeLine(JSON.stringify({ problem: withoutFolders(error instanceof Error ? error.message : String(error)) }));
    }
  }
  stopReading();
}
