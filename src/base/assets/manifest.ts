/** Describes the manifest that a build writes for the server: which files there are, and where. */
export interface ManifestFile {
  /** Name in the folder `files`, without `.br` and `.gz`. It changes with the content, so it is the ETag too. */
  name: string;
  type: string;
  /** The URL changes with the content, so browsers may cache the file for ever. */
  lasting?: boolean;
}

export interface FilesManifest {
  /** Hash of the build's inputs. */
  source: string;
  /** The files by their paths below the root of the server. */
  files: Readonly<Record<string, ManifestFile>>;
}
