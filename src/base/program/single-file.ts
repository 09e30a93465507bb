/**
 * What `assets.ts` is in the single binary, which has this module in its place: files are assets of the executable
 * (https://nodejs.org/api/single-executable-applications.html), read where they are mapped into memory. Packages that
 * must be imported from the disk are packs, unpacked into the cache directory when they are first needed.
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

/** What is inside, as src/build/binary/build-binary.ts wrote it. */
let contents: Contents | undefined;
const inside = (): Contents => {
  // Our own build wrote it.
  contents ??= JSON.parse(getAsset('contents.json', 'utf8')) as Contents;
  return contents;
};

let cacheDirectory = environment['CACHE_DIR'] ?? joinPath(homeDirectory, '.cache/browserd');

/** Sets where packages are unpacked that must lie on the disk. */
export function unpackInto(directory: string): void {
  cacheDirectory = directory;
}

/** A script that this program starts finds there what the server has unpacked. */
export function programEnvironment(): Record<string, string> {
  return { CACHE_DIR: cacheDirectory };
}

export async function assetText(name: AssetName): Promise<string> {
  return getAsset(name, 'utf8');
}

/** A copy, unlike what `folderOf` reads: whoever gets it may write to it. */
export async function assetBytes(name: AssetName): Promise<Uint8Array> {
  return new Uint8Array(getAsset(name));
}

/** The asset itself, which nobody may change: it is a view of the executable. */
const rawBytes = (name: string) => new Uint8Array(getRawAsset(name) as ArrayBuffer); // Node's types leave out the type.

export function builtFolder(name: BuildName): FileFolder {
  const folder = folderOf(`built/${name}/`);
  return {
    ...folder,
    // Files are inside once, compressed with Brotli; clients that want gzip are few.
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
  const { files } = inside();
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
  Object.entries(inside().packs).find(([, { packages }]) => packages.includes(packageName));

export function isPackageInstalled(packageName: string): boolean {
  return packOf(packageName) !== undefined;
}

const unpacking = new Map<string, Promise<string>>();

/** The directory of the pack that has this package, unpacked once for all who ask. */
async function unpacked(packageName: string): Promise<string> {
  const found = packOf(packageName);
  if (found === undefined) throw new Error(`the package ${packageName} is not part of this binary`);
  const [name, { hash }] = found;
  const directory = unpacking.get(name) ?? unpackPack(rawBytes(`packs/${name}`), cacheDirectory, `${name}-${hash}`);
  unpacking.set(name, directory);
  directory.catch(() => unpacking.delete(name));
  return directory;
}

/** Has a package on the disk before a script needs it, which may be killed while it unpacks. */
export async function providePackage(packageName: string): Promise<void> {
  await unpacked(packageName);
}

export async function importPackage<Module>(specifier: string): Promise<Module> {
  const directory = await unpacked(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '');
  enableCompileCache(joinPath(cacheDirectory, 'code'));
  // The main script of a single executable can import nothing from the disk; a module from the disk can.
  const load = createRequire(joinPath(directory, loaderName))(`./${loaderName}`) as (name: string) => Promise<Module>;
  return load(specifier);
}

/** Part of the script, which the bundler makes a CommonJS module; each is evaluated when it is first needed. */
const required: Readonly<Record<RequiredPackage, () => unknown>> = {
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
