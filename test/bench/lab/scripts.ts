// Bundles the scripts that the lab's pages and workers run: each file in ./page listed here, with its imports.
import { join } from 'node:path';
import { build } from 'esbuild';

const scriptNames = ['lab', 'frame', 'worker', 'gate'] as const;

export type ScriptName = (typeof scriptNames)[number];

/** The source of each script by name. Scripts do not define globals. */
export async function bundleScripts(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    entryPoints: scriptNames.map((name) => join(import.meta.dirname, 'page', `${name}.ts`)),
    bundle: true,
    format: 'iife',
    target: 'esnext',
    write: false,
    outdir: '/scripts',
  });
  return new Map(outputFiles.map(({ path, text }) => [path.replace(/^.*[/\\]/, '/scripts/'), text]));
}
