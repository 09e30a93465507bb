/** Compiles the ad blocker's filter lists into dist/ads, unless a build of the same inputs already exists. */
import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFiles } from '../base/program/asset-names.ts';
import { runScript } from '../base/program/script.ts';
import { buildOnce, hashInputs } from './once.ts';

const lists = 'src/browser/page/ads/lists/*.txt.br';
/** The files that the build depends on. */
const inputs = [lists, 'src/browser/page/ads/{compile,ad-blocker}.ts', 'package-lock.json'];

/**
 * @param root the root directory of the repository
 * @returns whether the lists were compiled
 */
export function buildAdEngine(root: string): Promise<boolean> {
  const folder = join(root, 'dist/ads');
  const source = hashInputs(root, inputs);
  return buildOnce(folder, source, async () => {
    await mkdir(folder, { recursive: true });
    const paths = [ownFiles['ad-engine.bin'], ...globSync(lists, { cwd: root })].map((path) => join(root, path));
    await runScript('compile-ad-lists', { args: paths, signal: new AbortController().signal });
    await writeFile(join(folder, 'manifest.json'), JSON.stringify({ source, files: {} }));
  });
}
