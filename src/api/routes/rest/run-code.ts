/**
 * Runs the code of a request in its code host: writes its console to the log, and turns failures into errors with
 * message and position.
 */
import type { CdpSession } from '../../../browser/cdp/connection.ts';
import { isOutOfSpace, ServiceError, toServiceError } from '../../../base/errors.ts';
import { blockAdsOn } from '../../../browser/page/ads/block-everywhere.ts';
import type { CodeBody } from '../../../base/schema/request/code.ts';
import { explainFailure } from '../../../browser/network/explain-failure.ts';
import type { PageJob } from '../pipeline/route.ts';
import type { CodeHost } from '../../../sessions/functions/code-host.ts';
import { importFailure } from '../../../sessions/functions/import-failure.ts';
import type { Outcome } from '../../../sessions/functions/outcome.ts';

/** Maximum number of console lines that `?debug=true` adds to an error. */
const shownLines = 100;

export interface CodeResult {
  outcome: Exclude<Outcome, { kind: 'failed' }>;
  host: CodeHost;
}

/** A job whose page is a code host. */
export type CodeJob = Omit<PageJob<CodeBody>, 'process'>;

/**
 * @param watch called with each line that the code writes to its console
 * @throws ServiceError `code-failed` with the message of the code and its line; the abort reason of the deadline
 */
export async function runCode(job: CodeJob, watch?: (level: string, text: string) => void): Promise<CodeResult> {
  const { page, body, query, launch, services, egress, log } = job;
  const host = services.sessions.codeHosts.hostOf(page.target);
  const lines: string[] = [];
  const logLine = (level: string, text: string) => {
    log.info('function.console', { console: level, text });
    watch?.(level, text);
    if (query.debug && lines.length < shownLines) lines.push(`${level}: ${text}`);
  };
  const blocker = query.blockAds
    ? await page.waiting.for('the blockAds filter lists', page.until(services.browsers.ads.blocker()))
    : undefined;
  if (blocker || launch.acceptInsecureCerts) {
    const setUp = async (session: CdpSession, frameId: string) => {
      const { acceptInsecureCerts: ignore = false } = launch;
      const commands = [
        ...(ignore ? [session.send('Security.setIgnoreCertificateErrors', { ignore })] : []),
        ...(blocker ? [blockAdsOn(session, frameId, blocker)] : []),
      ];
      await page.until(Promise.all(commands));
    };
    await page.until(host.bridge.setUpPages(setUp));
  }
  try {
    const run = { code: body.code, context: body.context, viewport: launch.defaultViewport ?? undefined, log: logLine };
    const outcome = await page.waiting.for('the code to end', host.run(page, run));
    if (outcome.kind === 'failed') {
      const explain = (url: string) => explainFailure(url, egress)?.message;
      const wrongImport = await page.until(importFailure(outcome.message, page.session, explain));
      throw failureOf({ ...outcome, message: wrongImport ?? outcome.message });
    }
    return { outcome, host };
  } catch (error) {
    if (lines.length === 0 || !(error instanceof ServiceError) || error.code !== 'code-failed') throw error;
    throw new ServiceError('code-failed', `${error.message}\nConsole:\n${lines.join('\n')}`, { cause: error });
  }
}

function failureOf({ message, line, column }: Extract<Outcome, { kind: 'failed' }>): ServiceError {
  const thrown = new Error(message);
  if (isOutOfSpace(thrown)) return toServiceError(thrown);
  const place = line === undefined ? '' : ` (line ${line}, column ${column ?? 1} of the code)`;
  return new ServiceError('code-failed', `${message || 'The code failed without a message'}${place}`);
}
