// Pages of the test site with advertisements and consent dialogs, as EasyList and autoconsent know them.
import { page } from './site-pages.ts';
import type { SiteHandler } from './site.ts';

export const adPages: Record<string, SiteHandler> = {
  /** A script, an image, a frame and a request of an advertiser, beside things of the site's own. */
  '/ads': (_request, _response, site) => {
    const ads = site.url.replace('127.0.0.1', 'ads.localhost');
    return page(
      'Ads',
      `<h1>Ads</h1><img id="own" src="/images/blue-64x48.png" width="64" height="48">
<script src="/assets/mark.js"></script><script src="${ads}/pagead/ads.js"></script>
<img src="${ads}/banner_ads/x.gif" width="64" height="48"><iframe src="${ads}/pagead/frame"></iframe>
<div id="google_ads" style="position:absolute;left:0;top:300px;width:100px;height:100px;background:rgb(255,0,0)">Buy</div>
<a id="link" href="https://ad.doubleclick.net/x">Buy more</a><p id="after">After</p>`,
    );
  },
  '/pagead/ads.js': (_request, response) => {
    response.setHeader('content-type', 'text/javascript');
    return "document.documentElement.dataset.ad = 'ran';";
  },
  '/banner_ads/x.gif': (_request, response) => void response.writeHead(204).end(),
  '/pagead/frame': () => page('Advertisement', '<h1>Buy now</h1>'),
  /** An advertisement that comes late. */
  '/ads-late': () =>
    page(
      'Late ads',
      `<h1>Late</h1><script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend',
'<div id="google_ads" style="position:absolute;left:0;top:300px;width:100px;height:100px;background:rgb(255,0,0)">Buy</div><i id="late"></i>') }, 100)</script>`,
    ),
};
