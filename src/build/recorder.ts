/** Builds the scripts for recording pages into dist/recorder. */
import { bundle } from './bundle.ts';
import { recorderBundles } from './bundles.ts';
import { buildFiles } from './once.ts';

/**
 * @param root the root directory of the repository
 * @returns whether the scripts were built
 */
export function buildRecorder(root: string): Promise<boolean> {
  return buildFiles(root, 'recorder', {
    inputs: ['src/sessions/recording/recorder/*.ts', 'src/browser/injected/*.ts', 'src/build/*.ts', 'package.json'],
    quality: 9,
    async make() {
      const bundled = await Promise.all(recorderBundles.map((each) => bundle(root, each)));
      return { files: bundled.flatMap(({ files }) => files), rest: {} };
    },
  });
}
