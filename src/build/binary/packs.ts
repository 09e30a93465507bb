/** Builds the single binary's packs: archives of packages that are imported from disk (src/base/program/packs.ts). */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { Pack } from '../../base/program/packs.ts';
import { playwrightVersions, stealthVersions } from '../../sessions/playwright/versions.ts';
import { BuildCache, hashOf } from '../cache.ts';
import { readLock, withDependencies } from '../packages.ts';

const compress = promisify(zstdCompress);
const run = promisify(execFile);

export interface MadePack extends Pack {
  name: string;
  archive: Uint8Array;
}

/** Files that no import reads: types, prose, source maps, Playwright's trace viewer and CLI programs. */
const excluded =
  /\.d\.[cm]?ts$|\.md$|\.map$|\/(?:docs?|tests?|__tests__)\/|^playwright-core[^/]*\/(?:lib\/vite|bin)\/|^patchright-core[^/]*\/(?:lib\/vite|bin)\/|^puppeteer-core\/(?:src|lib\/es5-iife|lib\/cjs)\/|^devtools-protocol\/json\//;

/**
 * Returns all packs; unchanged ones come from a cache.
 * @param level Zstandard level, 1 to 19: a higher level takes longer and makes smaller archives
 */
export async function makePacks(root: string, level: number): Promise<MadePack[]> {
  const cache = new BuildCache(join(root, `node_modules/.cache/packs-${level}`));
  const lock = readLock(root);
  const libraries = [...playwrightVersions, ...stealthVersions]
    .map(({ packageName }) => packageName)
    .filter((name) => lock[`node_modules/${name}`] !== undefined)
    .map((name) => ({ name, packages: [name] }));
  const all = [...libraries, { name: 'lighthouse', packages: ['lighthouse', 'lighthouse-logger', 'puppeteer-core'] }];
  const made = [];
  for (const { name, packages } of all) {
    const folders = withDependencies(root, packages);
    const versions = folders.map((folder) => `${folder} ${lock[folder]?.version}`);
    const key = hashOf(`${level} ${excluded.source}`, ...versions);
    const archive = await cache.bytes(`${name}-${key}`, () => archiveOf(root, folders, level));
    made.push({ name, packages, hash: hashOf(archive).slice(0, 12), archive });
  }
  await cache.sweep();
  return made;
}

/** Builds a reproducible archive: the names are sorted, without times and owners. */
async function archiveOf(root: string, folders: readonly string[], level: number): Promise<Uint8Array> {
  const start = 'node_modules/';
  const files = folders.flatMap((folder) => {
    const below = globSync('**/*', { cwd: join(root, folder), withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1 + start.length));
    // Nested packages have separate entries in `folders`.
    return below.filter((path) => !path.slice(folder.length - start.length).includes('/node_modules/'));
  });
  const names = files.filter((path) => !excluded.test(path)).toSorted();
  const { stdout } = await run(
    'tar',
    [
      '--create',
      '--file=-',
      '--mtime=@0',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=644',
      '--format=gnu',
      ...names,
    ],
    { cwd: join(root, start), encoding: 'buffer', maxBuffer: 2 ** 30 },
  );
  return compress(stdout, {
    params: { [constants.ZSTD_c_compressionLevel]: level },
  });
}
