// BrowserQL: the example documents from its public specification, as people write them, run on the test site's pages.
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';

const { test, fixture } = bqlSuite('BrowserQL examples');

test('open, read, alias, rows', async () => {
  const peek = await fixture.data(
    'mutation Peek { goto(url: "SITE/", waitUntil: domContentLoaded) { status url } title { title } }',
  );
  assert.equal(peek, { goto: { status: 200, url: `${fixture.site.url}/` }, title: { title: 'Test page' } });
  const two = await fixture.data(`mutation { goto(url: "SITE/bql/item/7") { status }
    name: text(selector: "h1") { text }  price: text(selector: ".price") { text time } }`);
  assert.equal([two.name.text, two.price.text], ['Item 7', '12.50']);
  const { rows } = await fixture.data(`mutation { goto(url: "SITE/bql/list") { status }
    rows: mapSelector(selector: "li.product") {
      sku: attribute(name: "data-sku") { value }
      label: mapSelector(selector: ".label") { innerText }
      link: mapSelector(selector: "a") { href: attribute(name: "href") { value } } } }`);
  assert.equal(rows[0], {
    sku: { value: 'A1' },
    label: [{ innerText: 'Item A1' }],
    link: [{ href: { value: '/bql/item/A1' } }],
  });
});

test('logging in with variables', async () => {
  const data = await fixture.data(
    `mutation Login($u: String!, $p: String!) { goto(url: "SITE/bql/login") { status }
      user: type(selector: "#user", text: $u) { time }  pass: type(selector: "#pass", text: $p, delay: [20, 60]) { time }
      send: click(selector: "button[type=submit]") { x y }  nav: waitForNavigation(waitUntil: load) { status url } }`,
    { variables: { u: 'me', p: 's3' } },
  );
  assert.equal(data.nav, { status: 200, url: `${fixture.site.url}/bql/login-done?u=me&p=s3` });
});

test('a cookie banner only if it is present, and a branch on a status', async () => {
  const banner = (query: string) => `mutation { goto(url: "SITE/bql/consent${query}", waitUntil: networkIdle) { status }
    banner: if(selector: "#consent", visible: true) { click(selector: "#consent .ok") { time } }
    gone: ifnot(selector: "#consent") { title { title } }
    screenshot(type: jpeg, quality: 70, fullPage: true) { base64 format } }`;
  const there = await fixture.data(banner(''));
  assert.type(there.banner.click.time, 'number');
  assert.equal([there.gone.title.title, there.screenshot.format], ['News', 'jpeg']);
  assert.is((await fixture.data(banner('?none'))).banner, null);
  const branch = (path: string) => `mutation { goto(url: "SITE${path}") { status }
    missing: if(response: {statuses: [404, 410]}) { title { title } }
    found: ifnot(response: {statuses: [404, 410]}) { html(selector: "h1") { html } } }`;
  const missing = await fixture.data(branch('/status/404'));
  assert.equal([missing.missing, missing.found], [{ title: { title: 'status' } }, null]);
  const found = await fixture.data(branch('/small'));
  assert.equal([found.missing, found.found], [null, { html: { html: '<h1>Small</h1>' } }]);
});

test('saving bandwidth and collecting responses; reusing an exported value; cleaned HTML', async () => {
  const app = await fixture.data(`mutation { reject(type: [image, font, media]) { enabled }
    goto(url: "SITE/bql/app", waitUntil: networkIdle) { status }
    api: response(type: [xhr, fetch], url: "*/api/*", operator: and) { url status body headers { name value } } }`);
  assert.is(app.api.length, 2);
  assert.ok(app.api.some(({ body }: { body: string }) => body === '{"answer":42}'));
  assert.is(
    fixture.site.requests.some(({ path }) => path.startsWith('/images')),
    false,
  );
  const follow = await fixture.data(`mutation { goto(url: "SITE/bql/links") { status }
    pick: evaluate(content: "document.querySelector('a.next').href") { value @export(as: "next") }
    follow: goto(url: "\${next}") { status url } }`);
  assert.is(follow.follow.url, `${fixture.site.url}/bql/item/next`);
  const clean = await fixture.data(`mutation { goto(url: "SITE/bql/messy") { status }
    html(selector: "article", clean: {removeAttributes: true, attributes: ["href"], mode: ALLOW}) { html } }`);
  assert.match(clean.html.html, /^<article>.*href="\/x"/);
});

test('a PDF with a footer, a handoff, an error partway through', async () => {
  const pdf = await fixture.data(`mutation { content(html: "<h1>Invoice</h1>") { status }
    pdf(format: a4, printBackground: true, displayHeaderFooter: true, marginTop: "1cm",
        footerTemplate: "<span class=pageNumber></span>") { base64 size } }`);
  assert.ok(pdf.pdf.size > 1_000);
  const { reconnect } = await fixture.data(
    'mutation { goto(url: "SITE/small") { status } reconnect(timeout: 60000) { browserQLEndpoint browserWSEndpoint } }',
  );
  const path = new URL(reconnect.browserQLEndpoint).pathname;
  const next = await fixture.data('mutation { url { url } reconnect(timeout: 60000) { browserQLEndpoint } }', { path });
  assert.is(next.url.url, `${fixture.site.url}/small`);
  await fixture.data('mutation { title { title } }', { path });
  const { data, errors } = await fixture.run(
    'mutation { goto(url: "SITE/small") { status } gone: waitForSelector(selector: "#nope", timeout: 500) { time } title { title } }',
  );
  assert.equal(data, { goto: { status: 200 }, gone: null, title: { title: 'Small' } });
  assert.equal(
    errors?.map(({ path: where }) => where),
    [['gone']],
  );
});

test('an element in a frame; cookies and a device; a popup', async () => {
  const pay = await fixture.data(`mutation { goto(url: "SITE/bql/frames") { status }
    card: type(selector: "< */bql/inner* input[name='number']", text: "4242") { time }
    pay: click(selector: "< button.pay") { x y } }`);
  assert.type(pay.pay.x, 'number');
  const device =
    await fixture.data(`mutation { viewport(width: 390, height: 844, deviceScaleFactor: 3, mobile: true) { width }
    put: cookies(cookies: [{name: "sid", value: "1", url: "SITE", sameSite: Lax}]) { cookies { name } }
    goto(url: "SITE/cookies") { status }  got: cookies { cookies { name value domain expires httpOnly } } }`);
  assert.equal(device.got.cookies, [{ name: 'sid', value: '1', domain: '127.0.0.1', expires: null, httpOnly: false }]);
  const popup =
    await fixture.data(`mutation { goto(url: "SITE/bql/windows") { status } click(selector: "#open") { time }
    win: switchToWindow(newest: true, waitUntil: load) { success title url navigation { status } } }`);
  assert.equal([popup.win.success, popup.win.title, popup.win.navigation.status], [true, 'Item popup', 200]);
});
