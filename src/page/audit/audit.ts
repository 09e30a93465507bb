/** Lighthouse audits of a page: a process of their own, on a browser of their own (both end with the call). */
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { runScript } from '../../runtime/script.ts';
import type { AuditConfig } from '../../schema/request/performance-fields.ts';

/** What the child process is told. */
export interface AuditOrder {
  url: string;
  /** Loopback port of the browser. */
  port: number;
  config: AuditConfig | undefined;
  /** Time limit of the call in milliseconds; 0 for none. */
  limitMs: number;
}

/**
 * Runs one audit and gives Lighthouse's result object as JSON text. A page that cannot be loaded is a result too, with a
 * `runtimeError`.
 * @param signal ends the process
 * @throws ServiceError `bad-request` for what Lighthouse refuses; the signal's reason
 */
export async function audit(order: AuditOrder, log: Log, signal: AbortSignal): Promise<string> {
  const output = await runScript(import.meta.resolve('./audit-child.ts'), {
    input: JSON.stringify(order),
    signal,
    onNews: (message) => log.debug('audit.progress', { message }),
  });
  const text = output.trim();
  if (!text.startsWith('{"problem":')) return text;
  const { problem } = JSON.parse(text) as { problem: string }; // Our own script wrote it.
  throw new ServiceError('bad-request', `Lighthouse could not run: ${problem}. Check "config".`);
}
