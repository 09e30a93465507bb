/** Writes the finished files, compressed with Brotli and gzip, and the manifest that the server reads. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FilesManifest, ManifestFile } from '../base/assets/manifest.ts';
import { type BuildCache, hashOf } from './cache.ts';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

export interface OutputFile {
  path: string;
  type: string;
  text: string | Uint8Array;
  lasting: boolean;
  /** Brotli quality for a file that is worth more time than the others. */
  quality?: 11;
}

async function compress(
  text: string | Uint8Array,
  cache: BuildCache,
  quality: number,
): Promise<{ name: string; br: Uint8Array; gz: Uint8Array }> {
  const name = hashOf(text);
  const br = await cache.bytes(`br-${quality}-${name}`, () =>
    brotli(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
    }),
  );
  const gz = await cache.bytes(`gz-${name}`, () => deflate(text, { level: 9 }));
  return { name, br, gz };
}

/** Reads the manifest of a finished build; undefined when one of its files is missing. */
export async function completeManifest<Manifest extends FilesManifest>(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const manifest: Manifest = JSON.parse(text);
  const there = new Set(await readdir(join(folder, 'files')).catch(() => []));
  const complete = Object.values(manifest.files).every(
    ({ name }) => there.has(`${name}.br`) && there.has(`${name}.gz`),
  );
  return complete ? manifest : undefined;
}

export interface Output<Rest> {
  files: readonly OutputFile[];
  /** Hash of the build's inputs. */
  source: string;
  /** Properties of the manifest other than the files and `source`. */
  rest: Rest;
  cache: BuildCache;
  /** Brotli quality. 9 makes files 3 to 7 % larger than 11, the maximum, in a tenth of the time. */
  quality: 9 | 11;
}

/** Writes the content-hashed files first and the manifest last, so that a running server never sees half a build. */
export async function writeOutput<Rest>(
  folder: string,
  { files, source, rest, cache, quality }: Output<Rest>,
): Promise<void> {
  await mkdir(join(folder, 'files'), { recursive: true });
  const there = new Set(await readdir(join(folder, 'files')));
  const kept = new Set<string>();
  const table: Record<string, ManifestFile> = {};
  const waiting = files.values();
  const lane = async () => {
    for (const { path, type, text, lasting, quality: own } of waiting) {
      const { name, br, gz } = await compress(text, cache, own ?? quality);
      for (const [ending, bytes] of [
        ['br', br],
        ['gz', gz],
      ] as const) {
        const file = `${name}.${ending}`;
        kept.add(file);
        if (!there.has(file)) await writeFile(join(folder, 'files', file), bytes);
      }
      table[path] = { name, type, ...(lasting ? { lasting } : {}) };
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  const sorted = Object.fromEntries(Object.entries(table).toSorted());
  const manifest: Rest & FilesManifest = { ...rest, source, files: sorted };
  const part = join(folder, `manifest.${process.pid}.part`);
  await writeFile(part, JSON.stringify(manifest));
  await rename(part, join(folder, 'manifest.json'));
  await Promise.all(
    [...there].filter((name) => !kept.has(name)).map((name) => rm(join(folder, 'files', name), { force: true })),
  );
}
