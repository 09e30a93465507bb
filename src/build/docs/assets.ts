/** Bundles scripts and styles under hashed file names, and the renderer that the build imports. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { bundleComponents, forBrowsers } from '../bundle.ts';
import { hashOf } from '../cache.ts';
import { assetFolder } from '../../web/docs/serve/asset.ts';

interface BuiltAsset {
  path: string;
  type: string;
  text: string | Uint8Array;
  /** The file name changes with the text, so browsers may cache it forever. */
  lasting: boolean;
}

export interface BrowserAssets {
  files: BuiltAsset[];
  script: string;
  worker: string;
  /** URLs of the lazy scripts, by name. */
  lazy: Record<string, string>;
  style: string;
  inline: string;
  /** URL of the font that every page needs immediately. */
  font: string;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Scripts that a page loads on first use. */
const lazyScripts = [
  'search/search-box.ts',
  'search/ask-dialog.tsx',
  'search/mark-words.ts',
  'editor/bql-editor.ts',
  'editor/code-editor.ts',
  'editor/json-editor.ts',
  'request-editor/request-editor.tsx',
];

/** Files of `src/web/docs/styles` in cascade order: later rules win. */
const styleParts = [
  'tokens',
  'base',
  'navbar',
  'search',
  'sidebar',
  'layout',
  'prose',
  'code',
  'tables',
  'components',
  'reference/fields',
  'reference/operations',
  'pictures',
  'home',
  'overlays',
  'media',
];

const nameOf = (path: string) => basename(path, extname(path));

/** Redirects imports of modules in the page's script to that script, so that there is one copy with one state. */
function sharedWithPage(shared: ReadonlySet<string>, address: string): Plugin {
  return {
    name: 'shared-with-page',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
        shared.has(join(resolveDir, path)) ? { path: address, external: true } : undefined,
      );
    },
  };
}

/**
 * Checks that the page's script exports what the lazy scripts import from it: the bundler treats it as external.
 * @throws Error naming the missing exports
 */
function checkShared({ outputs }: Metafile, mainName: string, lazy: readonly OutputFile[]): void {
  const exported = Object.entries(outputs).find(([path]) => basename(path) === mainName)?.[1].exports ?? [];
  const imported = lazy.flatMap(({ text }) =>
    [...text.matchAll(/import\{([^}]*)\}from"\.\/([^"]*)"/g)].flatMap(([, names = '', file]) =>
      file === mainName ? names.split(',').map((name) => name.replace(/ as .*/, '')) : [],
    ),
  );
  const missing = [...new Set(imported)].filter((name) => !exported.includes(name));
  if (imported.length === 0) throw new Error("No lazy script imports from the page's script");
  if (missing.length > 0) throw new Error(`src/web/docs/browser/main.ts does not export ${missing.join(', ')}`);
}

/** @throws Error for a file that `styleParts` does not list */
async function readStyles(folder: string): Promise<string> {
  const unplaced = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.css') && !styleParts.includes(name.slice(0, -'.css'.length)),
  );
  if (unplaced.length > 0) throw new Error(`styleParts does not list ${unplaced.join(', ')}`);
  const texts = await Promise.all(styleParts.map((part) => readFile(join(folder, `${part}.css`), 'utf8')));
  return texts.join('');
}

