/** Unpacks the packs of the single binary: archives of packages that must be imported from disk, such as Playwright. */
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { parseTar } from 'nanotar';
import {
  directoryOf,
  exists,
  fileInfo,
  joinPath,
  listDirectory,
  makeDirectory,
  removeDirectory,
  renamePath,
  writeBytes,
  writeText,
} from '../runtime/files.ts';

const decompress = promisify(zstdDecompress);

/** Table of contents of the binary. */
export interface Contents {
  /** Files that are read directly from the binary, by name. */
  files: Readonly<Record<string, ContentsFile>>;
  packs: Readonly<Record<string, Pack>>;
}

export interface ContentsFile {
  /** Uncompressed size in bytes. */
  bytes: number;
  /** True when it is compressed with Brotli. */
  packed?: true;
}

export interface Pack {
  /** Changes with the content. */
  hash: string;
  /** The packages that may be imported from the pack; it also contains their dependencies. */
  packages: readonly string[];
}

/** The module inside a pack that imports its packages. */
export const loaderName = 'load.cjs';

/** Age in milliseconds after which a directory left by another process's unfinished unpack is removed. */
const abandonedMs = 60 * 60 * 1_000;

/**
 * Unpacks an archive (tar, compressed with Zstandard) of a `node_modules` folder, unless that was already done.
 * @param name name of the directory; it changes with the content
 * @returns the directory, which contains `node_modules` and the loader
 * @throws Error naming the cache directory when it is not writable
 */
export async function unpackPack(archive: Uint8Array, cacheDirectory: string, name: string): Promise<string> {
  const target = joinPath(cacheDirectory, 'packs', name);
  if (await exists(target)) return target;
  // Unpack next to the target and rename at the end, so that another server never finds a partial copy.
  const partial = `${target}.${crypto.randomUUID()}`;
  try {
    await makeDirectory(partial);
    for (const { type, name: path, data = new Uint8Array() } of parseTar(await decompress(archive))) {
      if (type !== 'file') continue;
      const file = joinPath(partial, 'node_modules', path);
      await makeDirectory(directoryOf(file));
      await writeBytes(file, data);
    }
    await writeText(joinPath(partial, loaderName), 'module.exports = (name) => import(name);\n');
    await renamePath(partial, target).catch(async (error: unknown) => {
      // Another server of this user renamed its copy first; the copies are identical.
      if (!(await exists(target))) throw error;
    });
    await removeAbandoned(directoryOf(target));
    return target;
  } catch (error) {
    throw new Error(
      `${name} could not be unpacked into CACHE_DIR (${cacheDirectory}). Set CACHE_DIR to a writable directory with 100 MB free.`,
      { cause: error },
    );
  } finally {
    await removeDirectory(partial);
  }
}

/** Removes partial copies left by servers that were killed while unpacking. */
async function removeAbandoned(directory: string): Promise<void> {
  for (const name of await listDirectory(directory)) {
    if (!/\.[\da-f-]{36}$/.test(name)) continue;
    const info = await fileInfo(joinPath(directory, name));
    if (info !== undefined && Date.now() - info.changedMs > abandonedMs)
      await removeDirectory(joinPath(directory, name));
  }
}
