/** Defines the manifest of the documentation: files, redirects, and the hash of the inline script. */
import type { FilesManifest } from '../../../base/assets/manifest.ts';

export interface DocsManifest extends FilesManifest {
  build: string;
  /** Paths of the pages, without their Markdown files and the assets. */
  pages: readonly string[];
  redirects: Readonly<Record<string, string>>;
  /** `sha256-…` of the inline script in the head, for the Content-Security-Policy. */
  inlineHash: string;
  /** URL of the search index. */
  index: string;
}

/** Slot in the pages `/search` and `/404` for search results and suggestions. */
export const resultsSlot = '<div id="search-results"></div>';
/** Slot in the head for the operator's settings. */
export const originSlot = '<meta name="docs-origin-slot" content=""/>';
