/**
 * Builds the service as one executable file: Node with the bundled server and its files inside, a single executable
 * application (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html). Supports Linux on x64 and
 * arm64, always for the architecture of the building machine; only x64 is tested.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build } from 'esbuild';
import { shellArchives } from '../../browser/processes/embedded.ts';
import { assetNames } from '../../base/program/asset-names.ts';
import { assetBytes, packageFolder } from '../../base/program/assets.ts';
import type { Contents, ContentsFile } from '../../base/program/packs.ts';
import { frontEndFolder, frontEndPackage, isServedFile } from '../../api/routes/devtools/front-end-files.ts';
import { acquireLock } from '../lock.ts';
import { bundleOptions, errorNames } from '../server.ts';
import { makePacks } from './packs.ts';

const run = promisify(execFile);
const brotli = promisify(brotliCompress);
const compress = (bytes: Uint8Array) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });

/** The marker in Node's executable at which it looks for an embedded application; from Node's documentation. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export interface BinaryOptions {
  /** Also embeds the headless shell. */
  withBrowser: boolean;
  /** Compression level of the packs, 1 to 19. Default 15; lower ones are for tests. */
  level?: number;
  /** Path relative to the root. Default: `dist/binary/browserd`, or `browserd-with-browser`. */
  output?: string;
  /** False leaves out V8's code cache, whose bytes differ from build to build. Default true. */
  codeCache?: boolean;
}

export interface BuiltBinary {
  path: string;
  bytes: number;
  sha256: string;
  /** Notes about steps that were not possible on this machine. */
  notes: readonly string[];
}

/**
 * @param root the root directory of the repository, where `npm run build` has run
 * @throws Error when a part of the build fails
 */
export async function buildBinary(root: string, options: BinaryOptions): Promise<BuiltBinary> {
  const { withBrowser, level = 15, codeCache = true } = options;
  const byDefault = withBrowser ? 'dist/binary/browserd-with-browser' : 'dist/binary/browserd';
  const target = join(root, options.output ?? byDefault);
  const work = `${target}.work`;
  await using _lock = await acquireLock(`${target}.lock`);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const assets = new Map<string, string>();
  const add = async (name: string, content: Uint8Array | string) => {
    const path = join(work, 'assets', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    assets.set(name, path);
  };

  await bundleScript(root, work);
  await add('regexp-worker.js', await readFile(join(work, 'regexp-worker.js')));
  for (const name of assetNames) await add(name, await assetBytes(name));
  const files: Record<string, ContentsFile> = {};
  const addFile: AddFile = async (name, content, { pack = false } = {}) => {
    await add(name, pack ? await compress(content) : content);
    files[name] = { bytes: content.length, ...(pack ? { packed: true } : {}) };
  };
  await addBuilds(root, addFile);
  await addFrontEnd(addFile);
  if (withBrowser) await addShell(addFile);
  const packs: Record<string, Contents['packs'][string]> = {};
  for (const { name, packages, hash, archive } of await makePacks(root, level)) {
    await add(`packs/${name}`, archive);
    packs[name] = { hash, packages };
  }
  await add('contents.json', JSON.stringify({ files, packs } satisfies Contents));

  const notes: string[] = [];
  const executable = join(work, 'browserd');
  await copyFile(process.execPath, executable);
  await chmod(executable, 0o755);
  await run('strip', [executable]).catch(() => {
    notes.push("Node's symbols are still included. Install binutils: its strip command removes them.");
  });
  const application = join(work, 'application.json');
  const blob = join(work, 'application.blob');
  await writeFile(
    application,
    JSON.stringify({
      main: join(work, 'main.js'),
      output: blob,
      disableExperimentalSEAWarning: true,
      useCodeCache: codeCache,
      assets: Object.fromEntries([...assets].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    }),
  );
  await run(process.execPath, ['--experimental-sea-config', application], { cwd: work });
  // Run postject's CLI: its API would print a warning for each note section of the executable.
  const postject = join(root, 'node_modules/postject/dist/cli.js');
  await run(process.execPath, [postject, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse]);
  await rename(executable, target);
  await rm(work, { recursive: true, force: true });
  const { size } = await stat(target);
  return { path: target, bytes: size, sha256: await sha256Of(target), notes };
}

/**
 * Bundles the server as one CommonJS script, which V8's code cache needs, and the worker thread. V8 keeps the script in
 * memory, with two bytes per character if any character is beyond Latin-1, so all such characters are escaped.
 * @param folder folder for the files `main.js` and `regexp-worker.js`
 * @throws Error when the bundler warns, or the script would import a file at run time
 */
export async function bundleScript(root: string, folder: string): Promise<void> {
  const { splitting: _splitting, banner: _banner, ...options } = bundleOptions;
  const { warnings, metafile } = await build({
    ...options,
    metafile: true,
    absWorkingDir: root,
    entryPoints: { main: 'src/main.ts', 'regexp-worker': 'src/base/runtime/regexp/regexp-worker.ts' },
    outdir: folder,
    format: 'cjs',
    plugins: [
      errorNames,
      {
        name: 'single file',
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/(?:program\/)?assets\.ts$/ }, ({ path, resolveDir }) =>
            join(resolveDir, path) === join(root, 'src/base/program/assets.ts')
              ? { path: join(root, 'src/base/program/single-file.ts') }
              : undefined,
          ),
      },
      {
        // The exporter imports Node's modules on demand. Do not use `supported: { 'dynamic-import': false }`, which
        // would also change the functions that are sent to pages.
        name: 'exporter of OpenTelemetry',
        setup: ({ onLoad }) =>
          onLoad({ filter: /[\\/]otlp-exporter-base[\\/].*\.js$/ }, async ({ path }) => ({
            contents: (await readFile(path, 'utf8')).replaceAll(
              /\bimport\('(https?)'\)/g,
              "Promise.resolve(require('$1'))",
            ),
          })),
      },
    ],
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'));
  // The main script of a single executable cannot import; it can only require Node's modules.
  const late = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === 'dynamic-import'),
  );
  if (late.length > 0) throw new Error(`imported at run time: ${late.map(({ path }) => path).join(', ')}`);
  const script = join(folder, 'main.js');
  await writeFile(script, escaped(await readFile(script, 'utf8')));
}

