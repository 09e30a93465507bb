// Reads zip archives and writes them to a folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';

configure({ useWebWorkers: false });

/** The files of an archive by name; verifies the checksum of each. */
export async function unzip(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { checkSignature: true });
  const files = new Map<string, Uint8Array>();
  for (const entry of await reader.getEntries()) {
    if (!entry.directory) files.set(entry.filename, await entry.getData(new Uint8ArrayWriter()));
  }
  await reader.close();
  return files;
}

/** Writes the files; throws for a name that leads out of the folder. */
export function writeFiles(files: ReadonlyMap<string, Uint8Array>, folder: string): void {
  for (const [name, bytes] of files) {
    if (normalize(name).startsWith('..') || name.startsWith('/') || name.includes('\\'))
      throw new Error(`unsafe: ${name}`);
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
}
