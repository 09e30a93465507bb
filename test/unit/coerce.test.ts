// Coercion of query strings and JSON bodies (compatibility.mdx#coercion).
import * as assert from 'uvu/assert';
import * as v from 'valibot';
import { coerce } from '../../src/base/schema/coerce.ts';
import { codeBody } from '../../src/base/schema/request/code.ts';
import { performanceBody } from '../../src/base/schema/request/performance-fields.ts';
import { pdfBody, scrapeBody, screenshotBody } from '../../src/base/schema/request/fields.ts';
import { parseBody, parseQuery } from '../../src/base/schema/parse.ts';
import { browserQuery } from '../../src/base/schema/request/query.ts';
import { hasCode } from '../support/refusals.ts';
import { suite } from '../support/suite.ts';

const test = suite('coercion');

test('parses numbers, booleans, objects and lists from strings', () => {
  const schema = v.object({
    n: v.number(),
    b: v.optional(v.boolean()),
    o: v.object({ deep: v.object({ n: v.number() }) }),
    l: v.array(v.number()),
  });
  assert.equal(coerce(schema, { n: '-1.5', b: 'false', o: '{"deep":{"n":"2"}}', l: '["1",2]' }), {
    n: -1.5,
    b: false,
    o: { deep: { n: 2 } },
    l: [1, 2],
  });
});

test.peer('parameters and errors', 'coercion: 1 and yes are not flags in bodies');
test('leaves strings that are not a number or boolean unchanged', () => {
  for (const text of ['abc', '', ' ', '1e999', '0x10', 'NaN']) assert.is(coerce(v.number(), text), text);
  for (const text of ['1', 'yes', 'TRUE', '']) assert.is(coerce(v.boolean(), text), text);
});

test.peer('parameters and errors');
test('never converts other types to strings', () => {
  assert.is(coerce(v.string(), 5), 5);
  assert.is(coerce(v.string(), true), true);
  assert.is(coerce(v.string(), '5'), '5');
});

test.peer('parameters and errors', 'coercion: an alternative without its required properties is skipped');
test('unions use the first alternative that matches', () => {
  assert.is(coerce(v.union([v.string(), v.number()]), '2'), '2');
  assert.is(coerce(v.union([v.number(), v.string()]), '2'), 2);
  assert.is(coerce(v.union([v.picklist(['raf']), v.number()]), '2'), 2);
  const objects = v.union([v.object({ a: v.number(), b: v.number() }), v.object({ a: v.boolean() })]);
  assert.equal(coerce(objects, { a: 'true' }), { a: true }, 'the branch whose required keys are missing is skipped');
});

test.peer('parameters and errors');
test('untyped values keep their strings, and lose dangerous keys', () => {
  const schema = v.object({ context: v.optional(v.record(v.string(), v.unknown())) });
  const body: unknown = JSON.parse(
    '{"context":{"n":"2","t":"true","d":{"constructor":1,"x":"{}"}},"__proto__":{"p":1}}',
  );
  assert.equal(coerce(schema, body), { context: { n: '2', t: 'true', d: { x: '{}' } } });
  assert.is(Reflect.get({}, 'p'), undefined);
});

test('deep nesting is rejected without a stack overflow', () => {
  const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
  assert.throws(() => coerce(v.object({ a: v.unknown() }), { a: deep }), hasCode('bad-request'));
});

test.peer('parameters and errors');
test('query: a name without a value is true', () => {
  assert.is(parseQuery(browserQuery, new URLSearchParams('blockAds')).blockAds, true);
  assert.is(parseQuery(browserQuery, new URLSearchParams('blockAds=false')).blockAds, false);
  const flags = parseQuery(browserQuery, new URLSearchParams('blockAds=1&debug=0&force=1&timeout=1&trackingId=1'));
  assert.equal(
    [flags.blockAds, flags.debug, flags.force, flags.timeout, flags.trackingId],
    [true, false, true, 1, '1'],
  );
  for (const query of ['timeout=', 'launch=', 'token=', 'blockAds=2', 'blockAds=yes', 'timeout=abc', 'nonsense=1']) {
    assert.throws(() => parseQuery(browserQuery, new URLSearchParams(query)), hasCode('invalid-query'), query);
  }
});

