// Lists by area what clients of browserless rely on, and where this server differs, with the tests that check it: those
// that `test.peer` and `test.differs` mark.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundTest } from '../support/list-tests.ts';

interface Line {
  area: string;
  /** For a difference, the entry on the migration page. */
  behavior: string;
  /** The tests, as `file: title`, or `file` when the title is the behavior. */
  tests: readonly string[];
}

export interface Table {
  lines: readonly Line[];
  problems: readonly string[];
}

const differences = 'differences on the migration page';

/** First cells of the migration page's tables under the headings about differences. */
function entriesOfPage(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs-content/baas/migrate.mdx'), 'utf8');
  const sections = page
    .split(/^## /m)
    .filter((text) => /^What (differs|is not offered)$/m.test(text.split('\n')[0] ?? ''));
  const rows = sections.flatMap((text) => text.split('\n').filter((line) => line.startsWith('|')));
  const cells = rows.map((line) => line.split('|')[1]?.trim() ?? '');
  return cells.filter((cell) => !/^(-+|browserless( 2)?)$/.test(cell));
}

/**
 * Each behavior and each entry of the migration page with its tests. Entries without a test, marks without an entry, and
 * behaviors in several files or areas are problems.
 */
export function tableOf(
  found: readonly Pick<FoundTest, 'file' | 'title' | 'peer' | 'differs'>[],
  entries: readonly string[] = entriesOfPage(),
): Table {
  const peers = found.flatMap(({ file, title, peer }) => peer.map((mark) => ({ file, title, ...mark })));
  const differing = found.flatMap(({ file, title, differs }) => differs.map((entry) => ({ file, title, entry })));
  const [testsOf, testsOfEntry] = [
    Map.groupBy(peers, ({ behavior }) => behavior),
    Map.groupBy(differing, ({ entry }) => entry),
  ];
  const lines = [
    ...Array.from(testsOf, ([behavior, tests]) => lineOf(tests[0]?.area ?? '', behavior, tests)),
    ...entries.map((entry) => lineOf(differences, entry, testsOfEntry.get(entry) ?? [])),
  ];
  const repeated = [...testsOf].filter(([, tests]) => new Set(tests.map(({ area, file }) => area + file)).size > 1);
  return {
    lines,
    problems: [
      ...lines.filter(({ tests }) => tests.length === 0).map(({ behavior }) => `${behavior}: no test checks it`),
      ...differing
        .filter(({ entry }) => !entries.includes(entry))
        .map(({ file, title, entry }) => `${file}: ${title}: the migration page has no entry "${entry}"`),
      ...repeated.map(([behavior]) => `${behavior}: in several files or areas`),
    ],
  };
}

function lineOf(area: string, behavior: string, tests: readonly { file: string; title: string }[]): Line {
  return {
    area,
    behavior,
    tests: tests.map(({ file, title }) => (title === behavior ? file : `${file}: ${title}`)),
  };
}
