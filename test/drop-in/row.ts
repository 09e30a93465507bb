// Rows of the tables of this folder: a behaviour that clients of browserless rely on, with the test that holds it or the
// entry of the migration page that tells the difference.

/** Names a test by its file below test/ and its title; `…` in a title stands for what a loop puts there. */
export interface Holder {
  /** Path below test/ without `.test.ts`, such as `contract/content`. */
  file: string;
  title: string;
  /** For a test that a loop makes from a list: the text of the list that makes the one which is meant. */
  entry: string | undefined;
}

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
