// BrowserQL: the seventeen example documents in its public specification, verbatim. A proxy sends requests for the
// hosts in them to the test site over HTTPS.
import * as assert from 'uvu/assert';
import { readDocument, runDocument } from '../../src/api/bql/execute.ts';
import { BqlSession } from '../../src/api/bql/run/session.ts';
import { createLog } from '../../src/base/telemetry/log.ts';
import { noTracing } from '../../src/base/telemetry/tracing.ts';
import { type BqlAnswer, type RunOptions, send } from '../support/clients/bql.ts';
import { startPageBrowser } from '../support/pages.ts';
import { startHttpProxy, type TestProxy } from '../support/clients/proxies.ts';
import { watchLive } from '../support/clients/viewer.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('BrowserQL examples as written');
let proxy: TestProxy;

test.before(async () => {
  const { port: securePort } = new URL(fixture.site.secureUrl);
  proxy = await startHttpProxy({ ports: { 443: Number(securePort) } });
});
test.after(() => proxy?.close());

const reply = (document: string, options: RunOptions = {}) =>
  send(fixture.service, document, {
    ...options,
    query: { externalProxyServer: proxy.url(), acceptInsecureCerts: true },
  });

async function run(document: string, options: RunOptions = {}): Promise<BqlAnswer> {
  const { status, text, json } = await reply(document, options);
  assert.is(status, 200, text.slice(0, 1_000));
  return json<BqlAnswer>();
}

/** The data of a response without errors. */
async function data(document: string, options: RunOptions = {}): Promise<BqlAnswer['data']> {
  const answer = await run(document, options);
  assert.is(answer.errors, undefined, JSON.stringify(answer).slice(0, 1_000));
  return answer.data;
}

test('1 to 3: open, read, rows', async () => {
  const one = await data(
    'mutation Peek { goto(url: "https://site.test/", waitUntil: domContentLoaded) { status url } title { title } }',
  );
  assert.equal(one, { goto: { status: 200, url: 'https://site.test/' }, title: { title: 'Site' } });
  const two = await data(`mutation { goto(url: "https://site.test/item/7") { status }
  name: text(selector: "h1") { text }  price: text(selector: ".price") { text time } }`);
  assert.equal([two['name'].text, two['price'].text], ['Item 7', '12.50']);
  const three = await data(`mutation { goto(url: "https://site.test/list") { status }
  rows: mapSelector(selector: "li.product") {
    sku: attribute(name: "data-sku") { value }
    label: mapSelector(selector: ".label") { innerText }
    link: mapSelector(selector: "a") { href: attribute(name: "href") { value } } } }`);
  assert.is(three['rows'].length, 3);
  assert.equal(three['rows'][0], {
    sku: { value: 'A1' },
    label: [{ innerText: 'Item A1' }],
    link: [{ href: { value: '/bql/item/A1' } }],
  });
});

test('4: logging in with variables', async () => {
  const four = await data(
    `mutation Login($u: String!, $p: String!) { goto(url: "https://app.test/login") { status }
  user: type(selector: "#user", text: $u) { time }  pass: type(selector: "#pass", text: $p, delay: [20, 60]) { time }
  send: click(selector: "button[type=submit]") { x y }  nav: waitForNavigation(waitUntil: load) { status url } }`,
    { variables: { u: 'me', p: 's3' } },
  );
  assert.equal(four['nav'], { status: 200, url: 'https://app.test/bql/login-done?u=me&p=s3' });
});

test('5 to 7: a consent banner, a branch, requests made by a page', async () => {
  const five = await data(`mutation { goto(url: "https://news.test", waitUntil: networkIdle) { status }
  banner: if(selector: "#consent", visible: true) { click(selector: "#consent .ok") { time } }
  screenshot(type: jpeg, quality: 70, fullPage: true) { base64 format } }`);
  assert.type(five['banner'].click.time, 'number');
  assert.is(five['screenshot'].format, 'jpeg');
  const six = await data(`mutation { goto(url: "https://site.test/maybe") { status }
  missing: if(response: {statuses: [404, 410]}) { title { title } }
  found: ifnot(response: {statuses: [404, 410]}) { html(selector: "main") { html } } }`);
  assert.equal(six, { goto: { status: 404 }, missing: { title: { title: 'Missing' } }, found: null });
  const seven = await data(`mutation { reject(type: [image, font, media]) { enabled }
  goto(url: "https://app.test", waitUntil: networkIdle) { status }
  api: response(type: [xhr, fetch], url: "*/api/*", operator: and) { url status body headers { name value } } }`);
  const bodies = seven['api'].map(({ url, body }: { url: string; body: string }) => `${url} ${body}`);
  assert.equal(bodies.toSorted(), [
    'https://app.test/api/items {"answer":42}',
    'https://app.test/api/put {"put":true}',
  ]);
  assert.is(
    fixture.site.requests.some(({ path }) => path.startsWith('/images')),
    false,
  );
});