test('query: dangerous keys are dropped', () => {
  const query = parseQuery(browserQuery, new URLSearchParams('__proto__=1&constructor=2&timeout=1.5'));
  assert.is(query.timeout, 1.5);
  assert.not(Object.hasOwn(query, '__proto__'));
});

test.peer('parameters and errors', 'coercion: blockAds with blockAdsInclude');
test.differs('`integrations`');
test('query: lists and loose flags', () => {
  const params = 'blockAds=true&blockAdsInclude=a, b&integrations=["x"]&proxySticky&proxyLocaleMatch=0&proxyCountry=us';
  const query = parseQuery(browserQuery, new URLSearchParams(params));
  assert.equal(query.blockAdsInclude, ['a', 'b']);
  assert.equal(query.integrations, ['x']);
  assert.is(query.proxySticky, true);
  assert.is(query.proxyLocaleMatch, false);
});

test.peer('parameters and errors');
test.peer('parameters and errors', 'coercion: an empty string is not a flag');
test.peer('parameters and errors', 'coercion: a string inside options that is not a number is rejected');
test('bodies: coerces strings inside options', () => {
  const body = parseBody(screenshotBody, {
    url: 'http://x',
    options: { fullPage: 'true', type: 'jpeg', quality: '80' },
  });
  assert.is(body.options.fullPage, true);
  assert.is(body.options.quality, 80);
  assert.throws(
    () => parseBody(screenshotBody, { url: 'http://x', options: { fullPage: '' } }),
    hasCode('invalid-body'),
  );
  assert.throws(
    () => parseBody(screenshotBody, { url: 'http://x', options: { quality: 'high' } }),
    hasCode('invalid-body'),
  );
});

test('bodies: 1 and 0 are not booleans', () => {
  for (const flag of ['1', 1, '0', 0]) {
    assert.throws(
      () => parseBody(screenshotBody, { url: 'http://x', options: { fullPage: flag } }),
      hasCode('invalid-body'),
    );
  }
});

test('an empty list counts as an empty object, but only where an object is expected', () => {
  const body = parseBody(screenshotBody, {
    url: 'http://x',
    options: [],
    gotoOptions: [],
    setExtraHTTPHeaders: [],
    userAgent: [],
    cookies: [],
    requestInterceptors: [{ pattern: 'x', response: [] }],
  });
  assert.equal(body.setExtraHTTPHeaders, {});
  assert.equal(body.userAgent, {});
  assert.equal(body.cookies, []);
  assert.equal(body.requestInterceptors, [{ pattern: 'x', response: {} }]);
  assert.equal(body.gotoOptions, parseBody(screenshotBody, { url: 'http://x' }).gotoOptions);
  const code = 'export default 1';
  assert.equal(parseBody(codeBody, { code, context: [] }).context, {});
  assert.equal(
    parseBody(codeBody, { code, context: { deep: [] } }).context,
    { deep: [] },
    'values inside caller-defined objects stay as they are',
  );
  assert.equal(parseBody(performanceBody, { url: 'http://x', config: [] }).config, {});
  assert.equal(parseBody(v.object({ a: v.optional(v.string()) }), []), {});
  for (const list of [[[]], [{}], [0], [null]]) {
    assert.throws(() => parseBody(screenshotBody, { url: 'http://x', options: list }), hasCode('invalid-body'));
  }
});

test.peer('parameters and errors');
test('accepts the request bodies from the documentation', () => {
  parseBody(pdfBody, {
    url: 'https://example.com/',
    options: { displayHeaderFooter: true, printBackground: false, format: 'A0', margin: { top: '1cm' } },
    gotoOptions: { waitUntil: 'networkidle2' },
  });
  parseBody(screenshotBody, { url: 'https://example.com/', options: { fullPage: true, type: 'png' } });
  parseBody(scrapeBody, {
    url: 'https://example.com/',
    elements: [{ selector: 'h1' }],
    debugOpts: { network: 'true' },
  });
});
