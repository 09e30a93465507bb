/** Reads public/deploy, whose files are served unchanged under /deploy. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { OutputFile } from '../output.ts';

const folder = 'public/deploy';

export async function readDeployFiles(root: string): Promise<OutputFile[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1))
    .toSorted();
  return Promise.all(
    paths.map(async (path) => ({
      path: `/deploy/${path}`,
      // Never use a type that a browser executes or renders.
      type: extname(path) === '.json' ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8',
      text: await readFile(join(root, folder, path), 'utf8'),
      lasting: false,
    })),
  );
}
