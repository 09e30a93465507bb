/** Describes the breadcrumbs of a page to search engines (schema.org BreadcrumbList). */
import { unescapeHtml } from '../../../base/assets/escape.ts';

/**
 * @param html the page; its breadcrumbs are the source, so that both always match
 * @param root public URL of the documentation, without a trailing slash
 * @returns an element for the head; empty for a page without breadcrumbs
 */
export function trailData(html: string, root: string): string {
  const list = /<nav class="breadcrumbs"[^>]*><ol>(.*?)<\/ol><\/nav>/.exec(html)?.[1];
  if (list === undefined) return '';
  const items = [...list.matchAll(/<li>(?:<a href="([^"]*)"[^>]*>|<span[^>]*>)([^<]*)</g)].map(
    ([, path, name = ''], index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: unescapeHtml(name),
      ...(path === undefined ? {} : { item: root + unescapeHtml(path) }),
    }),
  );
  const data = { '@context': 'https://schema.org', '@type': 'BreadcrumbList', itemListElement: items };
  // A script element ends at the first `</script`, even inside a string.
  return `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', String.raw`\u003c`)}</script>`;
}
