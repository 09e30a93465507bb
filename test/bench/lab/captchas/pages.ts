// The pages with captcha widgets: 20 kinds that must be found, and 7 pages that only look as if they had one. The
// markup has the structure that the vendors document; vendors.ts provides substitutes for their scripts.
import type { CaptchaType } from '../../../../src/browser/page/captcha/kinds.ts';

export interface CaptchaPage {
  /** The whole document, or the content of an ordinary page's form. */
  html: string;
  /** The type that must be found; undefined if nothing must be found. */
  type?: CaptchaType;
  /** The vendor's site key; '' if there is none. */
  key?: string;
  /** True if the widget solves itself without any action. */
  solved?: true;
}

/** Test keys published by the vendors: their widgets accept every visitor. */
export const testKeys = {
  recaptcha: '6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI',
  hcaptcha: '10000000-ffff-ffff-ffff-000000000001',
  turnstile: '3x00000000000000000000FF',
  turnstileByItself: '1x00000000000000000000AA',
} as const;

const script = (address: string) => `<script src="${address}" async></script>`;
/** The page records the token that its callback receives. */
const callback = '<script>function received(token) { window.receivedToken = token }</script>';
const contact = (content: string) =>
  `<!doctype html><title>Contact</title><form id="contact">${content}<input name="message"></form>
<script>document.getElementById('contact').onsubmit = (event) => event.preventDefault()</script>`;
const widget = (address: string, element: string) => contact(script(address) + element + callback);

const recaptcha = (key: string, more = '') =>
  `<div class="g-recaptcha" data-sitekey="${key}" data-callback="received"${more}></div>`;
const turnstile = (key: string) => `<div class="cf-turnstile" data-sitekey="${key}" data-callback="received"></div>`;
const recaptchaScript = 'https://www.google.com/recaptcha/api.js';
const turnstileScript = 'https://challenges.cloudflare.com/turnstile/v0/api.js';