/** @param tabStyles rules that show the remembered tab before the page's module script has run */
export async function buildBrowserAssets(root: string, tabStyles: string): Promise<BrowserAssets> {
  const browser = join(root, 'src/web/docs/browser');
  const page = await build({
    ...forBrowsers,
    entryPoints: { main: join(browser, 'main.ts') },
    outdir: '/out',
    entryNames: '[name].[hash]',
    metafile: true,
    absWorkingDir: root,
  });
  const mainName = basename(page.outputFiles[0]?.path ?? '');
  const shared = new Set(Object.keys(page.metafile.inputs).map((name) => join(root, name)));
  const lazy = await build({
    ...forBrowsers,
    entryPoints: Object.fromEntries(lazyScripts.map((path) => [nameOf(path), join(browser, path)])),
    splitting: true,
    // Styles that only lazy scripts need.
    loader: { '.css': 'text' },
    outdir: '/out',
    entryNames: '[name].[hash]',
    chunkNames: '[name].[hash]',
    plugins: [sharedWithPage(shared, `./${mainName}`)],
  });
  checkShared(page.metafile, mainName, lazy.outputFiles);
  const worker = await build({
    ...forBrowsers,
    format: 'iife',
    entryPoints: { 'search-worker': join(browser, 'search/search-worker.ts') },
    // MiniSearch's private members, which are a large part of its size.
    mangleProps: /^_[a-z]/,
    outdir: '/out',
    entryNames: '[name].[hash]',
  });
  const inline = await build({
    ...forBrowsers,
    format: 'iife',
    entryPoints: [join(browser, 'shell/inline.js')],
    outdir: '/out',
  });
  const look = await readFile(join(root, 'src/web/theme/tokens.css'), 'utf8');
  const styles = await readStyles(join(root, 'src/web/docs/styles'));
  const css = await build({
    ...forBrowsers,
    stdin: { contents: look + styles + tabStyles, loader: 'css', resolveDir: join(root, 'src/web/theme/fonts') },
    loader: { '.woff2': 'file' },
    assetNames: '[name].[hash]',
    outdir: '/out',
  });
  const files = [...page.outputFiles, ...lazy.outputFiles, ...worker.outputFiles].map(({ path, text }): BuiltAsset => ({
    path: `${assetFolder}/${relative('/out', path)}`,
    type: types[extname(path)] ?? 'application/octet-stream',
    text,
    lasting: true,
  }));
  const styleText = css.outputFiles.find(({ path }) => path.endsWith('.css'))?.text ?? '';
  const fonts = css.outputFiles
    .filter(({ path }) => path.endsWith('.woff2'))
    .map(({ path, contents }): BuiltAsset => ({
      path: `${assetFolder}/${basename(path)}`,
      type: 'font/woff2',
      text: contents,
      lasting: true,
    }));
  files.push(...fonts);
  const style: BuiltAsset = {
    path: `${assetFolder}/docs.${hashOf(styleText).slice(0, 8)}.css`,
    type: 'text/css; charset=utf-8',
    text: styleText,
    lasting: true,
  };
  const icon: BuiltAsset = {
    path: '/favicon.svg',
    type: 'image/svg+xml',
    text: await readFile(join(root, 'public/favicon.svg'), 'utf8'),
    lasting: false,
  };
  const find = (name: string) => {
    const found = files.find(({ path }) => basename(path).startsWith(`${name}.`));
    if (found === undefined) throw new Error(`The bundle has no ${name}`);
    return found.path;
  };
  return {
    files: [...files, style, icon],
    script: find('main'),
    worker: find('search-worker'),
    lazy: Object.fromEntries(lazyScripts.map(nameOf).map((name) => [name, find(name)])),
    style: style.path,
    inline: (inline.outputFiles[0]?.text ?? '').trim(),
    font: find('geist'),
  };
}

type Renderer = typeof import('../../web/docs/layout/render.tsx') & { hash: string };

/** Imports the components. */
export async function loadRenderer(root: string, folder: string): Promise<Renderer> {
  const { address, hash } = await bundleComponents(root, 'src/web/docs/layout/render.tsx', folder);
  const renderer: typeof import('../../web/docs/layout/render.tsx') = await import(address);
  return { ...renderer, hash };
}

/** Returns CSS rules for each tab of each group, which show the panel of the stored choice before the first paint. */
export function tabRules(articles: readonly string[]): string {
  const rules = new Set<string>();
  for (const article of articles) {
    for (const [, group = '', has = ''] of article.matchAll(/class="tabs" data-group="([^"]*)" data-has="([^"]*)"/g)) {
      for (const tab of has.split(' ')) {
        const block = `.js[data-tab-${group}=${tab}] .tabs:not(.ready)[data-group=${group}][data-has~=${tab}]>[data-panel`;
        rules.add(`${block}]{display:none}`);
        rules.add(`${block}=${tab}]{display:block}`);
      }
    }
  }
  return [...rules].join('\n').replaceAll(/=([\w-]+)\]/g, '="$1"]');
}
