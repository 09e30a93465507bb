/** Builds the pages of the service into dist/ui, unless a build of the same inputs already exists. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { bundleComponents, forBrowsers } from '../bundle.ts';
import { BuildCache, hashOf } from '../cache.ts';
import { buildOnce, hashInputs } from '../once.ts';
import { type OutputFile, writeOutput } from '../output.ts';
import type { PageSlots } from '../../web/pages/serve/page-slots.ts';

/** The files that the build depends on. */
const inputs = [
  'src/web/{pages,theme}/**/*.{ts,tsx,css}',
  'src/{build,build/pages,base/assets}/*.ts',
  'src/{sessions/live,control/dashboard}/protocol/*.ts',
  'src/base/limits.ts',
  'public/favicon.svg',
  'package.json',
];

interface PageParts {
  /** The page's entry module in `src/web/pages/browser`; a page without one has no script. */
  script?: string;
  /** Entry module of a document that the page creates; bundled separately, because that document has no modules. */
  inFrame?: string;
  /** Files of `src/web/pages/styles` in cascade order (later rules win), after the variables of `src/web/theme`. */
  styles: readonly string[];
}

const pageParts: Readonly<Record<keyof PageSlots, PageParts>> = {
  live: { script: 'live/main.ts', styles: ['controls', 'live', 'overlays'] },
  dashboard: {
    script: 'dashboard/main.ts',
    styles: ['controls', 'overlays', 'dashboard', 'dashboard-lists'],
  },
  'sign-in': { styles: ['controls', 'dashboard'] },
  notice: { styles: ['controls'] },
  player: { script: 'player/main.ts', styles: ['controls', 'player'] },
  replay: { script: 'replay/frame.ts', inFrame: 'replay/replayer.ts', styles: [] },
};
const pageNames = Object.keys(pageParts).filter((name): name is keyof PageSlots => name in pageParts);

export interface UiBuild {
  /** False when a build of the same inputs already existed. */
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
  const [scripts, styles, icon] = await Promise.all([
    bundleScripts(root),
    bundleStyles(root),
    readFile(join(root, 'public/favicon.svg'), 'utf8').then((text) => asset('favicon', '.svg', text)),
  ]);
  const { address } = await bundleComponents(root, 'src/web/pages/pages.tsx', scratch);
  const { renderPage }: typeof import('../../web/pages/pages.tsx') = await import(address);
  const pages = pageNames.map((name): [string, OutputFile] => {
    const assets = { ...scripts[name].urls, style: styles[name].path, icon: icon.path };
    const text = renderPage(name, assets);
    return [name, { path: `/page/${name}`, type: 'text/html; charset=utf-8', text, lasting: false }];
  });
  return {
    files: [
      ...Object.values(scripts).flatMap(({ files: each }) => each),
      ...Object.values(styles).filter(({ text }) => text !== ''),
      icon,
      ...pages.map(([, file]) => file),
    ],
    pages: Object.fromEntries(pages.map(([name, { path }]) => [name, path])),
  };
}

interface PageScripts {
  files: OutputFile[];
  /** URLs of the page's entry script, of its static imports, and of its frame's script. */
  urls: { script: string; parts: string[]; inFrame: string };
}

const scriptOf = ({ path, text }: { path: string; text: string }): OutputFile => ({
  path: `/_ui/${basename(path)}`,
  type: 'text/javascript; charset=utf-8',
  text,
  lasting: true,
});

/** Bundles the scripts of each page. Pages share no files: a shared chunk would be one more request for each page. */
async function bundleScripts(root: string): Promise<Record<keyof PageSlots, PageScripts>> {
  const bundled = pageNames.map(async (name) => {
    const { script, inFrame } = pageParts[name];
    const own = script === undefined ? undefined : await bundlePage(root, name, script);
    const framed = inFrame === undefined ? undefined : await bundleFrame(root, name, inFrame);
    const scripts: PageScripts = {
      files: [...(own?.files ?? []), ...(framed ? [framed] : [])],
      urls: { script: own?.script ?? '', parts: own?.parts ?? [], inFrame: framed?.path ?? '' },
    };
    return [name, scripts] as const;
  });
  // There is one entry for each name.
  return Object.fromEntries(await Promise.all(bundled)) as Record<keyof PageSlots, PageScripts>;
}

async function bundlePage(
  root: string,
  page: string,
  source: string,
): Promise<{ files: OutputFile[]; script: string; parts: string[] }> {
  const { outputFiles, metafile } = await build({
    ...forBrowsers,
    entryPoints: { [page]: join(root, 'src/web/pages/browser', source) },
    splitting: true,
    metafile: true,
    outdir: '/out',
    entryNames: '[name].[hash]',
    chunkNames: `${page}-[name].[hash]`,
    absWorkingDir: root,
  });
  const files = outputFiles.map(scriptOf);
  const [path, output] =
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === `src/web/pages/browser/${source}`) ??
    [];
  if (path === undefined || output === undefined) throw new Error(`The bundle has no script for the page ${page}`);
  const parts = output.imports.filter(({ kind }) => kind === 'import-statement');
  const addressOf = (of: string) => `/_ui/${basename(of)}`;
  return { files, script: addressOf(path), parts: parts.map((each) => addressOf(each.path)) };
}

/** Bundles a script that is not a module: a document with an opaque origin could load modules only with CORS. */
async function bundleFrame(root: string, page: string, source: string): Promise<OutputFile> {
  const { outputFiles } = await build({
    ...forBrowsers,
    format: 'iife',
    entryPoints: { [`${page}-frame`]: join(root, 'src/web/pages/browser', source) },
    // The script inserts its style into the document.
    loader: { '.css': 'text' },
    outdir: '/out',
    entryNames: '[name].[hash]',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`The bundle has no frame script for the page ${page}`);
  return scriptOf(file);
}

/** Bundles the style sheet of each page. */
async function bundleStyles(root: string): Promise<Record<keyof PageSlots, OutputFile>> {
  const bundled = pageNames.map(async (name) => {
    const { styles } = pageParts[name];
    const files = styles.length === 0 ? [] : ['../../theme/tokens', ...styles.map((part) => `./${part}`)];
    const contents = files.map((file) => `@import "${file}.css";`).join('');
    const { outputFiles } = await build({
      ...forBrowsers,
      stdin: { contents, loader: 'css', resolveDir: join(root, 'src/web/pages/styles') },
      outdir: '/out',
    });
    return [name, asset(name, '.css', outputFiles[0]?.text ?? '')] as const;
  });
  // There is one entry for each name.
  return Object.fromEntries(await Promise.all(bundled)) as Record<keyof PageSlots, OutputFile>;
}

/** The file name changes with the text, so browsers may cache it forever. */
function asset(name: string, extension: '.css' | '.svg', text: string): OutputFile {
  const type = extension === '.css' ? 'text/css; charset=utf-8' : 'image/svg+xml';
  return { path: `/_ui/${name}.${hashOf(text).slice(0, 8)}${extension}`, type, text, lasting: true };
}
