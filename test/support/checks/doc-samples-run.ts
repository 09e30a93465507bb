// Declares a test for each executed sample of some pages. Runs the samples two at a time; each test awaits its sample.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { execute, type Sample } from './doc-samples.ts';
import { missing } from '../programs.ts';
import { type Service, startService, stopAll } from '../service.ts';
import { type Site, startSite } from '../site/site.ts';
import type { Suite } from '../suite.ts';

/** Samples that run at once: as many as the smallest CI machine has cores. */
const lanes = 2;
/** Time limit of a sample, from its start: the wait for its turn does not count. */
const sampleLimitMs = 60_000;
/** Time limit of a test, which includes the samples before its own. */
const turnLimitMs = 230_000;

/**
 * Runs all samples of the suite against one server and one site.
 * @param look checks a sample's output further
 */
export function runSamples(test: Suite, wanted: readonly Sample[], look?: (sample: Sample, output: string) => void) {
  const noCurl = missing('curl');
  const samples = wanted.filter(({ language }) => noCurl === undefined || language !== 'sh');
  if (noCurl !== undefined) test.skip('samples of the shell', noCurl);
  const outcomes = new Map(samples.map((sample) => [sample, Promise.withResolvers<string>()]));
  const stopping = new AbortController();
  let site: Site;
  let service: Service;
  let compileCache: string;
  let running: Promise<void> | undefined;

  const run = async (sample: Sample) => {
    const late = new AbortController();
    const abort = () => late.abort(new Error(`took longer than ${sampleLimitMs} ms`));
    const timer = setTimeout(abort, sampleLimitMs);
    stopping.signal.addEventListener('abort', abort);
    const outcome = outcomes.get(sample);
    await execute(sample, { service, site, compileCache }, late.signal).then(outcome?.resolve, outcome?.reject);
    clearTimeout(timer);
    stopping.signal.removeEventListener('abort', abort);
  };
  /** Runs the samples in order; a sample that ends every session of the server runs alone, after the others. */
  const runAll = async () => {
    const disturbs = ({ text }: Sample) => text.includes('/kill/all');
    const waiting = samples.filter((sample) => !disturbs(sample)).values();
    const lane = async () => {
      for (const sample of waiting) if (!stopping.signal.aborted) await run(sample);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    for (const sample of samples.filter(disturbs)) if (!stopping.signal.aborted) await run(sample);
  };

  test.before(async () => {
    compileCache = mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'compile-cache-'));
    site = await startSite();
    service = await startService();
    // Each test awaits its own outcome; a sample that fails before that must not count as an unhandled rejection.
    for (const { promise } of outcomes.values()) promise.catch(() => undefined);
    running = runAll();
  });
  test.after(async () => {
    stopping.abort();
    await running;
    await stopAll(service, site);
    rmSync(compileCache, { recursive: true, force: true, maxRetries: 5 });
  });

  for (const [sample, { promise }] of outcomes) {
    test(
      `${sample.page} ${sample.id} does what it says`,
      async () => {
        const output = await promise;
        if (sample.expect !== undefined) assert.is(/^HTTP\/1\.1 (\d+)/.exec(output)?.[1], sample.expect, output);
        look?.(sample, output);
      },
      { timeoutMs: turnLimitMs },
    );
  }
}
