// Lists by area what clients of browserless rely on and where this server differs. Checks that each row has its test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingTest } from '../support/declared.ts';
import { differences } from './differences.ts';
import { managementRows } from './management.ts';
import { networkRows } from './network.ts';
import { parsingRows } from './parsing.ts';
import { restRows } from './rest.ts';
import type { Row } from './row.ts';
import { socketRows } from './sockets.ts';

export const areas: Readonly<Record<string, readonly Row[]>> = {
  'REST routes': restRows,
  sockets: socketRows,
  'management and settings': managementRows,
  'parameters and errors': parsingRows,
  'network and switches': networkRows,
  'differences on the migration page': differences,
};

/** First cells of the migration page's tables under the headings about differences. */
export function entriesOfPage(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs-content/baas/migrate.mdx'), 'utf8');
  const sections = page
    .split(/^## /m)
    .filter((text) => /^What (differs|is not offered)$/m.test(text.split('\n')[0] ?? ''));
  const rows = sections.flatMap((text) => text.split('\n').filter((line) => line.startsWith('|')));
  const cells = rows.map((line) => line.split('|')[1]?.trim() ?? '');
  return cells.filter((cell) => !/^(-+|browserless( 2)?)$/.test(cell));
}

/** What is wrong with a row; undefined when nothing is. @param entries the entries on the migration page */
export function problemOf(row: Row, entries: readonly string[]): string | undefined {
  if ('coveredBy' in row) return missingTest(row.coveredBy);
  return entries.includes(row.differs) ? undefined : `the migration page has no entry "${row.differs}"`;
}

/** The rows of an area as lines of text. */
export function linesOf(rows: readonly Row[]): string[] {
  return rows.map((row) => {
    if ('differs' in row) return `${row.behavior}\n    differs: ${row.differs}`;
    const { file, title, entry } = row.coveredBy;
    return `${row.behavior}\n    test/${file}: ${title}${entry === undefined ? '' : ` [${entry}]`}`;
  });
}
