/** Defines what the site knows of a page about version 1; the page's own text and samples are in docs-content/baas/v1. */

/** What version 1 had, and what stands in its place. Markdown of one line: code and links. */
type Change = readonly [before: string, now: string];

export interface OldPage {
  /** The page for whoever begins today. */
  now: { path: string; label: string };
  /** What it was, in one or two sentences. */
  was: string;
  changes: readonly Change[];
}
