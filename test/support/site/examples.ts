// Serves the hosts in the example documents of BrowserQL's public description; a test's proxy routes them here.
import { bqlPages } from './bql.ts';
import { page } from './pages.ts';
import type { SiteHandler } from './site.ts';

/** Serves a page of the BrowserQL table under the URL of an example. */
function same(path: string): SiteHandler {
  return (...args) => bqlPages[path]?.(...args);
}

export const examplePages: Record<string, SiteHandler> = {
  'site.test/': () =>
    page(
      'Site',
      `<h1>Site</h1><a class="next" href="/item/next">next</a><button id="open" onclick="window.open('/item/popup')">open</button>`,
    ),
  'site.test/item/:sku': same('/bql/item/:sku'),
  'site.test/list': same('/bql/list'),
  'site.test/maybe': (_request, response) => {
    response.statusCode = 404;
    return page('Missing', '<main>Nothing here.</main>');
  },
  'app.test/': same('/bql/app'),
  'app.test/login': same('/bql/login'),
  'app.test/otp': () =>
    page(
      'Code',
      `<script>setTimeout(() => (document.body.innerHTML = '<main id="dashboard">In</main>'), 200)</script>`,
    ),
  'news.test/': same('/bql/consent'),
  'docs.test/page': same('/bql/messy'),
  'shop.test/pay': () =>
    page(
      'Pay',
      `<iframe src="https://pay.test/card" width="400" height="200"></iframe><button class="pay" onclick="document.title = 'paid'">Pay</button>`,
    ),
  'pay.test/card': () => page('Card', '<input name="number" oninput="document.title = this.value">'),
};
