/** Builds the documentation into dist/docs. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importComponents } from '../bundle.ts';
import { type BuildCache, hashOf } from '../cache.ts';
import { buildFiles } from '../once.ts';
import type { OutputFile } from '../output.ts';
import { figuresOf } from '../../web/docs/charts/figures.ts';
import type { DocsManifest } from '../../web/docs/serve/manifest.ts';
import type { Costs } from '../../web/docs/site/costs.ts';
import type { Page, Sidebar } from '../../web/docs/site/model.ts';
import type { IndexFile } from '../../web/docs/search/engine.ts';
import { synonymTable } from '../../web/docs/search/synonyms.ts';
import { pagesOf, sidebarOf, sidebarsOf } from '../../web/docs/site/sidebars.ts';
import { assetFolder } from '../../web/docs/serve/asset.ts';
import { hasMarkdown, unlisted } from '../../web/docs/site/site.ts';
import { serviceVersion } from '../../base/version.ts';
import { countSamples, readArticle, sumOf } from './article.ts';
import { buildBrowserAssets, tabRules } from './assets.ts';
import { collectFacts, openApiDocument } from './facts.ts';
import { createHighlight } from './highlight.ts';
import { llmsFiles } from './llms.ts';
import { compilePages } from './mdx.ts';
import { readDeployFiles } from './deploy-files.ts';
import { readPictures } from './images.ts';
import { referencePages } from './reference.ts';
import { searchRecords } from '../../web/docs/search/records.ts';
import { systemPages } from './system-pages.ts';

/** The files that the build depends on. */
const inputs = [
  'docs-content/**/*.{mdx,json}',
  'public/**/*.*',
  'src/**/*.{ts,tsx,js,css,graphql,woff2}',
  'package.json',
];

/**
 * @param root the root directory of the repository
 * @returns whether the documentation was built
 * @throws Error naming the page that cannot be built
 */
export function buildDocs(root: string): Promise<boolean> {
  return buildFiles(root, 'docs', { inputs, quality: 9, make: (cache, scratch) => makeDocs(root, cache, scratch) });
}

