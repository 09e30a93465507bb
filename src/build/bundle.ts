/** Bundles what browsers load, and components, which Node cannot run directly. */
import { writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import type { Bundle } from './bundles.ts';
import { hashOf } from './cache.ts';
import type { OutputFile } from './output.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

interface Bundled {
  files: OutputFile[];
  /** For each entry, by the name of its module: the URL of its output, and the URLs of the output's static imports. */
  outputs: Readonly<Record<string, { path: string; parts: string[] }>>;
  metafile: Metafile;
}

/**
 * Bundles scripts or style sheets for browsers.
 * @param more options of the bundler for this bundle
 */
export async function bundle(
  root: string,
  { to, chunks = to, ...given }: Bundle,
  more?: BuildOptions,
): Promise<Bundled> {
  const { entries, format = 'esm', globalName } = given;
  const { outputFiles, metafile } = await build({
    bundle: true,
    minify: true,
    format,
    splitting: format === 'esm',
    ...(globalName === undefined ? {} : { globalName }),
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'silent',
    // Scripts contain the styles that only they need as text.
    loader: { '.woff2': 'file', ...(entries.every((entry) => entry.endsWith('.css')) ? {} : { '.css': 'text' }) },
    ...more,
    entryPoints: [...entries],
    absWorkingDir: root,
    outdir: '/',
    entryNames: to.slice(1),
    chunkNames: chunks.slice(1),
    // Both the documentation and the other pages load the fonts from this URL.
    assetNames: '_ui/[name].[hash]',
    write: false,
    metafile: true,
  });
  const files = outputFiles.map(({ path, contents }) => ({
    path,
    type: types[extname(path)] ?? 'application/octet-stream',
    text: contents,
    lasting: to.includes('[hash]'),
  }));
  const outputs = Object.entries(metafile.outputs).flatMap(([path, { entryPoint, imports }]) => {
    const parts = imports.filter(({ kind }) => kind === 'import-statement');
    const output = { path: join(root, path), parts: parts.map((each) => join(root, each.path)) };
    return entryPoint === undefined ? [] : [[basename(entryPoint, extname(entryPoint)), output] as const];
  });
  return { files, outputs: Object.fromEntries(outputs), metafile };
}

/**
 * Imports a module of components.
 * @param entry path of the module, relative to the root of the repository
 * @param folder folder to which the bundled module is written
 * @returns the module, and a hash of its text
 */
export async function importComponents<Module>(
  root: string,
  entry: string,
  folder: string,
): Promise<{ module: Module; hash: string }> {
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    packages: 'external',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  const text = outputFiles[0]?.text ?? '';
  const hash = hashOf(text);
  const file = join(folder, `${basename(entry, extname(entry))}-${hash}.mjs`);
  await writeFile(file, text);
  return { module: await import(pathToFileURL(file).href), hash };
}