export const captchaPages: Readonly<Record<string, CaptchaPage>> = {
  '/recaptcha': {
    html: widget(recaptchaScript, recaptcha('6LcV2AAAAA-one')),
    type: 'recaptcha',
    key: '6LcV2AAAAA-one',
  },
  '/recaptcha-test-key': {
    html: widget(recaptchaScript, recaptcha(testKeys.recaptcha)),
    type: 'recaptcha',
    key: testKeys.recaptcha,
  },
  '/recaptcha-invisible': {
    html: widget(
      recaptchaScript,
      '<button class="g-recaptcha" data-sitekey="6LcInvis-two" data-callback="received" data-size="invisible">Go</button>',
    ),
    type: 'recaptcha',
    key: '6LcInvis-two',
  },
  '/recaptcha-explicit': {
    html: contact(`<div id="place"></div><script>
      var ready = () => grecaptcha.render('place', {
        sitekey: '6LcExplicit-3', callback: (token) => { window.receivedToken = token } });
    </script>${script('https://www.recaptcha.net/recaptcha/api.js?onload=ready&render=explicit')}`),
    type: 'recaptcha',
    key: '6LcExplicit-3',
  },
  '/recaptcha-enterprise': {
    html: widget('https://www.google.com/recaptcha/enterprise.js', recaptcha('6LcEnt-four')),
    type: 'recaptcha',
    key: '6LcEnt-four',
  },
  '/recaptcha-v3': {
    html: contact(script(`${recaptchaScript}?render=6LcV3-five`)),
    type: 'recaptchaV3',
    key: '6LcV3-five',
  },
  '/hcaptcha': {
    html: widget(
      'https://js.hcaptcha.com/1/api.js',
      `<div class="h-captcha" data-sitekey="${testKeys.hcaptcha}" data-callback="received"></div>`,
    ),
    type: 'hcaptcha',
    key: testKeys.hcaptcha,
  },
  '/turnstile': {
    html: widget(turnstileScript, turnstile('0x4AAAAAAAreal')),
    type: 'cloudflare',
    key: '0x4AAAAAAAreal',
  },
  '/turnstile-test-key': {
    html: widget(turnstileScript, turnstile(testKeys.turnstile)),
    type: 'cloudflare',
    key: testKeys.turnstile,
  },
  '/turnstile-shadow': {
    html: contact(`<div id="host"></div><script>
      const slot = document.getElementById('host').attachShadow({ mode: 'closed' })
        .appendChild(document.createElement('div'));
      window.ready = () => turnstile.render(slot, {
        sitekey: '0x4AAAShadow', callback: (token) => { window.receivedToken = token } });
    </script>${script(`${turnstileScript}?onload=ready&render=explicit`)}`),
    type: 'cloudflare',
    key: '0x4AAAShadow',
  },
  '/cloudflare-interstitial': {
    html: `<!doctype html><title>Just a moment...</title><div id="challenge-running"></div>
      <form id="challenge-form"></form>
      <script>window._cf_chl_opt = { cType: 'managed', cZone: 'site.test' }</script>
      <script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1"></script>`,
    type: 'cloudflare',
    key: '',
  },
  '/geetest-4': {
    html: contact(`<div id="slide"></div><script src="https://static.geetest.com/v4/gt4.js"></script><script>
      initGeetest4({ captchaId: '54088bb07d2df3c46b79f80300b0abbe', product: 'bind' }, (captcha) =>
        captcha.appendTo('#slide'));
    </script>`),
    type: 'geetest',
    key: '54088bb07d2df3c46b79f80300b0abbe',
  },
  '/geetest-3': {
    html: contact(`<div class="geetest_holder"><div class="geetest_radar_tip">Click to verify</div></div>
      <script src="https://static.geetest.com/static/js/gt.0.5.0.js"></script>`),
    type: 'geetest',
    key: '',
  },
  '/aws-waf': {
    html: `<!doctype html><title>Human Verification</title>
      <script src="https://abc.captcha.awswaf.com/abc/captcha.js"></script>
      <script>window.gokuProps = { "key": "AQID", "iv": "CgA", "context": "q" }</script>
      <div id="captcha-container"></div>`,
    type: 'amazonWaf',
    key: 'AQID',
  },
  '/datadome': {
    html: `<!doctype html><title>site.test</title><script>
      var dd = { 'rt': 'c', 'cid': 'A', 'hsh': '1', 't': 'fe', 's': 1, 'host': 'geo.captcha-delivery.com' }
    </script><script src="https://ct.captcha-delivery.com/c.js"></script>
      <iframe src="https://geo.captcha-delivery.com/captcha/?initialCid=A&hash=1&cid=B&t=fe" width=400 height=600>
      </iframe>`,
    type: 'datadome',
    key: '',
  },
  '/friendly': {
    html: contact(`<div class="frc-captcha" data-sitekey="FCMFRIENDLY"></div>
      <script src="https://cdn.jsdelivr.net/npm/friendly-challenge@0.9/widget.min.js"></script>`),
    type: 'friendlyCaptcha',
    key: 'FCMFRIENDLY',
  },
  '/capy': {
    html: contact(`<script src="https://jp.api.capy.me/puzzle/get_js/?k=PUZZLE_abc"></script>
      <div class="capy-captcha" id="c"></div>`),
    type: 'capy',
    key: 'PUZZLE_abc',
  },
  '/mtcaptcha': {
    html: contact(`<script>var mtcaptchaConfig = { sitekey: 'MTPublic-x' }</script><div class="mtcaptcha"></div>
      <script src="https://service.mtcaptcha.com/mtcv1/client/mtcaptcha.min.js"></script>`),
    type: 'mtcaptcha',
    key: 'MTPublic-x',
  },
  '/lemin': {
    html: contact(`<div id="lemin-cropped-captcha"></div>
      <script src="https://api.leminnow.com/captcha/v1/cropped/CROPPED_1/js"></script>`),
    type: 'lemin',
    key: 'CROPPED_1',
  },
  '/image': {
    html: contact(`<img id="picture" src="/captcha.png" alt="captcha" width=120 height=40>
      <input name="captcha" id="letters">`),
    type: 'normal',
    key: '',
  },

  '/nothing': { html: contact('<p>hello</p>') },
  '/article': {
    html: contact(`<p>How a reCAPTCHA, an hCaptcha or a Turnstile works: class="g-recaptcha" data-sitekey is where…</p>
      <a href="https://www.google.com/recaptcha/about/">about</a>`),
  },
  '/code': {
    html: contact(`<pre>&lt;div class="g-recaptcha" data-sitekey="x"&gt;</pre>
      <code>challenges.cloudflare.com/turnstile/v0/api.js</code>`),
  },
  '/turnstile-by-itself': {
    html: contact(script(turnstileScript) + turnstile(testKeys.turnstileByItself)),
    type: 'cloudflare',
    key: testKeys.turnstileByItself,
    solved: true,
  },
  '/photograph': {
    html: contact(`<img src="/photo.png" alt="a red lighthouse" width=320 height=200><input name="comment">`),
  },
  '/datadome-tag': { html: contact('<script src="https://js.datadome.co/tags.js"></script><p>ok</p>') },
  '/title': { html: '<!doctype html><title>Just a moment in time - blog</title><p>post</p>' },
};

