/** Copies what the bundled server still reads of node_modules: a fraction of what `npm ci` installs. */
import { globSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playwrightVersions, stealthVersions } from '../../playwright/versions.ts';
import { packageFiles, type RequiredPackage } from '../../program/asset-names.ts';
import { frontEndPackage } from '../../routes/devtools/front-end-files.ts';
import { readLock, withDependencies } from '../packages.ts';

/** What no import reads: types, prose, maps, Playwright's viewer of traces and its own programs. */
export const neverImported =
  /\.d\.[cm]?ts$|\.md$|\.map$|\/(?:docs?|tests?|__tests__)\/|^playwright-core[^/]*\/(?:lib\/vite|bin)\/|^patchright-core[^/]*\/(?:lib\/vite|bin)\/|^puppeteer-core\/(?:src|lib\/es5-iife|lib\/cjs)\/|^devtools-protocol\/json\//;

/** What the audits import, from the same process. */
export const auditPackages: readonly string[] = ['lighthouse', 'lighthouse-logger', 'puppeteer-core'];

const requiredPackages = ['re2js', 'ws'] as const satisfies readonly RequiredPackage[];

/** Packages of Playwright's versions, as far as package-lock.json has them. */
export function playwrightPackages(root: string): string[] {
  const lock = readLock(root);
  return [...playwrightVersions, ...stealthVersions]
    .map(({ packageName }) => packageName)
    .filter((name) => lock[`node_modules/${name}`] !== undefined);
}

/**
 * Files below node_modules that imports of the packages in these folders can read, sorted.
 * @param folders such as `node_modules/ws`
 */
export function importedFiles(root: string, folders: readonly string[]): string[] {
  const start = 'node_modules/';
  const files = folders.flatMap((folder) =>
    filesIn(root, folder)
      // Packages inside have rows of their own.
      .filter((path) => !path.slice(folder.length).includes('/node_modules/'))
      .map((path) => path.slice(start.length)),
  );
  return files.filter((path) => !neverImported.test(path)).toSorted();
}

const filesIn = (root: string, folder: string): string[] =>
  globSync(`${folder}/**/*`, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

/**
 * Copies the packages that the server imports, and the files of packages that it reads.
 * @param target the folder that becomes the `node_modules` of the bundled server
 */
export async function copyRunPackages(root: string, target: string): Promise<void> {
  const imported = withDependencies(root, [...playwrightPackages(root), ...auditPackages, ...requiredPackages]);
  const start = join(root, 'node_modules/');
  const read = Object.values(packageFiles).flatMap(([specifier, beside]: readonly [string, string?]) => {
    // The entry is copied even when only the file beside it is read: without it the name does not resolve.
    const entry = fileURLToPath(import.meta.resolve(specifier)).slice(start.length);
    const [folder = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(entry) ?? [];
    return [`${folder}/package.json`, entry, ...(beside === undefined ? [] : [join(dirname(entry), beside)])];
  });
  const frontEnd = filesIn(root, `node_modules/${frontEndPackage}`).map((path) => path.slice('node_modules/'.length));
  for (const path of new Set([...importedFiles(root, imported), ...read, ...frontEnd])) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(start, path), join(target, path));
  }
}
