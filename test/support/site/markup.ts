// Reads single values out of the HTML that /content returns.

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&nbsp;': ' ', '&amp;': '&' };

/** The inner HTML, entities decoded, of the element with this id; throws an error that shows the page without one. */
export function textOf(html: string, id: string): string {
  const found = new RegExp(`<(\\w+)[^>]*\\bid="${id}"[^>]*>([\\s\\S]*?)</\\1>`).exec(html)?.[2];
  if (found === undefined) throw new Error(`no element with id "${id}" in ${html.slice(0, 1_000)}`);
  return found.replace(/&(lt|gt|quot|nbsp|amp);/g, (entity) => entities[entity] ?? entity);
}

/** The JSON in the element with this id. */
export function jsonOf<T = Record<string, unknown>>(html: string, id: string): T {
  return JSON.parse(textOf(html, id));
}
