// What one door returns, the others accept: headers, viewports, user agents, launch options, addresses and file names of
// REST answers and BrowserQL, given to REST fields, BrowserQL, Puppeteer and Playwright. Cookies:
// partitioned-cookies.test.ts.
// @tier ci
import { chromium } from 'playwright-core';
import * as assert from 'uvu/assert';
import { connect, endAll, socketUrl } from '../support/clients/clients.ts';
import { succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture, service, site } = fixtureSuite('answers as input');
test.after.each(() => endAll(service));

interface Viewport {
  width: number;
  height: number;
  deviceScaleFactor: number;
  mobile: boolean;
}

async function run<Data>(document: string): Promise<Data> {
  const reply = await service.post('/chromium/bql', { query: `mutation { ${document} }` });
  const { data, errors } = succeeded(reply).json<{ data: Data; errors?: unknown }>();
  assert.is(errors, undefined, JSON.stringify(errors));
  return data;
}

const small = () => `${site.url}/small`;
const sent = () => site.requests.findLast(({ path }) => path === '/echo-headers')?.headers ?? {};
const echo = () => `${site.url}/echo-headers`;

/** The headers that a page has sent, as REST and BrowserQL report them. */
async function reported(): Promise<Record<string, Record<string, string>>> {
  const visit = { url: echo(), setExtraHTTPHeaders: { 'x-own': 'one' } };
  const body = { ...visit, elements: [{ selector: 'body' }], debugOpts: { network: true } };
  const reply = await fixture.post('/scrape', body);
  const { debug } = reply.json<{ debug: { network: { outbound: { headers: Record<string, string> }[] } } }>();
  const { request } = await run<{ request: { headers: { name: string; value: string }[] }[] }>(
    `setExtraHTTPHeaders(headers: [{ name: "x-own", value: "one" }]) { headers { name value } }
     goto(url: "${echo()}") { status } request { headers { name value } }`,
  );
  const pairs = request[0]?.headers.map(({ name, value }) => [name, value]) ?? [];
  return { '/scrape': debug.network.outbound[0]?.headers ?? {}, BrowserQL: Object.fromEntries(pairs) };
}

test('headers of requests', async () => {
  for (const [door, headers] of Object.entries(await reported())) {
    assert.is(headers['x-own'], 'one', door);
    for (const route of ['/content', '/screenshot', '/pdf', '/markdown', '/export']) {
      site.clear();
      await fixture.post(route, { url: echo(), setExtraHTTPHeaders: headers });
      assert.is(sent()['x-own'], 'one', `${door} to ${route}`);
    }
    await fixture.post('/export', { url: echo(), headers });
    const list = Object.entries(headers).map(([name, value]) => `{ name: "${name}", value: ${JSON.stringify(value)} }`);
    await run(`setExtraHTTPHeaders(headers: [${list.join()}]) { headers { name } } goto(url: "${echo()}") { status }`);
    const browser = await connect(service);
    const page = await browser.newPage();
    await page.setExtraHTTPHeaders(headers);
    assert.is((await page.goto(echo()))?.status(), 200);
    await browser.close();
    const remote = await chromium.connectOverCDP(socketUrl(service, '/'));
    const context = await remote.newContext({ extraHTTPHeaders: headers });
    assert.is((await (await context.newPage()).goto(echo()))?.status(), 200);
    await remote.close();
    assert.is(sent()['x-own'], 'one', door);
  }
});

test.proves('page:viewport.mobile');
test('a viewport of BrowserQL', async () => {
  const { viewport } = await run<{ viewport: Viewport }>(
    'viewport(width: 500, height: 400, deviceScaleFactor: 2, mobile: true) { width height deviceScaleFactor mobile }',
  );
  for (const route of ['/content', '/screenshot', '/pdf', '/scrape', '/export', '/markdown']) {
    await fixture.post(route, {
      url: small(),
      viewport,
      ...(route === '/scrape' ? { elements: [{ selector: 'h1' }] } : {}),
    });
  }
  const page = '<meta name="viewport" content="width=333"><title></title>';
  const addScriptTag = [{ content: 'document.title = document.documentElement.clientWidth + "/" + devicePixelRatio' }];
  assert.match(await fixture.readHtml(page, { viewport, addScriptTag }), '<title>333/2</title>');
  const browser = await connect(service, '/', { launch: JSON.stringify({ defaultViewport: viewport }) });
  const [first] = await browser.pages();
  await first?.setViewport(viewport);
  await browser.close();
});

test('user agent, address and title', async () => {
  const answer = await run<{ userAgent: { userAgent: string }; goto: { url: string } }>(
    `userAgent(userAgent: "Fed back/1.0") { userAgent } goto(url: "${echo()}") { url }`,
  );
  const { userAgent } = answer.userAgent;
  for (const given of [userAgent, { userAgent }]) {
    await fixture.post('/content', { url: answer.goto.url, userAgent: given });
    assert.is(sent()['user-agent'], 'Fed back/1.0');
  }
});

test('launch options of a session', async () => {
  const launch = { args: ['--lang=fr'], headless: true, defaultViewport: { width: 500, height: 400 }, slowMo: 1 };
  const start = (options: object, trackingId: string) =>
    connect(service, '/', { launch: JSON.stringify(options), trackingId });
  const optionsOf = async (trackingId: string) => {
    const reply = await service.get('/sessions', { query: { trackingId } });
    return succeeded(reply).json<{ launchOptions: object }[]>()[0]?.launchOptions ?? {};
  };
  const browser = await start(launch, 'first');
  const options = await optionsOf('first');
  assert.match(JSON.stringify(options), '--lang=fr');
  const again = await start(options, 'second');
  assert.equal(await optionsOf('second'), options);
  await Promise.all([browser.close(), again.close()]);
});

test('links and the box of an element', async () => {
  const body = { url: `${site.url}/gallery`, elements: [{ selector: 'img' }] };
  const { data } = (await fixture.post('/scrape', body)).json<{
    data: { results: { left: number; top: number; width: number; height: number }[] }[];
  }>();
  const box = data[0]?.results[0];
  assert.ok(box);
  const { left: x, top: y, width, height } = box;
  const reply = await fixture.post('/screenshot', { url: body.url, options: { clip: { x, y, width, height } } });
  assert.is(reply.headers['content-type'], 'image/png');
});
