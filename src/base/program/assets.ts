/**
 * Finds the files of the program: its own, those of its builds, and package files that are read or injected into pages.
 * Paths of the program itself are resolved only here: the same code runs from a checkout, where this file is
 * src/base/program/assets.ts, and bundled, where it is part of a file in dist/server. Both are two folders below the
 * root. The single binary uses `single-file.ts` instead of this module (src/build/binary/build-binary.ts).
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { directoryOf, exists, fileInfo, filesBelow, joinPath, readBytes, readText } from '../runtime/files.ts';
import {
  type AssetName,
  type BuildName,
  type FileFolder,
  licensesFile,
  ownFiles,
  packageFiles,
  type RequiredPackage,
  type WorkerCode,
} from './asset-names.ts';

const isBundle = !import.meta.url.endsWith('.ts');
const root = fileURLToPath(new URL(isBundle ? '../../' : '../../../', import.meta.url));

const isOwn = (name: AssetName): name is keyof typeof ownFiles => Object.hasOwn(ownFiles, name);

function assetPath(name: AssetName): string {
  if (name === licensesFile) return joinPath(root, 'dist/server', name);
  if (isOwn(name)) return joinPath(root, isBundle ? `dist/server/${name}` : ownFiles[name]);
  const [specifier, beside]: readonly [string, string?] = packageFiles[name];
  const path = fileURLToPath(import.meta.resolve(specifier));
  return beside === undefined ? path : joinPath(directoryOf(path), beside);
}

/**
 * @throws the file system error when the file cannot be read, or the error that `import` throws for a package that is
 *   not installed
 */
export async function assetText(name: AssetName): Promise<string> {
  return readText(assetPath(name));
}

/** @throws the errors documented for `assetText` */
export async function assetBytes(name: AssetName): Promise<Uint8Array> {
  return readBytes(assetPath(name));
}

/** The output of a build; empty if the build has not run. */
export function builtFolder(name: BuildName): FileFolder {
  return folderAt(joinPath(root, 'dist', name));
}

/** A folder of an installed package, found by a file in it; undefined when the package is not installed. */
export async function packageFolder(packageName: string, file: string): Promise<FileFolder | undefined> {
  // Some packages hide package.json, and some have no entry point: search the directories that `import` searches.
  for (let directory = directoryOf(fileURLToPath(import.meta.url)); ; directory = directoryOf(directory)) {
    const candidate = joinPath(directory, 'node_modules', packageName);
    if (await exists(joinPath(candidate, file))) return folderAt(candidate);
    if (directoryOf(directory) === directory) return undefined;
  }
}

function folderAt(directory: string): FileFolder {
  return {
    names: () => filesBelow(directory),
    bytes: (path) => readBytes(joinPath(directory, path)),
    size: async (path) => (await fileInfo(joinPath(directory, path)))?.bytes,
  };
}

export function isPackageInstalled(packageName: string): boolean {
  try {
    return import.meta.resolve(packageName) !== '';
  } catch {
    return false;
  }
}

/**
 * Imports a package that is never bundled.
 * @param specifier the name of the package, or a module of it
 */
export async function importPackage<Module>(specifier: string): Promise<Module> {
  return import(specifier);
}

/** Loads a package synchronously. */
export function requirePackage<Module>(packageName: RequiredPackage): Module {
  return createRequire(import.meta.url)(packageName);
}

/** The directories of the server and its packages: file paths in library error messages start with one of them. */
export function ownDirectories(): string[] {
  const packages = fileURLToPath(import.meta.resolve('hono')).replace(/(?<=\/node_modules\/).*$/, '');
  return [packages, root];
}

const entry = joinPath(root, isBundle ? 'dist/server/main.js' : 'src/main.ts');

/** Arguments that come before the program's own when the runtime's executable starts it again. */
export const ownArguments: readonly string[] = 'deno' in process.versions ? ['run', '-A', '--quiet', entry] : [entry];

/** The code of a worker thread, which is also an entry point of the bundle. */
export function workerCode(name: 'regexp-worker'): WorkerCode {
  const path = isBundle ? `./${name}.js` : `../runtime/regexp/${name}.ts`;
  return { code: new URL(path, import.meta.url), eval: false };
}

/**
 * Makes sure that a package is on disk, so that a script can import it; a no-op here, where all packages are on disk.
 */
export async function providePackage(_packageName: string): Promise<void> {}

/** Sets where the single binary unpacks packages; a no-op here, where everything is on disk. */
export function unpackInto(_cacheDirectory: string): void {}

/** Environment variables for the program's scripts; none here, because scripts find everything as the server does. */
export function programEnvironment(): Record<string, string> {
  return {};
}
