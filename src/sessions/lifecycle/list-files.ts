/** Lists the files in the directory of a session and tells complete ones from those still being downloaded. */
import { joinPath, listDirectory, plainFile } from '../../base/runtime/files.ts';
import { isWorkingFile } from './file-names.ts';

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
  /** True when an empty file may become a download soon. */
  unsettled: boolean;
}

/**
 * Before Chromium renames a download, it makes an empty file of the final name. Beside a running download, an empty file
 * counts as such for this time after it was made, in milliseconds; a slow disk is slower than a few of them.
 */
const settlingMs = 5_000;

/**
 * Lists a directory; one that is gone has no files.
 * @param put stamps of the files that clients put there, by name
 */
export async function listFiles(directory: string, put: ReadonlyMap<string, string>): Promise<Listing> {
  const names = await listDirectory(directory);
  const running = names.filter((name) => isWorkingFile(name) && !put.has(name));
  const working = new Set(running);
  const listing: Listing = { files: [], bytes: 0, count: 0, unsettled: false };
  for (const name of names) {
    const path = joinPath(directory, name);
    const file = await plainFile(path);
    if (!file) continue;
    listing.bytes += file.bytes;
    listing.count++;
    if (working.has(name)) continue;
    const { bytes: size, changedMs, stamp } = file;
    if (size === 0 && running.length > 0 && put.get(name) !== stamp && Math.abs(Date.now() - changedMs) < settlingMs) {
      listing.unsettled = true;
    } else {
      listing.files.push({ name, size, modifiedOn: Math.round(changedMs), path, stamp });
    }
  }
  return listing;
}
