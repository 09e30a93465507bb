/** Removes what the header or footer of a PDF would load. */
import { type DefaultTreeAdapterTypes as Tree, html, parseFragment, serialize } from 'parse5';
import { ServiceError } from '../../../base/errors.ts';
import { rewriteCss } from '../../injected/css-links.ts';

const loading = /^(?:src|srcset|poster|data|background|href)$/;
const isInside = (url: string) => /^\s*(?:data:|#)/i.test(url);
const insideOnly = (css: string) => rewriteCss(css, 'https://template.invalid/', () => 'data:,');

/**
 * Removes external resources from a template, and keeps `data:` URLs. Chromium draws the header and footer in a document
 * that may not load anything, and Chromium 156 crashes on the attempt of a style sheet instead of ignoring it.
 * @throws ServiceError `invalid-body` for a template that nests too deeply
 */
export function withoutOutside(template: string): string {
  try {
    const fragment = parseFragment(template);
    clean(fragment);
    return serialize(fragment);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ServiceError('invalid-body', 'The elements of "headerTemplate" or "footerTemplate" nest too deeply.', {
      cause: error,
    });
  }
}

function clean(parent: Tree.ParentNode): void {
  for (const node of parent.childNodes) {
    if (!('tagName' in node)) continue;
    const isLink = node.tagName === 'a';
    node.attrs = node.attrs.filter(({ name, value }) => isLink || !loading.test(name) || isInside(value));
    for (const attribute of node.attrs) {
      // Presentation attributes of SVG contain CSS too, such as fill="url(#a)".
      if (!loading.test(attribute.name)) attribute.value = insideOnly(attribute.value);
    }
    if (node.tagName === 'style') {
      for (const text of node.childNodes) if ('value' in text) text.value = insideOnly(text.value);
    }
    clean(node);
    if (node.tagName === html.TAG_NAMES.TEMPLATE && 'content' in node) clean(node.content);
  }
}
