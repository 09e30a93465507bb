// The common fields that set up a page, each tested by its effect: tags, credentials, cookies, media, headers,
// disabled scripts, user agent, viewport.
import * as assert from 'uvu/assert';
import { jsonOf, textOf } from '../support/site/markup.ts';
import { isColor, readPdf, readPng } from '../support/checks/media.ts';
import { colors } from '../support/site/pages.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('fields: the page');

const pixel = async (body: Record<string, unknown>) =>
  readPng((await fixture.post('/screenshot', body)).bytes)
    .at(5, 5)
    .slice(0, 3);
const sentTo = (path: string) => fixture.site.requests.findLast((request) => request.path === path)?.headers ?? {};

test.proves('page:addScriptTag[].content');
test('addScriptTag.content runs and stays in the page; several tags run in order', async () => {
  const addScriptTag = ['1', '2', '3'].map((text) => ({ content: `document.title += '${text}'` }));
  const html = await fixture.readHtml('<title>n</title>', { addScriptTag });
  assert.match(html, /<title>n123<\/title>/);
  assert.match(html, /<script[^>]*>document\.title/);
});

test.proves('page:addScriptTag[].{url,type,id}');
test('addScriptTag.url is loaded before the response, type creates a module, id sets the id of the tag', async () => {
  const tag = { url: `${fixture.site.url}/assets/module.js`, type: 'module', id: 'my-module' };
  const html = await fixture.read('/', { addScriptTag: [{ url: `${fixture.site.url}/assets/mark.js` }, tag] });
  assert.match(html, /data-mark="by script"/);
  assert.match(html, /data-module="http[^"]+\/assets\/module\.js"/);
  assert.match(html, /<script[^>]*id="my-module"/);
});

test('a tag that cannot be loaded is an error with its URL', async () => {
  const absent = { url: `${fixture.site.url}/status/404` };
  const script = { html: 'x', addScriptTag: [{ content: '1' }, absent] };
  await fixture.refuse('/content', script, 400, 'addScriptTag[1]', absent.url);
  await fixture.refuse('/content', { html: 'x', addStyleTag: [absent] }, 400, 'addStyleTag[0]', absent.url);
});

test.proves('page:addStyleTag[].url page:addStyleTag[].content');
test('addStyleTag.content and addStyleTag.url style the page', async () => {
  const content = 'body{background:rgb(0,0,255)}';
  assert.ok(isColor(await pixel({ html: '<h1></h1>', addStyleTag: [{ content }] }), colors.blue));
  const url = `${fixture.site.url}/assets/red.css`;
  assert.ok(isColor(await pixel({ url: `${fixture.site.url}/small`, addStyleTag: [{ url }] }), colors.red));
});

test('content of several megabytes arrives whole on a page that has overridden built-ins', async () => {
  const html =
    '<script>Array.prototype.join = Array.prototype.push = String.prototype.concat = () => "changed"</script><h1></h1>';
  // Starts with a single code unit: of two positions where the text may be split, one is inside a surrogate pair.
  const count = 600_000;
  const script = `const text = "x${'😀'.repeat(count)}"; document.title = [...text].filter((one) => one === "😀").length`;
  const { text } = await fixture.service.post('/content', { html, addScriptTag: [{ content: script }] });
  assert.match(text, `<title>${count}</title>`);
  const style = `/*${'é'.repeat(1_500_000)}*/ body{background:rgb(0,0,255)}`;
  assert.ok(isColor(await pixel({ html, addStyleTag: [{ content: style }] }), colors.blue));
});

for (const field of ['addScriptTag', 'addStyleTag']) {
  test.proves(`page:${field}[].path`);
  test.differs('`addScriptTag.path`, `addStyleTag.path` read a file on the server');
  test(`${field}.path is rejected`, async () => {
    await fixture.refuse('/content', { html: 'x', [field]: [{ path: '/etc/passwd' }] }, 400, 'path');
  });
}

test.proves('page:authenticate.username page:authenticate.password');
test('authenticate sends credentials to the site', async () => {
  assert.match(await fixture.read('/auth', { authenticate: { username: 'user', password: 'pass' } }), /let in/);
  assert.match(await fixture.read('/auth', { authenticate: { username: 'user', password: 'wrong' } }), /refused/);
  assert.match(await fixture.read('/auth'), /refused/);
});

