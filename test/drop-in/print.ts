// npm run drop-in: prints what clients of browserless rely on, with the test that checks each line.
import { listTests } from '../support/list-tests.ts';
import { tableOf } from './table.ts';

const { lines, problems } = tableOf(listTests('peer', 'differs'));
for (const [area, own] of Map.groupBy(lines, (line) => line.area)) {
  console.log(`\n${area} (${own.length})\n`);
  for (const { behavior, tests } of own) {
    console.log(`  ${behavior}\n      ${tests[0] ?? ''}${tests.length > 1 ? ` (and ${tests.length - 1} more)` : ''}`);
  }
}
console.log(['', ...problems].join('\n'));
console.log(`${lines.length} lines, ${lines.filter(({ tests }) => tests.length === 0).length} without a test`);
