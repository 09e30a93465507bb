// Lists every option with its test. An option without a test and a row for an option that does not exist are problems.
import { bqlRows } from './bql.ts';
import { areas } from './inventory.ts';
import { launchRows } from './launch.ts';
import { liveRows } from './live.ts';
import { managementRows } from './management.ts';
import { parameterRows } from './parameters.ts';
import { restRows } from './rest.ts';
import { problemOf, type Row, coveredBy } from './row.ts';
import { settingRows } from './settings.ts';

const tables: Readonly<Record<string, readonly Row[]>> = {
  'REST request bodies': restRows,
  'query parameters of browser routes': parameterRows,
  'launch options': launchRows,
  'sessions and management': managementRows,
  BrowserQL: bqlRows,
  'live views': liveRows,
  settings: settingRows,
};

/** The areas that are checked. */
export const areaNames = Object.keys(tables);

export interface Line {
  option: string;
  rows: readonly Row[];
  /** What is missing; undefined when a test covers the option. */
  problem: string | undefined;
}

/** Each option of an area with its rows, then each row without an option. */
export function linesOf(area: string): Line[] {
  const { options, ignored } = areas[area] ?? { options: [], ignored: [] };
  const rows = [...(tables[area] ?? []), ...ignored.flatMap(rowsOfIgnored)];
  const known = new Set([...options, ...ignored]);
  const unknownRows = rows.filter(({ option }) => !known.has(option));
  return [
    ...[...known].map((option) =>
      lineOf(
        option,
        rows.filter((row) => row.option === option),
      ),
    ),
    ...unknownRows.map((row) => ({ option: row.option, rows: [row], problem: 'the server has no such option' })),
  ];
}

function lineOf(option: string, rows: readonly Row[]): Line {
  const problems = rows.map(problemOf).filter((problem) => problem !== undefined);
  return { option, rows, problem: rows.length === 0 ? 'no test covers it' : problems[0] };
}

/** The row of an ignored option: the tests of X-Ignored-Parameters read the same tables as the server. */
function rowsOfIgnored(option: string): Row[] {
  return coveredBy('promises/ignored', { [titleFor(option)]: option });
}

function titleFor(option: string): string {
  if (option.startsWith('session:')) return 'a session, and BrowserQL on it';
  if (option.includes('/kill')) return 'session parameters that /kill does not act on';
  return option.includes(':') ? 'fields of a body' : 'REST on a page';
}