test.proves('page:cookies[].name page:cookies[].value page:cookies[].url page:cookies[].domain page:cookies[].path');
test.differs('A cookie needs `url` or `domain`');
test('cookies reach the site and its scripts; without url and domain, they belong to the page', async () => {
  const html = await fixture.read('/cookies', {
    cookies: [
      { name: 'plain', value: 'one' },
      { name: 'at-url', value: 'two', url: fixture.site.url },
      { name: 'at-domain', value: 'three', domain: '127.0.0.1', path: '/' },
      { name: 'elsewhere', value: 'four', domain: 'example.com' },
      { name: 'other-path', value: 'five', url: fixture.site.url, path: '/other' },
    ],
  });
  const header = textOf(html, 'header');
  for (const text of ['plain=one', 'at-url=two', 'at-domain=three']) assert.ok(header.includes(text), header);
  for (const text of ['elsewhere', 'other-path']) assert.ok(!header.includes(text), header);
  assert.ok(textOf(html, 'script').includes('plain=one'));
});

test.proves('page:cookies[].httpOnly page:cookies[].expires');
test('cookies: httpOnly and expires', async () => {
  const html = await fixture.read('/cookies', {
    cookies: [
      { name: 'hidden', value: '1', httpOnly: true },
      { name: 'lasting', value: '1', expires: Math.floor(Date.now() / 1_000) + 3_600 },
      { name: 'past', value: '1', expires: 1 },
      { name: 'session', value: '1', expires: -1 },
    ],
  });
  const header = textOf(html, 'header');
  assert.ok(header.includes('hidden=1') && header.includes('lasting=1') && header.includes('session=1'), header);
  assert.ok(!header.includes('past='), header);
  assert.ok(!textOf(html, 'script').includes('hidden'));
});

test.proves(
  'page:cookies[].path page:cookies[].secure page:cookies[].sameSite page:cookies[].priority page:cookies[].sourceScheme page:cookies[].sourcePort',
);
test('cookies: every attribute is stored as given', async () => {
  const cookies = [
    { name: 'strict', value: '1', sameSite: 'Strict', priority: 'High', sourceScheme: 'Unset' },
    { name: 'lax', value: '1', sameSite: 'Lax', priority: 'Low', secure: true, path: '/cookies' },
    { name: 'standard', value: '1', sameSite: 'Default', priority: 'Medium' },
    { name: 'moved', value: '1', domain: '127.0.0.1', sourceScheme: 'Secure', sourcePort: 81 },
    { name: 'ignored', value: '1', size: 3, session: true, sameParty: false, partitionKeyOpaque: false },
  ];
  const body = { url: `${fixture.site.url}/cookies`, elements: [], debugOpts: { cookies: true }, cookies };
  const { debug } = (await fixture.post('/scrape', body)).json<{ debug: { cookies: Record<string, unknown>[] } }>();
  const stored = Object.fromEntries(debug.cookies.map((cookie) => [cookie['name'], cookie]));
  assert.equal(Object.keys(stored).toSorted(), ['ignored', 'lax', 'moved', 'standard', 'strict']);
  assert.equal([stored['strict']?.['sameSite'], stored['strict']?.['priority']], ['Strict', 'High']);
  const attributes = ['sameSite', 'priority', 'secure', 'path'].map((name) => stored['lax']?.[name]);
  assert.equal(attributes, ['Lax', 'Low', true, '/cookies']);
  const sources = ['strict', 'standard', 'moved'].map((name) => [
    stored[name]?.['sourceScheme'],
    stored[name]?.['sourcePort'],
  ]);
  assert.equal(sources, [
    ['Unset', 80],
    ['NonSecure', 80],
    ['Secure', 81],
  ]);
  const wrong = { url: body.url, cookies: [{ name: 'n', value: '1', sourcePort: 81 }] };
  await fixture.refuse('/content', wrong, 400, 'cookies[0]', 'sourcePort');
  const unnamable = [...cookies.slice(0, 1), { name: 'a;b', value: '1' }];
  await fixture.refuse('/content', { url: body.url, cookies: unnamable }, 400, 'cookies[1]');
  const homeless = { html: 'x', cookies: [{ name: 'a', value: '1' }] };
  await fixture.refuse('/content', homeless, 400, '"cookies[0]" needs "url" or "domain"');
});

