/**
 * A script: one Lighthouse audit. Lighthouse keeps marks in the whole process, so two audits never share one. Its input
 * is an AuditOrder as JSON, its output the result or `{"problem"}`, its standard error tells how far it is.
 */
import { keepCompiledCode, readInput, writeLine, writeNews } from '../../runtime/machine.ts';
import type { Config } from 'lighthouse';
import type { AuditOrder } from './audit.ts';

keepCompiledCode();
// The server is the only one that starts this script.
const order = JSON.parse(await readInput()) as AuditOrder;
const [{ default: lighthouse, getAuditList }, { default: logger }] = await Promise.all([
  import('lighthouse'),
  import('lighthouse-logger'),
]);
logger.events.on('status', (parts: unknown[]) => writeNews(String(parts[1] ?? '')));

const known = new Set(getAuditList().map((file) => file.replace(/\.js$/, '')));
const { limitMs } = order;
const config = {
  ...order.config,
  extends: 'lighthouse:default',
  settings: {
    // Its own limits are 30 and 45 s: a page that is never ready should be a report, and not a call without an answer.
    ...(limitMs > 0
      ? { maxWaitForFcp: Math.min(30_000, limitMs / 3), maxWaitForLoad: Math.min(45_000, limitMs / 2) }
      : {}),
    ...order.config?.settings,
  },
  // What a caller sends is only known to be an object here; Lighthouse checks it.
} as Config;
const foreign = (order.config?.audits ?? []).filter((name) => !known.has(name));
if (foreign.length > 0) {
  // A name that Lighthouse does not know would be looked for among the files of this machine.
  writeLine(JSON.stringify({ problem: `config.audits names what Lighthouse does not have: ${foreign.join(', ')}` }));
} else {
  try {
    const result = await lighthouse(
      order.url,
      { hostname: '127.0.0.1', port: order.port, output: 'json', logLevel: 'silent' },
      config,
    );
    writeLine(JSON.stringify(result?.lhr));
  } catch (error) {
    writeLine(JSON.stringify({ problem: error instanceof Error ? error.message : String(error) }));
  }
}
