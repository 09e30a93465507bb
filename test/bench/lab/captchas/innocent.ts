// Pages without a widget that a careless detector would mistake for one: words, names, URLs and scripts of captchas.

const page = (content: string, title = 'Page') => `<!doctype html><title>${title}</title>${content}`;
const article = (content: string) => page(`<article><h1>About captchas</h1>${content}</article><input name="search">`);
const script = (address: string) => `<script src="${address}"></script>`;

export const innocentPages: readonly string[] = [
  // Words.
  page('<p>Please solve the captcha.</p>'),
  page('<h1>reCAPTCHA</h1><p>I am not a robot.</p><button>I am not a robot</button>'),
  page('<p>hello</p>', 'Just a moment...'),
  page('<p>Checking your browser before you go on.</p>', 'Attention Required! | Cloudflare'),
  page('<p>Access denied</p>', 'DataDome'),
  page('<p>Human Verification</p>', 'Human Verification'),
  page('<label><input type="checkbox" role="checkbox"> I am human</label>'),
  article('<p>An hCaptcha asks for pictures, GeeTest for a slide, Capy for a puzzle.</p>'),
  article('<p>Cloudflare shows "Verify you are human".</p>'),
  // Code shown as text.
  article('<pre>&lt;div class="h-captcha" data-sitekey="10000000-ffff-ffff-ffff-000000000001"&gt;</pre>'),
  article('<code>window._cf_chl_opt = { cType: "managed" }</code>'),
  article('<code>window.gokuProps = { "key": "AQID" }</code>'),
  article('<code>var dd={"rt":"c","host":"geo.captcha-delivery.com"}</code>'),
  article('<textarea name="source">&lt;script src="https://js.hcaptcha.com/1/api.js"&gt;</textarea>'),
  article('<template><div class="g-recaptcha" data-sitekey="k"></div></template>'),
  article('<noscript><iframe src="https://www.google.com/recaptcha/api2/anchor?k=abcdef"></iframe></noscript>'),
  // Code inside data.
  page('<script type="application/json">{"text":"window._cf_chl_opt = {"}</script>'),
  page('<script type="application/ld+json">{"articleBody":"window.gokuProps = {\\"key\\":\\"AQID\\"}"}</script>'),
  page('<script type="text/plain">var dd = {"host":"geo.captcha-delivery.com"}</script>'),
  page('<script>const text = "an article about gokuProps and _cf_chl_opt"</script>'),
  page('<script>var mtcaptchaConfig = { sitekey: "MTPublic-x" }</script>'),
  page('<script>window.___grecaptcha_cfg = { clients: {} }</script>'),
  page('<script>window.turnstile = { render() {} }</script>'),
  page('<script>var dd = { "rt": "c" }</script>'),
  // Links and URLs.
  article('<a href="https://www.google.com/recaptcha/api2/anchor?k=abc">anchor</a>'),
  article('<a href="https://challenges.cloudflare.com/turnstile/v0/api.js">api.js</a>'),
  article('<link rel="preconnect" href="https://js.hcaptcha.com"><link rel="dns-prefetch" href="//www.recaptcha.net">'),
  article('<link rel="preload" as="script" href="https://www.google.com/recaptcha/api.js">'),
  article('<iframe src="/plain?next=https://www.google.com/recaptcha/api2/anchor?k=abcdef"></iframe>'),
  article('<iframe src="/plain#https://newassets.hcaptcha.com/captcha/v1/x/hcaptcha.html#sitekey=k"></iframe>'),
  article('<iframe src="https://recaptcha.google.com.site.test/recaptcha/api2/anchor?k=abcdef"></iframe>'),
  article('<iframe srcdoc="&lt;div class=g-recaptcha data-sitekey=k&gt;"></iframe>'),
  // Names without a widget.
  page('<div class="g-recaptcha" data-sitekey="6LcNobody"></div>'),
  page('<div class="h-captcha" data-sitekey="k"></div><div class="cf-turnstile" data-sitekey="k"></div>'),
  page('<div class="frc-captcha">a class of our own</div>'),
  page('<div class="mtcaptcha"></div><div id="lemin-cropped-captcha"></div>'),
  page('<div class="geetest_captcha geetest_holder"></div>'),
  page('<div id="captcha-container">nothing here</div>'),
  page('<form id="challenge-form"><input name="answer"></form>', 'Weekly challenge'),
  page('<div id="challenge-stage">Stage 3 of the tour</div>'),
  page('<input type="hidden" name="g-recaptcha-response"><input type="hidden" name="cf-turnstile-response">'),
  // Vendor scripts that show nothing.
  page(script('https://www.google.com/recaptcha/api.js?render=explicit')),
  page(script('https://js.hcaptcha.com/1/api.js?render=explicit')),
  page(script('https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit')),
  page(script('https://static.geetest.com/v4/gt4.js')),
  page(script('https://js.datadome.co/tags.js') + script('https://ct.captcha-delivery.com/c.js')),
  page(script('https://abc.captcha.awswaf.com/abc/jsapi.js')),
  page(
    script('/cdn-cgi/challenge-platform/scripts/jsd/main.js') + '<script>window.__CF$cv$params = { r: "1" }</script>',
  ),
  page(script('https://cdn.jsdelivr.net/npm/friendly-challenge@0.9/widget.min.js')),
  page(script('https://service.mtcaptcha.com/mtcv1/client/mtcaptcha.min.js')),
  // Images.
  page('<img src="/captcha.png" alt="An example of a captcha" width=200 height=60><input name="comment">'),
  page('<img class="captcha-free" src="/photo.png" alt="lighthouse" width=320 height=200><input name="comment">'),
  page('<img src="/captcha.png" width=120 height=40 style="display:none"><input name="captcha" type="hidden">'),
  page('<img src="/photo.png" alt="photo" width=120 height=40><input name="code" placeholder="Discount code">'),
  page('<canvas id="chart" width=300 height=150></canvas><input name="captcha_free_period">'),
  page('<svg class="captcha-icon" width=20 height=20></svg><p>No captchas, ever.</p>'),
  page('<video class="captcha-tutorial" width=300 height=150></video><input name="email">'),
];
