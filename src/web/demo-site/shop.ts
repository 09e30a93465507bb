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

/** Renders a page with the bar of the shop. */
function shopPage(visit: Visit, title: string, content: string): Response {
  const { base } = visit;
  const bar = `<header class="shop-bar"><a class="brand" href="${base}/shop">Northwind Coffee</a><nav><a href="${base}/shop">Beans</a><a href="${base}/search">Search</a><a href="${base}/login">Sign in</a></nav></header>`;
  return page(visit, { title, body: `<div class="shop">${bar}<main>${content}</main></div>` });
}

const image = ({ base }: Visit, { id, name }: Coffee): string =>
  `<img src="${base}/bags/${id}.svg" alt="A bag of ${name}" width="132" height="132">`;

function products(visit: Visit, found: readonly Coffee[]): string {
  const items = found.map(
    (coffee) =>
      `<li class="product" data-id="${coffee.id}"><a href="${visit.base}/shop/${coffee.id}">${image(visit, coffee)}<span class="name">${coffee.name}</span></a><span class="price">€ ${coffee.price}</span></li>`,
  );
  return `<ul class="products">${items.join('')}</ul>`;
}

function shop(visit: Visit): Response {
  const content = `<h1>Roasted on Tuesday, brewed by Friday.</h1><p class="lead">Single-origin coffee, shipped within a day of roasting.</p>${products(visit, coffees)}`;
  return shopPage(visit, 'Northwind Coffee', content);
}

const product =
  (coffee: Coffee): PageHandler =>
  (visit) => {
    const { name, price, taste } = coffee;
    const content = `<h1>${name}</h1>${image(visit, coffee)}<p class="taste">${taste}</p><p class="price">€ ${price}</p><p><button type="button" id="buy">Add to cart</button></p><p><a href="${visit.base}/shop">All coffees</a></p>`;
    return shopPage(visit, `${name} · Northwind Coffee`, content);
  };

function search(visit: Visit): Response {
  const asked = visit.query.get('q') ?? '';
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const found = coffees.filter(({ name, taste }) =>
    words.every((word) => `${name} ${taste}`.toLowerCase().includes(word)),
  );
  const count = `${found.length} ${found.length === 1 ? 'coffee' : 'coffees'} found`;
  const form = `<form action="${visit.base}/search" role="search"><label for="q">Search for</label><input id="q" name="q" value="${escapeHtml(asked)}"><button>Search</button></form>`;
  const content = `<h1>Search</h1>${form}<p class="count" role="status">${count}</p>${products(visit, found)}`;
  return shopPage(visit, 'Search · Northwind Coffee', content);
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
