// The page driver: rules that intercept a page's requests.
import * as assert from 'uvu/assert';
import { readContent } from '../../src/browser/page/capture/content.ts';
import { looksLikeBase64 } from '../../src/browser/page/requests/intercept.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import type { Page } from '../../src/browser/page/page.ts';
import type { PrepareOptions } from '../../src/browser/page/load/prepare.ts';
import { setContent } from '../../src/browser/page/load/set-content.ts';
import { waitForFunction } from '../../src/browser/page/load/waits.ts';
import { failureOf, gotoDefaults, prepare, pageSuite } from '../support/pages.ts';
import { until } from '../support/until.ts';

const { test, fixture } = pageSuite('page: interception');

/** Loads a page with the options and returns its text. */
function load(path: string, options: Partial<PrepareOptions>, after: (page: Page) => Promise<unknown> = readContent) {
  return fixture.browser.withPage(async (page) => {
    const url = `${fixture.site.url}${path}`;
    await prepare(page, { url, ...options });
    await navigate(page, url, gotoDefaults);
    return String(await after(page));
  });
}

test('rejectResourceTypes: image, stylesheet and script', async () => {
  fixture.site.clear();
  const html = await load('/network', { rejectResourceTypes: ['image', 'stylesheet', 'script'] });
  assert.match(html, 'Network');
  const paths = fixture.site.requests.map(({ path }) => path);
  assert.not.ok(paths.some((path) => path.startsWith('/images') || path.startsWith('/assets')));
  assert.ok(paths.includes('/network'));
});

test('rejectResourceTypes: xhr, fetch and websocket', async () => {
  const text = await load('/network', { rejectResourceTypes: ['fetch', 'xhr', 'websocket'] }, async (page) => {
    await waitForFunction(page, {
      fn: "document.querySelector('#socket').textContent && document.querySelector('#fetched').textContent",
      polling: 'raf',
      timeout: 5_000,
    });
    return readContent(page);
  });
  assert.match(text, '<pre id="fetched">failed</pre>');
  assert.match(text, '<pre id="socket">failed</pre>');
});

test('rejectResourceTypes distinguishes fetch from xhr', async () => {
  fixture.site.clear();
  const text = await load('/network', { rejectResourceTypes: ['fetch'] }, async (page) => {
    await waitForFunction(page, {
      fn: "document.querySelector('#fetched').textContent",
      polling: 'raf',
      timeout: 5_000,
    });
    await fixture.site.waitForRequest('/json');
    return readContent(page);
  });
  assert.match(text, '<pre id="fetched">failed</pre>');
  const json = fixture.site.requests.filter(({ path }) => path === '/json');
  assert.equal(
    json.map(({ query }) => query.has('xhr')),
    [true],
  );
});

test('rejectRequestPattern is a regular expression that matches anywhere in the URL', async () => {
  fixture.site.clear();
  await load('/network', { rejectRequestPattern: ['images/b', '\\.css$'] });
  const paths = fixture.site.requests.map(({ path }) => path);
  assert.not.ok(paths.some((path) => path.startsWith('/images') || path.endsWith('.css')));
  assert.ok(paths.includes('/assets/mark.js'));
});

test('rejecting the page itself is reported', () =>
  fixture.browser.withPage(async (page) => {
    await prepare(page, { rejectResourceTypes: ['document'] });
    const error = await failureOf(navigate(page, `${fixture.site.url}/small`, gotoDefaults));
    assert.is(error.code, 'navigation-failed');
    assert.match(error.message, 'rejectResourceTypes');
  }));

test('rules apply in cross-site frames', async () => {
  fixture.site.clear();
  await load('/frames', { rejectRequestPattern: ['other$'] });
  assert.not.ok(fixture.site.requests.some(({ query }) => query.has('other')));
});

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

test('interceptors respond with text, base64, status, headers and type; the first match wins', async () => {
  const requestInterceptors = [
    {
      pattern: '/virtual$',
      response: {
        status: 201,
        contentType: 'text/html',
        body: '<h1>canned</h1>',
        headers: [{ name: 'x-canned', value: 'yes' }],
      },
    },
    { pattern: 'virtual', response: { body: 'never' } },
    { pattern: 'base64', response: { contentType: 'text/plain', body: btoa('decoded text') } },
    { pattern: 'word', response: { contentType: 'text/plain', body: 'password' } },
  ];
  await fixture.browser.withPage(async (page) => {
    await prepare(page, { requestInterceptors });
    const response = await navigate(page, `${fixture.site.url}/virtual`, gotoDefaults);
    assert.is(response?.status, 201);
    assert.is(response?.headers['x-canned'], 'yes');
    assert.match(await readContent(page), '<h1>canned</h1>');
    await navigate(page, `${fixture.site.url}/base64`, gotoDefaults);
    assert.match(await readContent(page), 'decoded text');
    await navigate(page, `${fixture.site.url}/word`, gotoDefaults);
    assert.match(await readContent(page), 'password');
  });
});

test('interceptors work for HTML in the request', () =>
  fixture.browser.withPage(async (page) => {
    await prepare(page, {
      requestInterceptors: [
        { pattern: 'x\\.js', response: { contentType: 'text/javascript', body: 'document.title = "canned"' } },
      ],
    });
    await setContent(page, `<script src="${fixture.site.url}/x.js"></script>`, gotoDefaults);
    assert.match(await readContent(page), '<title>canned</title>');
  }));

test('a URL that is not allowed is not opened, even with interception', () =>
  fixture.browser.withPage(async (page) => {
    await prepare(page, { rejectRequestPattern: ['nothing'], allowsUrl: (url) => !url.includes('/small') });
    const error = await failureOf(navigate(page, `${fixture.site.url}/small`, gotoDefaults));
    assert.match(error.message, 'this URL is not allowed');
  }));

test('authenticate: correct and wrong credentials, and not for other hosts', async () => {
  const credentials = { username: 'user', password: 'pass' };
  assert.match(await load('/auth', { authenticate: credentials }), 'let in');
  assert.match(await load('/auth', {}), 'refused');
  fixture.site.clear();
  assert.match(await load('/auth', { authenticate: { username: 'user', password: 'wrong' } }), 'refused');
  assert.is(fixture.site.requests.filter(({ path }) => path === '/auth').length, 2);
  fixture.site.clear();
  await fixture.browser.withPage(async (page) => {
    await prepare(page, { url: `${fixture.site.url}/`, authenticate: credentials });
    await navigate(page, `${fixture.site.otherUrl}/auth`, gotoDefaults);
    assert.match(await readContent(page), 'refused');
  });
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