test.proves(
  'page:cookies[].partitionKey page:cookies[].partitionKey.sourceOrigin page:cookies[].partitionKey.hasCrossSiteAncestor',
);
test('cookies: those from another partition do not reach the page', async () => {
  const url = `${fixture.site.secureUrl}/cookies`;
  const [own, other] = ['https://127.0.0.1', 'https://example.com'];
  const keys = {
    text: own,
    object: { sourceOrigin: own },
    otherText: other,
    otherObject: { sourceOrigin: other },
    framed: { sourceOrigin: own, hasCrossSiteAncestor: true },
  };
  const cookies = Object.entries(keys).map(([name, partitionKey]) => {
    return { name, value: '1', url, secure: true, sameSite: 'None', partitionKey };
  });
  const { text } = await fixture.post('/content', { url, cookies }, { acceptInsecureCerts: 'true' });
  assert.equal(textOf(text, 'header').split('; ').toSorted(), ['object=1', 'text=1']);
});

test.proves('page:emulateMediaType');
test('emulateMediaType', async () => {
  const at = (emulateMediaType: string) => pixel({ url: `${fixture.site.url}/print`, emulateMediaType });
  assert.ok(isColor(await at('print'), colors.red));
  assert.ok(isColor(await at(''), colors.blue));
});

test.proves('page:setExtraHTTPHeaders');
test('setExtraHTTPHeaders are sent with every request of the page', async () => {
  await fixture.read('/network', { setExtraHTTPHeaders: { 'x-extra': 'yes', 'Accept-Language': 'de-CH' } });
  for (const path of ['/network', '/assets/red.css', '/images/blue.png', '/assets/mark.js']) {
    assert.is(sentTo(path)['x-extra'], 'yes', path);
    assert.is(sentTo(path)['accept-language'], 'de-CH', path);
  }
});

test('the default language is English, in the header and in the browser', async () => {
  const html = await fixture.read('/small', { addScriptTag: [{ content: 'document.title = navigator.languages' }] });
  assert.match(html, '<title>en-US,en</title>');
  assert.match(sentTo('/small')['accept-language'] ?? '', /^en-US,en(;q=0\.9)?$/);
});

test.needs('a full Chromium', 'a display');
test('a page in a window has the focus', async () => {
  const html = '<title></title><script>onload = () => { document.title = document.hasFocus() }</script>';
  const waitForFunction = { fn: "document.title === 'true' || document.hasFocus()" };
  const launch = JSON.stringify({ headless: false });
  await fixture.post('/content', { html, waitForFunction }, { launch });
});

test.proves('page:setJavaScriptEnabled');
test.differs('`setJavaScriptEnabled: false` does nothing');
test('setJavaScriptEnabled; waits work without scripts', async () => {
  const noscript = { selector: '#noscript' };
  const off = await fixture.read('/js', { setJavaScriptEnabled: false, waitForSelector: noscript });
  assert.match(off, /<title>Before<\/title>/);
  assert.match(off, /id="out">static/);
  assert.match(off, /scripts are off/);
  const on = await fixture.read('/js', { setJavaScriptEnabled: true });
  assert.match(on, /<title>After<\/title>/);
});

test('without JavaScript, screenshots, PDFs and scraping still work', async () => {
  const body = { url: `${fixture.site.url}/js`, setJavaScriptEnabled: false };
  const scraped = await fixture.post('/scrape', { ...body, elements: [{ selector: '#out' }] });
  assert.match(scraped.text, /"text": "static"/);
  await fixture.post('/pdf', body);
  await fixture.post('/screenshot', { ...body, options: { fullPage: true } });
});

test.proves('page:userAgent');
test.differs('`userAgent` must be an object');
test('userAgent as text', async () => {
  const waitForFunction = { fn: 'agent.textContent' };
  const agent = jsonOf(await fixture.read('/agent', { userAgent: 'Robot/1.0', waitForFunction }), 'agent');
  assert.is(agent['agent'], 'Robot/1.0');
  assert.is(sentTo('/agent')['user-agent'], 'Robot/1.0');
});

