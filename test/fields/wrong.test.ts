// Every invalid value in a body causes a 400 that names the field, and one response names all of them.
import * as assert from 'uvu/assert';
import { namesField, refused } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('fields: wrong values');

/**
 * Field, wrong value, the path of the issue when it is not the field itself, and an entry of the migration page that the
 * test checks.
 */
type Row = [field: string, value: unknown, path?: string, ...differs: string[]];

const common: Row[] = [
  ['url', 7],
  ['url', 'not a url'],
  ['url', '/relative'],
  ['html', 7],
  ['addScriptTag', 'text'],
  ['addScriptTag', [{ url: 7 }], 'addScriptTag.0.url'],
  ['addScriptTag', [{ content: 7 }], 'addScriptTag.0.content'],
  ['addScriptTag', [{}], 'addScriptTag.0'],
  ['addScriptTag', [{ content: 'x', color: 'red' }], 'addScriptTag.0.color'],
  ['addScriptTag', [{ url: '/a.js', content: '1' }], 'addScriptTag.0'],
  ['addStyleTag', [{ url: '/a.css', content: 'p{}' }], 'addStyleTag.0'],
  ['addScriptTag', [{ path: '/etc/passwd' }], 'addScriptTag.0.path'],
  ['addScriptTag', [{ content: 'x', type: 7 }], 'addScriptTag.0.type'],
  ['addScriptTag', [{ content: 'x', id: 7 }], 'addScriptTag.0.id'],
  ['addStyleTag', [{ path: '/etc/passwd' }], 'addStyleTag.0.path'],
  ['addStyleTag', [{ url: 7 }], 'addStyleTag.0.url'],
  ['addStyleTag', [{ content: {} }], 'addStyleTag.0.content'],
  ['authenticate', 'user:pass'],
  ['authenticate', { username: 'user' }, 'authenticate.password'],
  ['authenticate', { password: 'pass' }, 'authenticate.username'],
  ['bestAttempt', 'yes'],
  ['bestAttempt', ''],
  ['cookies', 'a=b'],
  ['cookies', [{ value: 'v' }], 'cookies.0.name'],
  ['cookies', [{ name: 'n' }], 'cookies.0.value'],
  ['cookies', [{ name: 'n', value: 7 }], 'cookies.0.value'],
  ['cookies', [{ name: 'n', value: 'v', sameSite: 'Sometimes' }], 'cookies.0.sameSite'],
  ['cookies', [{ name: 'n', value: 'v', expires: 'tomorrow' }], 'cookies.0.expires'],
  ['cookies', [{ name: 'n', value: 'v', priority: 'Top' }], 'cookies.0.priority'],
  ['cookies', [{ name: 'n', value: 'v', sourceScheme: 'ftp' }], 'cookies.0.sourceScheme'],
  ['cookies', [{ name: 'n', value: 'v', secure: 'maybe' }], 'cookies.0.secure'],
  ['cookies', [{ name: 'n', value: 'v', partitionKey: {} }], 'cookies.0.partitionKey.sourceOrigin'],
  [
    'cookies',
    [
      { name: 'ok', value: 'v' },
      { name: 'n', value: 'v', httpOnly: 7 },
    ],
    'cookies.1.httpOnly',
  ],
  ['emulateMediaType', 'braille'],
  ['gotoOptions', 'load'],
  ['gotoOptions', { waitUntil: 'forever' }, 'gotoOptions.waitUntil'],
  ['gotoOptions', { waitUntil: ['load', 'forever'] }, 'gotoOptions.waitUntil.1'],
  ['gotoOptions', { timeout: 'long' }, 'gotoOptions.timeout'],
  ['gotoOptions', { timeout: -1 }, 'gotoOptions.timeout'],
  ['gotoOptions', { referer: 7 }, 'gotoOptions.referer'],
  ['gotoOptions', { referrerPolicy: 'sometimes' }, 'gotoOptions.referrerPolicy'],
  ['gotoOptions', { speed: 'fast' }, 'gotoOptions.speed'],
  ['rejectRequestPattern', 'png'],
  ['rejectRequestPattern', ['('], 'rejectRequestPattern.0'],
  ['rejectRequestPattern', [7], 'rejectRequestPattern.0'],
  ['rejectResourceTypes', 'image'],
  ['rejectResourceTypes', ['picture'], 'rejectResourceTypes.0'],
  ['requestInterceptors', {}],
  ['requestInterceptors', [{ response: { body: '' } }], 'requestInterceptors.0.pattern'],
  ['requestInterceptors', [{ pattern: 'x' }], 'requestInterceptors.0.response'],
  ['requestInterceptors', [{ pattern: '[', response: {} }], 'requestInterceptors.0.pattern'],
  ['requestInterceptors', [{ pattern: 'x', response: { status: 'ok' } }], 'requestInterceptors.0.response.status'],
  ['requestInterceptors', [{ pattern: 'x', response: { status: 99 } }], 'requestInterceptors.0.response.status'],
  ['requestInterceptors', [{ pattern: 'x', response: { body: 7 } }], 'requestInterceptors.0.response.body'],
  ['setExtraHTTPHeaders', 'x: y'],
  ['setExtraHTTPHeaders', { 'bad name': 'x' }],
  ['setExtraHTTPHeaders', { 'x-line': 'a\nb' }],
  ['setExtraHTTPHeaders', { 'x-list': ['a'] }, 'setExtraHTTPHeaders.x-list'],
  ['setJavaScriptEnabled', 'off'],
  ['userAgent', 7],
  ['userAgent', { userAgent: 7 }, 'userAgent.userAgent'],
  ['userAgent', { userAgent: 'x', color: 'red' }, 'userAgent.color'],
  ['userAgent', { userAgentMetadata: { platform: 'x' } }, 'userAgent.userAgentMetadata.platformVersion'],
  ['viewport', 'wide'],
  ['viewport', { width: 'wide', height: 100 }, 'viewport.width'],
  ['viewport', { width: 800 }, 'viewport.height', "A viewport may omit one dimension (n8n's node does this)"],
  ['viewport', { height: 600 }, 'viewport.width'],
  ['viewport', { width: 100_000, height: 100 }, 'viewport.width'],
  ['viewport', { width: 100, height: -1 }, 'viewport.height'],
  ['viewport', { width: 100, height: 100, deviceScaleFactor: 0 }, 'viewport.deviceScaleFactor'],
  ['viewport', { width: 100, height: 100, isMobile: 'maybe' }, 'viewport.isMobile'],
  ['viewport', { width: 100, height: 100, hasTouch: 7 }, 'viewport.hasTouch'],
  ['viewport', { width: 100, height: 100, isLandscape: 7 }, 'viewport.isLandscape'],
  ['viewport', { width: 16_384, height: 16_384, deviceScaleFactor: 4 }],
  ['waitForEvent', 'ready'],
  ['waitForEvent', { timeout: 100 }, 'waitForEvent.event'],
  ['waitForEvent', { event: 'x', timeout: 'long' }, 'waitForEvent.timeout'],
  ['waitForFunction', '() => true'],
  ['waitForFunction', { timeout: 100 }, 'waitForFunction.fn'],
  ['waitForFunction', { fn: '() => true', polling: 'often' }, 'waitForFunction.polling'],
  ['waitForFunction', { fn: '() => true', timeout: -1 }, 'waitForFunction.timeout'],
  ['waitForSelector', 'h1'],
  ['waitForSelector', { visible: true }, 'waitForSelector.selector'],
  ['waitForSelector', { selector: 'h1', hidden: 'maybe' }, 'waitForSelector.hidden'],
  ['waitForSelector', { selector: 'h1', visible: 7 }, 'waitForSelector.visible'],
  ['waitForSelector', { selector: 'h1', timeout: 'long' }, 'waitForSelector.timeout'],
  ['waitForTimeout', 'long'],
  ['waitForTimeout', -1],
  ['somethingUnknown', true],
];

