/** Compiles MDX files; results are cached by the hash of their text. */
import { capitalize } from '../../base/text.ts';
import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { bundleMDX } from 'mdx-bundler';
import rehypeSlug from 'rehype-slug';
import remarkDirective from 'remark-directive';
import remarkGfm from 'remark-gfm';
import { visit } from 'unist-util-visit';
import type { Element, Root } from 'hast';
import * as v from 'valibot';
import type { PageMeta } from '../../web/docs/site/model.ts';
import { sidebarIds } from '../../web/docs/site/sidebars.ts';
import { type BuildCache, hashOf } from '../cache.ts';

const text = v.pipe(v.string(), v.nonEmpty());
const place = v.strictObject({ id: v.picklist(sidebarIds), group: v.optional(text), position: v.number() });

/** The front matter of a page; see `PageMeta`. */
const frontMatter = v.strictObject({
  title: text,
  question: text,
  description: text,
  keywords: v.optional(v.string(), ''),
  hideToc: v.optional(v.boolean(), false),
  noSample: v.optional(v.string(), ''),
  search: v.optional(v.literal('headings')),
  /** Its place in a sidebar, or in several; pages that only others link to have none. */
  sidebar: v.optional(
    v.union([
      v.array(place),
      v.pipe(
        place,
        v.transform((one) => [one]),
      ),
    ]),
    [],
  ),
  /** Older paths, which redirect to the page. */
  aliases: v.optional(v.array(text), []),
});

export interface CompiledPage extends PageMeta, v.InferOutput<typeof frontMatter> {
  /** Code for mdx-bundler's getMDXComponent. */
  code: string;
}

/** Part of the cache key: change it when the plugins below change. */
const recipe = 'mdx-bundler 10.1.1 / gfm, directives, slugs / 2';

const kinds = ['note', 'tip', 'info', 'warning', 'danger'];
const oldKinds: Readonly<Record<string, string>> = {
  secondary: 'note',
  important: 'info',
  success: 'tip',
  caution: 'warning',
};

interface DirectiveNode {
  type: string;
  name?: string;
  attributes?: Record<string, string | null | undefined> | null;
}

/** Turns `:::note` into the component of that name; other directives stay text. */
function admonitions() {
  return (tree: Parameters<typeof visit>[0]) => {
    visit(tree, (node) => {
      const directive: DirectiveNode = node;
      if (directive.type !== 'containerDirective' || directive.name === undefined) return;
      const kind = oldKinds[directive.name] ?? directive.name;
      if (!kinds.includes(kind)) throw new Error(`:::${directive.name} is not one of ${kinds.join(', ')}`);
      directive.type = 'mdxJsxFlowElement';
      Object.assign(directive, {
        name: capitalize(kind),
        attributes: Object.entries(directive.attributes ?? {}).map(([name, value]) => ({
          type: 'mdxJsxAttribute',
          name,
          value,
        })),
      });
    });
  };
}

/** Passes the text after a code fence's language to the components, as a property. */
function fenceMeta() {
  return (tree: Root) => {
    visit(tree, 'element', (node: Element) => {
      if (node.tagName !== 'code' || node.data === undefined || !('meta' in node.data)) return;
      node.properties = { ...node.properties, metastring: String(node.data.meta ?? '') };
    });
  };
}

/** Compiles every page in a folder. Errors name the page that does not compile. */
export async function compilePages(folder: string, cache: BuildCache): Promise<CompiledPage[]> {
  const files = globSync('**/*.mdx', { cwd: folder }).toSorted();
  const pages: CompiledPage[] = [];
  const waiting = files.values();
  // Compile two at a time: esbuild and the highlighter need the CPUs as well.
  const lane = async () => {
    for (const file of waiting) {
      const source = await readFile(join(folder, file), 'utf8');
      try {
        pages.push(await compilePage(file, source, cache));
      } catch (error) {
        throw new Error(`docs-content/${file}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
    }
  };
  await Promise.all([lane(), lane()]);
  return pages.toSorted((a, b) => a.path.localeCompare(b.path));
}

async function compilePage(file: string, source: string, cache: BuildCache): Promise<CompiledPage> {
  const compiled = await cache.text(`mdx-${hashOf(recipe, source)}`, async () => {
    const { code, frontmatter } = await bundleMDX({
      source,
      mdxOptions: (options) => ({
        ...options,
        remarkPlugins: [...(options.remarkPlugins ?? []), remarkGfm, remarkDirective, admonitions],
        rehypePlugins: [...(options.rehypePlugins ?? []), rehypeSlug, fenceMeta],
      }),
      esbuildOptions: (options) => ({ ...options, minify: true, target: 'es2022' }),
    });
    return JSON.stringify({ code, frontmatter });
  });
  const { code, frontmatter }: { code: string; frontmatter: unknown } = JSON.parse(compiled);
  const parsed = v.safeParse(frontMatter, frontmatter);
  if (!parsed.success) throw new Error(`front matter: ${v.summarize(parsed.issues)}`);
  return { path: pathOf(file), ...parsed.output, code };
}

function pathOf(file: string): string {
  const name = file.replaceAll('\\', '/').replace(/\.mdx$/, '');
  return name === 'home' ? '/' : `/${name}`;
}
