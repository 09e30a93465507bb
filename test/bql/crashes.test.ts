// BrowserQL on a browser whose page has crashed: later documents get a new page.
import puppeteer, { type Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { bqlSuite } from '../support/clients/bql.ts';
import { endRenderers } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { quickStealth } from './quick-stealth.ts';

const { test, fixture } = bqlSuite('BrowserQL after a crash', {
  env: { ...quickStealth, TOKEN: 'secret', SPARES: '0' },
});

const keep = 'reconnect(timeout: 60000) { browserQLEndpoint }';

test.after.each(() => fixture.service.get('/kill/all'));

async function reconnectablePath(): Promise<string> {
  const { reconnect } = await fixture.data(`mutation { ${keep} }`);
  return new URL(reconnect.browserQLEndpoint).pathname;
}

async function sessionPath(): Promise<string> {
  const created = succeeded(await fixture.service.post('/session', { ttl: 60_000, stealth: true }));
  return new URL(created.json<{ browserQL: string }>().browserQL).pathname;
}

/**
 * Crashes all pages and runs the steps. The first document may report the crash; the next one gets a page.
 * @returns the data of the document that succeeded
 */
async function afterCrash(path: string, steps: string): Promise<Record<string, any>> {
  endRenderers(fixture.service.tree());
  const options = { path, query: { timeout: 10_000 } };
  const document = `mutation { ${steps} ${keep} }`;
  const { data, errors } = await fixture.run(document, options);
  if (errors === undefined) return data;
  // The navigation may fail before the page learns of the crash.
  const expectedCodes = ['PAGE_CRASHED', 'NAVIGATION_FAILED'];
  for (const { extensions } of errors)
    assert.ok(expectedCodes.includes(String(extensions?.code)), JSON.stringify(errors));
  return fixture.data(document, options);
}

/** A reconnectable browser that Puppeteer is also connected to. */
async function sharedWithClient(query: Record<string, string> = {}): Promise<{ path: string; browser: Browser }> {
  const document = 'mutation { reconnect(timeout: 60000) { browserQLEndpoint browserWSEndpoint } }';
  const { reconnect } = await fixture.data(document, { query });
  const address = new URL(reconnect.browserWSEndpoint);
  address.searchParams.set('token', 'secret');
  const browser = await puppeteer.connect({ browserWSEndpoint: address.href });
  return { path: new URL(reconnect.browserQLEndpoint).pathname, browser };
}

async function pages(): Promise<string[]> {
  const listed = succeeded(await fixture.service.get('/json/list')).json<{ type: string; url: string }[]>();
  return listed.flatMap(({ type, url }) => (type === 'page' ? [url] : []));
}

for (const [name, pathOf] of [
  ['a reconnectable browser', reconnectablePath],
  ['a session', sessionPath],
] as const) {
  if (name === 'a session') test.needs('a full Chromium');
  test(`${name} has a fresh page and its cookies after a crash`, async () => {
    const path = await pathOf();
    await fixture.data(`mutation { goto(url: "SITE/set-cookie") { status } ${keep} }`, { path });
    for (const time of ['first', 'second']) {
      const { before, goto, cookies } = await afterCrash(
        path,
        'before: url { url } goto(url: "SITE/small") { status } cookies { cookies { name } }',
      );
      assert.equal([before.url, goto.status], ['about:blank', 200], `the ${time} crash`);
      assert.equal(cookies.cookies.map(({ name: cookie }: { name: string }) => cookie).toSorted(), [
        'hidden',
        'visited',
      ]);
      await until('the crashed page to be closed', async () => (await pages()).length === 1);
      assert.equal(await pages(), [`${fixture.site.url}/small`]);
    }
  });

  if (name === 'a session') test.needs('a full Chromium');
  test(`all documents waiting on ${name} finish when its page crashes`, async () => {
    const path = await pathOf();
    await fixture.data(`mutation { goto(url: "SITE/small") { status } ${keep} }`, { path });
    endRenderers(fixture.service.tree());
    const document = `mutation { goto(url: "SITE/small") { status } ${keep} }`;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => fixture.run(document, { path, query: { timeout: 10_000 } })),
    );
    const works = answers.filter(({ errors }) => errors === undefined).length;
    assert.ok(works >= 3, JSON.stringify(answers));
  });
}

test('after a window crashes, documents continue on the first page and never take over a client page', async () => {
  const { path, browser } = await sharedWithClient({ isolation: 'process' });
  await (await browser.newPage()).goto(`${fixture.site.url}/json`);
  // The page is cross-site, has no opener, and its browser has no renderer limit, so it gets its own renderer.
  const opened = JSON.stringify(
    `open('${fixture.site.url.replace('127.0.0.1', 'other.localhost')}/small', '', 'noopener')`,
  );
  await fixture.data(
    `mutation {
      goto(url: "SITE/bql/windows") { status }
      evaluate(content: ${opened}) { value }
      switchToWindow(newest: true, waitUntil: load, timeout: 20000) { success error }
      ${keep}
    }`,
    { path },
  );
  const popup = (await browser.pages()).find((page) => page.url().endsWith('/small'));
  const cdp = await popup?.createCDPSession();
  const crashed = new Promise((resolve) => popup?.once('error', resolve));
  cdp?.send('Page.crash').catch(() => {});
  await crashed;
  const { url } = await fixture.data(`mutation { url { url } ${keep} }`, { path, query: { timeout: 10_000 } });
  assert.is(url.url, `${fixture.site.url}/bql/windows`);
  await until('the crashed window to be closed', async () => (await pages()).length === 2);
  assert.equal((await pages()).toSorted(), [`${fixture.site.url}/bql/windows`, `${fixture.site.url}/json`]);
  const next = await afterCrash(path, 'before: url { url }');
  assert.is(next.before.url, 'about:blank');
  await browser.disconnect();
});

test('after a client closes the page, documents continue on the page that it opened', async () => {
  const { path, browser } = await sharedWithClient();
  const [old] = await browser.pages();
  await (await browser.newPage()).goto(`${fixture.site.url}/small`);
  await old?.close();
  const { url } = await fixture.data('mutation { url { url } }', { path });
  assert.is(url.url, `${fixture.site.url}/small`);
  await browser.disconnect();
});

test.needs('a full Chromium');
test('a session does not use a page that crashed before its first document', async () => {
  const created = succeeded(await fixture.service.post('/session', { ttl: 60_000, stealth: true }));
  const { browserQL, connect } = created.json<{ browserQL: string; connect: string }>();
  // The browser starts with its first client.
  const address = new URL(connect);
  address.searchParams.set('token', 'secret');
  const browser = await puppeteer.connect({ browserWSEndpoint: address.href });
  const [page] = await browser.pages();
  const crashed = new Promise((resolve) => page?.once('error', resolve));
  endRenderers(fixture.service.tree());
  await crashed;
  const data = await fixture.data('mutation { url { url } goto(url: "SITE/small") { status } }', {
    path: new URL(browserQL).pathname,
    query: { timeout: 10_000 },
  });
  assert.equal([data.url.url, data.goto.status], ['about:blank', 200]);
  await browser.disconnect();
});
