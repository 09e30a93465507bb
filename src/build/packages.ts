/** Finds installed packages according to package-lock.json: their folders, dependencies and licenses. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  version?: string;
  /** True when only development needs it. */
  dev?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export type Lock = Readonly<Record<string, LockedPackage>>;

/** Reads the packages of package-lock.json by folder, such as `node_modules/hono`. */
export function readLock(root: string): Lock {
  // npm has written this file.
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock };
  return packages;
}

/**
 * Returns the folders of the named packages and of all their dependencies, as far as they are installed.
 * @throws Error for a name that is not in the lock
 */
export function withDependencies(root: string, names: readonly string[]): string[] {
  const lock = readLock(root);
  const found = new Set<string>();
  const add = (name: string, from: string, optional: boolean) => {
    const folder = folderOf(lock, name, from);
    if (folder === undefined) {
      if (optional) return;
      throw new Error(`package-lock.json has no ${name} for ${from || 'the project'}`);
    }
    if (found.has(folder) || !existsSync(join(root, folder))) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = lock[folder] ?? {};
    for (const each of Object.keys(dependencies)) add(each, folder, each in optionalDependencies);
    for (const each of Object.keys(optionalDependencies)) add(each, folder, true);
  };
  for (const name of names) add(name, '', false);
  return [...found].toSorted();
}

/** Returns the folder where `require` in the package at `from` finds a package of this name. */
function folderOf(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const candidate = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[candidate] !== undefined) return candidate;
    if (folder === '') return undefined;
  }
}

/** Packages that the page builds bundle, together with their dependencies. */
const bundledIntoPages: readonly string[] = [
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/lang-javascript',
  '@codemirror/lang-json',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/state',
  '@codemirror/view',
  '@lezer/highlight',
  'cm6-graphql',
  'comlink',
  'react',
  'react-dom',
];

const nodeLicense = `Copyright Node.js contributors. All rights reserved.

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to
deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or
sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS
IN THE SOFTWARE.`;

/** Returns the licenses of the service and of everything in its builds, as `--licenses` prints them. */
export function licenseTexts(root: string): string {
  const lock = readLock(root);
  const needed = Object.keys(lock).filter(
    (folder) => folder !== '' && lock[folder]?.dev !== true && existsSync(join(root, folder)),
  );
  const folders = [...new Set([...needed, ...withDependencies(root, bundledIntoPages)])].toSorted();
  const manifest = readManifest(join(root, 'package.json'));
  const node = manifest.devDependencies?.['node'] ?? '';
  const parts = [
    section('browserd', textsOf(root)),
    section(
      `Node.js ${node} (in the single binary)`,
      `${nodeLicense}\n\nThe libraries inside Node.js have their own licenses:\nhttps://github.com/nodejs/node/blob/v${node}/LICENSE`,
    ),
    section('Geist and Geist Mono (fonts)', readFileSync(join(root, 'src/web/theme/fonts/LICENSE'), 'utf8')),
    section(
      'Chromium (in the single binary with browser, and unpacked from @sparticuz/chromium)',
      'BSD-3-Clause; the page chrome://credits in the browser lists the licenses of all its parts.\nhttps://chromium.googlesource.com/chromium/src/+/main/LICENSE',
    ),
    ...folders.map((folder) => {
      const {
        name = folder,
        version = '',
        license,
        licenses,
        author,
        repository,
      } = readManifest(join(root, folder, 'package.json'));
      const said = license ?? licenses;
      const named = typeof said === 'string' ? said : JSON.stringify(said ?? 'see its page');
      const from = [author, repository].flatMap((each) =>
        each === undefined ? [] : [typeof each === 'string' ? each : (each.name ?? each.url ?? '')],
      );
      const texts = textsOf(join(root, folder));
      return section(`${name} ${version}: ${named}`, texts === '' ? from.join('\n') : texts);
    }),
  ];
  return parts.join('\n');
}

interface Manifest {
  name?: string;
  version?: string;
  license?: unknown;
  licenses?: unknown;
  author?: string | { name?: string; url?: string };
  repository?: string | { name?: string; url?: string };
  devDependencies?: Record<string, string>;
}

// npm has validated this file.
const readManifest = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

const section = (title: string, text: string) => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text.trim()}\n`;

/** Returns the texts of the license files in a folder, concatenated. */
function textsOf(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(?:licen[cs]e|copying|notice|third[-_]?party)/i.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n'))
    .toSorted()
    .join('\n');
}
