// BrowserQL on browsers that stay open: windows, reconnect, handoff to Puppeteer, sessions, concurrent documents.
import puppeteer from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';
import { until } from '../support/until.ts';

const { test, fixture } = bqlSuite('BrowserQL sessions', { env: { TOKEN: 'secret' } });

/** The path of a URL in a response. */
const pathOf = (address: string) => new URL(address).pathname;

test('switchToWindow switches to a popup and back', async () => {
  const data = await fixture.data(`mutation {
    goto(url: "SITE/bql/windows") { status }
    click(selector: "#open") { time }
    win: switchToWindow(newest: true, waitUntil: load, timeout: 20000) { success error title url navigation { status url } }
    title { title }
    back: switchToWindow(url: "*/bql/windows", timeout: 20000) { success title }
    click2: click(selector: "#open-two") { time }
    byTitle: switchToWindow(title: "Item sec*", timeout: 20000) { success url navigation { status } }
    none: switchToWindow(url: "*/nowhere", timeout: 200) { success error }
    how: switchToWindow { success error }
  }`);
  const popup = `${fixture.site.url}/bql/item/popup`;
  assert.equal(data.win, {
    success: true,
    error: null,
    title: 'Item popup',
    url: popup,
    navigation: { status: 200, url: popup },
  });
  assert.equal([data.title.title, data.back.title], ['Item popup', 'Windows']);
  assert.equal(data.byTitle, { success: true, url: `${fixture.site.url}/bql/item/second`, navigation: null });
  assert.is(data.none.success, false);
  assert.match(data.none.error, '200 ms');
  assert.match(data.how.error, '"newest"');
});

test('reconnect keeps the browser and all its state, with BrowserQL and Puppeteer alternating', async () => {
  const first = await fixture.data(`mutation {
    viewport(width: 500, height: 400) { width }
    goto(url: "SITE/bql/form") { status }
    type(selector: "#text", text: "kept", delay: 0) { time }
    mark: evaluate(content: "window.mark = 'here'") { value }
    reconnect(timeout: 60000) { browserQLEndpoint browserWSEndpoint devtoolsFrontendUrl webSocketDebuggerUrl }
  }`);
  const { browserQLEndpoint, browserWSEndpoint, devtoolsFrontendUrl, webSocketDebuggerUrl } = first.reconnect;
  assert.not.match(JSON.stringify(first.reconnect), 'secret');
  assert.match(devtoolsFrontendUrl, '/devtools/inspector.html?ws=');

  const browser = await puppeteer.connect({
    browserWSEndpoint: `${browserWSEndpoint}?token=secret`,
    // Otherwise Puppeteer would set its default viewport.
    defaultViewport: null,
  });
  const [page] = await browser.pages();
  assert.is(await page?.evaluate('window.mark + document.querySelector("#text").value'), 'herekept');
  await page?.type('#text', ' by puppeteer');
  await browser.disconnect();

  const second = await fixture.data(
    `mutation {
      value: evaluate(content: "mark + ': ' + document.querySelector('#text').value + ' ' + innerWidth") { value }
      seen: request(url: "*/bql/form", wait: false) { url }
      reconnect(timeout: 60000) { webSocketDebuggerUrl }
    }`,
    { path: pathOf(browserQLEndpoint) },
  );
  assert.is(second.value.value, 'here: kept by puppeteer 500');

  const raw = new WebSocket(`${webSocketDebuggerUrl}?token=secret`);
  await new Promise((resolve, reject) => {
    raw.addEventListener('open', resolve);
    raw.addEventListener('error', () => reject(new Error('the page socket did not open')));
  });
  raw.close();

  const third = await fixture.data('mutation { url { url } }', { path: pathOf(browserQLEndpoint) });
  assert.is(third.url.url, `${fixture.site.url}/bql/form`);
  // Not kept alive again: the browser was closed with the response.
  await until('the browser to be gone', async () => {
    return (await fixture.send('mutation { url { url } }', { path: pathOf(browserQLEndpoint) })).status === 404;
  });
});

