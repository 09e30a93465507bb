// Collects the samples of docs-content and runs them: shell and JavaScript in a process of their own, GraphQL by POST
// to the server. The test site replaces example.com, the started server replaces localhost:3000.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import * as assert from 'uvu/assert';
import type { Service } from '../service.ts';
import type { Site } from '../site/site.ts';

export interface Sample {
  page: string;
  id: string;
  language: string;
  /** `ci`: executed; `syntax`: not executed; `never`: cannot be executed, for `reason`. */
  mode: string;
  reason: string | undefined;
  /** HTTP status that the sample provokes; `curl --include` prints it. */
  expect: string | undefined;
  /** Variables of a GraphQL sample, as JSON. */
  variables: string | undefined;
  /** Path that a GraphQL sample is posted to. */
  path: string;
  text: string;
}

const root = join(import.meta.dirname, '..', '..', '..');

/** Text of every page by its path on the site. */
export const pageTexts = new Map(
  globSync('**/*.mdx', { cwd: join(root, 'docs-content') })
    .toSorted()
    .map((file) => [
      `/${file.replace(/\.mdx$/, '').replace(/^home$/, '')}`,
      readFileSync(join(root, 'docs-content', file), 'utf8'),
    ]),
);

/** Every fenced code block of every page. */
export const samples: Sample[] = [...pageTexts].flatMap(([page, text]) =>
  [...text.matchAll(/^```(\w+)(.*)\n([^]*?)^```$/gm)].map(([, language = '', meta = '', code = '']) => {
    const attribute = (name: string) =>
      new RegExp(`\\b${name}=(?:"([^"]*)"|'([^']*)')`).exec(meta)?.slice(1).find(Boolean);
    const [id, mode] = [attribute('id') ?? '', attribute('mode') ?? ''];
    const [reason, expect, variables] = [attribute('reason'), attribute('expect'), attribute('variables')];
    const path = attribute('path') ?? '/chromium/bql';
    return { page, id, language, mode, reason, expect, variables, path, text: code };
  }),
);

/** The executed samples for which `wanted` is true. */
export function executedSamples(wanted: (sample: Sample) => boolean): Sample[] {
  return samples.filter((sample) => sample.mode === 'ci' && wanted(sample));
}

/** Anchors of a page: its headings, in GitHub's form. */
export function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#{2,} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

export interface Surroundings {
  service: Service;
  site: Site;
  /** Directory for Node's compile cache of the packages that samples import. */
  compileCache: string;
}

/** Runs a sample and returns its output; throws on any failure. */
export async function execute(sample: Sample, around: Surroundings, signal: AbortSignal): Promise<string> {
  const { service, site } = around;
  const fill = (text: string) =>
    text
      .replaceAll('http://localhost:3000', service.url)
      .replaceAll('ws://localhost:3000', service.url.replace(/^http/, 'ws'))
      .replaceAll('https://example.com/', `${site.url}/`);
  return sample.language === 'graphql'
    ? queryOf(sample, fill, service, signal)
    : programOf(sample, fill, around, signal);
}

type Fill = (text: string) => string;

async function queryOf(sample: Sample, fill: Fill, service: Service, signal: AbortSignal): Promise<string> {
  const variables: unknown = JSON.parse(fill(sample.variables ?? '{}'));
  const reply = await service.post(sample.path, { query: fill(sample.text), variables }, { signal });
  const answer = reply.json<{ data?: unknown; errors?: unknown }>();
  assert.is(reply.status, 200, reply.text);
  assert.is(answer.errors, undefined, reply.text);
  return reply.text;
}

/** Runs a program in an empty directory that can import this repository's packages. */
async function programOf(sample: Sample, fill: Fill, around: Surroundings, signal: AbortSignal): Promise<string> {
  const directory = mkdtempSync(join(process.env['BROWSERD_TEST_DIR'] ?? tmpdir(), 'sample-'));
  try {
    const isScript = sample.language === 'js';
    const file = join(directory, isScript ? 'sample.mjs' : 'sample.sh');
    const text = fill(sample.text);
    writeFileSync(file, isScript ? text : `set -euo pipefail\n${text}`);
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    const env = { ...process.env, NODE_COMPILE_CACHE: around.compileCache };
    const program = isScript ? process.execPath : 'bash';
    const child = spawn(program, [file], { cwd: directory, env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Uint8Array) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Uint8Array) => (errors += chunk.toString()));
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.on('error', reject);
    child.on('close', resolve);
    const code = await promise;
    assert.is(code, 0, `exit code ${code}: ${errors}${output}`.slice(0, 2_000));
    return output;
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