/**
 * Escapes non-ASCII characters. esbuild leaves them in regular expressions, where an escape means the same, and in
 * tagged templates, none of which contains such characters (test/unit/binary-script.test.ts).
 */
const escaped = (script: string) =>
  script.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** `pack` compresses the file with Brotli. */
type AddFile = (name: string, content: Uint8Array, options?: { pack?: boolean }) => Promise<void>;

/** Adds pages and scripts, without the gzip copies, which the server creates when a client asks for one. */
async function addBuilds(root: string, add: AddFile): Promise<void> {
  for (const name of ['docs', 'recorder', 'ui']) {
    const folder = join(root, 'dist', name);
    await add(`built/${name}/manifest.json`, await readFile(join(folder, 'manifest.json')));
    for (const file of await readdir(join(folder, 'files'))) {
      if (!file.endsWith('.gz')) await add(`built/${name}/files/${file}`, await readFile(join(folder, 'files', file)));
    }
  }
}

async function addFrontEnd(add: AddFile): Promise<void> {
  const folder = await packageFolder(frontEndPackage, 'package.json');
  if (folder === undefined) throw new Error(`${frontEndPackage} is not installed: run npm ci`);
  for (const name of await folder.names()) {
    const isServed = name.startsWith(frontEndFolder) && isServedFile(name.slice(frontEndFolder.length));
    if (isServed || name === 'package.json') {
      await add(`package/${frontEndPackage}/${name}`, await folder.bytes(name), { pack: true });
    }
  }
}

async function addShell(add: AddFile): Promise<void> {
  for (const [packageName, archives] of Object.entries(shellArchives)) {
    for (const path of Object.values<string>(archives)) {
      const folder = await packageFolder(packageName, path);
      if (folder === undefined) throw new Error(`${packageName} is not installed: run npm ci`);
      await add(`package/${packageName}/${path}`, await folder.bytes(path));
    }
  }
}

const sha256Of = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
