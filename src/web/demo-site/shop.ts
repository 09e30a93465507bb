/** The shop of the demo site: a start page, a page for each coffee, and a search. */
import { escapeHtml } from '../../base/assets/escape.ts';
import { type PageHandler, file, page, type Visit } from './page.ts';

interface Coffee {
  id: string;
  name: string;
  /** In euros. */
  price: string;
  taste: string;
  /** Colors of the bag and of its edge. */
  colors: readonly [string, string];
}

const coffees: readonly Coffee[] = [
  {
    id: 'huila',
    name: 'Huila, Colombia',
    price: '14.50',
    taste: 'Caramel and red apple',
    colors: ['#7b4a2d', '#4f2d1a'],
  },
  {
    id: 'sidama',
    name: 'Sidama, Ethiopia',
    price: '16.00',
    taste: 'Jasmine and peach',
    colors: ['#2f6f66', '#174842'],
  },
  {
    id: 'antigua',
    name: 'Antigua, Guatemala',
    price: '15.20',
    taste: 'Cocoa and orange',
    colors: ['#c58a3a', '#84571b'],
  },
  { id: 'nyeri', name: 'Nyeri, Kenya', price: '17.90', taste: 'Blackcurrant', colors: ['#8a3f4a', '#5a232c'] },
];

const bag = ([front, edge]: Coffee['colors']): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 132 132"><path d="M40 30h52l6 80a6 6 0 0 1-6 6H40a6 6 0 0 1-6-6z" fill="${front}"/><path d="M40 30h52l1 12H39z" fill="${edge}"/><rect x="48" y="58" width="36" height="30" fill="#fff8ec" rx="3"/><rect x="54" y="66" width="24" height="3" fill="${edge}" rx="1"/><rect x="58" y="73" width="16" height="3" fill="${edge}" rx="1"/></svg>\n`;

const bar = (root: string): string =>
  `<header class="shop-bar"><a class="brand" href="${root}/shop">Northwind Coffee</a><nav><a href="${root}/shop">Beans</a><a href="${root}/search">Search</a><a href="${root}/login">Sign in</a></nav></header>`;

const products = (root: string, found: readonly Coffee[]): string =>
  `<ul class="products">${found
    .map(
      ({ id, name, price }) =>
        `<li class="product" data-id="${id}"><a href="${root}/shop/${id}"><img src="${root}/bags/${id}.svg" alt="A bag of ${name}" width="132" height="132"><span class="name">${name}</span></a><span class="price">€ ${price}</span></li>`,
    )
    .join('')}</ul>`;

function shop(visit: Visit): Response {
  const root = escapeHtml(visit.root);
  const body = `<div class="shop">${bar(root)}<main><h1>Roasted on Tuesday, brewed by Friday.</h1><p class="lead">Single-origin coffee, shipped within a day of roasting.</p>${products(root, coffees)}</main></div>`;
  return page(visit, { title: 'Northwind Coffee', body });
}

const product =
  ({ id, name, price, taste }: Coffee): PageHandler =>
  (visit) => {
    const root = escapeHtml(visit.root);
    const body = `<div class="shop">${bar(root)}<main><h1>${name}</h1><img src="${root}/bags/${id}.svg" alt="A bag of ${name}" width="132" height="132"><p class="taste">${taste}</p><p class="price">€ ${price}</p><p><button type="button" id="buy">Add to cart</button></p><p><a href="${root}/shop">All coffees</a></p></main></div>`;
    return page(visit, { title: `${name} · Northwind Coffee`, body });
  };

function search(visit: Visit): Response {
  const root = escapeHtml(visit.root);
  const asked = visit.query.get('q') ?? '';
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const found = coffees.filter(({ name, taste }) =>
    words.every((word) => `${name} ${taste}`.toLowerCase().includes(word)),
  );
  const count = `${found.length} ${found.length === 1 ? 'coffee' : 'coffees'} found`;
  const form = `<form action="${root}/search" role="search"><label for="q">Search for</label><input id="q" name="q" value="${escapeHtml(asked)}"><button>Search</button></form>`;
  const body = `<div class="shop">${bar(root)}<main><h1>Search</h1>${form}<p class="count" role="status">${count}</p>${products(root, found)}</main></div>`;
  return page(visit, { title: 'Search · Northwind Coffee', body });
}

/** The pages of the shop by path. */
export const shopPages: Readonly<Record<string, PageHandler>> = {
  '/shop': shop,
  '/search': search,
  ...Object.fromEntries(
    coffees.flatMap((coffee) => [
      [`/shop/${coffee.id}`, product(coffee)],
      [`/bags/${coffee.id}.svg`, file('image/svg+xml', bag(coffee.colors))],
    ]),
  ),
};