const options = (...list: Row[]): Row[] =>
  list.map(([name, value, path]) => ['options', { [name]: value }, `options.${path ?? name}`]);

const own: Record<string, Row[]> = {
  pdf: options(
    ['scale', 0.05],
    ['scale', 2.1],
    ['scale', 'large'],
    ['displayHeaderFooter', 'maybe'],
    ['headerTemplate', 7],
    ['footerTemplate', 7],
    ['printBackground', 'maybe'],
    ['landscape', 7],
    ['pageRanges', 'all'],
    ['pageRanges', '0'],
    ['pageRanges', '3-1'],
    ['format', 'A7'],
    ['format', 7],
    ['width', '10 furlongs'],
    ['width', -1],
    ['height', 'tall'],
    ['height', 0],
    ['preferCSSPageSize', 'maybe'],
    ['margin', '1in'],
    ['margin', { top: 'much' }, 'margin.top'],
    ['margin', { middle: 1 }, 'margin.middle'],
    ['omitBackground', 'maybe'],
    ['tagged', 'maybe'],
    ['outline', 7],
    ['timeout', 'long'],
    ['timeout', -1],
    ['waitForFonts', 'maybe'],
    ['fullPage', 'maybe'],
    ['somethingUnknown', 1],
  ),
  screenshot: [
    ...options(
      ['type', 'gif'],
      ['quality', 101],
      ['quality', -1],
      ['quality', 'best'],
      ['fromSurface', 'maybe'],
      ['fullPage', 'maybe'],
      ['omitBackground', 'maybe'],
      ['path', '/tmp/x.png'],
      ['clip', { x: 0, y: 0, width: 10 }, 'clip.height'],
      ['clip', { x: 0, y: 0, height: 10 }, 'clip.width'],
      ['clip', { y: 0, width: 10, height: 10 }, 'clip.x'],
      ['clip', { x: 0, width: 10, height: 10 }, 'clip.y'],
      ['clip', { x: 0, y: 0, width: 0, height: 10 }, 'clip.width'],
      ['clip', { x: 0, y: 0, width: 10, height: 10, scale: 0 }, 'clip.scale'],
      ['encoding', 'hex'],
      ['captureBeyondViewport', 'maybe'],
      ['optimizeForSpeed', 'maybe'],
      ['somethingUnknown', 1],
    ),
    ['options', { type: 'png', quality: 50 }, 'options.quality'],
    ['options', { quality: 50 }, 'options.quality'],
    [
      'options',
      { fullPage: true, clip: { x: 0, y: 0, width: 1, height: 1 } },
      'options.clip',
      'Conflicting options return a 500',
    ],
    ['scrollPage', 'maybe'],
    ['selector', 7],
    ['selector', ''],
  ],
  scrape: [
    ['elements', 'h1'],
    ['elements', [{}], 'elements.0.selector'],
    ['elements', [{ selector: 7 }], 'elements.0.selector'],
    ['elements', [{ selector: 'h1' }, { selector: 'p', timeout: 'long' }], 'elements.1.timeout'],
    ['elements', undefined],
    ['debugOpts', true],
    ['debugOpts', { console: 'maybe' }, 'debugOpts.console'],
    ['debugOpts', { everything: true }, 'debugOpts.everything'],
  ],
};

