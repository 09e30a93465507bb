// Headers of requests and responses that one route returns, given to every field of the same meaning and to client
// libraries.
// @tier ci
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { bodyFor, type Data, elements, fedBackSuite, pageRoutes } from './suite.ts';
import { each, type Sinks } from './walk.ts';

const { test, site, walk, walked, post, run, ran, withPuppeteer, withPlaywright } = fedBackSuite('headers');
let modern: Http2SecureServer;
test.before(async () => {
  modern = await startModernSite();
});
test.after(() => void modern.close());

/** A page over HTTP/2 that shows the headers it received, and sends several headers of one name. */
async function startModernSite(): Promise<Http2SecureServer> {
  const fixtures = join(import.meta.dirname, '../../support/fixtures');
  const [key, cert] = ['localhost-key.pem', 'localhost-cert.pem'].map((name) => readFileSync(join(fixtures, name)));
  const server = createSecureServer({ ...(key && { key }), ...(cert && { cert }) });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const cookies = ['a=1; Path=/', 'b=2; Path=/'];
    stream.respond({ ':status': 200, 'content-type': 'text/html', 'set-cookie': cookies, 'x-several': ['one', 'two'] });
    stream.end(`<!doctype html><pre>${JSON.stringify(headers)}</pre>`);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return server;
}
// A listening server's address is never text or null.
const modernUrl = () => `https://127.0.0.1:${(modern.address() as AddressInfo).port}/`;

type Headers = Record<string, string>;
/** Headers that are set by the browser for each request. */
const decided = /^(?:accept-encoding|cookie|origin|priority|referer|sec-fetch-.*)$/;

const toPairs = (headers: Headers) => Object.entries(headers).map(([name, value]) => ({ name, value }));
const toHeaders = (pairs: readonly { name: string; value: string }[]): Headers =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
/** What a site should receive of headers: those that a client can set, in lowercase. */
const settable = (headers: Headers): [string, string][] =>
  Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => !decided.test(name) && !/^:|^(?:connection|host|upgrade)$|^sec-websocket-/.test(name));
const sent = () => site.requests.findLast(({ path }) => path === '/echo-headers')?.headers ?? {};
const echo = () => `${site.url}/echo-headers`;

const openSocket = () => {
  const url = `${site.url.replace('http', 'ws')}/socket`;
  return `new Promise((done) => { const socket = new WebSocket("${url}"); socket.onopen = socket.onerror = () => done(1) })`;
};

/** The headers of requests, as each answer shows them, with an added header in mixed case. */
async function requestHeaders(): Promise<Record<string, Headers[]>> {
  const added = { 'X-Own': 'one, "two" = 3' };
  const fields = { setExtraHTTPHeaders: added, elements, debugOpts: { network: true } };
  const scrapes = await Promise.all(
    [echo(), modernUrl()].map(async (url) => (await post('/scrape', { url, ...fields })).json<Data>()),
  );
  const document = `mutation ($headers: [HeaderInput], $open: String) {
    setExtraHTTPHeaders(headers: $headers) { headers { name value } } goto(url: "${echo()}") { status }
    request { headers { name value } } evaluate(content: $open) { value } socket: request(type: websocket) { headers { name value } } }`;
  const bql = await run(document, { headers: toPairs(added), open: openSocket() });
  const code = (url: string) => `await page.setExtraHTTPHeaders(${JSON.stringify(added)});
    return (await page.goto('${url}')).request().headers()`;
  return {
    '/scrape': scrapes.map((reply) => reply['debug'].network.outbound[0].headers),
    BrowserQL: [toHeaders(bql['request'][0].headers), toHeaders(bql['setExtraHTTPHeaders'].headers)],
    'a WebSocket in BrowserQL': [toHeaders(bql['socket'][0].headers)],
    '/function': [await ran(code(echo())), await ran(code(modernUrl()))],
  };
}

