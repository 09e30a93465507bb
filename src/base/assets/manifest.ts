/** Describes the manifest that a build writes for the server: the files and their locations. */
export interface ManifestFile {
  /**
   * Name in the folder `files`, without `.br` and `.gz`. It changes with the content, so it also serves as the ETag.
   */
  name: string;
  type: string;
  /** The URL changes with the content, so browsers may cache the file forever. */
  lasting?: boolean;
}

export interface FilesManifest {
  /** Hash of the build's inputs. */
  source: string;
  /** The files, keyed by path under the server root. */
  files: Readonly<Record<string, ManifestFile>>;
}
