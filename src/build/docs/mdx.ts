/** Compiles MDX files; results are cached by the hash of their text. */
import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { bundleMDX } from 'mdx-bundler';
import rehypeSlug from 'rehype-slug';
import remarkDirective from 'remark-directive';
import remarkGfm from 'remark-gfm';
import { visit } from 'unist-util-visit';
import type { Element, Root } from 'hast';
import type { PageMeta } from '../../web/docs/site/model.ts';
import { type BuildCache, hashOf } from '../cache.ts';

export interface CompiledPage extends PageMeta {
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
        name: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
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

const keys = ['title', 'question', 'description', 'keywords', 'hideToc', 'noSample'];

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
  const text = await cache.text(`mdx-${hashOf(recipe, source)}`, async () => {
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
  const { code, frontmatter }: { code: string; frontmatter: Record<string, unknown> } = JSON.parse(text);
  const unknown = Object.keys(frontmatter).filter((key) => !keys.includes(key));
  if (unknown.length > 0) throw new Error(`unknown frontmatter ${unknown.join(', ')}; known: ${keys.join(', ')}`);
  const value = (key: string) => String(frontmatter[key] ?? '');
  for (const key of ['title', 'question', 'description']) {
    if (value(key) === '') throw new Error(`the frontmatter has no ${key}`);
  }
  return {
    path: pathOf(file),
    title: value('title'),
    question: value('question'),
    description: value('description'),
    keywords: value('keywords'),
    hideToc: frontmatter['hideToc'] === true,
    noSample: value('noSample'),
    code,
  };
}

function pathOf(file: string): string {
  const name = file.replaceAll('\\', '/').replace(/\.mdx$/, '');
  return name === 'home' ? '/' : `/${name}`;
}
