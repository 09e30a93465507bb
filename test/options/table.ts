// Lists every option with the tests that prove it: those that `test.proves` marks with its name.
import type { FoundTest } from '../support/list-tests.ts';
import { type Area, areas } from './inventory.ts';

type MarkedTest = Pick<FoundTest, 'file' | 'title' | 'proves'>;

interface Line {
  area: string;
  option: string;
  /** The tests, as `file: title`. */
  tests: readonly string[];
}

interface Table {
  lines: readonly Line[];
  problems: readonly string[];
}

/** Each option with its tests. Options without a test and marks without an option are problems. */
export function tableOf(found: readonly MarkedTest[], from: Readonly<Record<string, Area>> = areas): Table {
  const marks = found.flatMap(({ file, title, proves }) =>
    proves.map((option) => ({ option, test: `${file}: ${title}` })),
  );
  const testsOf = Map.groupBy(marks, ({ option }) => option);
  const lines = Object.entries(from).flatMap(([area, { options, ignored }]) =>
    Array.from(new Set([...options, ...ignored]), (option) => ({
      area,
      option,
      tests: testsOf.get(option)?.map(({ test }) => test) ?? [],
    })),
  );
  const known = new Set(lines.map(({ option }) => option));
  return {
    lines,
    problems: [
      ...lines.filter(({ tests }) => tests.length === 0).map(({ option }) => `${option}: no test proves it`),
      ...marks.filter(({ option }) => !known.has(option)).map(({ option, test }) => `${test}: no option "${option}"`),
    ],
  };
}
