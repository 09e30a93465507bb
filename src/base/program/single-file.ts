/**
 * Replaces `assets.ts` in the single binary: files are assets of the executable
 * (https://nodejs.org/api/single-executable-applications.html), read from its memory mapping. Packages that must be
 * imported from disk are stored as packs, and unpacked into the cache directory when they are first needed.
 */
import { createRequire, enableCompileCache } from 'node:module';
import { getAsset, getRawAsset } from 'node:sea';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import { joinPath } from '../runtime/files.ts';
import { environment, homeDirectory } from '../runtime/machine.ts';
import type { AssetName, BuildName, FileFolder, RequiredPackage, WorkerCode } from './asset-names.ts';
import { type Contents, loaderName, unpackPack } from './packs.ts';

const compress = promisify(gzip);
const decompress = promisify(brotliDecompress);

/** Table of contents, as written by src/build/binary/build-binary.ts. */
let contents: Contents | undefined;
const readContents = (): Contents => {
  // Trusted: our own build wrote the file.
  contents ??= JSON.parse(getAsset('contents.json', 'utf8')) as Contents;
  return contents;
};

let cacheDirectory = environment['CACHE_DIR'] ?? joinPath(homeDirectory, '.cache/browserd');

/** Sets the directory into which packages are unpacked. */
export function unpackInto(directory: string): void {
  cacheDirectory = directory;
}

/** Lets the program's scripts find what the server has unpacked. */
export function programEnvironment(): Record<string, string> {
  return { CACHE_DIR: cacheDirectory };
}

export async function assetText(name: AssetName): Promise<string> {
  return getAsset(name, 'utf8');
}

/** Returns a copy that the caller may modify, unlike `folderOf`. */
export async function assetBytes(name: AssetName): Promise<Uint8Array> {
  return new Uint8Array(getAsset(name));
}

/** The asset itself, which must not be modified: it is a view of the executable. */
const rawBytes = (name: string) => new Uint8Array(getRawAsset(name) as ArrayBuffer); // Node's types omit this.

export function builtFolder(name: BuildName): FileFolder {
  const folder = folderOf(`built/${name}/`);
  return {
    ...folder,
    // Files are stored only once, compressed with Brotli; few clients want gzip.
    async bytes(path) {
      if ((await folder.size(path)) !== undefined || !path.endsWith('.gz')) return folder.bytes(path);
      return new Uint8Array(await compress(await decompress(await folder.bytes(path.replace(/gz$/, 'br')))));
    },
  };
}

export async function packageFolder(packageName: string, file: string): Promise<FileFolder | undefined> {
  const folder = folderOf(`package/${packageName}/`);
  return (await folder.size(file)) === undefined ? undefined : folder;
}

function folderOf(prefix: string): FileFolder {
  const { files } = readContents();
  return {
    names: async () =>
      Object.keys(files).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
    size: async (path) => files[prefix + path]?.bytes,
    async bytes(path) {
      const file = files[prefix + path];
      if (file === undefined) throw new Error(`${prefix}${path} is not part of this binary`);
      const bytes = rawBytes(prefix + path);
      return file.packed === true ? new Uint8Array(await decompress(bytes)) : bytes;
    },
  };
}

const packOf = (packageName: string) =>
  Object.entries(readContents().packs).find(([, { packages }]) => packages.includes(packageName));

export function isPackageInstalled(packageName: string): boolean {
  return packOf(packageName) !== undefined;
}

const unpacking = new Map<string, Promise<string>>();

/** The directory of the pack that contains this package; unpacked once for all callers. */
async function unpacked(packageName: string): Promise<string> {
  const found = packOf(packageName);
  if (found === undefined) throw new Error(`the package ${packageName} is not part of this binary`);
  const [name, { hash }] = found;
  const directory = unpacking.get(name) ?? unpackPack(rawBytes(`packs/${name}`), cacheDirectory, `${name}-${hash}`);
  unpacking.set(name, directory);
  directory.catch(() => unpacking.delete(name));
  return directory;
}

/** Unpacks a package before a script needs it, because a script may be killed while unpacking. */
export async function providePackage(packageName: string): Promise<void> {
  await unpacked(packageName);
}

export async function importPackage<Module>(specifier: string): Promise<Module> {
  const directory = await unpacked(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '');
  enableCompileCache(joinPath(cacheDirectory, 'code'));
  // The main script of a single executable cannot import from disk; a module loaded from disk can.
  const load = createRequire(joinPath(directory, loaderName))(`./${loaderName}`) as (name: string) => Promise<Module>;
  return load(specifier);
}

/** Packages inside the script, which the bundler turns into CommonJS; each is evaluated when first needed. */
const required: Readonly<Record<RequiredPackage, () => unknown>> = {
  '@eslint-community/regexpp': () => require('@eslint-community/regexpp'),
  re2js: () => require('re2js'),
  ws: () => require('ws'),
};

export function requirePackage<Module>(packageName: RequiredPackage): Module {
  return required[packageName]() as Module; // The caller knows its type.
}

export function ownDirectories(): string[] {
  return [joinPath(cacheDirectory, 'packs')];
}

export const ownArguments: readonly string[] = [];

export function workerCode(name: 'regexp-worker'): WorkerCode {
  return { code: getAsset(`${name}.js`, 'utf8'), eval: true };
}
