// Bodies and queries: defaults, rules between fields, and the error messages.
import * as assert from 'uvu/assert';
import type { GenericSchema } from 'valibot';
import { contentBody, pdfBody, scrapeBody, screenshotBody } from '../../src/base/schema/request/fields.ts';
import { toJsonSchema } from '../../src/base/schema/json-schema.ts';
import { performanceBody } from '../../src/base/schema/request/performance-fields.ts';
import { parseBody, parseQuery } from '../../src/base/schema/parse.ts';
import { paperSize } from '../../src/base/schema/request/pdf-options.ts';
import { browserQuery, killQuery, sessionsQuery } from '../../src/base/schema/request/query.ts';
import { hasCode, refusalOf } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const test = suite('fields');
const url = 'https://example.com/';
const prefix = 'POST Body validation failed: ';

const refused = (schema: GenericSchema, body: unknown) => refusalOf(() => parseBody(schema, body));

/** Checks the error message for a body with one invalid field. */
function expectRejected(schema: GenericSchema, fields: Record<string, unknown>, message: string): void {
  const error = refused(schema, { url, ...fields });
  assert.is(error.code, 'invalid-body');
  assert.is(error.message, message);
}

/** Checks a part of that message. */
const expectMessage = (schema: GenericSchema, fields: Record<string, unknown>, part: string) =>
  assert.match(refused(schema, { url, ...fields }).message, part);

test('defaults are filled in', () => {
  const body = parseBody(contentBody, { url });
  assert.equal(body.gotoOptions, { timeout: 30_000, waitUntil: ['load'] });
  assert.equal(body.cookies, []);
  assert.is(body.setJavaScriptEnabled, true);
  assert.is(body.waitForSelector, undefined);
  const waits = parseBody(contentBody, {
    url,
    waitForSelector: { selector: 'h1' },
    waitForFunction: { fn: '() => true', polling: '50' },
    waitForEvent: { event: 'done', timeout: 0 },
  });
  assert.equal(waits.waitForSelector, { selector: 'h1', hidden: false, visible: false, timeout: 30_000 });
  assert.equal(waits.waitForFunction, { fn: '() => true', polling: 50, timeout: 30_000 });
  assert.equal(waits.waitForEvent, { event: 'done', timeout: 0 });
});

test('requires url or html', () => {
  for (const schema of [contentBody, pdfBody, screenshotBody]) {
    for (const body of [{}, { url: '' }, { html: '' }]) {
      assert.is(refused(schema, body).message, 'One of "url" or "html" properties are required.');
    }
  }
  parseBody(contentBody, { html: '<p>' });
});

test('every issue is listed with its path', () => {
  const error = refused(screenshotBody, {
    url: 5,
    waitForSelecter: {},
    foo: 1,
    fullPage: true,
    options: { quality: 101, clip: { x: 0, y: 0, width: 1 } },
  });
  const lines = error.message.split('\n');
  assert.is(lines[0], `${prefix}"url" must be a string, got 5`);
  assert.ok(lines.includes('"options.quality" must be a number from 0 to 100, got 101'));
  assert.ok(lines.includes('"options.clip.height" is required: x, y, width, and height are needed together'));
  assert.ok(lines.includes('"waitForSelecter" is not a known field; did you mean "waitForSelector"?'));
  assert.ok(lines.includes('"fullPage" is not a known field here; it belongs in "options"'));
  assert.ok(lines.some((line) => line.startsWith('"foo" is not a known field; known fields: url, html, ')));
  assert.equal(
    error.issues?.map((issue) => issue.path).toSorted(),
    words(`
    foo fullPage options.clip.height options.quality url waitForSelecter
  `),
  );
});

test('rejects a body that is not an object', () => {
  for (const body of [[1], 'text', 5, null, undefined]) {
    assert.match(refused(contentBody, body).message, `${prefix}The body must be an object`);
  }
  for (const field of ['viewport', 'gotoOptions', 'setExtraHTTPHeaders', 'userAgent']) {
    expectRejected(contentBody, { [field]: [1] }, `${prefix}"${field}" must be an object, got a list`);
  }
  expectRejected(contentBody, { waitForSelector: [1] }, `${prefix}"waitForSelector" must be an object, got a list`);
});

test('error messages do not repeat secrets', () => {
  const error = refused(contentBody, { url, authenticate: { username: 'u', password: 12345 } });
  assert.match(error.message, '"authenticate.password" must be a string');
  assert.not(error.message.includes('12345'));
});

test('errors in unions read as a sentence', () => {
  expectRejected(
    contentBody,
    { gotoOptions: { waitUntil: 'idle' } },
    `${prefix}"gotoOptions.waitUntil" must be one of "load", "domcontentloaded", "networkidle0", "networkidle2" or a list of these, got "idle"`,
  );
  expectRejected(
    contentBody,
    { userAgent: { agent: 'x' } },
    `${prefix}"userAgent.agent" is not a known field; known fields: userAgent, platform, userAgentMetadata`,
  );
});

