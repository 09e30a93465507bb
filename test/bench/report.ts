// Collects results with their limits, prints them as tables and saves them for --json.
import { writeFileSync } from 'node:fs';

/** The project's limits; a ratio is the server's result divided by the baseline's. */
export const limits = {
  latencyRatio: { atMost: 1.1 },
  cpuRatio: { atMost: 1.25 },
  rateRatio: { atLeast: 0.85 },
  memoryRatioAt8: { atMost: 1.3 },
  start: {
    'the bundle': { ms: { atMost: 100 }, cpuSeconds: { atMost: 0.12 }, privateMiB: { atMost: 35 } },
    'the single binary': { ms: { atMost: 130 }, cpuSeconds: { atMost: 0.12 }, privateMiB: { atMost: 35 } },
  },
  refusalMs: { atMost: 10 },
  firstTitleRatio: { context: { atMost: 1 }, process: { atMost: 1.3 } },
  sessionRateRatio: { context: { atLeast: 0.85 }, process: { atLeast: 0.45 } },
  sessionCpuRatio: { atMost: 1.25 },
  contextSessionMiB: { atMost: 25 },
  messageMs: { atMost: 0.06 },
  messageCpuRatio: { atMost: 1.4 },
  downRatio: { atLeast: 0.95 },
  upRatio: { atLeast: 0.8 },
  shieldMs: { atMost: 0.1 },
  shieldGotoRatio: { atMost: 1.03 },
  shieldCpuRatio: { atMost: 1.15 },
  idleSessionMiB: { atMost: 1 },
  adRulesMs: { atMost: 50 },
  functionRatio: { atMost: 1.6 },
  exportRatio: { atMost: 1.1 },
  blockAdsRatio: { atMost: 1.1 },
  auditRatio: { atMost: 1.1 },
  bqlTitleRatio: { atMost: 1.4 },
  bqlReadMs: { atMost: 2 },
  bqlRowsMs: { atMost: 100 },
} as const;

export type Limit = { atMost: number } | { atLeast: number };

export interface Row {
  /** The measured quantity, such as `screenshot small: p50 ms, one at a time`. */
  name: string;
  server: number;
  /** The baseline's result; undefined if only the server has one. */
  floor?: number;
  /** Server divided by baseline; for results measured in pairs, the median over the pairs. */
  ratio?: number;
  /** Applies to the ratio, or to the server's result if there is no baseline. */
  limit?: Limit;
  /** Additional data, for the JSON file only. */
  detail?: object;
}

function within({ server, ratio, limit }: Row): boolean {
  if (limit === undefined) return true;
  const value = ratio ?? server;
  return 'atMost' in limit ? value <= limit.atMost : value >= limit.atLeast;
}

/** A number with three significant digits; empty for undefined. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined) return '';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toFixed(digits);
}

function formatLimit(limit: Limit | undefined): string {
  if (limit === undefined) return '';
  return 'atMost' in limit ? `<= ${limit.atMost}` : `>= ${limit.atLeast}`;
}

export class Report {
  readonly rows: Row[] = [];

  add(row: Row): void {
    this.rows.push(row);
  }

  /** Adds a result for server and baseline, with their ratio. */
  addPair(name: string, { server, floor }: { server: number; floor: number }, limit?: Limit): void {
    this.add({ name, server, floor, ratio: server / floor, ...(limit && { limit }) });
  }

  /** Prints the rows from index `from` on as a table with a title. */
  print(title: string, from: number): void {
    const rows = this.rows.slice(from);
    if (rows.length === 0) return;
    const cells = [
      [title, 'server', 'baseline', 'ratio', 'limit', ''],
      ...rows.map((row) => [
        row.name,
        formatNumber(row.server),
        formatNumber(row.floor),
        formatNumber(row.ratio),
        formatLimit(row.limit),
        row.limit === undefined ? '' : within(row) ? 'ok' : 'OVER',
      ]),
    ];
    const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? [];
    const lines = cells.map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    );
    console.log(`\n${lines.join('\n')}`);
  }

  /** Names of the rows that exceed their limit. */
  exceeded(): string[] {
    return this.rows.filter((row) => !within(row)).map((row) => row.name);
  }

  save(path: string, machine: object): void {
    writeFileSync(path, `${JSON.stringify({ ...machine, limits, rows: this.rows }, null, 2)}\n`);
  }
}
