// Strings for which careless regular expressions take seconds to days: at each entry point the server responds, and its
// main thread stays free for others.
// @tier ci
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';
import { openAttackPage } from '../support/clients/attack-entry-points.ts';
import { endAll, rawClient, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright, rawPlaywright } from '../support/clients/playwright.ts';
import { watchLoop } from '../support/event-loop.ts';
import { processSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const loop = watchLoop();
const { test, service, site } = processSuite('hostile texts', { env: { TIMEOUT: '120000', ...loop.env } });
const limit = { timeoutMs: 60_000 };
test.after(() => loop[Symbol.dispose]());
test.after.each(() => endAll(service));

const assertLoopFree = (name: string, work: () => Promise<unknown>) => loop.staysFree(service, name, work);
/** Sends a request that must be answered with anything but an internal error, while the main thread stays free. */
const assertAnswers = (name: string, path: string, body: object) =>
  assertLoopFree(name, async () => {
    const { status, text } = await service.post(path, body);
    assert.ok(status < 500, `${status} ${text.slice(0, 500)}`);
  });

const long = 60_000;
const blanks = ' '.repeat(long);
const html = '<p>x</p>';
/** Bodies, each with a string that proved expensive or resembles one that did. */
const bodies: Record<string, [path: string, body: object]> = {
  'page ranges': ['/pdf', { html, options: { pageRanges: `${' '.repeat(1_000)}x` } }],
  'page ranges of tabs and digits': ['/pdf', { html, options: { pageRanges: `1${'\t'.repeat(5_000)}1x` } }],
  'a length': ['/pdf', { html, options: { width: `1${blanks}!` } }],
  'a margin': ['/pdf', { html, options: { margin: { top: `${'0'.repeat(long)}${blanks}0` } } }],
  'a header': ['/pdf', { html, options: { displayHeaderFooter: true, headerTemplate: '<link '.repeat(12_000) } }],
  'a footer': ['/pdf', { html, options: { displayHeaderFooter: true, footerTemplate: 'url('.repeat(20_000) } }],
  'a number': ['/pdf', { html, options: { scale: `${'0'.repeat(long)}x` } }],
  'a viewport number': ['/screenshot', { html, viewport: { width: `${'1'.repeat(long)}E`, height: 1 } }],
  'a predicate': ['/content', { html, waitForFunction: { fn: `1${';'.repeat(long)}x`, timeout: 100 } }],
  'a URL': ['/content', { url: `http://127.0.0.1:1/${'/live/?'.repeat(20_000)}` }],
  'a budget path': ['/performance', { url: 'http://127.0.0.1:1/', budgets: [{ path: `/${'a'.repeat(long)}$$` }] }],
  'a BrowserQL script': [
    '/chromium/bql',
    { query: `mutation { evaluate(content: "1${';'.repeat(long)}x") { value } }` },
  ],
};

test.shows('hostile-input', 'REST', 'BrowserQL');
for (const [name, [path, body]] of Object.entries(bodies)) {
  test(
    `${name} of ${JSON.stringify(body).length} characters does not block the server`,
    () => assertLoopFree(name, async () => assert.ok((await service.post(path, body)).status < 500 || path !== '/pdf')),
    limit,
  );
}

/** Page scripts with strings that can take seconds to parse; merely parsing them as JSON exceeds the limit. */
const pageScripts: Record<string, string> = {
  'requests with a long URL, header, and body': `
    fetch('/small?' + 'a=&'.repeat(5e6)).catch(() => {});
    fetch('/small', { method: 'POST', headers: { x: '"'.repeat(15e6) }, body: '"'.repeat(10e6) }).catch(() => {})`,
  'a console line': `console.log('\\u0001'.repeat(20e6))`,
  'an error': `setTimeout(() => { throw new Error('\\u0001'.repeat(20e6)); })`,
  'the text and default value of a dialog': `prompt('"'.repeat(20e6), '\\u0001'.repeat(15e6))`,
};
const pageBodies: Record<string, (url: string, script: string) => [path: string, body: object]> = {
  '/scrape': (url, content) => [
    '/scrape',
    { url, elements: [{ selector: 'h1' }], addScriptTag: [{ content }], debugOpts: { console: true, network: true } },
  ],
  '/content with rules': (url, content) => [
    '/content',
    { url, addScriptTag: [{ content }], rejectResourceTypes: ['image'], waitForTimeout: 1_500 },
  ],
  BrowserQL: (url, content) => [
    '/chromium/bql',
    {
      query: `mutation M($u: String!, $c: String!) { goto(url: $u) { status } evaluate(content: $c) { value } request(url: "zzz", wait: false) { url } waitForTimeout(time: 1000) { time } }`,
      variables: { u: url, c: `${content}; 1` },
    },
  ],
};
for (const [entryPoint, bodyOf] of Object.entries(pageBodies)) {
  test.shows('hanging-page', entryPoint === 'BrowserQL' ? 'BrowserQL' : 'REST');
  // /scrape reports all of these; the others read the same messages of the browser.
  const scripts = Object.entries(pageScripts).filter(([what]) => entryPoint === '/scrape' || what.includes('URL'));
  for (const [what, script] of scripts) {
    test(
      `${what} from a page with many special characters does not block the server: ${entryPoint}`,
      () => assertAnswers(what, ...bodyOf(`${site.url}/small`, script)),
      limit,
    );
  }
}

/** Scripts that request expensive URLs, and client requests that match URLs against patterns. */
const comparisons: Record<string, [script: string, (url: string, script: string) => [path: string, body: object]]> = {
  'a glob of BrowserQL': [
    `fetch('/small?' + 'a'.repeat(2e6)).catch(() => {})`,
    (u, c) => [
      '/chromium/bql',
      {
        query:
          'mutation M($u: String!, $c: String!, $g: [String!]) { goto(url: $u) { status } evaluate(content: $c) { value } waitForTimeout(time: 1000) { time } request(url: $g, wait: false) { url } }',
        variables: { u, c: `${c}; 1`, g: [`*${'a'.repeat(10_000)}b${'a'.repeat(10_000)}*`] },
      },
    ],
  ],
  'a pattern of rejected requests': [
    `let q = ''; for (let n = 0; n < 1.9e6; n++) q += Math.random() < 0.5 ? 'a' : 'b'; fetch('/small?' + q).catch(() => {})`,
    (url, content) => [
      '/content',
      { url, addScriptTag: [{ content }], rejectRequestPattern: ['a[ab]{60}c'], waitForTimeout: 3_000 },
    ],
  ],
};
for (const [what, [script, bodyOf]] of Object.entries(comparisons)) {
  test.shows('hostile-input', what.endsWith('BrowserQL') ? 'BrowserQL' : 'REST');
  test(
    `${what} and a URL of two million characters do not block the server`,
    () => assertAnswers(what, ...bodyOf(`${site.url}/small`, script)),
    limit,
  );
}

test.shows('hostile-input', 'Playwright');
test(
  'long lists, globs, and URLs from Playwright clients do not block the server',
  async () => {
    const patterns = (one: object, count: number) => ({ patterns: Array.from({ length: count }, () => one) });
    const messages: [method: string, params: object][] = [
      ['setNetworkInterceptionPatterns', patterns({ regexSource: '['.repeat(900), regexFlags: '' }, 5_000)],
      ['setNetworkInterceptionPatterns', patterns({ glob: '{,}/'.repeat(200) }, 10_000)],
      ['setNetworkInterceptionPatterns', patterns({ glob: '/'.repeat(15e6) }, 1)],
      ['goto', { url: `http://${'/'.repeat(10e6)}` }],
    ];
    for (const [method, params] of messages) {
      await assertLoopFree(method, async () => {
        const client = await rawPlaywright(service);
        await Promise.race([client.call('context@none', method, params), client.closed.then(String)]);
        client.socket.close();
        await client.closed;
      });
    }
  },
  limit,
);

test.shows('hanging-page', 'BrowserQL');
test(
  'requests of replaced documents are not kept in memory',
  async () => {
    let documents = 0;
    const server = createServer(({ url = '' }, response) => {
      if (url.startsWith('/hang')) return;
      documents++;
      response.setHeader('Content-Type', 'text/html').end(`<script>
        for (let n = 0; n < 30; n++) fetch('/hang?' + n + 'x'.repeat(1e6)).catch(() => {});
        setTimeout(() => location.replace('/' + ${documents}), 200);
      </script>`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { heldBytes: before } = await loop.ask(service);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const query = `mutation { goto(url: "${url}", waitUntil: domContentLoaded) { status } request(url: "zzz", wait: false) { url } waitForTimeout(time: 110000) { time } }`;
    const leaving = new AbortController();
    const running = service.post('/chromium/bql', { query }, { signal: leaving.signal }).catch(() => {});
    // Kept, their requests would exceed the limit below by far. They keep a slow machine busy for a minute.
    await until('seven documents', () => documents > 7, 100_000);
    const { heldBytes } = await loop.ask(service);
    leaving.abort();
    await running;
    server.closeAllConnections();
    server.close();
    assert.ok(heldBytes < before + 150e6, `the server holds ${heldBytes} bytes, up from ${before}`);
  },
  { timeoutMs: 150_000 },
);

test.shows('hostile-input', 'HTTP');
test('long paths of slashes and schemes get a response', async () => {
  for (const path of [`/a${'/'.repeat(15_000)}x`, `/docs${'/'.repeat(15_000)}.html/x`, `/${'a+'.repeat(7_000)}%zz`]) {
    await assertLoopFree(path.slice(0, 9), async () => assert.ok((await service.get(path)).status >= 300));
  }
});

test.shows('hostile-input', 'CDP');
test(
  'long repetitive URLs, from clients and pages, do not block the server',
  async () => {
    const client = await rawClient(socketUrl(service, '/'));
    const page = await openAttackPage(client);
    for (const url of [
      `http://${'/'.repeat(10e6)}`,
      `a${blanks}b`,
      `\0${blanks}http://x${blanks}!`,
      'view-source:'.repeat(20_000),
    ]) {
      await assertLoopFree('a command', () => page.send('Page.navigate', { url }));
    }
    const item = { mimeType: 'text/uri-list', data: 'x\n'.repeat(1_000_000) };
    const drag = { type: 'dragEnter', x: 0, y: 0, data: { items: [item], dragOperationsMask: 1 } };
    await assertLoopFree('dragged URLs', () => page.send('Input.dispatchDragEvent', drag));
    await assertLoopFree('categories', () => client.send('Tracing.start', { categories: 'x,'.repeat(1_000_000) }));
    const workers = `new SharedWorker('data:text/javascript,1;' + ' '.repeat(${long}) + 'x'); 1`;
    await assertLoopFree('a worker', () => page.evaluate(workers));
    client.socket.close();
    await client.closed;
  },
  limit,
);

test(
  'a trace of many events does not block the server, and the next trace does not hang',
  async () => {
    const client = await rawClient(socketUrl(service, '/'));
    const page = await openAttackPage(client);
    for (const events of [80_000, 1_000]) {
      const before = client.events.length;
      await assertLoopFree('a trace', async () => {
        const start = { categories: 'blink.user_timing', transferMode: 'ReturnAsStream' };
        assert.equal((await client.send('Tracing.start', start)).result, {});
        // Only after a navigation is it known which session the page belongs to.
        await page.send('Page.navigate', { url: `${site.url}/small` });
        await until('the page', () => page.evaluate('document.title === "Small"'));
        await page.evaluate(`for (let n = 0; n < ${events}; n++) performance.mark('n' + n); 1`);
        assert.equal((await client.send('Tracing.end')).result, {});
        const complete = ({ method }: { method?: string }) => method === 'Tracing.tracingComplete';
        const found = await until('the trace', () => client.events.slice(before).find(complete), 40_000);
        const { stream } = found.params as { stream?: string };
        if (stream === undefined) return;
        for (let eof = false; !eof;) eof = (await client.send('IO.read', { handle: stream })).result?.['eof'] !== false;
        await client.send('IO.close', { handle: stream });
      });
    }
    client.socket.close();
    await client.closed;
  },
  limit,
);

test.shows('hostile-input', 'Playwright');
test(
  'route patterns run in the client, which still gets the matching requests',
  async () => {
    const browser = await connectPlaywright(service);
    const page = await browser.newPage();
    const routed: string[] = [];
    await page.route(/^http:\/\/routed\.test\/(a+)+$/, (route) => {
      routed.push(new URL(route.request().url()).pathname);
      return route.fulfill({ contentType: 'text/html', body: 'routed' });
    });
    await page.route('**/other/**/x', (route) => route.fulfill({ contentType: 'text/html', body: 'by glob' }));
    await page.goto('http://routed.test/aaa');
    assert.is(await page.textContent('body'), 'routed');
    await page.goto('http://routed.test/other/1/2/x');
    assert.is(await page.textContent('body'), 'by glob');
    assert.equal(routed, ['/aaa']);
    // A request that matches no expression of the client continues.
    const reached = `${site.url}/small`;
    await page.goto(reached);
    assert.is(page.url(), reached);
    await browser.close();
  },
  limit,
);