const base = (route: string) => ({ html: '<h1>x</h1>', ...(route === 'scrape' ? { elements: [] } : {}) });

function rows(route: string, list: Row[]): void {
  for (const [field, value, path = field, ...differs] of list) {
    test.differs(...differs);
    test(`${route}: ${field} = ${JSON.stringify(value)}`, async () => {
      namesField(await fixture.service.post(`/${route}`, { ...base(route), [field]: value }), path);
    });
  }
}

rows('content', common);
for (const [route, list] of Object.entries(own)) rows(route, list);

test('invalid common values are rejected by every route', async () => {
  for (const route of ['pdf', 'screenshot', 'scrape']) {
    namesField(await fixture.service.post(`/${route}`, { ...base(route), waitForTimeout: 'long' }), 'waitForTimeout');
  }
});

test('screenshot: selector and fullPage cannot be combined', async () => {
  const body = { ...base('screenshot'), selector: 'h1', options: { fullPage: true } };
  namesField(await fixture.service.post('/screenshot', body), 'selector');
});

test.differs('JSON errors have only `error`');
test.peer('parameters and errors', 'bodies: an unknown field is rejected');
test('all invalid values are reported in one response', async () => {
  const body = { html: 'x', viewport: { width: 'w', height: 1 }, bestAttempt: 7, cookies: [{ name: 'n' }], unknown: 1 };
  const reply = refused(await fixture.service.post('/content', body), 400, /^POST Body validation failed: /);
  const { issues, code } = reply.json<{ code: string; issues: { path: string }[] }>();
  assert.is(code, 'invalid-body');
  assert.equal(issues.map(({ path }) => path).toSorted(), [
    'bestAttempt',
    'cookies.0.value',
    'unknown',
    'viewport.width',
  ]);
});

for (const [name, text] of Object.entries({
  'not JSON': '{not json',
  empty: '',
  null: 'null',
  'a number': '7',
  'a string': '"text"',
  'a boolean': 'true',
})) {
  test.peer('parameters and errors');
  test(`rejects a body that is ${name}`, async () =>
    refused(await fixture.service.post('/content', text), 400, "Couldn't parse JSON body"));
}

test.peer('parameters and errors');
test('rejects a body that is a list', async () =>
  refused(await fixture.service.post('/content', '[1]'), 400, 'object'));

for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
  test.peer('parameters and errors');
  test(`a body of type "${contentType}" matches no route`, async () => {
    const headers = { 'content-type': contentType };
    refused(await fixture.service.post('/content', { html: 'x' }, { headers }), 404, /^Not Found/, 'application/json');
  });
}

test.peer('parameters and errors');
test('strings for numbers and booleans are accepted', async () => {
  const body = {
    html: '<h1>x</h1>',
    bestAttempt: 'true',
    waitForTimeout: '10',
    viewport: { width: '300', height: '200' },
  };
  refused(await fixture.service.post('/content', body), 200);
  refused(await fixture.service.post('/pdf', { html: 'x', options: { landscape: 'true', scale: '1.5' } }), 200);
});

test('__proto__ and similar keys are dropped', async () => {
  refused(
    await fixture.service.post('/content', '{"html":"x","__proto__":{"url":"y"},"constructor":1,"prototype":2}'),
    200,
  );
});

test('a body nested a hundred thousand levels deep returns a 400', async () => {
  const text = `{"html":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  refused(await fixture.service.post('/content', text), 400);
});
