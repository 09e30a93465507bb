// The page driver: what a request sets up before its page loads.
import * as assert from 'uvu/assert';
import { evaluateText } from '../../src/browser/page/evaluate.ts';
import { readContent } from '../../src/browser/page/capture/content.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import type { Page } from '../../src/browser/page/page.ts';
import type { PrepareOptions } from '../../src/browser/page/load/prepare.ts';
import { waitForFunction, waitForSelector } from '../../src/browser/page/load/waits.ts';
import { failureOf, gotoDefaults, prepare, pageSuite } from '../support/pages.ts';

const { test, fixture } = pageSuite('page: preparation');

/** Loads a page with the options and returns its text. */
function load(path: string, options: Partial<PrepareOptions>, after: (page: Page) => Promise<unknown> = readContent) {
  return fixture.browser.withPage(async (page) => {
    const url = `${fixture.site.url}${path}`;
    await prepare(page, { url, ...options });
    await navigate(page, url, gotoDefaults);
    return String(await after(page));
  });
}

const textOf = (selector: string) => (page: Page) =>
  evaluateText<string>(page, `document.querySelector(${JSON.stringify(selector)}).textContent`);

test('a plain request does not send any command', () =>
  fixture.browser.withPage(async (page) => {
    let sent = 0;
    const { session } = page;
    const send = session.send.bind(session);
    session.send = (method, params) => {
      sent++;
      return send(method, params);
    };
    await prepare(page, { url: fixture.site.url, viewport: { ...viewport, width: 800, height: 600 } });
    assert.is(sent, 0);
  }));

const viewport = {
  width: 500,
  height: 400,
  deviceScaleFactor: 1,
  isMobile: false,
  isLandscape: false,
  hasTouch: false,
};

test('viewport: size, scale, touch, mobile, orientation', async () => {
  const options = { width: 640, height: 360, deviceScaleFactor: 2, hasTouch: true, isMobile: true, isLandscape: true };
  const seen = JSON.parse(await load('/wide', { viewport: options }, textOf('#size')));
  assert.equal([seen.w, seen.h, seen.dpr], [640, 360, 2]);
  assert.ok(seen.touch > 0);
  assert.is(seen.orientation, 'landscape-primary');
});

test('emulates the media type', async () => {
  const visible = (page: Page) => evaluateText<boolean>(page, 'matchMedia("print").matches');
  assert.is(await load('/print', { emulateMediaType: 'print' }, visible), 'true');
  assert.is(await load('/print', { emulateMediaType: 'screen' }, visible), 'false');
});

test('cookies: by domain, by URL, or for the page', async () => {
  const cookies = [
    { name: 'a', value: '1', domain: '127.0.0.1' },
    { name: 'b', value: '2', url: `${fixture.site.url}/` },
    { name: 'c', value: '3', httpOnly: true, sameSite: 'Lax', expires: Date.now() / 1_000 + 60 },
    { name: 'd', value: '4', expires: -1, sameSite: 'Default', priority: 'High', path: '/cookies' },
    { name: 'e', value: '5', path: '/elsewhere' },
  ] as const;
  assert.is(await load('/cookies', { cookies: [...cookies] }, textOf('#header')), 'd=4; a=1; b=2; c=3');
  assert.is(await load('/cookies', { cookies: [...cookies] }, textOf('#script')), 'd=4; a=1; b=2');
});

test('cookies: reports which cookie the browser rejects', () =>
  fixture.browser.withPage(async (page) => {
    const bad = [
      { name: 'ok', value: '1' },
      { name: 'a;b', value: '1' },
    ];
    const error = await failureOf(prepare(page, { url: fixture.site.url, cookies: bad }));
    assert.is(error.code, 'invalid-body');
    assert.match(error.message, 'cookies[1]');
    const homeless = await failureOf(prepare(page, { url: undefined, cookies: [{ name: 'a', value: '1' }] }));
    assert.match(homeless.message, '"cookies[0]" needs "url" or "domain"');
  }));

test('user agent: string only, and with client hints', async () => {
  const plain = JSON.parse(await load('/agent', { userAgent: { userAgent: 'Tester/1.0' } }, textOf('#agent')));
  assert.is(plain.agent, 'Tester/1.0');
  assert.match(await load('/echo-headers', { userAgent: { userAgent: 'Tester/1.0' } }), '"user-agent":"Tester/1.0"');
  const metadata = {
    brands: [{ brand: 'Tester', version: '9' }],
    platform: 'Plan9',
    platformVersion: '4',
    architecture: 'mips',
    model: 'M1',
    mobile: true,
  };
  const full = { userAgent: 'Tester/2.0', platform: 'Plan9 mips', userAgentMetadata: metadata };
  const seen = await load('/agent', { userAgent: full }, async (page) => {
    await waitForFunction(page, { fn: 'document.querySelector("#agent").textContent', polling: 'raf', timeout: 5_000 });
    return textOf('#agent')(page);
  });
  const { platform, brands, mobile } = JSON.parse(seen);
  assert.is(platform, 'Plan9 mips');
  // Client hints exist only in secure contexts, which include loopback addresses.
  assert.equal(brands, [{ brand: 'Tester', version: '9' }]);
  assert.is(mobile, true);
  assert.match(await load('/echo-headers', { userAgent: full }), '"sec-ch-ua-platform":"\\"Plan9\\""');
});

test('extra headers are sent by the page, its cross-site frames and its workers', async () => {
  fixture.site.clear();
  const headers = { 'x-test': 'yes', 'Accept-Language': 'de' };
  await fixture.browser.withPage(async (page) => {
    await prepare(page, {
      url: fixture.site.url,
      setExtraHTTPHeaders: headers,
      userAgent: { userAgent: 'Tester/3.0' },
    });
    await navigate(page, `${fixture.site.url}/frames`, gotoDefaults);
    const code = `fetch('${fixture.site.url}/json?worker', { mode: 'no-cors' })`;
    await evaluateText(page, `void new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])))`);
    await fixture.site.waitForRequest('/json');
  });
  for (const path of ['/frames', '/small', '/json']) {
    const seen = fixture.site.requests.filter((request) => request.path === path);
    assert.ok(seen.length > 0, path);
    for (const request of seen) {
      assert.is(request.headers['x-test'], 'yes', `${path} ${request.headers['host']}`);
      assert.is(request.headers['user-agent'], 'Tester/3.0', path);
    }
  }
});

test('an invalid header is reported', () =>
  fixture.browser.withPage(async (page) => {
    const error = await failureOf(prepare(page, { setExtraHTTPHeaders: { 'bad name': 'x' } }));
    assert.is(error.code, 'invalid-body');
    assert.match(error.message, 'setExtraHTTPHeaders');
  }));

test('with JavaScript disabled, page scripts do not run, but reading and waiting still work', async () => {
  const options = { setJavaScriptEnabled: false };
  const html = await load('/js', options);
  assert.match(html, 'static');
  assert.match(html, '<p id="noscript">scripts are off</p>');
  await load('/js', options, async (page) => {
    await waitForSelector(page, { selector: '#out', visible: true, hidden: false, timeout: 2_000 });
    await waitForFunction(page, { fn: 'document.title === "Before"', polling: 'raf', timeout: 2_000 });
    const late = { fn: '() => false', polling: 'raf', timeout: 300 } as const;
    assert.is((await failureOf(waitForFunction(page, late))).code, 'wait-timeout');
  });
});
