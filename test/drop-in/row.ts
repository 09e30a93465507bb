// Rows of the tables of this folder: a behaviour that clients of browserless rely on, with the test that holds it or the
// entry of the migration page that tells the difference.

import type { Holder } from '../support/declared.ts';

export type Row = { behaviour: string } & ({ heldBy: Holder } | { differs: string });

/** A title, or a title and an entry of the list that its loop reads. */
type Title = string | readonly [title: string, entry: string];

/** Behaviours that tests of one file hold. */
export function heldBy(file: string, titles: Readonly<Record<string, Title>>): Row[] {
  return Object.entries(titles).map(([behaviour, given]) => {
    const [title, entry] = typeof given === 'string' ? [given, undefined] : given;
    return { behaviour, heldBy: { file, title, entry } };
  });
}

/** Behaviours that this server does not share on purpose, each with the entry of the migration page that says so. */
export function differs(entries: Readonly<Record<string, string>>): Row[] {
  return Object.entries(entries).map(([behaviour, entry]) => ({ behaviour, differs: entry }));
}
