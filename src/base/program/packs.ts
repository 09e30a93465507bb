/** Packs of the single binary: archives of packages that are imported from the disk, such as those of Playwright. */
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

/** The table of what is inside the binary. */
export interface Contents {
  /** The files that are read without unpacking the binary, by their names. */
  files: Readonly<Record<string, ContentsFile>>;
  packs: Readonly<Record<string, Pack>>;
}

export interface ContentsFile {
  /** Size in bytes, unpacked. */
  bytes: number;
  /** True when it is compressed with Brotli. */
  packed?: true;
}

export interface Pack {
  /** Changes with the content. */
  hash: string;
  /** The packages that may be imported from it; it has those that they need too. */
  packages: readonly string[];
}

/** The module of a pack that imports its packages. */
export const loaderName = 'load.cjs';

/** A directory that another process began and did not finish is removed after this time. */
const abandonedMs = 60 * 60 * 1_000;

/**
 * Unpacks an archive (tar, compressed with Zstandard) of a `node_modules` folder, unless that was done before.
 * @param name of the directory, which changes with the content
 * @returns the directory, which has `node_modules` and the loader
 * @throws Error that names the cache directory when it cannot be written
 */
export async function unpackPack(archive: Uint8Array, cacheDirectory: string, name: string): Promise<string> {
  const target = joinPath(cacheDirectory, 'packs', name);
  if (await exists(target)) return target;
  // Unpack beside the target and rename last: another server must never find half of it.
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
      // Another server of this user renamed its copy first; both are the same.
      if (!(await exists(target))) throw error;
    });
    await removeAbandoned(directoryOf(target));
    return target;
  } catch (error) {
    throw new Error(
      `${name} could not be unpacked into CACHE_DIR (${cacheDirectory}). Name a directory in CACHE_DIR that the server may write, with 100 MB free.`,
      { cause: error },
    );
  } finally {
    await removeDirectory(partial);
  }
}

/** Removes what servers have left that were killed while they unpacked. */
async function removeAbandoned(directory: string): Promise<void> {
  for (const name of await listDirectory(directory)) {
    if (!/\.[\da-f-]{36}$/.test(name)) continue;
    const info = await fileInfo(joinPath(directory, name));
    if (info !== undefined && Date.now() - info.changedMs > abandonedMs)
      await removeDirectory(joinPath(directory, name));
  }
}
