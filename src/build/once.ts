/** Builds only when an input has changed, and only once when several processes find the same change. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FilesManifest } from '../base/assets/manifest.ts';
import { acquireLock } from './lock.ts';
import { completeManifest } from './output.ts';

/** @param patterns globs of the files that the build depends on */
export function hashInputs(root: string, patterns: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted()) {
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(join(root, name)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 20);
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
