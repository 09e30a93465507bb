/** Builds the scripts for recording pages into dist/recorder, unless a build of the same inputs already exists. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { forBrowsers } from '../bundle.ts';
import { BuildCache } from '../cache.ts';
import { buildOnce, hashInputs } from '../once.ts';
import { type OutputFile, writeOutput } from '../output.ts';

/** The files that the build depends on. */
const inputs = ['src/sessions/recording/recorder/*.ts', 'src/{build,build/recorder}/*.ts', 'package.json'];

/** The scripts by entry module, with the global name of their exports. */
const scripts = { 'no-traces': undefined, recorder: 'browserdRecorder' } as const;

/**
 * @param root the root directory of the repository
 * @returns whether the scripts were built
 */
export function buildRecorder(root: string): Promise<boolean> {
  const folder = join(root, 'dist/recorder');
  const source = hashInputs(root, inputs);
  return buildOnce(folder, source, async () => {
    const cache = new BuildCache(join(root, 'node_modules/.cache/browserd-recorder'));
    const files = await Promise.all(Object.entries(scripts).map(([name, global]) => bundle(root, name, global)));
    await writeOutput(folder, { files, rest: { source }, cache, quality: 9 });
    await cache.sweep();
  });
}

/** @param global the global variable to which the script assigns the exports of its module */
async function bundle(root: string, name: string, global: string | undefined): Promise<OutputFile> {
  const { outputFiles } = await build({
    ...forBrowsers,
    format: 'iife',
    entryPoints: [join(root, `src/sessions/recording/recorder/${name}.ts`)],
    ...(global === undefined ? {} : { globalName: global }),
  });
  return {
    path: `/${name}.js`,
    type: 'text/javascript; charset=utf-8',
    text: outputFiles[0]?.text ?? '',
    lasting: false,
  };
}
