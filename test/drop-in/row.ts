// Rows of the tables in this folder: a behavior that clients of browserless rely on, with the test that checks it or
// the entry on the migration page that describes the difference.

import type { TestRef } from '../support/declared.ts';

export type Row = { behavior: string } & ({ coveredBy: TestRef } | { differs: string });

/** A test's title, or the title of a test in a loop and an entry of the list the loop reads. */
type Title = string | readonly [title: string, entry: string];

/** Behaviors that the tests in one file check. */
export function coveredBy(file: string, titles: Readonly<Record<string, Title>>): Row[] {
  return Object.entries(titles).map(([behavior, given]) => {
    const [title, entry] = typeof given === 'string' ? [given, undefined] : given;
    return { behavior, coveredBy: { file, title, entry } };
  });
}

/** Behaviors that this server deliberately does not share, each with the entry on the migration page that says so. */
export function differs(entries: Readonly<Record<string, string>>): Row[] {
  return Object.entries(entries).map(([behavior, entry]) => ({ behavior, differs: entry }));
}
