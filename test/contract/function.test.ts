// POST /function (compatibility.mdx#code-in-requests). Code that misbehaves: test/endings/function-hostile.test.ts.
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { readPdf } from '../support/checks/media.ts';
import { startService } from '../support/service.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('function', {
  env: { TOKEN: 'browserless', EXTERNAL: 'https://nowhere.invalid' },
});

/** For tests with many requests on busy machines. */
const manyCalls = { timeoutMs: 120_000 };

const asCode = { headers: { 'content-type': 'application/javascript' } };
const run = (code: string, query: Record<string, string> = {}): Promise<Reply> =>
  fixture.service.post('/function', code, { ...asCode, query });
const runJson = (code: string, context?: unknown): Promise<Reply> =>
  fixture.service.post('/function', { code, ...(context === undefined ? {} : { context }) });

test.proves('function:code');
test.peer('REST routes', 'function: an object with data and type, from JSON and from a JavaScript body');
test.peer('REST routes', 'function: EXTERNAL can be a URL that the server cannot reach');
test('{data, type} is returned whole for both kinds of body', async () => {
  const code = "export default async () => ({ data: 'ok', type: 'application/text' })";
  for (const reply of [await runJson(code), await run(code)]) {
    succeeded(reply, 'application/json; charset=UTF-8');
    assert.equal(reply.json(), { data: 'ok', type: 'application/text' });
    assert.match(reply.text, /^\{\n {2}"data"[\s\S]*\}\n$/);
  }
});

