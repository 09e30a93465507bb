// Formats the results of a benchmark run as tables and inserts them between two markers in a documentation page.
import { format, resolveConfig } from 'prettier';
import { type Limit, type Row, formatNumber } from './report.ts';

interface Machine {
  cores: number;
  /** As Node reports it: `linux`, `x64`. */
  system: string;
  architecture: string;
  /** Number of jobs in each cell. */
  jobs: number;
  date: Date;
}

const begin = '{/* measured: begin */}';
const end = '{/* measured: end */}';
const gridRoutes = ['content', 'pdf', 'screenshot', 'scrape'];
/** The name of a grid cell: a route, a page, and the measured quantity. */
const gridName = /^(content|pdf|screenshot|scrape) (small|medium): (.+)$/;

/** Replaces the text between the markers with the tables. @throws Error if a marker is missing */
export function withMeasured(text: string, tables: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page must contain ${begin} followed by ${end}.`);
  return `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`;
}

/** Formats the page with the project's Prettier settings. @param path the page's path, which selects the settings */
export async function formatted(text: string, path: string): Promise<string> {
  return format(text, { ...(await resolveConfig(path)), filepath: path });
}

/** Builds two tables: routes by page size, and all other rows. */
export function tablesOf(rows: readonly Row[], machine: Machine): string {
  const others = rows.filter(({ name }) => !gridName.test(name));
  return [describeMachine(machine), ...gridOf(rows), ...listOf(others)].join('\n\n');
}

function describeMachine({ cores, system, architecture, jobs, date }: Machine): string {
  const month = date.toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const what = `${cores} ${cores === 1 ? 'core' : 'cores'}, ${system === 'linux' ? 'Linux' : system} on ${architecture}`;
  return `Medians of one run on ${what}, ${jobs} jobs per cell, ${month}.`;
}

function gridOf(rows: readonly Row[]): string[] {
  const found = new Map(rows.map((row) => [row.name, row]));
  const measures = [...new Set(rows.flatMap(({ name }) => gridName.exec(name)?.[3] ?? []))];
  if (measures.length === 0) return [];
  const cell = (route: string, measure: string, of: (row: Row) => number | undefined) =>
    ['small', 'medium'].map((page) => formatOr(found.get(`${route} ${page}: ${measure}`), of)).join(' / ');
  const lines = measures.flatMap((measure) => [
    [`${measure}: server`, ...gridRoutes.map((route) => cell(route, measure, ({ server }) => server))],
    [`${measure}: ratio`, ...gridRoutes.map((route) => cell(route, measure, ({ ratio }) => ratio))],
  ]);
  return [table(['Small / medium page', ...gridRoutes], lines)];
}

function listOf(rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const lines = rows.map(({ name, server, floor, ratio, limit }) => [
    name,
    formatNumber(server),
    formatNumber(floor),
    formatNumber(ratio),
    formatLimit(limit, ratio === undefined),
  ]);
  return [table(['Measured', 'Server', 'Baseline', 'Ratio', 'Limit'], lines)];
}

function formatOr(row: Row | undefined, of: (row: Row) => number | undefined): string {
  return (row && formatNumber(of(row))) || '–';
}

/** The limit as text. It applies to the ratio, or to the server's result if there is no baseline. */
function formatLimit(limit: Limit | undefined, isAbsolute: boolean): string {
  if (limit === undefined) return '';
  const text = 'atMost' in limit ? `at most ${limit.atMost}` : `at least ${limit.atLeast}`;
  return isAbsolute ? `${text} (server)` : text;
}

/** Escapes the text of a cell for MDX and tables. */
const inCell = (text: string) => text.replace(/[\\|{}<>]/g, '\\$&');

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.map(inCell).join(' | ')} |`).join('\n');
}
