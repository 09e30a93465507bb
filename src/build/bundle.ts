/** Shares bundler options between all builds, and bundles component modules, which Node cannot run directly. */
import { writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { hashOf } from './cache.ts';

/** Options for bundles that browsers load. */
export const forBrowsers = {
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'silent',
} as const;

/**
 * Bundles components into one module that the build can import, since Node does not run JSX.
 * @param entry path of the module, relative to the root of the repository
 * @param folder folder to which the bundle is written
 * @returns URL of the bundle, and a hash of its text
 */
export async function bundleComponents(
  root: string,
  entry: string,
  folder: string,
): Promise<{ address: string; hash: string }> {
  const result = await build({
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
  const text = result.outputFiles[0]?.text ?? '';
  const hash = hashOf(text);
  const file = join(folder, `${basename(entry, extname(entry))}-${hash}.mjs`);
  await writeFile(file, text);
  return { address: pathToFileURL(file).href, hash };
}
