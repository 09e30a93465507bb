// Generates what the security page, README.md and .github/SECURITY.md share: the promises of the page, which the other
// two repeat, and the table of attacks, which comes from the marks on the tests (`test.shows`).
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { type Attack, attacks, type EntryPoint, entryPoints } from '../support/attacks.ts';

export const root = join(import.meta.dirname, '..', '..');

interface Mark {
  attack: string;
  doors: string[];
  file: string;
}

/** The marks on all tests, in the order of their files. */
export function marks(): Mark[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .toSorted()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^ *test\.shows\(([^)]*)\);$/gm)].map(([, list = '']) => {
        const [attack = '', ...at] = [...list.matchAll(/'([^']*)'/g)].map(([, word = '']) => word);
        return { attack, doors: at, file };
      }),
    );
}

/** A Markdown table with a row for each attack: attacker, attempt, entry points, and the tests that try it. */
function attackTable(): string {
  const all = marks();
  const rows = (Object.keys(attacks) as Attack[]).map((attack) => {
    const [attacker, attempt] = attacks[attack];
    const own = all.filter((mark) => mark.attack === attack);
    const at = entryPoints.filter((door: EntryPoint) => own.some((mark) => mark.doors.includes(door)));
    const files = new Set(own.map(({ file }) => `\`${file.replace(/^test\/|\.test\.ts$/g, '')}\``));
    return `| ${attacker} | ${attempt} | ${at.join(', ')} | ${[...files].join(' ')} |`;
  });
  return ['| Who | What is tried | Where | Tests |', '| - | - | - | - |', ...rows, ''].join('\n');
}

const pagePath = 'docs-content/enterprise/security.mdx';
const numbered = /^(?:\d+\. .*(?:\n {3}.*)*\n)+/m;
const table = /^(?:\|.*\n)+/m;

/** Replaces the first match of a pattern after a heading. @throws Error when the heading or the match is missing */
function replaceBelow(text: string, heading: string, pattern: RegExp, by: string): string {
  const start = text.indexOf(`\n${heading}\n`);
  const rest = text.slice(start);
  if (start < 0 || !pattern.test(rest)) throw new Error(`nothing to replace below "${heading}"`);
  return text.slice(0, start) + rest.replace(pattern, () => by);
}

/** The expected content of the three files, by path. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const page = replaceBelow(read(pagePath), '## What tests attack', table, attackTable());
  const list = numbered.exec(page)?.[0];
  if (list === undefined) throw new Error(`${pagePath} has no list of promises`);
  // Links of the documentation site do not work in the repository.
  const unlinked = list.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const promises = await format(unlinked, { parser: 'markdown', proseWrap: 'always', printWidth: 100 });
  const texts = new Map([
    [pagePath, page],
    ['README.md', replaceBelow(read('README.md'), '## What it guards', numbered, promises)],
    ['.github/SECURITY.md', replaceBelow(read('.github/SECURITY.md'), '## Promises', numbered, promises)],
  ]);
  for (const [path, text] of texts) {
    const filepath = join(root, path);
    texts.set(path, await format(text, { ...(await resolveConfig(filepath)), filepath }));
  }
  return texts;
}