/** Pages used to test solving, in addition to those used to test detection. */
export const furtherPages: Readonly<Record<string, string>> = {
  /** A widget in a cross-site frame, below the fold. */
  '/framed': `<!doctype html><title>Framed</title><div style="height:1500px"></div>
    <iframe src="https://other.test/recaptcha-test-key" width="400" height="300"></iframe>`,
  /** A challenge that lets the visitor pass after a click. */
  '/challenge': `<!doctype html><title>Just a moment...</title>
    <script>window._cf_chl_opt = { cType: 'managed' }; function received() { location.replace('/nothing') }</script>
    <script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1"></script>
    ${script(turnstileScript)}${turnstile(testKeys.turnstile)}`,
  /** Two widgets, each with a field and a callback. */
  '/two': contact(`${script(recaptchaScript)}<script>
      window.tokens = [];
      function first(token) { tokens.push('first ' + token) }
      function second(token) { tokens.push('second ' + token) }
    </script>
    <div><div class="g-recaptcha" data-sitekey="6LcFirst" data-callback="first" data-size="invisible"></div></div>
    <div><div class="g-recaptcha" data-sitekey="6LcSecond" data-callback="second"></div></div>`),
  /** Counts the detection steps that the page's main world could notice. */
  '/watchful': widget(
    turnstileScript,
    `${turnstile('0x4AAAAAAAreal')}<script>
      window.noticed = [];
      const watch = (owner, name) => {
        const own = Object.getOwnPropertyDescriptor(owner, name);
        const kind = own.get ? 'get' : 'value';
        Object.defineProperty(owner, name, { ...own, [kind](...given) {
          if (document.readyState === 'complete') noticed.push(name);
          return own[kind].apply(this, given);
        } });
      };
      addEventListener('load', () => {
        for (const name of ['querySelector', 'querySelectorAll']) watch(Document.prototype, name);
        for (const name of ['getBoundingClientRect', 'getClientRects', 'getAttribute', 'closest']) watch(Element.prototype, name);
        for (const name of ['dataset', 'innerText']) watch(HTMLElement.prototype, name);
        watch(HTMLTextAreaElement.prototype, 'value');
        watch(Node.prototype, 'textContent');
        watch(Node.prototype, 'getRootNode');
        watch(window, 'getComputedStyle');
        new MutationObserver((all) => noticed.push(...all.map(({ type }) => type))).observe(document, {
          attributes: true, childList: true, characterData: true, subtree: true });
        window.names = Object.getOwnPropertyNames(window).length;
      });
    </script>`,
  ),
};
