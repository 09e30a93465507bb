/** Builds only when an input has changed, and only once when several processes find the same change. */
import { globSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilesManifest } from '../base/assets/manifest.ts';
import type { BuildName } from '../base/program/asset-names.ts';
import { BuildCache, hashOf } from './cache.ts';
import { acquireLock } from './lock.ts';
import { completeManifest, type Output, writeOutput } from './output.ts';

/** @param patterns globs of the files that the build depends on */
export function hashInputs(root: string, patterns: readonly string[]): string {
  const names = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted();
  return hashOf(...names.flatMap((name) => [name, readFileSync(join(root, name))]));
}

/**
 * Calls `build` unless the folder has a complete build of these inputs.
 * @param source hash of the inputs, which `build` writes into its manifest
 * @returns whether it was called
 */
export async function buildOnce(folder: string, source: string, build: () => Promise<void>): Promise<boolean> {
  const isThere = async () => (await completeManifest<FilesManifest>(folder))?.source === source;
  if (await isThere()) return false;
  // When several test files find the same change at the same time, one builds and the others wait.
  await using _lock = await acquireLock(`${folder}.lock`);
  if (await isThere()) return false;
  await build();
  return true;
}

interface Build<Rest> extends Pick<Output<Rest>, 'quality'> {
  /** Globs of the files that the build depends on. */
  inputs: readonly string[];
  /** @param scratch an empty folder, which is removed after the build */
  make: (cache: BuildCache, scratch: string) => Promise<Pick<Output<Rest>, 'files' | 'rest'>>;
}

/**
 * Builds files that the server serves into `dist/<name>`, unless a build of the same inputs already exists.
 * @param root the root directory of the repository
 * @returns whether they were built
 */
export function buildFiles<Rest>(
  root: string,
  name: BuildName,
  { inputs, quality, make }: Build<Rest>,
): Promise<boolean> {
  const folder = join(root, 'dist', name);
  const source = hashInputs(root, inputs);
  return buildOnce(folder, source, async () => {
    const cache = new BuildCache(join(root, `node_modules/.cache/browserd-${name}`));
    const scratch = join(root, `node_modules/.cache/browserd-${name}-build-${process.pid}`);
    await mkdir(scratch, { recursive: true });
    try {
      await writeOutput(folder, { ...(await make(cache, scratch)), source, cache, quality });
      await cache.sweep();
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
}
