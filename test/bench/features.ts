// Compares routes and options with what they are built on: /export with /content, blockAds with the same page without
// it, /performance with the Lighthouse command line. In this table, the baseline is the request compared with.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { createLog } from '../../src/base/telemetry/log.ts';
import { AdLists } from '../../src/browser/page/ads/ad-lists.ts';
import { succeeded } from '../support/checks/expect.ts';
import { type CallOptions, type ServerProcess, startProcess } from '../support/service.ts';
import type { Browser } from './subjects.ts';
import { median } from './measure.ts';
import { limits, type Report } from './report.ts';

const warmUpJobs = 4;

/** Duration of one request in ms; the request must succeed. */
export async function timed(
  service: ServerProcess,
  route: string,
  body: Record<string, unknown>,
  options: CallOptions = {},
): Promise<number> {
  const began = performance.now();
  succeeded(await service.post(route, body, options));
  return performance.now() - began;
}

type Call = () => Promise<number>;

/** Alternates the two calls, so that other load on the machine affects them equally. */
export async function inTurn(jobs: number, first: Call, second: Call): Promise<{ first: number[]; second: number[] }> {
  const ms = { first: [] as number[], second: [] as number[] };
  for (let job = 0; job < jobs; job++) {
    for (const which of job % 2 === 0 ? (['first', 'second'] as const) : (['second', 'first'] as const)) {
      ms[which].push(await (which === 'first' ? first : second)());
    }
  }
  return ms;
}

function addPair(
  report: Report,
  name: string,
  ms: { first: number[]; second: number[] },
  limit: { atMost: number } | undefined,
): void {
  const server = median(ms.first);
  const floor = median(ms.second);
  report.add({ name, server, floor, ratio: server / floor, ...(limit && { limit }), detail: ms });
}

/** @param siteUrl the test site
 * @param audits number of audits of each kind */
export async function measureFeatures(
  browser: Browser,
  siteUrl: string,
  { jobs, audits }: { jobs: number; audits: number },
  report: Report,
): Promise<void> {
  const log = createLog({ level: 'error', write: (line) => console.error(line) });
  const lists = new AdLists({ lists: [], cacheDirectory: '', log, stopping: new AbortController().signal });
  // The server prepares the lists after it starts, too.
  await lists.prepare();
  const began = performance.now();
  await lists.blocker();
  report.add({
    name: 'blockAds: rules ready on first use, ms',
    server: performance.now() - began,
    limit: limits.adRulesMs,
  });

  const service = await startProcess({ env: { TIMEOUT: '180000' } });
  try {
    const page = { url: `${siteUrl}/medium` };
    const compared = (route: string, body: Record<string, unknown>) => () => timed(service, route, body);
    await inTurn(warmUpJobs, compared('/export', page), compared('/content', page));
    addPair(
      report,
      'export vs. content, medium: p50 ms',
      await inTurn(jobs, compared('/export', page), compared('/content', page)),
      limits.exportRatio,
    );
    // Real sites respond in about 20 ms. With immediate responses, the result shows only the work per request.
    for (const [answers, path, limit] of [
      ['20 ms responses', '/requests/100/20', limits.blockAdsRatio],
      ['immediate responses', '/requests/100', undefined],
    ] as const) {
      // Not 127.0.0.1: EasyList does not change its pages.
      const many = { url: `${siteUrl.replace('127.0.0.1', 'news.localhost')}${path}` };
      await inTurn(warmUpJobs, compared('/content', { ...many, blockAds: true }), compared('/content', many));
      addPair(
        report,
        `blockAds on vs. off, 100 requests, ${answers}: p50 ms`,
        await inTurn(jobs, compared('/content', { ...many, blockAds: true }), compared('/content', many)),
        limit,
      );
    }
    const small = { url: `${siteUrl}/small` };
    addPair(
      report,
      'performance vs. the Lighthouse command line: ms',
      await inTurn(audits, compared('/performance', small), () => byHand(browser, small.url)),
      limits.auditRatio,
    );
  } finally {
    await service.stop();
  }
}

/** Runs the Lighthouse command line on the browser that the server uses. */
async function byHand(browser: Browser, url: string): Promise<number> {
  const cli = join(import.meta.dirname, '../../node_modules/lighthouse/cli/index.js');
  const began = performance.now();
  await promisify(execFile)(
    process.execPath,
    [cli, url, '--output=json', '--quiet', '--chrome-flags=--headless --no-sandbox', '--max-wait-for-load=60000'],
    { env: { ...process.env, ...browser.env, CHROME_PATH: browser.path }, maxBuffer: 2 ** 26 },
  );
  return performance.now() - began;
}
