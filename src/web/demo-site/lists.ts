/** Lists of the demo site: a paginated one, a table, and one that grows while scrolling. */
import { demoSiteLimits } from '../../base/limits.ts';
import { type PageHandler, page, type Visit } from './page.ts';

const planets = [
  ['Mercury', 4_879, 0],
  ['Venus', 12_104, 0],
  ['Earth', 12_756, 1],
  ['Mars', 6_792, 2],
  ['Jupiter', 142_984, 95],
  ['Saturn', 120_536, 146],
  ['Uranus', 51_118, 28],
  ['Neptune', 49_528, 16],
] as const;

function table(visit: Visit): Response {
  const rows = planets
    .map(([name, km, moons]) => `<tr><th scope="row">${name}</th><td>${km}</td><td>${moons}</td></tr>`)
    .join('');
  const head = '<tr><th scope="col">Planet</th><th scope="col">Diameter, km</th><th scope="col">Moons</th></tr>';
  const body = `<main><h1>Table</h1><table><caption>Planets</caption><thead>${head}</thead><tbody>${rows}</tbody></table></main>`;
  return page(visit, { title: 'Table', body });
}

const perPage = 10;
const pageCount = 5;

const entry = (number: number): string =>
  `<li class="item" data-number="${number}"><h2>Entry ${number}</h2><p>The text of entry ${number}.</p></li>`;

const entries = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => entry(from + index)).join('');

function list(visit: Visit): Response {
  const asked = Number(visit.query.get('page') ?? 1);
  const number = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), pageCount) : 1;
  const link = (to: number, name: string) =>
    to >= 1 && to <= pageCount ? `<a rel="${name.toLowerCase()}" href="${visit.base}/list?page=${to}">${name}</a>` : '';
  const body = `<main><h1>List</h1><p>Page ${number} of ${pageCount}</p><ol class="items" start="${(number - 1) * perPage + 1}">${entries((number - 1) * perPage + 1, perPage)}</ol><nav aria-label="Pages">${link(number - 1, 'Prev')} ${link(number + 1, 'Next')}</nav></main>`;
  return page(visit, { title: `List, page ${number}`, body });
}

function scroll(visit: Visit): Response {
  const body = `<main><h1>Infinite scroll</h1><ol class="items" data-from="${visit.base}/scroll/items">${entries(1, perPage)}</ol><p id="end" role="status">Scroll to load more.</p></main>`;
  return page(visit, { title: 'Infinite scroll', body, script: 'scroll.js' });
}

/** Returns the entries after a number, as JSON. */
const items: PageHandler = ({ query }) => {
  const asked = Number(query.get('after') ?? 0);
  const after = Number.isInteger(asked) && asked >= 0 ? asked : 0;
  const count = Math.max(0, Math.min(perPage, demoSiteLimits.scrolledItems - after));
  return Response.json({
    items: Array.from({ length: count }, (_, index) => ({
      number: after + index + 1,
      title: `Entry ${after + index + 1}`,
      text: `The text of entry ${after + index + 1}.`,
    })),
    more: after + count < demoSiteLimits.scrolledItems,
  });
};

/** The lists by path. */
export const listPages: Readonly<Record<string, PageHandler>> = {
  '/table': table,
  '/list': list,
  '/scroll': scroll,
  '/scroll/items': items,
};