test('8 to 10: an exported value, cleaned HTML, a PDF', async () => {
  const eight = await data(`mutation { goto(url: "https://site.test") { status }
  pick: evaluate(content: "document.querySelector('a.next').href") { value @export(as: "next") }
  follow: goto(url: "\${next}") { status url } }`);
  assert.equal(eight['follow'], { status: 200, url: 'https://site.test/item/next' });
  const nine = await data(`mutation { goto(url: "https://docs.test/page") { status }
  html(selector: "article", clean: {removeAttributes: true, attributes: ["href"], mode: ALLOW}) { html } }`);
  assert.match(nine['html'].html, /^<article>.*href="\/x"/);
  const ten = await data(`mutation { content(html: "<h1>Invoice</h1>") { status }
  pdf(format: a4, printBackground: true, displayHeaderFooter: true, marginTop: "1cm",
      footerTemplate: "<span class=pageNumber></span>") { base64 size } }`);
  assert.ok(ten['pdf'].size > 1_000);
});

test('11 to 13: a handoff, help from a person, an error partway through', async () => {
  const eleven = await data(
    `mutation { goto(url: "https://app.test") { status } reconnect(timeout: 60000) { browserQLEndpoint browserWSEndpoint } }`,
  );
  const path = new URL(eleven['reconnect'].browserQLEndpoint).pathname;
  const next = await data('mutation { url { url } reconnect(timeout: 60000) { browserQLEndpoint } }', { path });
  assert.is(next['url'].url, 'https://app.test/');
  // Without reconnect, the browser is closed when this document ends.
  await data('mutation { url { url } }', { path });
  const twelve = await data(`mutation { goto(url: "https://app.test/otp") { status }
  liveURL(timeout: 120000, quality: 60, showBrowserInterface: false) { liveURL }
  waitForSelector(selector: "#dashboard", timeout: 120000) { time } }`);
  const viewer = await watchLive(twelve['liveURL'].liveURL);
  await viewer.nextFrame();
  await viewer.leave();
  const thirteen = await run(
    'mutation { goto(url: "https://site.test") { status } gone: waitForSelector(selector: "#nope", timeout: 500) { time } title { title } }',
  );
  assert.equal(thirteen.data, { goto: { status: 200 }, gone: null, title: { title: 'Site' } });
  assert.equal(
    thirteen.errors?.map(({ path: where }) => where),
    [['gone']],
  );
});

test('14 to 16: an element in a frame, cookies and a device, a popup', async () => {
  const fourteen = await data(`mutation { goto(url: "https://shop.test/pay") { status }
  card: type(selector: "< *pay.test/* input[name='number']", text: "4242") { time }
  pay: click(selector: "< button.pay") { x y } }`);
  assert.type(fourteen['pay'].x, 'number');
  const fifteen = await data(`mutation { viewport(width: 390, height: 844, deviceScaleFactor: 3, mobile: true) { width }
  put: cookies(cookies: [{name: "sid", value: "1", url: "https://app.test", sameSite: Lax}]) { cookies { name } }
  goto(url: "https://app.test") { status }  got: cookies { cookies { name value domain expires httpOnly } } }`);
  assert.equal(fifteen['got'].cookies, [
    { name: 'sid', value: '1', domain: 'app.test', expires: null, httpOnly: false },
  ]);
  const sixteen = await data(`mutation { goto(url: "https://site.test") { status } click(selector: "#open") { time }
  win: switchToWindow(newest: true, waitUntil: load) { success title url navigation { status } } }`);
  assert.equal(sixteen['win'], {
    success: true,
    title: 'Item popup',
    url: 'https://site.test/item/popup',
    navigation: { status: 200 },
  });
});

test('17: two upstream proxies whose hostnames the test resolves', async () => {
  await using browser = await startPageBrowser();
  const asked: string[] = [];
  const ready = await readDocument({
    query: `mutation { a: proxy(server: "http://u:p@px1.test:8000", type: [document, xhr]) { time }
  b: proxy(server: "http://u:p@px2.test:8000", url: "*") { time } goto(url: "https://site.test") { status } }`,
  });
  await using first = await startHttpProxy({
    accepts: () => true,
    ports: { 443: Number(new URL(fixture.site.secureUrl).port) },
  });
  const { answer } = await browser.withPage(async (page) => {
    using session = new BqlSession(
      page,
      {
        checkUrl: (text) => new URL(text),
        allowsUrl: () => true,
        signed: (_url, headers) => headers,
        explain: () => undefined,
        explainByDisk: (error) => Promise.resolve(error),
        notInPlan: () => undefined,
        captchas: { solver: undefined, attempted: () => {} },
        responseLimit: 0,
        addressOf: () => undefined,
        openProxy({ server = '' }) {
          asked.push(server);
          return Promise.resolve({ server: first.url('u', 'p'), insecure: true, [Symbol.dispose]() {} });
        },
        browserVersion: () => Promise.resolve('test'),
        version: 'test',
        log: createLog({ level: 'error', write: (line) => console.error(line) }),
        exposure: { ownProxy: false, insecure: false, refusal: undefined },
        secret: () => Promise.resolve(undefined),
        tracing: noTracing,
      },
      { humanlike: false, slowMoMs: 0, records: false, bodies: false, consent: false, windows: false },
    );
    return runDocument(ready, session, page.signal);
  });
  assert.is(answer.errors, undefined, JSON.stringify(answer));
  assert.equal(asked, ['http://u:p@px1.test:8000', 'http://u:p@px2.test:8000']);
  assert.ok(first.targets().includes('CONNECT site.test:443'), first.targets().join());
});
