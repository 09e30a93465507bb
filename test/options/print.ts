// npm run options: prints every option of the server with the tests that verify its effect or rejection.
import { linesOf, areaNames } from './table.ts';

for (const area of areaNames) {
  const lines = linesOf(area);
  console.log(`\n${area} (${lines.length})\n`);
  for (const { option, rows, problem } of lines) {
    const tests = rows.map(({ testRef: { file, title, entry } }) => {
      const item = entry === undefined ? '' : ` [${entry}]`;
      return `test/${file}: ${title}${item}`;
    });
    console.log(`  ${[option, ...tests, ...(problem === undefined ? [] : [problem])].join('\n      ')}`);
  }
}
