/** The manifest that the build writes for the server: files, redirects, and the hash that the policy allows. */
export interface ManifestFile {
  /** Name in the folder `files`, without `.br` and `.gz`; changes with the content, so it is the ETag too. */
  name: string;
  type: string;
  /** The address changes with the content. */
  lasting?: boolean;
}

export interface DocsManifest {
  /** Hash of what the build was made from. */
  source: string;
  build: string;
  files: Readonly<Record<string, ManifestFile>>;
  /** Pages, as opposed to their twins and assets. */
  pages: readonly string[];
  redirects: Readonly<Record<string, string>>;
  /** `sha256-…` of the script in the head. */
  inlineHash: string;
  /** Address of the search index. */
  index: string;
}

/** Slot for search results, in the pages `/search` and `/404`. */
export const resultsSlot = '<div id="search-results"></div>';
/** Slot in the head for the operator's settings. */
export const originSlot = '<meta name="docs-origin-slot" content=""/>';
