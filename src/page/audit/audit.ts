/** Runs a Lighthouse audit in a child process, on a browser of its own; both end with the call. */
import { ServiceError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { runScript } from '../../runtime/script.ts';
import type { AuditConfig } from '../../schema/request/performance-fields.ts';

/** Input of the child process. */
export interface AuditOrder {
  url: string;
  /** Loopback port of the browser. */
  port: number;
  config: AuditConfig | undefined;
  /** Time limit of the call in milliseconds; 0 for none. */
  limitMs: number;
}

/**
 * Runs one audit and returns Lighthouse's result object as JSON text. For a page that cannot be loaded, the result has
 * a `runtimeError`.
 * @param signal ends the process
 * @throws ServiceError `bad-request` when Lighthouse refuses the config or fails; the signal's reason
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