test.proves('reconnect.timeout');
test('a browser is closed if nobody reconnects in time', async () => {
  const data = await fixture.data('mutation { reconnect(timeout: 300) { browserQLEndpoint } }');
  await until('the browser to be gone', async () => {
    return (await fixture.service.get('/sessions')).json<unknown[]>().length === 0;
  });
  const late = await fixture.send('mutation { url { url } }', { path: pathOf(data.reconnect.browserQLEndpoint) });
  assert.is(late.status, 404);
  await fixture.fails(
    'mutation { reconnect(timeout: 0) { browserQLEndpoint } }',
    'reconnect',
    'BAD_ARGUMENT',
    '"timeout"',
  );
});

test('concurrent documents in one browser do not interfere', async () => {
  const { reconnect } = await fixture.data(
    'mutation { goto(url: "SITE/small") { status } reconnect(timeout: 60000) { browserQLEndpoint } }',
  );
  const path = pathOf(reconnect.browserQLEndpoint);
  const one = (n: number) =>
    fixture.data(
      `mutation {
        keep: reconnect(timeout: 60000) { browserQLEndpoint }
        set: evaluate(content: "window.now = ${n}") { value }
        waitForTimeout(time: 100) { time }
        said: evaluate(content: "now * 10") { value @export(as: "v") }
        text: evaluate(content: "'\${v}'") { value }
      }`,
      { path },
    );
  const answers = await Promise.all([one(1), one(2), one(3)]);
  assert.equal(
    answers.map(({ text }) => text.value),
    ['10', '20', '30'],
  );
  await fixture.data('mutation { title { title } }', { path });
});

test.needs('a full Chromium');
test('a session keeps cookies, storage and the page between documents', async () => {
  const created = await fixture.service.post('/session', { ttl: 60_000, stealth: true });
  const session = created.json<{ id: string; browserQL: string; stop: string }>();
  const path = new URL(session.browserQL).pathname;
  const first = await fixture.data(
    'mutation { goto(url: "SITE/set-cookie") { status } evaluate(content: "localStorage.kept = 1") { value } }',
    { path },
  );
  assert.is(first.goto.status, 200);
  const second = await fixture.data(
    'mutation { url { url } cookies { cookies { name } } stored: evaluate(content: "localStorage.kept") { value } }',
    { path },
  );
  assert.is(second.url.url, `${fixture.site.url}/set-cookie`);
  assert.equal(second.cookies.cookies.map(({ name }: { name: string }) => name).toSorted(), ['hidden', 'visited']);
  assert.is(second.stored.value, '1');
  const stopped = await fixture.service.get(new URL(session.stop).pathname, {
    method: 'DELETE',
    query: { force: true },
  });
  assert.is(stopped.status, 204);
  assert.is((await fixture.send('mutation { url { url } }', { path })).status, 404);
});

test.proves('session:stealth');
test('a session without stealth does not accept documents; wrong tokens and unknown ids are rejected', async () => {
  const created = await fixture.service.post('/session', { ttl: 60_000 });
  const { id } = created.json<{ id: string }>();
  const reply = await fixture.send('mutation { url { url } }', { path: `/session/bql/${id}` });
  assert.is(reply.status, 400);
  assert.match(reply.text, 'stealth');
  await fixture.service.get(`/session/${id}`, { method: 'DELETE', query: { force: true } });
  for (const path of ['/chromium/bql', '/chromium/bql/nobody', '/session/bql/nobody']) {
    const refused = await fixture.service.post(path, { query: 'mutation { url { url } }' }, { token: 'wrong' });
    assert.is(refused.status, 401, path);
  }
  assert.is((await fixture.send('mutation { url { url } }', { path: '/chromium/bql/nobody' })).status, 404);
});

test.needs('a full Chromium');
test('stealth runs a full browser without traces of a driver', async () => {
  const data = await fixture.data(
    'mutation { goto(url: "SITE/small") { status } evaluate(content: "navigator.plugins.length") { value } }',
    { path: '/stealth/bql' },
  );
  assert.is(data.evaluate.value, '5');
});
