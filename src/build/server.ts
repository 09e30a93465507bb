/** Bundles the server into dist/server, unless a build of the same inputs already exists. */
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import type { FilesManifest } from '../base/assets/manifest.ts';
import { licensesFile, ownFiles } from '../base/program/asset-names.ts';
import { buildAdEngine } from './ad-engine.ts';
import { joinFiles, type WrittenFile } from './join-files.ts';
import { buildOnce, hashInputs } from './once.ts';
import { licenseTexts } from './packages.ts';

/** The inputs of the build; `program/asset-names.ts` lists the other files that are copied. */
const inputs = ['src/**/*.ts', ...Object.values(ownFiles), 'LICENSE', 'package.json', 'package-lock.json'];

/** Packages that are imported from node_modules at run time: by name, by their own path, or if installed. */
const external: string[] = [
  'lighthouse',
  'lighthouse-logger',
  'puppeteer-core',
  'playwright-core',
  'playwright-core-*',
  'patchright-core',
  'patchright-core-*',
  'bufferutil',
  'utf-8-validate',
];

/** The server identifies errors of proxy-chain by the name of their class, which the bundler would rename. */
export const errorNames: Plugin = {
  name: 'names of errors',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]proxy-chain[\\/]dist[\\/]request_error\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace('RequestError.name', "'RequestError'"),
    })),
};

/** Keeps only the parts of package.json that src/base/version.ts reads, so that startup loads 5 kB less. */
const manifestParts: Plugin = {
  name: 'parts of package.json',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const { version, dependencies } = JSON.parse(await readFile(path, 'utf8'));
      return {
        contents: JSON.stringify({ version, dependencies: { 'puppeteer-core': dependencies['puppeteer-core'] } }),
        loader: 'json',
      };
    }),
};

const plugins: Plugin[] = [
  errorNames,
  manifestParts,
  {
    name: 'functions for pages in one chunk',
    // The functions find each other by name, and names differ between chunks: loading one of them loads all.
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/src\/browser\/injected\/.*\.ts$/ }, async ({ path }) => {
        const registry = join(
          path.slice(0, path.lastIndexOf('/src/browser/injected/')),
          'src/browser/page/page-function.ts',
        );
        const contents = `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(registry)};`;
        return { contents, loader: 'ts' };
      }),
  },
];

/** Options of the bundler for every bundle of the server. */
export const bundleOptions = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'esnext',
  // Makes the same bundle where tsconfig.json is not copied, as in the image.
  tsconfigRaw: {},
  // Never use keepNames: its helper would be missing in the functions that are sent to pages as source text.
  minify: true,
  external,
  // CommonJS packages call require for Node's modules.
  banner: {
    js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'silent',
  plugins,
} as const satisfies BuildOptions;

/** Keeps files of older builds this long: a server that still runs one of them loads chunks on first use. */
const keptMs = 24 * 60 * 60 * 1_000;

interface ServerManifest extends FilesManifest {
  /** Names of all files that were written. */
  written: readonly string[];
}

/** Name of esbuild's metadata file, which lists the modules in each output. */
export const metafileName = 'metafile.json';

/**
 * @param root the root directory of the repository
 * @returns whether the server was built
 */
export async function buildServer(root: string): Promise<boolean> {
  const folder = join(root, 'dist/server');
  await buildAdEngine(root);
  const source = hashInputs(root, inputs);
  await forgetIncomplete(folder);
  return buildOnce(folder, source, () => bundle(root, folder, source));
}

async function bundle(root: string, folder: string, source: string): Promise<void> {
  const tag = source.slice(0, 8);
  // The content of a file that a running server may still load must not change: use different names for each build.
  const options = { ...bundleOptions, absWorkingDir: root, chunkNames: `[name]-${tag}-[hash]` };
  const built = await build({
    ...options,
    entryPoints: { main: 'src/main.ts', 'regexp-worker': 'src/base/runtime/regexp/regexp-worker.ts' },
    outdir: folder,
    write: false,
    metafile: true,
  });
  const files = await joinFiles(built, options, tag);
  await mkdir(folder, { recursive: true });
  for (const [name, path] of Object.entries(ownFiles)) {
    await copyFile(join(root, path), `${join(folder, name)}.part`);
    await rename(`${join(folder, name)}.part`, join(folder, name));
  }
  await writeWhole(join(folder, licensesFile), licenseTexts(root));
  // Write the entries last, because they refer to the other files.
  const isEntry = ({ name }: WrittenFile) => name === 'main.js' || name === 'regexp-worker.js';
  const ordered = files.toSorted((one, other) => Number(isEntry(one)) - Number(isEntry(other)));
  for (const { name, contents } of ordered) await writeWhole(join(folder, name), contents);
  await writeWhole(join(folder, metafileName), JSON.stringify(built.metafile satisfies Metafile));
  const written = [...Object.keys(ownFiles), licensesFile, ...ordered.map(({ name }) => name), metafileName];
  const manifest: ServerManifest = { source, files: {}, written };
  await writeWhole(join(folder, manifestName), JSON.stringify(manifest));
  await removeOld(folder, new Set([...written, manifestName]));
}

const manifestName = 'manifest.json';

/** Writes a file in one step: a server that starts in the meantime never reads half a file. */
async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}

/** Removes the manifest of a build with missing files, so that it is built again. */
async function forgetIncomplete(folder: string): Promise<void> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const { written }: ServerManifest = JSON.parse(text);
  const there = new Set(await readdir(folder));
  if (!written.every((name) => there.has(name))) await rm(join(folder, manifestName), { force: true });
}

async function removeOld(folder: string, current: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!current.has(name) && Date.now() - (await stat(path)).mtimeMs > keptMs) await rm(path, { force: true });
  }
}
