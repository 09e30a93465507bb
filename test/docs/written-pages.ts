// Reads the front matter of the pages in docs-content.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../docs-content');

/** Returns the path of each written page and the question that its first two sentences answer. */
export function writtenPages(): { path: string; question: string }[] {
  return globSync('**/*.mdx', { cwd: folder }).map((file) => ({
    path: file === 'home.mdx' ? '/' : `/${file.replace(/\.mdx$/, '')}`,
    question: /^question: (.*)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? '',
  }));
}
