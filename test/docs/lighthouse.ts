// npm run lighthouse [path …]: audits templates of the running documentation with phone settings, and fails below the
// thresholds. Performance depends on the machine: its threshold is LIGHTHOUSE_PERFORMANCE, 98 by default.
import process from 'node:process';
import lighthouse from 'lighthouse';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type Service, startProcess, stopAll } from '../support/service.ts';
import { builtDocs } from '../support/built-docs.ts';

const templates = [
  '/',
  '/enterprise/docker/config',
  '/rest-apis/pdf-api',
  '/open-api',
  '/open-api/rest-apis',
  '/bql-schema/operations/mutations/goto',
  '/search?q=timeout',
  '/status',
  '/playground',
];
/** Transient pages ask search engines not to index them, which fails this audit. */
const notForSearch = ['is-crawlable'];

export interface Scores {
  path: string;
  performance: number;
  accessibility: number;
  'best-practices': number;
  seo: number;
  /** Audits that did not pass. */
  failed: string[];
}

/** Audits one page in a running browser, as on a phone with a slow connection. */
export async function audit(base: string, path: string, port: number): Promise<Scores> {
  const result = await lighthouse(new URL(path, base).href, {
    port,
    output: 'json',
    logLevel: 'silent',
    ...(/^\/(search|status)\b/.test(path) ? { skipAudits: notForSearch } : {}),
  });
  if (result === undefined) throw new Error(`No result for ${path}`);
  const { categories, audits } = result.lhr;
  const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100);
  return {
    path,
    performance: score('performance'),
    accessibility: score('accessibility'),
    'best-practices': score('best-practices'),
    seo: score('seo'),
    failed: Object.values(audits)
      .filter(({ score: each, scoreDisplayMode }) => each !== null && each < 0.9 && scoreDisplayMode !== 'informative')
      .map(({ id, displayValue }) => `${id}${displayValue === undefined ? '' : ` (${displayValue})`}`),
  };
}

/** Starts the documentation and a browser that can audit it on `port`. */
export async function startAudits(): Promise<{ service: Service; reader: Reader; port: number }> {
  await builtDocs();
  const service = await startProcess({ env: { TOKEN: 'secret-token', SPARES: '0' } });
  const reader = await startReader(['--remote-debugging-port=0']);
  return { service, reader, port: Number(new URL(reader.browser.wsEndpoint()).port) };
}

if (import.meta.main) {
  const minPerformance = Number(process.env['LIGHTHOUSE_PERFORMANCE'] ?? 98);
  const given = process.argv.slice(2);
  const { service, reader, port } = await startAudits();
  try {
    // One at a time; two at the same time would skew each other's results.
    for (const path of given.length > 0 ? given : templates) {
      const scores = await audit(service.url, path, port);
      const { performance, accessibility, seo, failed } = scores;
      const practices = scores['best-practices'];
      const good = performance >= minPerformance && accessibility === 100 && practices === 100 && seo === 100;
      if (!good) process.exitCode = 1;
      console.log(
        `${good ? 'ok  ' : 'FAIL'} ${path}: ${performance} ${accessibility} ${practices} ${seo} ${failed.join(', ')}`,
      );
    }
  } finally {
    await stopAll(reader, service);
  }
}
