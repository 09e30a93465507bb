// Reads the pages of this folder. Each begins with a comment: its title, what it shows, and what is right at each door.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { buildSync } from 'esbuild';
import * as assert from 'uvu/assert';
import { readPdf, readPng } from '../support/checks/media.ts';
import type { Reply } from '../support/clients/http.ts';
import type { SiteHandler } from '../support/site/site.ts';

export interface PageFile {
  /** Path on the site. */
  path: string;
  title: string;
  /** False for a page whose picture is not compared. */
  pictures: boolean;
  /** The copies that are known to differ: `archive`, `replay`. */
  differs: string[];
  checks: Check[];
}

interface Check {
  /** As written, for the message of a failure. */
  line: string;
  route: string;
  body: Record<string, unknown>;
  /** @throws AssertionError */
  verify(reply: Reply): Promise<void>;
}

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Serves the files of this folder, and bundles of its modules; pages name their charset. */
export const filePages: Record<string, SiteHandler> = {
  '/real/:name': ({ params: { name = '' } }, response) => {
    const bytes = readFile(name.replaceAll('/', ''));
    if (!bytes) response.statusCode = 404;
    response.setHeader('content-type', types[extname(name)] ?? 'application/octet-stream');
    response.end(bytes);
  },
};

function readFile(name: string): Uint8Array | undefined {
  const path = join(import.meta.dirname, name);
  if (existsSync(path)) return readFileSync(path);
  const source = path.replace(/\.js$/, '.mjs');
  if (!existsSync(source)) return undefined;
  const define = { 'process.env.NODE_ENV': '"production"' };
  return buildSync({ entryPoints: [source], bundle: true, write: false, format: 'iife', define }).outputFiles[0]
    ?.contents;
}

/** What a line of a page may say about an answer, such as `2 pages`, `800x600`, `"text"`, `no "text"`, `400 "text"`. */
const judges: [form: RegExp, verify: (reply: Reply, part: string) => unknown][] = [
  [/^(\d+) pages?$/, async ({ bytes }, count) => assert.is((await readPdf(bytes)).pages.length, Number(count))],
  [
    /^(\d+x\d+)$/,
    ({ bytes }, size) => {
      const { width, height } = readPng(bytes);
      assert.is(`${width}x${height}`, size);
    },
  ],
  [/^"(.+)"$/, ({ text }, part) => assert.ok(text.includes(part), `not in ${text}`)],
  [/^no "(.+)"$/, ({ text }, part) => assert.not.ok(text.includes(part), `in ${text}`)],
  [/^400 "(.+)"$/, ({ text }, part) => assert.ok(text.includes(part), `not in ${text}`)],
];

function readCheck(line: string): Check {
  const [, route = '', body = '{}', right = ''] = /^(\/\S+)(?: (\{.*\}))?: (.+)$/.exec(line) ?? [];
  const judge = judges.find(([form]) => form.test(right));
  if (!judge) throw new Error(`not a check: ${line}`);
  const [form, verify] = judge;
  const status = right.startsWith('400') ? 400 : 200;
  return {
    line,
    route,
    body: JSON.parse(body),
    async verify(reply) {
      assert.is(reply.status, status, reply.text.slice(0, 500));
      await verify(reply, form.exec(right)?.[1] ?? '');
    },
  };
}

function readPage(name: string): PageFile {
  const html = readFileSync(join(import.meta.dirname, name), 'latin1');
  const comment = /^<!doctype html[^>]*>\s*<!--(.*?)-->/is.exec(html)?.[1];
  if (comment === undefined) throw new Error(`${name} has no comment after its doctype`);
  const [title = '', ...lines] = comment.trim().split(/\s*\n\s*/);
  const checks = lines.filter((line) => line.startsWith('/')).map(readCheck);
  const differs = lines.flatMap((line) => /^(archive|replay) differs: ./.exec(line)?.[1] ?? []);
  return { path: `/real/${name}`, title, pictures: !lines.includes('no pictures'), differs, checks };
}

/** The pages of this folder. @throws Error for a page without a comment, or with a line that is not a check */
export const readPages = (): PageFile[] =>
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.html'))
    .toSorted()
    .map(readPage);
