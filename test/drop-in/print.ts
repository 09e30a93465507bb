// npm run drop-in: prints what clients of browserless rely on, with the test that checks each line.
import { areas, linesOf } from './table.ts';

for (const [area, rows] of Object.entries(areas)) {
  console.log(`\n${area} (${rows.length})\n`);
  for (const line of linesOf(rows)) console.log(`  ${line.replaceAll('\n', '\n  ')}`);
}
