/** Builds the pages of the service into dist/ui, unless a build of the same inputs is there already. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { bundleComponents, forBrowsers } from '../../build/bundle.ts';
import { BuildCache, hashOf } from '../../build/cache.ts';
import { buildOnce, hashInputs } from '../../build/once.ts';
import { type OutputFile, writeOutput } from '../../build/output.ts';

/** The files that the build depends on. */
const inputs = [
  'src/ui/**/*.{ts,tsx,css}',
  'src/{build,assets}/*.ts',
  'src/live/protocol/messages.ts',
  'src/limits.ts',
  'public/favicon.svg',
  'package.json',
];

/** Files of `src/ui/styles` in cascade order: later rules win. */
const styleParts = ['tokens', 'controls', 'live', 'overlays'];

export interface UiBuild {
  /** False when a build of the same inputs was there already. */
  built: boolean;
  milliseconds: number;
}

/** @param root the root directory of the repository */
export async function buildUi(root: string): Promise<UiBuild> {
  const began = performance.now();
  const folder = join(root, 'dist/ui');
  const source = hashInputs(root, inputs);
  const built = await buildOnce(folder, source, async () => {
    const cache = new BuildCache(join(root, 'node_modules/.cache/browserd-ui'));
    const scratch = join(root, 'node_modules/.cache', `browserd-ui-build-${process.pid}`);
    await mkdir(scratch, { recursive: true });
    try {
      const { files, pages } = await makeFiles(root, scratch);
      await writeOutput(folder, { files, rest: { source, pages }, cache, quality: 11 });
      await cache.sweep();
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  return { built, milliseconds: performance.now() - began };
}

async function makeFiles(
  root: string,
  scratch: string,
): Promise<{ files: OutputFile[]; pages: Record<string, string> }> {
  const [scripts, style, icon] = await Promise.all([
    bundleScripts(root),
    bundleStyles(root),
    readFile(join(root, 'public/favicon.svg'), 'utf8').then((text) => asset('favicon', '.svg', text)),
  ]);
  const { address } = await bundleComponents(root, 'src/ui/pages.tsx', scratch);
  const { renderPages }: typeof import('../pages.tsx') = await import(address);
  const { script, parts } = scripts;
  const pages = renderPages({ script, parts, style: style.path, icon: icon.path }).map(
    ([name, text]): [string, OutputFile] => [
      name,
      { path: `/page/${name}`, type: 'text/html; charset=utf-8', text, lasting: false },
    ],
  );
  return {
    files: [...scripts.files, style, icon, ...pages.map(([, file]) => file)],
    pages: Object.fromEntries(pages.map(([name, { path }]) => [name, path])),
  };
}

interface Scripts {
  files: OutputFile[];
  /** Address of the script that the page starts. */
  script: string;
  /** Addresses of what it imports at once. */
  parts: string[];
}

async function bundleScripts(root: string): Promise<Scripts> {
  const { outputFiles, metafile } = await build({
    ...forBrowsers,
    entryPoints: { live: join(root, 'src/ui/browser/live/main.ts') },
    splitting: true,
    metafile: true,
    outdir: '/out',
    entryNames: '[name].[hash]',
    chunkNames: '[name].[hash]',
    absWorkingDir: root,
  });
  const addressOf = (path: string) => `/_ui/${basename(path)}`;
  const files = outputFiles.map(({ path, text }): OutputFile => ({
    path: addressOf(path),
    type: 'text/javascript; charset=utf-8',
    text,
    lasting: true,
  }));
  const [entry] = Object.entries(metafile.outputs).filter(([path]) => basename(path).startsWith('live.'));
  if (entry === undefined) throw new Error('The bundle has no script of the page');
  const [path, { imports }] = entry;
  const parts = imports.filter(({ kind }) => kind === 'import-statement').map((each) => addressOf(each.path));
  return { files, script: addressOf(path), parts };
}

async function bundleStyles(root: string): Promise<OutputFile> {
  const contents = styleParts.map((part) => `@import "./${part}.css";`).join('');
  const { outputFiles } = await build({
    ...forBrowsers,
    stdin: { contents, loader: 'css', resolveDir: join(root, 'src/ui/styles') },
    outdir: '/out',
  });
  return asset('ui', '.css', outputFiles[0]?.text ?? '');
}

/** Its name changes with its text, so browsers may cache it for ever. */
function asset(name: string, ending: '.css' | '.svg', text: string): OutputFile {
  const type = ending === '.css' ? 'text/css; charset=utf-8' : 'image/svg+xml';
  return { path: `/_ui/${name}.${hashOf(text).slice(0, 8)}${ending}`, type, text, lasting: true };
}
