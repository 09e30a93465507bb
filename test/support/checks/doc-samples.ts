// Collects the samples of docs-content and runs what a reader copies from the built pages: programs in their own
// process, GraphQL by POST to the server.
import { spawn, spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Element } from 'hast';
import * as assert from 'uvu/assert';
import { onDemoSite } from '../../../src/web/docs/samples/target.ts';
import type { DocsManifest } from '../../../src/web/docs/serve/manifest.ts';
import { missing } from '../programs.ts';
import type { Service } from '../service.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { copiedText, figuresOf } from './copied-sample.ts';

export interface Sample {
  page: string;
  id: string;
  language: string;
  /**
   * `ci`: executed; `installed`: executed where its language is installed; `syntax`: not executed; `never`: cannot be
   * executed, for `reason`.
   */
  mode: string;
  reason: string | undefined;
  /** HTTP status that the sample provokes; `curl --include` prints it. */
  expect: string | undefined;
  /** The server that the sample needs: `open` without a token, `token` with one; undefined for either. */
  server: string | undefined;
  /** The built sample, when the page does not name it. */
  figure?: Element;
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
    const [path, server] = [attribute('path') ?? '/chromium/bql', attribute('server')];
    return { page, id, language, mode, reason, expect, server, variables, path, text: code };
  }),
);

/** The executed samples that match the predicate. */
export function executedSamples(wanted: (sample: Sample) => boolean): Sample[] {
  return samples.filter((sample) => /^(ci|installed)$/.test(sample.mode) && wanted(sample));
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
  docs: DocsManifest;
  /** The token that the reader has saved; undefined on a server without one. */
  token: string | undefined;
  /** Directory for Node's compile cache of the packages that samples import. */
  compileCache: string;
}

/** Runs the text that a reader copies and returns its output; throws on any failure. */
export async function execute(sample: Sample, around: Surroundings, signal: AbortSignal): Promise<string> {
  const text = textFor(sample, around);
  return sample.language === 'graphql'
    ? queryOf(sample, text, around.service, signal)
    : runText(sample.language, text, around.compileCache, signal);
}

const figures = new Map<string, Element[]>();

function textFor(sample: Sample, { docs, service, token }: Surroundings): string {
  const reader = { origin: service.url, token };
  if (sample.figure !== undefined) return copiedText(sample.figure, reader);
  if (sample.page === 'README') {
    return onDemoSite(sample.text)
      .replaceAll('http://localhost:3000', service.url)
      .replaceAll('ws://localhost:3000', service.url.replace(/^http/, 'ws'));
  }
  const path = sample.page === '' ? '/' : sample.page;
  const ofPage = figures.get(path) ?? figuresOf(docs, path);
  figures.set(path, ofPage);
  const figure = ofPage.find(({ properties }) => properties['dataSample'] === sample.id);
  if (figure === undefined) throw new Error(`${path} does not have the sample ${sample.id}`);
  return copiedText(figure, reader);
}

async function queryOf(sample: Sample, query: string, service: Service, signal: AbortSignal): Promise<string> {
  const variables: unknown = JSON.parse(onDemoSite(sample.variables ?? '{}'));
  const reply = await service.post(sample.path, { query, variables }, { signal });
  const answer = reply.json<{ data?: unknown; errors?: unknown }>();
  assert.is(reply.status, 200, reply.text);
  assert.is(answer.errors, undefined, reply.text);
  return reply.text;
}

/** How to run the samples of a language. */
interface Program {
  file: string;
  command: readonly string[];
  /** Text to insert before the sample. */
  prelude?: string;
}

const programs: Readonly<Record<string, Program>> = {
  sh: { file: 'sample.sh', command: ['bash'], prelude: 'set -euo pipefail\n' },
  js: { file: 'sample.mjs', command: [process.execPath] },
  python: { file: 'sample.py', command: ['/usr/bin/python3'] },
  php: { file: 'sample.php', command: ['/usr/bin/php'] },
  go: { file: 'sample.go', command: ['go', 'run'] },
  java: { file: 'Sample.java', command: ['java'] },
  csharp: { file: 'sample.cs', command: ['dotnet', 'run'] },
};

/** Why the samples of a language cannot run on this machine; undefined if they can. */
export function cannotRun(language: string): string | undefined {
  if (language === 'graphql' || language === 'js') return undefined;
  if (language === 'sh') return missing('curl');
  if (language === 'python') return missing('Python');
  if (language === 'php') return missing('PHP');
  const [program = language] = programs[language]?.command ?? [];
  return spawnSync(program, ['--help']).error === undefined ? undefined : `needs ${program}`;
}

/**
 * Runs a program in an empty directory, where it can import this repository's packages, and returns its output; throws
 * if it fails.
 * @param compileCache directory for Node's compile cache
 */
export async function runText(
  language: string,
  text: string,
  compileCache: string,
  signal: AbortSignal,
): Promise<string> {
  const runner = programs[language];
  if (runner === undefined) throw new Error(`${language} samples cannot be run`);
  const { file, command, prelude = '' } = runner;
  const directory = temporaryDirectory();
  try {
    const path = join(directory, file);
    writeFileSync(path, prelude + text);
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
    const [program = '', ...args] = command;
    const child = spawn(program, [...args, path], { cwd: directory, env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
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