test.proves(
  'page:userAgent.{userAgent,platform} page:userAgent.userAgentMetadata.{brands[].brand,brands[].version}',
  'page:userAgent.userAgentMetadata.{fullVersionList[].brand,fullVersionList[].version,fullVersion,platform}',
  'page:userAgent.userAgentMetadata.{platformVersion,architecture,model,mobile,bitness,wow64,formFactors[]}',
);
test('userAgent with platform and metadata', async () => {
  const userAgentMetadata = {
    brands: [{ brand: 'Robot', version: '7' }],
    fullVersionList: [{ brand: 'Robot', version: '7.1.2' }],
    fullVersion: '7.1.2',
    platform: 'RobotOS',
    platformVersion: '3.2.1',
    architecture: 'quantum',
    model: 'R2',
    mobile: true,
    bitness: '128',
    wow64: true,
    formFactors: ['Mobile', 'XR'],
  };
  const userAgent = { userAgent: 'Robot/7', platform: 'Robotic', userAgentMetadata };
  const url = `http://localhost:${fixture.site.port}/agent`;
  const { text } = await fixture.post('/content', { url, userAgent, waitForFunction: { fn: 'agent.textContent' } });
  const seen = jsonOf<{ agent: string; platform: string; brands?: unknown; high?: Record<string, unknown> }>(
    text,
    'agent',
  );
  assert.is(seen.agent, 'Robot/7');
  assert.is(seen.platform, 'Robotic');
  assert.equal(seen.brands, userAgentMetadata.brands);
  assert.equal(
    ['architecture', 'bitness', 'model', 'platformVersion', 'wow64'].map((name) => seen.high?.[name]),
    ['quantum', '128', 'R2', '3.2.1', true],
  );
  assert.equal([seen.high?.['uaFullVersion'], seen.high?.['formFactors']], ['7.1.2', ['Mobile', 'XR']]);
  assert.equal(seen.high?.['fullVersionList'], userAgentMetadata.fullVersionList);
  assert.is(sentTo('/agent')['user-agent'], 'Robot/7');
  assert.match(sentTo('/agent')['sec-ch-ua'] ?? '', /"Robot";v="7"/);
  assert.is(sentTo('/agent')['sec-ch-ua-mobile'], '?1');
  assert.is(sentTo('/agent')['sec-ch-ua-platform'], '"RobotOS"');
});

test.proves(
  'page:viewport.width page:viewport.height page:viewport.deviceScaleFactor page:viewport.isLandscape page:viewport.hasTouch',
);
test('viewport: width, height, deviceScaleFactor, hasTouch, isLandscape', async () => {
  const size = async (viewport: unknown) => jsonOf(await fixture.read('/wide', { viewport }), 'size');
  assert.equal(Object.values(await size(null)).slice(0, 3), [800, 600, 1]);
  const tablet = { width: 500, height: 300, deviceScaleFactor: 2, hasTouch: true, isLandscape: true };
  const seen = await size(tablet);
  assert.equal([seen['w'], seen['h'], seen['dpr']], [500, 300, 2]);
  assert.ok(Number(seen['touch']) >= 1);
  assert.match(String(seen['orientation']), /^landscape/);
  assert.match(String((await size({ width: 300, height: 500, isMobile: true }))['orientation']), /^portrait/);
});

test.proves('page:viewport.isMobile');
test('viewport.isMobile respects the viewport meta tag', async () => {
  const html =
    '<meta name="viewport" content="width=333"><pre id="size"></pre><script>size.textContent = innerWidth</script>';
  const viewport = { width: 500, height: 300 };
  assert.is(textOf(await fixture.readHtml(html, { viewport }), 'size'), '500');
  const mobile = await fixture.readHtml(html, {
    viewport: { ...viewport, isMobile: true },
    addScriptTag: [{ content: 'size.textContent = document.documentElement.clientWidth' }],
  });
  assert.is(textOf(mobile, 'size'), '333');
});

test('scrollPage loads what comes into view on every route', async () => {
  const html = `<div style="height:4000px"></div><p>waiting</p><script>
    const seen = new IntersectionObserver(([entry]) => { if (entry.isIntersecting) document.querySelector('p').textContent = ['came', 'into', 'view'].join(' '); });
    seen.observe(document.querySelector('p'))</script>`;
  const elements = [{ selector: 'p' }];
  for (const [route, body] of Object.entries({ '/content': {}, '/markdown': {}, '/scrape': { elements } })) {
    const read = async (scrollPage: boolean) => (await fixture.post(route, { html, scrollPage, ...body })).text;
    assert.not.match(await read(false), 'came into view');
    assert.match(await read(true), 'came into view');
  }
  const { pages } = await readPdf((await fixture.post('/pdf', { html, scrollPage: true })).bytes);
  assert.match(pages.map(({ text }) => text).join(' '), 'came into view');
});