test.proves('blockAds@code');
test("?blockAds blocks ads on every page that the code opens, alongside the code's own interception", async () => {
  // EasyList exempts pages on 127.0.0.1 and localhost.
  const url = `${fixture.site.url.replace('127.0.0.1', 'news.localhost')}/ads`;
  const code = `export default async function ({ page }) {
  const incognito = await page.browser().createBrowserContext();
  const seen = [];
  for (const one of [page, await page.browser().newPage(), await incognito.newPage()]) {
    await one.setRequestInterception(true);
    one.on('request', (request) => request.continue());
    await one.goto('${url}');
    seen.push(await one.evaluate(() => ({ ...document.documentElement.dataset })));
  }
  // Hidden in a moment after the page has loaded.
  await page.waitForFunction(() => document.querySelector('#google_ads').offsetWidth === 0);
  return seen;
}`;
  const mark = { mark: 'by script' };
  assert.equal(succeeded(await run(code, { blockAds: 'true' })).json(), [mark, mark, mark]);
  assert.not.ok(fixture.site.requests.some(({ path }) => /^\/(pagead|banner_ads)\//.test(path)));
});

test.peer('REST routes', 'function: values of the context are available in the code');
test.peer('REST routes', 'function: EXTERNAL can be an https URL');
test('page is a Puppeteer page in a browser that only the code uses', async () => {
  const reply = await runJson(
    `export default async function ({ page, context }) {
  await page.goto(context.url);
  await page.type('input[name=name]', 'Ada').catch(() => {});
  const other = await page.browser().newPage();
  await other.setContent('<h1>other</h1>');
  const incognito = await page.browser().createBrowserContext();
  const third = await incognito.newPage();
  await third.goto(context.url + 'cookies');
  const result = {
    title: await page.title(),
    heading: await page.$eval('h1', (element) => element.textContent),
    other: await other.$eval('h1', (element) => element.textContent),
    third: new URL(third.url()).pathname,
    pages: (await page.browser().pages()).length,
    viewport: await page.evaluate(() => [innerWidth, innerHeight]),
    globals: [typeof process, typeof require, typeof Buffer],
    secure: isSecureContext,
  };
  await other.close();
  await incognito.close();
  return { ...result, left: (await page.browser().pages()).length };
}`,
    { url: `${fixture.site.url}/` },
  );
  const found = succeeded(reply).json<Record<string, unknown>>();
  assert.equal(
    { ...found, title: typeof found['title'], heading: typeof found['heading'] },
    {
      title: 'string',
      heading: 'string',
      other: 'other',
      third: '/cookies',
      pages: 3,
      viewport: [800, 600],
      globals: ['undefined', 'undefined', 'undefined'],
      secure: true,
      left: 1,
    },
  );
});

test('supports launch.defaultViewport and launch.acceptInsecureCerts', async () => {
  const launch = JSON.stringify({ defaultViewport: { width: 444, height: 333 }, acceptInsecureCerts: true });
  const code = `export default async ({ page }) => {
  await page.goto('${fixture.site.secureUrl}/');
  return page.evaluate(() => innerWidth);
}`;
  assert.is(succeeded(await run(code, { launch })).text, '444\n');
});

test.peer('REST routes');
test('?--proxy-server= starts a separate browser', async () => {
  const reply = await run('export default async () => "own"', { '--proxy-server': fixture.site.url });
  assert.is(succeeded(reply, 'text/plain; charset=UTF-8').text, 'own\n');
});

test.peer('REST routes');
test('supports imports from absolute URLs', async () => {
  const code = `import lib, { shout } from '${fixture.site.url}/lib.js';
export default async () => shout(lib.name + (await import('${fixture.site.url}/lib.js')).default.name);`;
  assert.is(succeeded(await run(code)).text, 'LIBLIB!\n');
});

test.proves('function:context');
test.peer('REST routes', 'context arrives unchanged, and defaults to {}');
test.peer('parameters and errors', 'coercion: strings in a context stay strings');
test('context arrives unchanged', async () => {
  const context = {
    text: '2',
    number: 1.5,
    yes: true,
    none: null,
    list: [1, [2, { deep: 'ü"\\n</script>' }]],
    object: { __a: { b: [] } },
  };
  assert.equal(succeeded(await runJson('export default ({ context }) => context', context)).json(), context);
});

test.peer('REST routes', 'context arrives unchanged, and defaults to {}');
test('accepts code in base64; context defaults to {}', async () => {
  const code = Buffer.from('export default ({ context }) => ["from base64: ü", context]').toString('base64');
  assert.equal(succeeded(await runJson(code)).json(), ['from base64: ü', {}]);
});

const results: [string, string, string, string][] = [
  ['markup', "' <p>markup</p>'", 'text/html; charset=UTF-8', ' <p>markup</p>\n'],
  ['a number', '1.5', 'text/plain; charset=UTF-8', '1.5\n'],
  ['nothing', 'undefined', 'text/plain; charset=UTF-8', 'undefined\n'],
  ['null', 'null', 'application/json; charset=UTF-8', 'null\n'],
  ['a blob', "new Blob(['a,b'], { type: 'text/csv' })", 'text/csv', 'a,b'],
  ['bytes with a type', "({ data: new Uint8Array([65, 66]), type: 'application/x-ab' })", 'application/x-ab', 'AB'],
  ['a buffer', "new TextEncoder().encode('%PDF-1.7 buffer').buffer", 'application/pdf', '%PDF-1.7 buffer'],
];
test.peer('REST routes');
test.differs('`/function` accepts only async functions');
test(
  'each kind of result has the right content type',
  async () => {
    for (const [what, expression, contentType, text] of results) {
      const reply = await run(`export default () => (${expression});`);
      assert.ok(reply.status === 200, `${what}: ${reply.status} ${reply.text}`);
      assert.is(reply.headers['content-type'], contentType, what);
      assert.is(reply.text, text, what);
    }
  },
  manyCalls,
);

test.peer('REST routes', 'results of page.screenshot() and page.pdf() have the right content type');
test(
  'results of page.screenshot() and page.pdf() have the right content type, also with hundreds of pages',
  async () => {
    const image = succeeded(await run('export default ({ page }) => page.screenshot()'), 'image/png');
    assert.equal([...image.bytes.subarray(1, 4)], [...Buffer.from('PNG')]);
    const html = `<style>p{break-after:page}</style>${'<p>page</p>'.repeat(299)}<b>last</b>`;
    const code =
      'export default async ({ page, context }) => { await page.setContent(context.html); return page.pdf(); }';
    const pdf = succeeded(await runJson(code, { html }), 'application/pdf');
    assert.is((await readPdf(pdf.bytes)).pages.length, 300);
  },
  manyCalls,
);

test(
  'large bytes, text, and streams arrive complete',
  async () => {
    const head = "const head = new TextEncoder().encode('%PDF-1.7');";
    const bytes = await run(`${head} export default () => {
  const bytes = new Uint8Array(5_000_003).fill(7);
  bytes.set(head);
  return bytes;
}`);
    succeeded(bytes, 'application/pdf');
    assert.is(bytes.bytes.length, 5_000_003);
    assert.is(bytes.bytes.at(-1), 7);
    const text = await run("export default () => 'ä'.repeat(2_000_000)");
    assert.is(succeeded(text, 'text/plain; charset=UTF-8').text, `${'ä'.repeat(2_000_000)}\n`);
    const stream = await run(`${head} export default () => {
  let left = 400;
  return new ReadableStream({ pull(controller) {
    if (left === 400) controller.enqueue(head);
    controller.enqueue(left % 2 ? 'x'.repeat(10_000) : new Uint8Array(10_000));
    if (--left === 0) controller.close();
  } });
}`);
    assert.is(succeeded(stream, 'application/pdf').bytes.length, 4_000_008);
  },
  manyCalls,
);

test.peer('REST routes', 'function: code that throws is a 400 with its message');
test(
  'errors say what failed and where',
  async () => {
    const rows: [string, ...(string | RegExp)[]][] = [
      ["export default async () => Promise.reject('just text')", 'just text'],
      ['export default () => {\n\n  let let = 1;\n}', '(line 3'],
      [`import '${fixture.site.url}/broken.js'; export default () => 1`, /^Unexpected token '='$/m],
      ['export const a = 1', 'no default export', 'export default async function'],
      ['export default 5', 'its default export is number'],
      ["module.exports = async () => 'old'", 'module is not defined'],
      ['export default () => ({ n: 1n })', 'BigInt'],
      ['export default () => () => 1', 'a function, which cannot be sent'],
      ["export default () => new TextEncoder().encode('what is this')", "Couldn't determine function's response type."],
      ['export default () => new ReadableStream({ pull() { throw new Error("dry") } })', 'dry'],
      ['export default async ({ page }) => { await page.browser().close(); return 1 }', 'closed its browser'],
      [
        'export default async ({ page }) => { await page.close(); await page.title() }',
        /Session closed|Target closed|detached|destroyed/,
      ],
      ['export default () => { throw { get message() { throw 1 } } }', 'cannot be described'],
    ];
    for (const [code, ...mentions] of rows) refused(await run(code), 400, ...mentions);
  },
  manyCalls,
);

test.differs("The error response to a JavaScript body has that body's content type");
test('the format of an error follows the request', async () => {
  const code = "export default () => {\n  throw new Error('boom: ü');\n}";
  const error = 'boom: ü (line 2, column 9 of the code)';
  const json = refused(await runJson(code), 400);
  assert.equal(json.json(), { error, code: 'code-failed' });
  assert.match(refused(await run(code), 400, error).headers['content-type'] ?? '', /^text\/plain/);
});

test.proves('debug@code');
test('console output goes to the log and, with ?debug=true, into the error', async () => {
  const code = `console.warn('careful', { a: 1 }); export default ({ context }) => { console.log('last words'); throw new Error('boom'); }`;
  const quiet = refused(await run(code), 400);
  assert.not.match(quiet.text, /last words/);
  refused(await run(code, { debug: 'true' }), 400, 'boom', 'warn: careful {"a":1}', 'log: last words');
  await until('the line to arrive', () =>
    fixture.service
      .logs()
      .some(
        (line) => line.event === 'function.console' && line['console'] === 'warn' && line['text'] === 'careful {"a":1}',
      ),
  );
});

test.peer('REST routes', 'function: an unsupported body type is a 404', 'function: a wrong token is a 401');
test.peer('REST routes', 'function: a body without code is rejected');
test(
  'returns errors for unsupported bodies and headers',
  async () => {
    const code = 'export default () => 1';
    for (const type of ['text/javascript', 'application/x-www-form-urlencoded']) {
      const reply = await fixture.service.post('/function', code, { headers: { 'content-type': type } });
      refused(reply, 404, 'Not Found', type);
    }
    for (const prefix of ['/chromium', '/chrome']) {
      refused(await fixture.service.post(`${prefix}/function`, {}), 400, 'code');
    }
    refused(await fixture.service.get('/function'), 404);
    refused(await fixture.service.post('/function', {}), 400, 'code');
    refused(await fixture.service.post('/function', { code, more: 1 }), 400, 'more');
    refused(await fixture.service.post('/function', { code, context: 'text' }), 400, 'context');
    refused(await fixture.service.post('/function', { code: ' ' }), 400, 'code');
    refused(await fixture.service.post('/function', '"text"'), 400, "Couldn't parse JSON body");
    refused(await fixture.service.post('/function', '', asCode), 400, 'code');
    refused(await fixture.service.post('/function', code, { ...asCode, token: 'wrong' }), 401);
  },
  manyCalls,
);

test.peer('REST routes');
test('handles ?timeout=10, a full server, and a server without a token', async () => {
  const code = 'export default () => new Promise(() => {})';
  refused(await run(code, { timeout: '10' }), 408, 'Request has timed out');
  await using full = await startService({ env: { CONCURRENT: '0', QUEUED: '0', SPARES: '0' } });
  await using open = await startService({ env: { SPARES: '0' } });
  refused(await full.post('/function', code, asCode), 429, 'Too many requests');
  const headers = { ...asCode.headers, accept: '*/*' };
  assert.is(succeeded(await open.post('/function', 'export default () => "open"', { headers })).text, 'open\n');
});
