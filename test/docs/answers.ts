// Reads answers.txt, which lists for each hand-written page its question and the sentence that answers it, and
// reads the text of the built pages. `npm run answers` prints the list.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';
import { builtText } from '../support/built-docs.ts';

export interface Answer {
  path: string;
  question: string;
  sentence: string;
}

/** Blocks of three lines: path, question, sentence. */
export const answers: readonly Answer[] = readFileSync(join(import.meta.dirname, 'answers.txt'), 'utf8')
  .trim()
  .split('\n\n')
  .map((block) => {
    const [path = '', question = '', sentence = ''] = block.split('\n');
    return { path, question, sentence };
  });

/** The paragraphs before the first heading of a page, as plain text. */
export function openingOf(docs: DocsManifest, path: string): string {
  const [, body = ''] = builtText(docs, `${path === '/' ? '/index' : path}.md`).split(/^# .*\n/m);
  return (body.split(/^## /m)[0] ?? '')
    .replace(/^```[^]*?^```$/gm, '')
    .split(/\n{2,}/)
    .filter((block) => block !== '' && !/^(?:[-*] |\||>|#)/.test(block))
    .map(plain)
    .join(' ');
}

const plain = (markdown: string): string =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(' (opens in a new tab)', '')
    .replace(/`|(?<!\\)\*+/g, '')
    .replace(/\\(?=[^\w\s])/g, '')
    .replace(/\s+/g, ' ')
    .trim();