test('viewport', () => {
  const size = (viewport: unknown) => parseBody(contentBody, { url, viewport }).viewport;
  assert.is(size(null), null);
  assert.is(size({ width: 1000, height: '500' })?.height, 500);
  const both = 'is required: width and height are needed together';
  expectRejected(contentBody, { viewport: { width: 1000 } }, `${prefix}"viewport.height" ${both}`);
  expectRejected(contentBody, { viewport: { height: 1000 } }, `${prefix}"viewport.width" ${both}`);
  for (const empty of [{}, []])
    expectRejected(contentBody, { viewport: empty }, `${prefix}"viewport.width" ${both}\n"viewport.height" ${both}`);
  expectRejected(
    contentBody,
    { viewport: { width: 0, height: 1 } },
    `${prefix}"viewport.width" must be a whole number from 1 to 16384, got 0`,
  );
  const scaled = { width: 1, height: 1, deviceScaleFactor: 11 };
  expectMessage(contentBody, { viewport: scaled }, 'above 0 and up to 10');
  const large = { width: 16_384, height: 16_384, deviceScaleFactor: 2 };
  expectMessage(contentBody, { viewport: large }, '"viewport" is too large');
});

test('user agent as a string or an object', () => {
  assert.equal(parseBody(contentBody, { url, userAgent: 'me' }).userAgent, { userAgent: 'me' });
  assert.equal(parseBody(contentBody, { url, userAgent: { platform: 'p' } }).userAgent, { platform: 'p' });
});

test('cookies accept every field in the specification', () => {
  const cookie = {
    name: 'a',
    value: 'b',
    size: 2,
    session: true,
    sameParty: false,
    partitionKeyOpaque: false,
    sameSite: 'Default',
    partitionKey: { sourceOrigin: url },
  };
  assert.equal(parseBody(contentBody, { url, cookies: [cookie] }).cookies, [cookie]);
  expectRejected(
    contentBody,
    { cookies: [{ name: 'a' }] },
    `${prefix}"cookies.0.value" is required: name and value are needed together`,
  );
});

test('interceptors accept headers as a map or a list', () => {
  const headersOf = (headers: unknown) =>
    parseBody(contentBody, { url, requestInterceptors: [{ pattern: '.', response: { headers, body: 'x' } }] })
      .requestInterceptors[0]?.response.headers;
  assert.equal(headersOf({ a: 'b', n: 5, s: ['1', '2'] }), [
    { name: 'a', value: 'b' },
    { name: 'n', value: '5' },
    { name: 's', value: '1' },
    { name: 's', value: '2' },
  ]);
  assert.equal(headersOf([{ name: 'a', value: 'b' }]), [{ name: 'a', value: 'b' }]);
  assert.throws(() => headersOf({ 'a b': 'c' }), 'has the invalid header name "a b"');
});

test('interceptors accept headers as Puppeteer and the protocol report them', () => {
  const headers = { ':status': '200', 'set-cookie': 'a=1\n b=2', 'x-list': 'c\nd' };
  const [parsed] = parseBody(contentBody, {
    url,
    requestInterceptors: [{ pattern: '.', response: { headers } }],
  }).requestInterceptors;
  assert.equal(
    parsed?.response.headers?.map(({ name, value }) => `${name}: ${value}`),
    ['set-cookie: a=1', 'set-cookie: b=2', 'x-list: c', 'x-list: d'],
  );
});

test('the settings of a report are accepted for another one', () => {
  const settings = { auditMode: false, gatherMode: false, blankPage: 'about:blank', onlyAudits: null };
  assert.equal(parseBody(performanceBody, { url, config: { settings } }).config?.settings, settings);
});

test('cookies may have null, but not an empty name and value', () => {
  const cookie = {
    name: '',
    value: 'v',
    expires: null,
    sameSite: null,
    partitionKey: null,
    hasCrossSiteAncestor: null,
  };
  assert.is(parseBody(contentBody, { url, cookies: [cookie] }).cookies[0]?.expires, undefined);
  expectMessage(contentBody, { cookies: [{ name: '', value: '' }] }, 'needs a name or a value');
});

test('rejects invalid patterns, tags and headers', () => {
  expectMessage(contentBody, { rejectRequestPattern: ['a', '('] }, '"rejectRequestPattern.1" must be');
  expectMessage(contentBody, { rejectResourceTypes: ['imag'] }, '"rejectResourceTypes.0" must be one of');
  expectMessage(contentBody, { addScriptTag: [{ path: '/etc/passwd' }] }, 'server files cannot be read');
  expectRejected(contentBody, { addStyleTag: [{}] }, `${prefix}"addStyleTag.0" needs "url" or "content"`);
  expectMessage(contentBody, { setExtraHTTPHeaders: { a: 'b\r\nc: d' } }, 'line break');
});

