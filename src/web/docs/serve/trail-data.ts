/** Says the breadcrumbs of a page to search engines (schema.org BreadcrumbList). */
import { unescapeHtml } from '../../../base/assets/escape.ts';

/**
 * @param html the page, whose breadcrumbs are the source: both always say the same
 * @param root public address of the documentation, without a slash at its end
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
  // The text of a script ends at the first `</script`, wherever that stands.
  return `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', String.raw`\u003c`)}</script>`;
}
