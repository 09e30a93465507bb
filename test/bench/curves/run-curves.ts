// Measures the curves, prints the tables of the documentation page, and saves the results for it.
import { writeFileSync } from 'node:fs';
import { tablesOf } from '../../../src/web/docs/charts/tables.ts';
import type { CostTable } from '../../../src/web/docs/site/costs.ts';
import { startSite } from '../../support/site/site.ts';
import { formatted } from '../page.ts';
import { costsPath, measureCosts } from './curves.ts';

interface CurvesOptions {
  isQuick: boolean;
  /** Saves the results for the documentation, even those of a quick run: the page says which kind they are. */
  write: boolean;
  /** File to save the results to. */
  json: string | undefined;
}

/** @throws Error when a server or a browser does not do the measured work */
export async function runCurves({ isQuick, write, json }: CurvesOptions): Promise<void> {
  const site = await startSite();
  try {
    const costs = await measureCosts(site, isQuick);
    for (const table of Object.values(tablesOf(costs))) print(table);
    console.log(`\n${costs.seconds} s, ${costs.machine.cores} cores; two numbers in a cell are server / baseline`);
    const text = JSON.stringify(costs);
    if (json !== undefined) writeFileSync(json, `${text}\n`);
    if (!write) return;
    writeFileSync(costsPath, await formatted(text, costsPath));
    console.log(`written: ${costsPath}`);
  } finally {
    await site.close();
  }
}

function print({ title, head, rows }: CostTable): void {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const cells of lines)
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
