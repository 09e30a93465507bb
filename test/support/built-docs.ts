// Builds the documentation for tests and reads it: the manifest, and pages as parsed markup.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Element, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toString as textOf } from 'hast-util-to-string';
import { visit } from 'unist-util-visit';
import { buildDocs } from '../../src/build/docs/build.ts';
import { buildUi } from '../../src/build/pages.ts';
import type { DocsManifest } from '../../src/web/docs/serve/manifest.ts';

const root = join(import.meta.dirname, '..', '..');

/** Builds the documentation and its fonts when an input has changed, so that a test never reads outdated pages. */
export async function builtDocs(): Promise<DocsManifest> {
  await buildUi(root);
  await buildDocs(root);
  return JSON.parse(readFileSync(join(root, 'dist/docs/manifest.json'), 'utf8'));
}

/** A built file as text. */
export function builtText(docs: DocsManifest, path: string): string {
  const file = docs.files[path];
  if (file === undefined) throw new Error(`The build has no ${path}`);
  return gunzipSync(readFileSync(join(root, 'dist/docs/files', `${file.name}.gz`))).toString();
}

/** Size of a built file in bytes, compressed with Brotli. */
export function brotliBytes(docs: DocsManifest, path: string): number {
  const file = docs.files[path];
  if (file === undefined) throw new Error(`The build has no ${path}`);
  return readFileSync(join(root, 'dist/docs/files', `${file.name}.br`)).length;
}

export interface ParsedPage {
  tree: Root;
  /** Every id of the document. */
  ids: Set<string>;
  elements(name: string): Element[];
  attribute(element: Element, name: string): string;
  text(element: Element): string;
}

export function parsePage(html: string): ParsedPage {
  const tree = fromHtml(html);
  const elements: Element[] = [];
  visit(tree, 'element', (element) => void elements.push(element));
  return {
    tree,
    ids: new Set(elements.map(({ properties }) => String(properties['id'] ?? ''))),
    elements: (name) => elements.filter(({ tagName }) => tagName === name),
    attribute: (element, name) => String(element.properties[name] ?? ''),
    text: (element) => textOf(element),
  };
}
