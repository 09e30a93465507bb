/** Lists the files in the directory of a session and tells complete ones from those still being downloaded. */
import { joinPath, listDirectory, plainFile } from '../runtime/files.ts';
import { unfinished } from './file-names.ts';

/** A complete file. */
export interface SessionFile {
  name: string;
  /** In bytes. */
  size: number;
  /** Epoch milliseconds. */
  modifiedOn: number;
  /** Absolute path on the server. */
  path: string;
}

/** The content of the directory at one moment. */
export interface Listing {
  /** The complete files; the stamp of a file changes with its content. */
  files: (SessionFile & { stamp: string })[];
  /** Bytes and number of all files, those still being downloaded too. */
  bytes: number;
  count: number;
}

/** A directory that is gone has no files. */
export async function listFiles(directory: string): Promise<Listing> {
  const names = await listDirectory(directory);
  const present = new Set(names);
  const listing: Listing = { files: [], bytes: 0, count: 0 };
  for (const name of names) {
    const path = joinPath(directory, name);
    const file = await plainFile(path);
    if (!file) continue;
    listing.bytes += file.bytes;
    // Chromium makes an empty file of the final name before it renames the download to it.
    if (present.has(name + unfinished)) continue;
    listing.count++;
    if (name.endsWith(unfinished)) continue;
    const { bytes: size, changedMs, stamp } = file;
    listing.files.push({ name, size, modifiedOn: Math.round(changedMs), path, stamp });
  }
  return listing;
}
