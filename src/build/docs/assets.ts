/** Bundles the scripts and styles of the documentation. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { bundle } from '../bundle.ts';
import { docsScript, docsStyle, inlineScript, lazyScripts, searchWorker } from '../bundles.ts';
import type { OutputFile } from '../output.ts';

export interface BrowserAssets {
  files: OutputFile[];
  script: string;
  worker: string;
  /** URLs of the lazy scripts, by name. */
  lazy: Record<string, string>;
  style: string;
  inline: string;
  /** URL of the font that every page needs immediately. */
  font: string;
}

const textOf = (file: OutputFile | undefined): string => Buffer.from(file?.text ?? '').toString();

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
  const imported = lazy.flatMap((file) =>
    [...textOf(file).matchAll(/import\{([^}]*)\}from"\.\/([^"]*)"/g)].flatMap(([, names = '', from]) =>
      from === mainName ? names.split(',').map((name) => name.replace(/ as .*/, '')) : [],
    ),
  );
  const missing = [...new Set(imported)].filter((name) => !exported.includes(name));
  if (imported.length === 0) throw new Error("No lazy script imports from the page's script");
  if (missing.length > 0) throw new Error(`src/web/docs/browser/main.ts does not export ${missing.join(', ')}`);
}

/** @param tabStyles rules that show the remembered tab before the page's module script has run */
export async function buildBrowserAssets(root: string, tabStyles: string): Promise<BrowserAssets> {
  const page = await bundle(root, docsScript);
  const script = page.outputs['main']?.path ?? '';
  const shared = new Set(Object.keys(page.metafile.inputs).map((name) => join(root, name)));
  const lazy = await bundle(root, lazyScripts, { plugins: [sharedWithPage(shared, `./${basename(script)}`)] });
  checkShared(page.metafile, basename(script), lazy.files);
  // MiniSearch's private members, which are a large part of its size.
  const worker = await bundle(root, searchWorker, { mangleProps: /^_[a-z]/ });
  const inline = await bundle(root, inlineScript);
  const style = await bundle(root, docsStyle, { footer: { css: tabStyles } });
  const isFont = ({ type }: OutputFile) => type === 'font/woff2';
  const icon: OutputFile = {
    path: '/favicon.svg',
    type: 'image/svg+xml',
    text: await readFile(join(root, 'public/favicon.svg'), 'utf8'),
    lasting: false,
  };
  return {
    // The build of the service's pages has the same fonts, and serves them.
    files: [page, lazy, worker, style].flatMap(({ files }) => files.filter((file) => !isFont(file))).concat(icon),
    script,
    worker: worker.outputs['search-worker']?.path ?? '',
    lazy: Object.fromEntries(Object.entries(lazy.outputs).map(([name, { path }]) => [name, path])),
    style: style.outputs['docs']?.path ?? '',
    inline: textOf(inline.files[0]).trim(),
    font: style.files.find(({ path }) => basename(path).startsWith('geist.'))?.path ?? '',
  };
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
