/** What the build leaves for the server: every file of the documentation, redirects, and what the policy must allow. */
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

/** Where the server puts results of a search, in the page of the path `/search`. */
export const resultsSlot = '<div id="search-results"></div>';
/** Where it puts what its settings add to the head. */
export const originSlot = '<meta name="docs-origin-slot" content=""/>';
