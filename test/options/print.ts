// npm run options: prints every option of the server with the tests that verify its effect or rejection, and the pairs
// of options of page routes in which one cancels the other.
import { listTests } from '../support/list-tests.ts';
import { walkPairs } from './pairs/walk.ts';
import { tableOf } from './table.ts';

const { lines, problems } = tableOf(listTests('proves'));
for (const [area, own] of Map.groupBy(lines, (line) => line.area)) {
  console.log(`\n${area} (${own.length})\n`);
  for (const { option, tests } of own) console.log(`  ${[option, ...tests].join('\n      ')}`);
}
console.log(['', ...problems].join('\n'));
console.log(`${lines.length} options, ${lines.filter(({ tests }) => tests.length === 0).length} without a test`);

console.log('\nPairs of options, without those in which both have their effect (a few minutes)\n');
const walk = await walkPairs();
for (const [outcome, pairs] of Map.groupBy(walk.pairs, (pair) => pair.outcome)) {
  console.log(`${outcome} (${pairs.length})`);
  if (outcome === 'both') continue;
  for (const { route, options, detail } of pairs) console.log(`  /${route} ${options.join(' + ')}: ${detail}`);
}
console.log(['', ...walk.problems].join('\n'));
