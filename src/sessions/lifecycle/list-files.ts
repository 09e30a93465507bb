/** Lists the files in a session's directory and distinguishes complete files from downloads in progress. */
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
  /** The complete files. A file's stamp changes with its content. */
  files: (SessionFile & { stamp: string })[];
  /** Bytes and number of all files, including downloads in progress. */
  bytes: number;
  count: number;
  /** True when an empty file may soon become a download. */
  unsettled: boolean;
}

/**
 * Before Chromium renames a download, it creates an empty file with the final name. While a download is in progress, a
 * new empty file is treated as unfinished for this time in milliseconds, because a slow disk needs more than a few
 * milliseconds.
 */
const settlingMs = 5_000;

/**
 * Lists a directory; a missing directory has no files.
 * @param put stamps of the files that clients uploaded, by name
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