async function makeDocs(
  root: string,
  cache: BuildCache,
  scratch: string,
): Promise<{ files: OutputFile[]; rest: Omit<DocsManifest, 'files' | 'source'> }> {
  const document = openApiDocument();
  const [facts, highlight, compiled, { module: renderer, hash: rendererHash }] = await Promise.all([
    collectFacts(document),
    createHighlight(),
    compilePages(join(root, 'docs-content'), cache),
    importComponents<typeof import('../../web/docs/layout/render.tsx')>(
      root,
      'src/web/docs/layout/render.tsx',
      scratch,
    ),
  ]);
  const reference = await referencePages(root, facts.routes);
  const written = new Map(compiled.map((page) => [page.path, page]));
  const sidebars = [...sidebarsOf(compiled), ...reference.sidebars];
  const category = (name: string) => {
    const group = sidebars.flatMap(({ items }) => items).find(({ path }) => path === `/category/${name}`);
    return pagesOf(group?.items ?? []).map((item) => ({
      ...item,
      description: written.get(item.path)?.description ?? '',
    }));
  };
  const costs: Costs = JSON.parse(readFileSync(join(root, 'docs-content/overview/curves.json'), 'utf8'));
  const samplesIn = (path: string) =>
    countSamples(readFileSync(join(root, `docs-content${path === '/' ? '/home' : path}.mdx`), 'utf8'));
  const samples = sumOf([
    ...compiled.map(({ path }) => samplesIn(path)),
    ...reference.pages.map(({ meta }) => meta.samples),
  ]);
  const images = await readPictures(root);
  const from = { facts, highlight, category, costs: figuresOf(costs), samples, pictures: images.made };

  const pages: Page[] = compiled.map((meta): Page => {
    const article = inPage(meta.path, () => renderer.renderArticle(meta.code, from));
    const { headings, sections, markdown } = readArticle(meta, article);
    const { code: _code, sidebar: _sidebar, aliases: _aliases, ...rest } = meta;
    return { ...rest, article, headings, sections, markdown, samples: samplesIn(meta.path) };
  });
  for (const generatedPage of reference.pages) {
    const { meta } = generatedPage;
    const article = inPage(meta.path, () => renderer.renderReference(generatedPage.content, from));
    const { headings, sections, markdown } = readArticle(meta, article);
    pages.push({ ...meta, article, headings, sections, markdown });
  }
  const system = systemPages();
  const all = [...pages, ...system];

  const { files: bundled, ...urls } = await buildBrowserAssets(root, tabRules(all.map(({ article }) => article)));
  const indexFile: IndexFile = { pages: searchRecords(pages, sidebars), synonyms: synonymTable() };
  const index = JSON.stringify(indexFile);
  const indexPath = `${assetFolder}/search.${hashOf(index).slice(0, 8)}.json`;
  // Hash only the content of pages: a change to the service that no page shows leaves every file unchanged.
  const build = hashOf(
    rendererHash,
    serviceVersion,
    JSON.stringify([urls, indexPath, sidebars]),
    ...all.map((page) => JSON.stringify(page)),
  ).slice(0, 10);
  const assets = { ...urls, index: indexPath, card: images.card, build };

  const files: OutputFile[] = [
    ...bundled,
    ...images.files,
    ...(await readDeployFiles(root)),
    { path: indexPath, type: 'application/json; charset=utf-8', text: index, lasting: true, quality: 11 },
    ...sidebars.map(({ id, items }): OutputFile => ({
      path: `${assetFolder}/sidebar/${id}.js`,
      type: script,
      text: `export default ${JSON.stringify({ id, html: renderer.renderSidebar(items) })};`,
      lasting: false,
    })),
    ...llmsFiles(pages, sidebars),
  ];
  for (const page of all) {
    const sidebar = sidebarOf(sidebars, page.path);
    const text = renderer.renderDocument({ page, sidebar, sidebars, version: serviceVersion, assets });
    files.push({ path: page.path, type: 'text/html; charset=utf-8', text, lasting: false });
    if (!hasMarkdown(page.path)) continue;
    const name = page.path === '/' ? '/index' : page.path;
    files.push({
      path: `${assetFolder}/page${name}.js`,
      type: script,
      text: pageModule(page, sidebar, build),
      lasting: false,
    });
    files.push({ path: `${name}.md`, type: 'text/markdown; charset=utf-8', text: page.markdown, lasting: false });
  }
  const inlineHash = `sha256-${createHash('sha256').update(urls.inline).digest('base64')}`;
  const rest = {
    build,
    pages: pages.map(({ path }) => path).toSorted(),
    redirects: {
      ...reference.redirects,
      ...Object.fromEntries(compiled.flatMap(({ path, aliases }) => aliases.map((alias) => [alias, path]))),
    },
    inlineHash,
    index: indexPath,
  };
  return { files, rest };

  /** The module that a soft navigation imports. The sidebar is a separate module, which the browser caches. */
  function pageModule(page: Page, sidebar: Sidebar | undefined, version: string): string {
    const up = '../'.repeat(page.path.split('/').length - 1);
    const value = {
      path: page.path,
      title: renderer.titleOf(page),
      description: page.description,
      noindex: unlisted(page.path),
      html: renderer.renderContent(page, sidebar),
      face: renderer.guideFace({ path: page.path, sidebarId: sidebar?.id, sidebars }),
    };
    const start =
      sidebar === undefined
        ? 'const sidebar=null;'
        : `import sidebar from ${JSON.stringify(`${up}sidebar/${sidebar.id}.js?v=${version}`)};`;
    return `${start}export default {...${JSON.stringify(value)},sidebar};`;
  }
}

const script = 'text/javascript; charset=utf-8';

/** Adds the page's path to an error thrown while rendering it. */
function inPage<T>(path: string, render: () => T): T {
  try {
    return render();
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
