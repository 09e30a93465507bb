// Substitutes for the vendors' scripts and frames: the documented structure (globals, frames, fields, callbacks, closed
// shadow trees), but none of the vendors' code.

interface Vendor {
  /** Global object with `render`. */
  api: string;
  /** Class of elements that the script fills automatically. */
  className: string;
  /** Name of the field that holds the token. */
  field: string;
  /** JavaScript expression for the frame's URL, built from `options`. */
  frame: string;
  /** True when the frame is in a closed shadow tree. */
  shadow: boolean;
  /** JavaScript that stores a widget's options where the vendor's script does. */
  keep: string;
}

const vendors = {
  recaptcha: (host: string, kind: 'api2' | 'enterprise'): Vendor => ({
    api: 'grecaptcha',
    className: 'g-recaptcha',
    field: 'g-recaptcha-response',
    frame: `'https://${host}/recaptcha/${kind}/anchor?ar=1&k=' + encodeURIComponent(options.sitekey) + '&size=' + (options.size ?? 'normal')`,
    shadow: false,
    keep: `const config = (window.___grecaptcha_cfg ??= { clients: {} });
      config.clients[Object.keys(config.clients).length] = { id: 0, M: { M: { ...options } } };`,
  }),
  hcaptcha: (): Vendor => ({
    api: 'hcaptcha',
    className: 'h-captcha',
    field: 'h-captcha-response',
    frame: `'https://newassets.hcaptcha.com/captcha/v1/x/static/hcaptcha.html#frame=checkbox&sitekey=' + options.sitekey`,
    shadow: false,
    keep: '',
  }),
  turnstile: (): Vendor => ({
    api: 'turnstile',
    className: 'cf-turnstile',
    field: 'cf-turnstile-response',
    frame: `'https://challenges.cloudflare.com/cdn-cgi/challenge-platform/h/b/turnstile/if/ov2/av0/rcv/x/' + options.sitekey + '/auto/fbE/normal/auto/'`,
    shadow: true,
    keep: '',
  }),
};

const scriptOf = ({ api, className, field, frame, shadow, keep }: Vendor) => `(() => {
  // Private to the script, as in the vendors' own: nothing leads here from the page.
  const widgets = new Map();
  const render = (place, options) => {
    const element = typeof place === 'string'
      ? document.getElementById(place) ?? document.querySelector(place) : place;
    const frame = document.createElement('iframe');
    frame.src = ${frame};
    frame.width = 304;
    frame.height = 78;
    frame.style.border = '0';
    const field = document.createElement('textarea');
    field.name = ${JSON.stringify(field)};
    field.style.display = 'none';
    const holder = document.createElement('div');
    (options.size === 'invisible' ? document.body : element).append(holder);
    ${shadow ? `holder.attachShadow({ mode: 'closed' }).append(frame)` : 'holder.append(frame)'};
    holder.append(field);
    widgets.set('widget' + widgets.size, { frame, field, params: options });
    ${keep}
    return 0;
  };
  addEventListener('message', ({ source, data }) => {
    for (const { frame, field, params } of widgets.values()) {
      if (frame.contentWindow !== source || !data?.standInToken) continue;
      field.value = data.standInToken;
      const { callback } = params;
      (typeof callback === 'string' ? window[callback] : callback)?.(data.standInToken);
    }
  });
  window[${JSON.stringify(api)}] = { render, execute: async () => 'x', ready: (use) => use(), getResponse: () => '' };
  const { searchParams } = new URL(document.currentScript.src);
  const begin = () => {
    window[searchParams.get('onload')]?.();
    if (searchParams.get('render') === 'explicit') return;
    for (const element of document.querySelectorAll('.${className}')) {
      const { sitekey, callback, size } = element.dataset;
      render(element, { sitekey, callback, size });
    }
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', begin);
  else begin();
})()`;

/** reCAPTCHA v3: a badge instead of a widget. */
const badge = (key: string) => `{
  window.grecaptcha = { ready: (use) => use(), execute: async () => 'x' };
  const frame = document.createElement('iframe');
  frame.src = 'https://www.google.com/recaptcha/api2/anchor?ar=1&k=' + ${JSON.stringify(key)} + '&size=invisible';
  frame.width = 256;
  frame.height = 60;
  (document.body ?? document.documentElement).append(frame);
}`;

const geetest = `window.initGeetest4 = ({ captchaId }, ready) => ready({
  appendTo(place) {
    document.querySelector(place).className = 'geetest_captcha';
    const script = document.createElement('script');
    script.src = 'https://gcaptcha4.geetest.com/load?captcha_id=' + captchaId;
    document.head.append(script);
  },
})`;

/** A widget's frame: its checkbox issues a token on a trusted click if the key is a test key. */
const frame = `<!doctype html><body style="margin:0">
<div id="anchor" role="checkbox" aria-checked="false" tabindex="0"
  style="width:28px;height:28px;border:2px solid;margin:20px"></div>
<script>
  const key = new URLSearchParams(location.search).get('k')
    ?? new URLSearchParams(location.hash.slice(1)).get('sitekey')
    ?? location.pathname.split('/').find((part) => /^\\dx/.test(part)) ?? '';
  const forTests = /^(6LeIxAcT|[123]x0000|10000000-)/.test(key);
  const give = () => parent.postMessage({ standInToken: forTests ? 'XXXX.DUMMY.TOKEN.XXXX' : 'token-' + key }, '*');
  if (key.startsWith('1x')) setTimeout(give, 50);
  document.getElementById('anchor').onclick = ({ isTrusted, currentTarget }) => {
    if (!isTrusted) return;
    currentTarget.setAttribute('aria-checked', 'true');
    if (forTests) give();
  };
</script>`;

export interface VendorResponse {
  type: 'text/html' | 'text/javascript';
  text: string;
}

const html = (text: string): VendorResponse => ({ type: 'text/html', text });
const javaScript = (text: string): VendorResponse => ({ type: 'text/javascript', text });

/** A vendor host's response; undefined if the host is not a vendor's. */
export function vendorResponse({ hostname, pathname, searchParams }: URL): VendorResponse | undefined {
  if (/(^|\.)(google\.com|recaptcha\.net)$/.test(hostname)) {
    if (pathname.endsWith('/anchor')) return html(frame);
    const key = searchParams.get('render');
    if (key !== null && key !== 'explicit') return javaScript(badge(key));
    return javaScript(scriptOf(vendors.recaptcha(hostname, pathname.includes('enterprise') ? 'enterprise' : 'api2')));
  }
  if (hostname.endsWith('hcaptcha.com')) {
    return pathname.includes('/captcha/') ? html(frame) : javaScript(scriptOf(vendors.hcaptcha()));
  }
  if (hostname === 'challenges.cloudflare.com') {
    return pathname.includes('/turnstile/if/') ? html(frame) : javaScript(scriptOf(vendors.turnstile()));
  }
  if (hostname.endsWith('geetest.com')) return javaScript(geetest);
  if (hostname === 'geo.captcha-delivery.com') return html('<p>slide</p>');
  if (
    /(awswaf\.com|captcha-delivery\.com|datadome\.co|jsdelivr\.net|capy\.me|mtcaptcha\.com|leminnow\.com)$/.test(
      hostname,
    )
  ) {
    return javaScript('0');
  }
  return undefined;
}
