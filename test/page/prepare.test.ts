// The page driver: what a request sets up before its page loads, and rules that intercept the page's requests.
// test/fields tests the fields of a body by their effects.
import * as assert from 'uvu/assert';
import { evaluateText } from '../../src/browser/page/evaluate.ts';
import { readContent } from '../../src/browser/page/capture/content.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import { looksLikeBase64 } from '../../src/browser/page/requests/intercept.ts';
import { waitForFunction, waitForSelector } from '../../src/browser/page/load/waits.ts';
import { gotoDefaults, prepare, pageSuite } from '../support/pages.ts';
import { problemOf } from '../support/refusals.ts';
import { until } from '../support/until.ts';

const { test, fixture } = pageSuite('page: preparation');

test('a plain request does not send any command', () =>
  fixture.browser.withPage(async (page) => {
    let sent = 0;
    const { session } = page;
    const send = session.send.bind(session);
    session.send = (method, params) => {
      sent++;
      return send(method, params);
    };
    const flags = { isMobile: false, isLandscape: false, hasTouch: false };
    await prepare(page, {
      url: fixture.site.url,
      viewport: { width: 800, height: 600, deviceScaleFactor: 1, ...flags },
    });
    assert.is(sent, 0);
  }));

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
    const error = await problemOf(prepare(page, { setExtraHTTPHeaders: { 'bad name': 'x' } }));
    assert.is(error.code, 'invalid-body');
    assert.match(error.message, 'setExtraHTTPHeaders');
  }));

test('with JavaScript disabled, waits still work', () =>
  fixture.browser.withPage(async (page) => {
    await prepare(page, { setJavaScriptEnabled: false });
    await navigate(page, `${fixture.site.url}/js`, gotoDefaults);
    await waitForSelector(page, { selector: '#out', visible: true, hidden: false, timeout: 2_000 });
    await waitForFunction(page, { fn: 'document.title === "Before"', polling: 'raf', timeout: 2_000 });
    const late = { fn: '() => false', polling: 'raf', timeout: 300 } as const;
    assert.is((await problemOf(waitForFunction(page, late))).code, 'wait-timeout');
  }));

test('a page with rules closes its popups', () =>
  fixture.browser.withPage(async (page) => {
    await prepare(page, { rejectRequestPattern: ['nothing'] });
    await navigate(page, `${fixture.site.url}/popup`, gotoDefaults);
    const { root } = fixture.browser.process.connection;
    await until('the popups to be closed', async () => {
      const { targetInfos } = await root.send('Target.getTargets');
      return targetInfos.filter(({ browserContextId }) => browserContextId === page.target.contextId).length === 1;
    });
  }));

test('a URL that is not allowed is not opened, even with interception', () =>
  fixture.browser.withPage(async (page) => {
    await prepare(page, { rejectRequestPattern: ['nothing'], allowsUrl: (url) => !url.includes('/small') });
    const error = await problemOf(navigate(page, `${fixture.site.url}/small`, gotoDefaults));
    assert.match(error.message, 'this URL is not allowed');
  }));

test('authenticate: wrong credentials are sent once, and none go to other hosts', async () => {
  const get = (url: string, password: string) =>
    fixture.browser.withPage(async (page) => {
      fixture.site.clear();
      await prepare(page, { url: `${fixture.site.url}/`, authenticate: { username: 'user', password } });
      await navigate(page, url, gotoDefaults);
      return readContent(page);
    });
  assert.match(await get(`${fixture.site.url}/auth`, 'wrong'), 'refused');
  assert.is(fixture.site.requests.filter(({ path }) => path === '/auth').length, 2);
  assert.match(await get(`${fixture.site.otherUrl}/auth`, 'pass'), 'refused');
  assert.not.ok(fixture.site.requests.some(({ headers }) => 'authorization' in headers));
});

test('detects base64', () => {
  assert.is(looksLikeBase64('test', undefined), false);
  assert.is(looksLikeBase64('password', 'text/plain'), false);
  assert.is(looksLikeBase64(btoa('hello world'), undefined), true);
  assert.is(looksLikeBase64('<p>hello</p>', undefined), false);
  assert.is(looksLikeBase64('AAAA', 'image/png'), true);
  assert.is(looksLikeBase64(btoa('\x89PNG\r\n\x1a\n'.repeat(12)), undefined), true);
});