test('headers of requests', async () => {
  const sources = await requestHeaders();
  // What a sink received of the headers that it was given.
  const received = async (headers: Headers, visit: () => Promise<unknown>) => {
    site.clear();
    await visit();
    const seen = sent();
    return settable(headers).map(([name]) => [name, seen[name]]);
  };
  const sinks: Sinks<Headers> = {
    ...Object.fromEntries(
      [...pageRoutes, '/export headers'].map((name) => [
        name,
        each((headers: Headers) => {
          const [route = '', field = 'setExtraHTTPHeaders'] = name.split(' ');
          return received(headers, () => post(route, bodyFor(route, { url: echo(), [field]: headers })));
        }),
      ]),
    ),
    BrowserQL: each((headers) =>
      received(headers, () =>
        run(
          `mutation ($given: [HeaderInput]) { setExtraHTTPHeaders(headers: $given) { time } goto(url: "${echo()}") { status } }`,
          { given: toPairs(headers) },
        ),
      ),
    ),
  };
  const { '/scrape': scrape = [], BrowserQL: bql = [] } = sources;
  const libraries: Sinks<Headers> = {
    'page.setExtraHTTPHeaders': each((headers) =>
      received(headers, () =>
        withPuppeteer(async (browser) => {
          const page = await browser.newPage();
          await page.setExtraHTTPHeaders(headers);
          await page.goto(echo());
        }),
      ),
    ),
    'newContext({ extraHTTPHeaders })': each((headers) =>
      received(headers, () =>
        withPlaywright(async (browser) => {
          const context = await browser.newContext({ extraHTTPHeaders: headers });
          await (await context.newPage()).goto(echo());
        }),
      ),
    ),
  };
  await walked(async () => {
    await walk.feed(sources, sinks, settable);
    await walk.feed({ '/scrape': scrape, BrowserQL: bql }, libraries, settable);
  });
  const reply = await post('/content', {
    url: echo(),
    setExtraHTTPHeaders: { Host: 'a.test', ':path': '/', 'X-Own': '1' },
  });
  assert.is(reply.headers['x-ignored-parameters'], 'setExtraHTTPHeaders.Host, setExtraHTTPHeaders.:path');
});

test('headers of responses, mocked for another page', async () => {
  const scrape = await post('/scrape', { url: modernUrl(), elements, debugOpts: { network: true } });
  const bql = await run(`mutation { goto(url: "${modernUrl()}") { status } response { headers { name value } } }`);
  const sources: Record<string, unknown[]> = {
    '/scrape': [scrape.json<Data>()['debug'].network.inbound[0].headers],
    BrowserQL: [bql['response'][0].headers],
    '/function': [await ran(`return (await page.goto('${modernUrl()}')).headers()`)],
    'the protocol': [{ ':status': '200', 'x-several': 'one\ntwo', 'set-cookie': 'a=1\nb=2' }],
  };
  assert.equal(
    bql['response'][0].headers.filter(({ name }: { name: string }) => name === 'x-several'),
    ['one', 'two'].map((value) => ({ name: 'x-several', value })),
  );
  const content = `fetch('/mocked').then(async (reply) => {
    document.title = JSON.stringify([reply.headers.get('x-several'), document.cookie]);
  })`;
  const mocked = each(async (headers: unknown) => {
    const requestInterceptors = [{ pattern: '/mocked$', response: { status: 200, headers, body: 'x' } }];
    const waitForFunction = { fn: 'document.title.startsWith("[")' };
    const reply = await post('/content', {
      url: `${site.url}/small`,
      requestInterceptors,
      addScriptTag: [{ content }],
      waitForFunction,
    });
    return JSON.parse(/<title>(.*)<\/title>/.exec(reply.text)?.[1]?.replaceAll('&quot;', '"') ?? '')[0];
  });
  await walked(() => walk.feed(sources, { 'requestInterceptors[].response.headers': mocked }, () => 'one, two'));
});
