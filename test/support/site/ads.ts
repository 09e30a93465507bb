// Serves pages with advertisements and consent dialogs that EasyList and autoconsent recognize.
import { page } from './pages.ts';
import type { SiteHandler } from './site.ts';

export const adPages: Record<string, SiteHandler> = {
  /** A script, an image, a frame and a request of an advertiser, alongside resources of the site itself. */
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
  /** A page with `n` requests, including its own, none of them for an advertisement. */
  '/requests/:n': (request) =>
    page(
      'Requests',
      Array.from({ length: Number(request.params['n']) - 1 }, (_, n) => `<img src="/images/blue-8x8.png?${n}">`).join(
        '',
      ),
    ),
  /** The same, each response after `ms` milliseconds, as from a site on another machine. */
  '/requests/:n/:ms': ({ params }) => {
    const image = (_: unknown, n: number) => `<img src="/answer-after/${params['ms']}?${n}">`;
    return page('Requests', Array.from({ length: Number(params['n']) - 1 }, image).join(''));
  },
  '/answer-after/:ms': ({ params }, response) =>
    void setTimeout(() => response.writeHead(204).end(), Number(params['ms'])),
  /** An advertisement that a script adds late. */
  '/ads-late': () =>
    page(
      'Late ads',
      `<h1>Late</h1><script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend',
'<div id="google_ads" style="position:absolute;left:0;top:300px;width:100px;height:100px;background:rgb(255,0,0)">Buy</div><i id="late"></i>') }, 100)</script>`,
    ),
  /**
   * Consent dialogs of four platforms, and one of no known platform; the root element's data-consent holds the choice.
   */
  '/consent/:platform': (request) => {
    const platform = dialogs[request.params['platform'] ?? ''];
    return page('Consent', `<h1>Consent</h1><p>The page itself.</p>${platform ?? ''}`, dialogStyle);
  },
  '/index.html': () => page('Sourcepoint', sourcepoint, dialogStyle),
};

/** The dialog that Sourcepoint shows in an iframe. */
const sourcepoint = `<div id="notice" class="dialog">We value your privacy
<button class="sp_choice_type_11" onclick="answer('accepted', 'notice')">Accept</button>
<button class="sp_choice_type_13" onclick="answer('refused', 'notice')">Reject</button></div>`;

const dialogStyle = `<style>.dialog{position:fixed;left:0;top:0;width:400px;height:300px;background:rgb(255,0,0);z-index:9}</style>
<script>function answer(how, id) { document.documentElement.dataset.consent = how; document.getElementById(id).remove(); }</script>`;

const dialogs: Record<string, string> = {
  onetrust: `<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" class="dialog">We value your privacy
<button id="onetrust-accept-btn-handler" onclick="answer('accepted', 'onetrust-consent-sdk')">Accept all</button>
<button id="onetrust-reject-all-handler" onclick="answer('refused', 'onetrust-consent-sdk')">Reject all</button></div></div>`,
  cookiebot: `<div id="CybotCookiebotDialog" class="dialog">This website uses cookies
<button id="CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll" onclick="answer('accepted', 'CybotCookiebotDialog')">Allow all</button>
<button id="CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll" onclick="answer('refused', 'CybotCookiebotDialog')">Deny</button></div>
<script>window.Cookiebot = { hasResponse: false, dialog: { visible: true } };</script>`,
  didomi: `<div id="didomi-host"><div id="didomi-popup" class="dialog didomi-popup-container">Welcome
<button id="didomi-notice-agree-button" onclick="answer('accepted', 'didomi-host')">Agree</button>
<button id="didomi-notice-disagree-button" onclick="answer('refused', 'didomi-host')">Disagree</button></div></div>`,
  usercentrics: `<div id="usercentrics-root"></div><script>window.UC_UI = {};
const root = document.querySelector('#usercentrics-root').attachShadow({ mode: 'open' });
root.innerHTML = '<div data-testid="uc-container" style="position:fixed;left:0;top:0;width:400px;height:300px;background:rgb(255,0,0)">Privacy <button data-testid="uc-accept-all-button">Accept</button><button data-testid="uc-deny-all-button">Deny</button></div>';
root.querySelector('[data-testid=uc-accept-all-button]').onclick = () => answer('accepted', 'usercentrics-root');
root.querySelector('[data-testid=uc-deny-all-button]').onclick = () => answer('refused', 'usercentrics-root');</script>`,
  /** Belongs to no known platform. */
  unknown: `<div id="cookie-wall" class="dialog" role="dialog"><p>We use cookies and similar technologies to personalise content and ads.
By clicking accept you consent to the use of cookies.</p><button onclick="answer('accepted', 'cookie-wall')">Accept all cookies</button>
<button onclick="answer('refused', 'cookie-wall')">Reject all</button></div>`,
};
