// Declares a test for each executed sample of some pages. Runs the samples two at a time; each test awaits its sample.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { DocsManifest } from '../../../src/web/docs/serve/manifest.ts';
import { builtDocs } from '../built-docs.ts';
import { missing } from '../programs.ts';
import { cannotRun, execute, type Sample, samples as allSamples } from './doc-samples.ts';
import { type Service, startService, stopAll } from '../service.ts';
import type { Suite } from '../suite.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** Number of samples that run at the same time: the number of cores of the smallest CI machine. */
const lanes = 2;
/** Time limit of a sample from its start, without the wait for earlier samples. */
const sampleLimitMs = 60_000;
/** Time limit of a test, which includes the samples before its own. */
const turnLimitMs = 230_000;

/** A token that shows whether samples quote it correctly. */
const usualToken = `s3'cr"et $HOME&a=b%41+\\c`;

interface RunOptions {
  /** Additional check of a sample's output. */
  look?: (sample: Sample, output: string) => void;
  /** False for a server that requires no token. */
  token?: boolean;
}

/** Creates a directory with the extension that the documentation shows. @returns its path */
function offerExtension(): string {
  const root = temporaryDirectory();
  const directory = join(root, 'greeter');
  mkdirSync(directory);
  for (const [file, id] of [
    ['manifest.json', 'extensions-manifest'],
    ['greet.js', 'extensions-script'],
  ] as const) {
    writeFileSync(join(directory, file), allSamples.find((sample) => sample.id === id)?.text ?? '');
  }
  return root;
}

/** Runs all samples of the suite against one server. */
export function runSamples(test: Suite, wanted: readonly Sample[], { look, token = true }: RunOptions = {}) {
  const suited = wanted.filter(({ server }) => server === undefined || server === (token ? 'token' : 'open'));
  const lacking = new Map([...new Set(suited.map(({ language }) => language))].map((name) => [name, cannotRun(name)]));
  for (const [name, reason] of lacking)
    if (reason !== undefined)
      test.skip(`${name} samples`, reason, {
        impossibleInCi: suited.every((each) => each.language !== name || each.mode === 'installed'),
      });
  const stealth = missing('a full Chromium');
  const needsStealth = ({ text }: Sample) => stealth !== undefined && /\/unblock|stealth/.test(text);
  if (stealth !== undefined && suited.some(needsStealth)) test.skip('samples of stealth browsers', stealth);
  const samples = suited.filter((each) => lacking.get(each.language) === undefined && !needsStealth(each));
  const outcomes = new Map(samples.map((sample) => [sample, Promise.withResolvers<string>()]));
  const stopping = new AbortController();
  let docs: DocsManifest;
  let service: Service;
  let compileCache: string;
  let running: Promise<void> | undefined;

  const run = async (sample: Sample) => {
    const late = new AbortController();
    const abort = () => late.abort(new Error(`took longer than ${sampleLimitMs} ms`));
    const timer = setTimeout(abort, sampleLimitMs);
    stopping.signal.addEventListener('abort', abort);
    const outcome = outcomes.get(sample);
    const around = { service, docs, compileCache, token: token ? usualToken : undefined };
    await execute(sample, around, late.signal).then(outcome?.resolve, outcome?.reject);
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
    compileCache = temporaryDirectory();
    docs = await builtDocs();
    service = await startService({
      env: {
        EXTENSIONS_DIR: offerExtension(),
        PROFILES_KEY: 'a key for samples',
        // Nothing listens there: samples only request what the server knows without the provider.
        RESIDENTIAL_PROXY_URL: 'http://me[-{country}][-{city}]:password@127.0.0.1:1',
        RESIDENTIAL_PROXY_CITIES: 'de:Berlin,de:Hamburg,us:New York',
        ...(token ? { TOKEN: usualToken } : {}),
      },
    });
    // Each test awaits its own outcome; a sample that fails before that must not count as an unhandled rejection.
    for (const { promise } of outcomes.values()) promise.catch(() => undefined);
    running = runAll();
  });
  test.after(async () => {
    stopping.abort();
    await running;
    await stopAll(service);
  });

  for (const [sample, { promise }] of outcomes) {
    test(
      `${sample.page} ${sample.id} works as documented`,
      async () => {
        const output = await promise;
        if (sample.expect !== undefined) assert.is(/^HTTP\/1\.1 (\d+)/.exec(output)?.[1], sample.expect, output);
        look?.(sample, output);
      },
      { timeoutMs: turnLimitMs },
    );
  }
}