test('pdf lengths become inches, and formats may be in any case', () => {
  const { options } = parseBody(pdfBody, {
    url,
    options: { width: '50.8mm', height: 192, margin: { top: '2.54cm', left: '0.5in', right: '48' } },
  });
  assert.is(options.width, 2);
  assert.is(options.height, 2);
  assert.equal(options.margin, { top: 1, left: 0.5, right: 0.5 });
  for (const format of ['a4', 'A4', 'LETTER', 'Letter', 'tabloid']) parseBody(pdfBody, { url, options: { format } });
  assert.equal(paperSize({ format: 'a4', width: 1 }), { width: 8.2677, height: 11.6929 });
  assert.equal(paperSize({ height: 2 }), { width: 8.5, height: 2 });
});

test('rejects invalid pdf options', () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ width: '10pt' }, '"options.width" must be a length of 0 or more'],
    [{ width: 0 }, '"options.width" must be more than 0'],
    [{ format: 'B5' }, '"options.format" must be A0 to A6, Letter, Legal, Ledger or Tabloid, got "B5"'],
    [{ scale: 3 }, '"options.scale" must be a number from 0.1 to 2, got 3'],
    [{ margin: { left: '10in' } }, '"options" leaves no printable area'],
    [{ pageRanges: '5-1' }, '"options.pageRanges" must be page numbers and ranges'],
    [{ pageRanges: '0' }, '"options.pageRanges" must be'],
    [{ pageRanges: '1,,2' }, '"options.pageRanges" must be'],
  ];
  for (const [options, message] of cases) assert.match(refused(pdfBody, { url, options }).message, prefix + message);
  for (const pageRanges of ['', '1', '1-5, 8, 11-13', '2-', '-3']) parseBody(pdfBody, { url, options: { pageRanges } });
  for (const options of [{ height: 5 }, { format: 'A4' }]) {
    expectRejected(
      pdfBody,
      { options: { fullPage: true, ...options } },
      '"fullPage" option cannot be used with "height" or "format" options.',
    );
  }
});

test('rejects screenshot options that cannot be combined', () => {
  const clip = { x: 0, y: 0, width: 5, height: 5 };
  expectRejected(screenshotBody, { options: { path: 'x.png' } }, '"path" option is not allowed');
  expectMessage(screenshotBody, { options: { quality: 50 } }, '"options.quality" cannot be used with png');
  expectMessage(screenshotBody, { options: { clip, fullPage: true } }, '"options.clip" cannot be used');
  assert.is(parseBody(screenshotBody, { url, options: { type: 'webp', quality: 50 } }).options.quality, 50);
});

test('scrape', () => {
  const body = parseBody(scrapeBody, { url, elements: [{ selector: 'a' }], debugOpts: { console: true } });
  assert.equal(body.elements, [{ selector: 'a', timeout: 30_000 }]);
  assert.is(body.debugOpts?.network, false);
  expectRejected(scrapeBody, {}, `${prefix}"elements" is required`);
});

test('tracking ids', () => {
  const parse = (id: string) => parseQuery(browserQuery, new URLSearchParams({ trackingId: id }));
  assert.is(parse('Abc-1_').trackingId, 'Abc-1_');
  const long = 'a'.repeat(33);
  for (const [id, message] of [
    [long, `TrackingId "${long}" must be less than 32 characters`],
    ['a b', 'trackingId contains invalid characters'],
    ['all', 'trackingId cannot be the reserved word "all"'],
  ] as const) {
    const error = refusalOf(() => parse(id));
    assert.is(error.code, 'invalid-tracking-id');
    assert.is(error.message, message);
  }
});

test('query errors name the parameter', () => {
  const error = refusalOf(() =>
    parseQuery(browserQuery, new URLSearchParams('timout=5&blockAds=yes&proxyCountry=usa')),
  );
  assert.match(error.message, /^Query-parameter validation failed: "blockAds" must be true or false, got "yes"\n/);
  assert.match(error.message, '"timout" is not a known field; did you mean "timeout"?');
  assert.match(error.message, '"proxyCountry" must be a two-letter country code');
  for (const schema of [sessionsQuery, killQuery]) {
    parseQuery(schema, new URLSearchParams('trackingId=x&token=t'));
    assert.throws(() => parseQuery(schema, new URLSearchParams('foo=1')), hasCode('invalid-query'));
  }
});

/** Properties of a JSON Schema that have no description, at any depth. */
function undescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== 'properties') return undescribed(value, `${path}.${key}`);
    return Object.entries(value ?? {}).flatMap(([name, property]) => [
      ...(typeof property === 'object' && property !== null && 'description' in property ? [] : [`${path}.${name}`]),
      ...undescribed(property, `${path}.${name}`),
    ]);
  });
}

test('JSON Schema: every field has a description, and secrets are marked', () => {
  for (const schema of [contentBody, pdfBody, screenshotBody, scrapeBody, browserQuery]) {
    const json = toJsonSchema(schema);
    assert.is(json['type'], 'object');
    assert.is(json['additionalProperties'], false);
    const missing = undescribed(json, '').filter((path) => !/\.(brands|fullVersionList|items)\b/.test(path));
    assert.equal(missing, []);
  }
  assert.match(JSON.stringify(toJsonSchema(contentBody)), /"password":\{[^}]*"format":"password","writeOnly":true\}/);
});
