/** Describes the manifest that the build writes for the server: files, redirects, and the hash of the inline script. */
export interface ManifestFile {
  /** Name in the folder `files`, without `.br` and `.gz`. It changes with the content, so it is the ETag too. */
  name: string;
  type: string;
  /** The URL changes with the content, so browsers may cache the file for ever. */
  lasting?: boolean;
}

export interface DocsManifest {
  /** Hash of the build's inputs. */
  source: string;
  build: string;
  files: Readonly<Record<string, ManifestFile>>;
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
