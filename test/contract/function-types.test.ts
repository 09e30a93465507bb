// POST /function with code that returns { data, type } where the data is text (compatibility.mdx#code-in-requests).
// @tier ci
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('types of a function');

const asCode = { headers: { 'content-type': 'application/javascript' } };
const run = (expression: string): Promise<Reply> =>
  fixture.service.post('/function', `export default async ({ page }) => (${expression});`, asCode);

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const texts: [type: string, contentType: string][] = [
  ['text/html', 'text/html; charset=UTF-8'],
  ['TEXT/HTML', 'TEXT/HTML; charset=UTF-8'],
  ['text/html; charset=iso-8859-1', 'text/html; charset=UTF-8'],
  ['text/csv; header=present', 'text/csv; header=present; charset=UTF-8'],
  ['text/plain', 'text/plain; charset=UTF-8'],
  ['text/markdown', 'text/markdown; charset=UTF-8'],
  ['image/svg+xml', 'image/svg+xml; charset=UTF-8'],
  ['application/rss+xml', 'application/rss+xml; charset=UTF-8'],
  ['application/xml', 'application/xml; charset=UTF-8'],
  ['application/javascript', 'application/javascript; charset=UTF-8'],
];
for (const [type, contentType] of texts) {
  test.differs('`/function` sends `{data, type}` as JSON');
  test(`text of type ${type}`, async () => {
    const reply = succeeded(await run(`{ data: '<h1>grüße</h1>', type: '${type}' }`), contentType);
    assert.is(reply.text, '<h1>grüße</h1>');
    assert.is(reply.headers['x-content-type-options'], 'nosniff');
    assert.is(reply.headers['content-security-policy'], 'sandbox');
  });
}

test('works for code in JSON bodies, long text, and empty text', async () => {
  const code = "export default async () => ({ data: 'é'.repeat(2_000_000), type: 'text/csv' })";
  const long = succeeded(await fixture.service.post('/function', { code }), 'text/csv; charset=UTF-8');
  assert.is(long.text, 'é'.repeat(2_000_000));
  assert.is(succeeded(await run("{ data: '', type: 'text/csv' }"), 'text/csv; charset=UTF-8').text, '');
});

test('base64 data is decoded to bytes', async () => {
  const image = succeeded(await run(`{ data: '${png}', type: 'image/png' }`), 'image/png');
  assert.equal([...image.bytes], [...Buffer.from(png, 'base64')]);
  const shot = await run("{ data: await page.screenshot({ encoding: 'base64' }), type: 'image/png' }");
  assert.equal([...succeeded(shot, 'image/png').bytes.subarray(1, 4)], [...Buffer.from('PNG')]);
});

const whole: Record<string, string> = {
  'JSON in text': `{ data: '{"a":1}', type: 'application/json' }`,
  'another JSON type': `{ data: '[]', type: 'application/ld+json' }`,
  'JSON as a text type': `{ data: '[]', type: 'text/json' }`,
  'an unknown type': "{ data: 'ok', type: 'application/text' }",
  'a word that is not a type': "{ data: '<p>', type: 'html' }",
  'a type that is not a string': "{ data: 'ok', type: 7 }",
  'data that is not a string': "{ data: { a: 1 }, type: 'text/html' }",
  'no data': "{ data: null, type: 'text/html' }",
  'additional properties': "{ data: 'ok', type: 'text/html', title: 'more' }",
  'text that is not base64': "{ data: 'no base64!', type: 'application/pdf' }",
};
for (const [name, expression] of Object.entries(whole)) {
  test(`returns the whole object as JSON: ${name}`, async () => {
    const reply = succeeded(await run(expression), 'application/json; charset=UTF-8');
    const { data, type } = reply.json<{ data: unknown; type: unknown }>();
    assert.ok(data !== undefined && type !== undefined, reply.text);
  });
}

test('a type cannot add a header', async () => {
  refused(await run(String.raw`{ data: 'x', type: 'text/html; a=b\r\nSet-Cookie: c=d' }`), 400, '"type" must be');
  refused(await run("{ data: 'x', type: 'text/html;' + 'x'.repeat(100_000) }"), 400, '"type" must be');
});
