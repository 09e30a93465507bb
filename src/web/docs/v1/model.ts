/** Defines the data of a page about version 1; the page's own text and samples are in docs-content/baas/v1. */

/** A feature of version 1, and its replacement. One line of Markdown: code and links. */
type Change = readonly [before: string, now: string];

export interface OldPage {
  /** The current page, for new users. */
  now: { path: string; label: string };
  /** Description of the feature in version 1, in one or two sentences. */
  was: string;
  changes: readonly Change[];
}
