// Rows of the tables in this folder: an option and the test that verifies its effect or rejection.
import { type TestRef, missingTest, mentions } from '../support/declared.ts';

export interface Row {
  option: string;
  testRef: TestRef;
}

/** Options separated by spaces, with braces as in a shell: `viewport.{width,height}` is two options. */
type Options = string;

/**
 * Tests of one file, with the options whose effect or rejection they verify.
 * @param titles the options by the test's title; for tests made in a loop, by the entry of the loop's list
 */
export function coveredBy(file: string, titles: Readonly<Record<string, Options | Record<string, Options>>>): Row[] {
  return Object.entries(titles).flatMap(([title, options]) =>
    typeof options === 'string'
      ? rowsOf({ file, title, entry: undefined }, options)
      : Object.entries(options).flatMap(([entry, each]) => rowsOf({ file, title, entry }, each)),
  );
}

const rowsOf = (testRef: TestRef, options: Options): Row[] =>
  options
    .trim()
    .split(/\s+/)
    .flatMap(expand)
    .map((option) => ({ option, testRef }));

function expand(word: string): string[] {
  const match = /^(.*?)\{([^{}]*)\}(.*)$/.exec(word);
  if (!match) return [word];
  const [, before = '', choices = '', after = ''] = match;
  return choices.split(',').flatMap((choice) => expand(`${before}${choice}${after}`));
}

/** What is wrong with a row; undefined when the test exists and its file names the option. */
export function problemOf({ option, testRef }: Row): string | undefined {
  const word = wordOf(option);
  const notMentioned = `test/${testRef.file}.test.ts does not mention "${word}"`;
  return missingTest(testRef) ?? (mentions(testRef.file, word) ? undefined : notMentioned);
}

/** The name as a client writes it: without the kind of call, the route and the enclosing objects. */
function wordOf(option: string): string {
  return option.replace(/@.*$/, '').replaceAll('[]', '').split(/[.:?]/).at(-1) ?? option;
}
