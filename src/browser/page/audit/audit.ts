/** Runs a Lighthouse audit in a child process with its own browser; both exit when the request ends. */
import { ServiceError } from '../../../base/errors.ts';
import type { Log } from '../../../base/telemetry/log.ts';
import { providePackage } from '../../../base/program/assets.ts';
import { runScript } from '../../../base/program/script.ts';
import { orAborted } from '../../../base/runtime/deadline.ts';
import type { AuditConfig, Budget } from '../../../base/schema/request/performance-fields.ts';

/** Input of the child process. */
export interface AuditRequest {
  url: string;
  config: AuditConfig | undefined;
  /** Budgets that two audits check the page against; without budgets, these audits are left out. */
  budgets: readonly Budget[] | undefined;
  /** Time limit of the request in milliseconds; 0 for none. */
  limitMs: number;
}

/** Lighthouse's connection to the browser: receives the protocol messages that Lighthouse sends. */
type AuditConnection = (message: string) => void;

export interface AuditOptions {
  /** Opens the connection. @param deliver receives each of the browser's messages as chunks of UTF-8 text */
  connect(deliver: (parts: readonly Uint8Array[]) => void): AuditConnection;
  log: Log;
  /** Aborted to kill the process. */
  signal: AbortSignal;
}

/**
 * Runs one audit and returns Lighthouse's result object as JSON text. For a page that cannot be loaded, the result
 * contains a `runtimeError`.
 * @throws ServiceError `bad-request` when Lighthouse refuses the config or fails; the signal's abort reason
 */
export async function audit(order: AuditRequest, { connect, log, signal }: AuditOptions): Promise<string> {
  // Not in the script, which is killed when the request ends.
  await orAborted(providePackage('lighthouse'), signal);
  const output = await runScript('audit', {
    input: `${JSON.stringify(order)}\n`,
    openChannel: connect,
    signal,
    onProgress: (message) => log.debug('audit.progress', { message }),
  });
  const text = output.trim();
  if (!text.startsWith('{"problem":')) return text;
  const { problem } = JSON.parse(text) as { problem: string }; // Our own script wrote it.
  throw new ServiceError('bad-request', `Lighthouse could not run: ${problem}. Check "config".`);
}
