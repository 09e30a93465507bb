// Formats the figures of a run as tables and puts them between two marks in the text of a documentation page.
import { format, resolveConfig } from 'prettier';
import { type Limit, type Row, sayFigure } from './report.ts';

interface Machine {
  cores: number;
  /** As Node names it: `linux`, `x64`. */
  system: string;
  architecture: string;
  /** Number of jobs in each cell. */
  jobs: number;
  date: Date;
}

const begin = '{/* measured: begin */}';
const end = '{/* measured: end */}';
const gridRoutes = ['content', 'pdf', 'screenshot', 'scrape'];
/** The name of a cell of the grid: a route, a page, and the measured quantity. */
const gridName = /^(content|pdf|screenshot|scrape) (small|medium): (.+)$/;

/** Replaces the text between the marks with the tables. @throws Error when a mark is missing */
export function withMeasured(text: string, tables: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page needs ${begin} and, after it, ${end}.`);
  return `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`;
}

/** Formats the page with the project's Prettier settings. @param path of the page, which selects the settings */
export async function formatted(text: string, path: string): Promise<string> {
  return format(text, { ...(await resolveConfig(path)), filepath: path });
}

/** Makes two tables: the routes by pages, and all other rows. */
export function tablesOf(rows: readonly Row[], machine: Machine): string {
  const others = rows.filter(({ name }) => !gridName.test(name));
  return [sayMachine(machine), ...gridOf(rows), ...listOf(others)].join('\n\n');
}

function sayMachine({ cores, system, architecture, jobs, date }: Machine): string {
  const month = date.toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const what = `${cores} ${cores === 1 ? 'core' : 'cores'}, ${system === 'linux' ? 'Linux' : system} on ${architecture}`;
  return `Medians of one run on ${what}, ${jobs} jobs a cell, ${month}.`;
}

function gridOf(rows: readonly Row[]): string[] {
  const found = new Map(rows.map((row) => [row.name, row]));
  const measures = [...new Set(rows.flatMap(({ name }) => gridName.exec(name)?.[3] ?? []))];
  if (measures.length === 0) return [];
  const cell = (route: string, measure: string, of: (row: Row) => number | undefined) =>
    ['small', 'medium'].map((page) => sayOr(found.get(`${route} ${page}: ${measure}`), of)).join(' / ');
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
    sayFigure(server),
    sayFigure(floor),
    sayFigure(ratio),
    sayLimit(limit, ratio === undefined),
  ]);
  return [table(['Measured', 'Server', 'Baseline', 'Ratio', 'Limit'], lines)];
}

function sayOr(row: Row | undefined, of: (row: Row) => number | undefined): string {
  return (row && sayFigure(of(row))) || '–';
}

/** The limit in words. It applies to the ratio, or to the server's figure if there is no floor. */
function sayLimit(limit: Limit | undefined, isAbsolute: boolean): string {
  if (limit === undefined) return '';
  const text = 'atMost' in limit ? `at most ${limit.atMost}` : `at least ${limit.atLeast}`;
  return isAbsolute ? `${text} (server)` : text;
}

/** Escapes the text of a cell for MDX and tables. */
const inCell = (text: string) => text.replace(/[\\|{}<>]/g, '\\$&');

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.map(inCell).join(' | ')} |`).join('\n');
}
