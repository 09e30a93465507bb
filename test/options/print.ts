// npm run options: prints every option of the server with the tests that verify its effect or rejection.
import { listTests } from '../support/list-tests.ts';
import { tableOf } from './table.ts';

const { lines, problems } = tableOf(listTests('proves'));
for (const [area, own] of Map.groupBy(lines, (line) => line.area)) {
  console.log(`\n${area} (${own.length})\n`);
  for (const { option, tests } of own) console.log(`  ${[option, ...tests].join('\n      ')}`);
}
console.log(['', ...problems].join('\n'));
console.log(`${lines.length} options, ${lines.filter(({ tests }) => tests.length === 0).length} without a test`);
