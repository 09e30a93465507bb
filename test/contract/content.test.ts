// POST /content as existing clients use it, and what it has in common with /markdown, /pdf, /screenshot and /scrape.
import * as assert from 'uvu/assert';
import { describesResponse, refused, succeeded } from '../support/checks/expect.ts';
import { readPdf, readPng } from '../support/checks/media.ts';
import type { Reply } from '../support/clients/http.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('contract: content and other pages', { env: { TOKEN: 'browserless' } });
let open: Service;
let full: Service;

test.before(async () => {
  open = await startService();
  full = await startService({ env: { TOKEN: 'browserless', CONCURRENT: '0', QUEUED: '0' } });
});
test.after(() => stopAll(open, full));

interface Route {
  contentType: string;
  /** Added to every body. */
  extra?: Record<string, unknown>;
  /** Checks the body of a response for the site's page `/`. */
  check(reply: Reply): void | Promise<void>;
}

const contentType = 'text/html; charset=UTF-8';
const routes: Record<'content' | 'markdown' | 'pdf' | 'screenshot' | 'scrape', Route> = {
  content: {
    contentType,
    check({ text }) {
      assert.match(text, /<h1>Hello<\/h1>/);
      assert.match(text, /<\/html>\n$/);
    },
  },
  markdown: {
    contentType: 'text/markdown; charset=UTF-8',
    check: ({ text }) => assert.is(text, '# Hello\n\nA paragraph of text.\n'),
  },
  pdf: {
    contentType: 'application/pdf',
    async check({ bytes }) {
      const { pages } = await readPdf(bytes);
      assert.is(pages.length, 1);
      assert.match(pages[0]?.text ?? '', /Hello.*A paragraph of text\./);
    },
  },
  screenshot: {
    contentType: 'image/png',
    check({ bytes }) {
      const { width, height } = readPng(bytes);
      assert.equal([width, height], [800, 600]);
    },
  },
  scrape: {
    contentType: 'application/json; charset=UTF-8',
    extra: { elements: [{ selector: 'body' }] },
    check(reply) {
      const { data, ...others } = reply.json<{ data: { selector: string; results: { text: string }[] }[] }>();
      assert.equal([data.length, data[0]?.selector, others], [1, 'body', {}]);
      assert.match(data[0]?.results[0]?.text ?? '', /Hello\s+A paragraph of text\./);
      assert.match(reply.text, /^\{\n {2}"data"/);
    },
  },
};
const at = (path = '/') => ({ url: `${fixture.site.url}${path}` });

for (const [route, { contentType: type, extra = {}, check }] of Object.entries(routes)) {
  const peer = (behavior: string) => {
    if (route !== 'markdown') test.peer('REST routes', `${route}: ${behavior}`);
  };
  // Prefixes that work with any Chromium.
  for (const path of [`/${route}`, `/chromium/${route}`, `/chrome/${route}`]) {
    peer('url');
    peer('the response has the type and the five X-Response headers');
    test(`${path}: url`, async () => {
      const reply = succeeded(await fixture.post(path, { ...at(), ...extra }), type);
      describesResponse(reply, at().url);
      await check(reply);
    });
    peer('GET returns 404');
    test(`${path}: GET returns 404`, async () => {
      const reply = refused(await fixture.service.get(path), 404, /^Not Found/);
      assert.match(reply.headers['content-type'] ?? '', /^text\/plain; charset=utf-8$/i);
    });
  }
  peer('under /edge, or a 404 if Edge is not installed');
  test(`/edge/${route}: names EDGE_PATH if Edge is missing`, async () => {
    const reply = await fixture.service.post(`/edge/${route}`, { ...at(), ...extra });
    if (reply.status !== 200) refused(reply, 404, 'EDGE_PATH');
  });
}

/** The name of a behavior that the routes have in common: each is checked on one of them. */
const shared = (behavior: string) => `content, pdf, screenshot, scrape: ${behavior}`;

/** Fires the event repeatedly, since the wait misses earlier ones and starts late on a busy machine. */
const waitingHtml = (event: string) =>
  `<h1>waiting</h1><script>setInterval(() => document.dispatchEvent(new Event('${event}')), 300)</script>`;
const waitForFunction = {
  sync: "() => window.arrived === 'yes'",
  async: "async () => { await new Promise((r) => setTimeout(r, 5)); return window.arrived === 'yes'; }",
};
const acceptInsecureCerts = { launch: JSON.stringify({ acceptInsecureCerts: true }) };
const rows: [route: keyof typeof routes, name: string, body: () => object, query?: Record<string, string>][] = [
  ['pdf', 'html', () => ({ html: '<h1>Inline</h1>' })],
  ['scrape', 'waitForFunction, sync', () => ({ ...at('/late'), waitForFunction: { fn: waitForFunction.sync } })],
  ['content', 'waitForFunction, async', () => ({ ...at('/late'), waitForFunction: { fn: waitForFunction.async } })],
  ['screenshot', 'waitForSelector', () => ({ ...at('/late'), waitForSelector: { selector: '.late' } })],
  ['pdf', 'waitForTimeout', () => ({ ...at(), waitForTimeout: 50 })],
  ['scrape', 'waitForEvent', () => ({ html: waitingHtml('customEvent'), waitForEvent: { event: 'customEvent' } })],
  [
    'screenshot',
    'cookies with domain',
    () => ({ ...at('/cookies'), cookies: [{ name: 'foo', value: 'bar', domain: '127.0.0.1' }] }),
  ],
  ['pdf', 'gotoOptions', () => ({ ...at(), gotoOptions: { waitUntil: 'networkidle2' } })],
  ['screenshot', 'a self-signed target', () => ({ url: `${fixture.site.secureUrl}/` }), acceptInsecureCerts],
];
for (const [route, name, body, query] of rows) {
  test.peer('REST routes', shared(name));
  test(`/${route}: ${name}`, async () => {
    const { contentType: type, extra } = routes[route];
    succeeded(await fixture.post(`/${route}`, { ...body(), ...extra }, query), type);
  });
}

test.peer('REST routes', shared('?timeout=10'));
test('/content: ?timeout=10', async () => {
  const reply = await fixture.service.post('/content', at('/slow?ms=5000'), { query: { timeout: 10 } });
  refused(reply, 408, /^Request has timed out after 10 ms(: it was waiting for .+)?\n$/);
  assert.match(reply.headers['content-type'] ?? '', /^text\/plain/);
});

test.peer('REST routes', shared('returns 429 when the server is full'));
test.differs('A full server does not report when to retry');
test('/screenshot: returns 429 when the server is full', async () => {
  const reply = refused(await full.post('/screenshot', at()), 429);
  assert.is(reply.text, 'Too many requests\n');
  assert.ok(Number(reply.headers['retry-after']) >= 1, 'Retry-After is missing');
});

test.peer('REST routes', shared('works without a token if none is configured'));
test('/pdf: works without a token if none is configured', async () => {
  succeeded(await open.post('/pdf', at()), routes.pdf.contentType);
});

test.peer('REST routes', shared('returns 401 without a token'));
test('/scrape: returns 401 without a token', async () => {
  const reply = await fixture.service.post('/scrape', { ...at(), ...routes.scrape.extra }, { token: null });
  assert.is(refused(reply, 401).text, 'Bad or missing authentication.\n');
});

test.peer('REST routes', shared('returns 400 without url and html'));
test('/scrape: returns 400 without url and html', () =>
  fixture.refuse('/scrape', { ...routes.scrape.extra }, 400, 'One of "url" or "html" properties are required.'));

test.peer('REST routes', shared('counts an early disconnect as an error'));
test('/content: counts an early disconnect as an error', async () => {
  const totals = async () =>
    (await fixture.service.get('/metrics/total')).json<{ successful: number; error: number }>();
  const before = await totals();
  const leave = new AbortController();
  const gone = fixture.service.post('/content', at('/hang'), { signal: leave.signal }).then(
    () => 'answered',
    () => 'gone',
  );
  await fixture.site.waitForRequest('/hang');
  leave.abort();
  assert.is(await gone, 'gone');
  await until('the error to be counted', async () => (await totals()).error === before.error + 1);
  assert.is((await totals()).successful, before.successful);
  await fixture.site.waitForConnections();
});

test.peer('REST routes', 'content: the type application/json with a charset');
test('/content: a content type with charset', async () => {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  succeeded(await fixture.service.post('/content', at(), { headers }), contentType);
});

test.peer('REST routes', 'content: the body of an interceptor is returned', shared('requestInterceptors'));
test("/content: an interceptor's body is used", async () => {
  const response = { body: '<h1>canned</h1>', contentType: 'text/html', status: 200 };
  assert.match(await fixture.read('/', { requestInterceptors: [{ pattern: '.*', response }] }), /<h1>canned<\/h1>/);
  assert.is(fixture.site.requests.length, 0);
});

test('/content: returns 500 for a self-signed target without acceptInsecureCerts', () =>
  fixture.refuse('/content', { url: `${fixture.site.secureUrl}/` }, 500));

test.differs('An HTML response opens as an ordinary page');
test('the response is sandboxed and not sniffed', async () => {
  const { headers } = await fixture.post('/content', at());
  assert.match(headers['content-security-policy'] ?? '', /\bsandbox\b/);
  assert.is(headers['x-content-type-options'], 'nosniff');
});

test.peer('REST routes');
test('responses for html have no X-Response headers', async () => {
  const { headers } = await fixture.post('/content', { html: '<h1>Inline</h1>' });
  assert.equal(
    Object.keys(headers).filter((name) => name.startsWith('x-response')),
    [],
  );
});

test.peer('REST routes');
test('a page with status 404 is a successful response', async () => {
  const reply = await fixture.post('/content', at('/status/404'));
  assert.is(reply.headers['x-response-code'], '404');
  assert.is(reply.headers['x-response-status'], 'Not Found');
  assert.match(reply.text, /status 404/);
});

test('after redirects, the headers describe the last response', async () => {
  const reply = await fixture.post('/content', at('/redirect-chain/3'));
  assert.is(reply.headers['x-response-code'], '200');
  assert.is(reply.headers['x-response-url'], `${fixture.site.url}/`);
});

test('a page with an empty body is a successful response', async () => {
  succeeded(await fixture.post('/content', { ...at('/status/204?'), bestAttempt: true }), contentType);
});

test.peer('REST routes');
test('a long final URL is truncated to 1000 characters', async () => {
  const { url } = at(`/?${'x'.repeat(3_000)}`);
  const reply = await fixture.post('/content', { url });
  assert.is(reply.headers['x-response-url'], url.slice(0, 1_000));
});

test.proves('page:url page:html');
test.peer('REST routes');
test('url takes precedence over html', async () => {
  assert.match(await fixture.read('/', { html: '<h1>Inline</h1>' }), /<h1>Hello/);
});

test.differs('A 500 error has no reason');
test('a refused connection returns a 500 that says so, in JSON', async () => {
  const { refusingUrl: url } = fixture.site;
  const reply = await fixture.refuse('/content', { url }, 500, new URL(url).hostname);
  const { error, code } = reply.json<{ error: string; code: string }>();
  assert.is(code, 'navigation-failed');
  assert.match(error, /refused the connection/);
});

test.peer('REST routes');
test('a refused connection with bestAttempt returns an empty page', async () => {
  const reply = await fixture.post('/content', { url: fixture.site.refusingUrl, bestAttempt: true });
  succeeded(reply, contentType);
  assert.is(reply.headers['x-response-code'], undefined);
});
