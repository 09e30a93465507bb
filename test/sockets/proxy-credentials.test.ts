// Credentials of HTTP proxies that clients give apart from the proxy's URL: `page.authenticate` of Puppeteer, `proxy` of
// Playwright's contexts. The browser asks for them as it does in plain Chromium.
// @tier ci
import puppeteer, { type Browser } from 'puppeteer-core';
import { chromium } from 'playwright-core';
import * as assert from 'uvu/assert';
import { refused } from '../support/checks/expect.ts';
import { socketUrl } from '../support/clients/clients.ts';
import { proxyPassword, proxyUser, startHttpProxy, type TestProxy } from '../support/clients/proxies.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { stopAll } from '../support/service.ts';

const { test, service, site } = fixtureSuite('proxies: credentials', {
  env: async () => {
    proxy = await startHttpProxy();
    return { SPARES: '0' };
  },
});
let proxy: TestProxy;
test.after(() => stopAll(proxy));
test.before.each(() => void proxy.seen.splice(0));

const right = { username: proxyUser, password: proxyPassword };
const wrong = { username: proxyUser, password: 'canary-wrong' };
/** The URL of a proxy without its credentials. */
const address = () => `http://127.0.0.1:${proxy.port}`;

const engines: Record<string, Record<string, string>> = {
  'the headless shell': {},
  'a separate process': { isolation: 'process' },
  'full Chromium': { launch: '{"headless":true}' },
  'a stealth browser': { stealth: 'true' },
};

async function connected<T>(query: Record<string, string>, body: (browser: Browser) => Promise<T>) {
  const browser = await puppeteer.connect({
    browserWSEndpoint: socketUrl(service, '/', query),
    acceptInsecureCerts: true,
    protocolTimeout: 30_000,
  });
  try {
    return await body(browser);
  } finally {
    await browser.disconnect();
  }
}

interface Loading {
  goto(url: string): Promise<{ status(): number } | null>;
  title(): Promise<string>;
}

/** What a page loads through its proxy, over http and https: status and title, or the error. */
async function loads(page: Loading): Promise<string[]> {
  const results: string[] = [];
  for (const url of [`${site.url}/small`, `${site.secureUrl}/small`]) {
    const reply = await page.goto(url).catch((error: Error) => /net::\w+/.exec(error.message)?.[0] ?? error.message);
    results.push(typeof reply === 'string' ? reply : `${reply?.status()} ${await page.title()}`);
  }
  return results;
}

/** Full Chromium fails a navigation for which nobody has credentials. */
const refusal = /^407 |net::ERR_INVALID_AUTH_CREDENTIALS/;
const loaded = ['200 Small', '200 Small'];

for (const [engine, query] of Object.entries(engines)) {
  test(`Puppeteer: page.authenticate answers the proxy of a context and of the browser: ${engine}`, async () => {
    await connected(query, async (browser) => {
      const context = await browser.createBrowserContext({ proxyServer: address() });
      const page = await context.newPage();
      await page.authenticate(right);
      assert.equal(await loads(page), loaded);
      const targets = proxy.seen.map(({ target }) => target);
      assert.ok(targets.includes(`GET ${site.url}/small`) && targets.some((each) => each.startsWith('CONNECT ')));
      assert.ok(proxy.seen.every(({ credentials }) => credentials === `${proxyUser}:${proxyPassword}`));
    });
    await connected({ ...query, externalProxyServer: address() }, async (browser) => {
      const page = await browser.newPage();
      await page.authenticate(right);
      assert.equal(await loads(page), loaded);
    });
  });

  test(`Puppeteer: wrong or missing credentials end like in plain Chromium: ${engine}`, async () => {
    await connected(query, async (browser) => {
      for (const credentials of [wrong, undefined]) {
        const context = await browser.createBrowserContext({ proxyServer: address() });
        const page = await context.newPage();
        if (credentials) await page.authenticate(credentials);
        for (const result of await loads(page)) assert.match(result, refusal);
        assert.equal(proxy.seen, []);
      }
    });
  });

  test(`Playwright over CDP: contexts with a proxy: ${engine}`, async () => {
    const browser = await chromium.connectOverCDP(socketUrl(service, '/', query), { timeout: 30_000 });
    try {
      const options = { ignoreHTTPSErrors: true };
      const good = await browser.newContext({ ...options, proxy: { server: address(), ...right } });
      const page = await good.newPage();
      assert.equal(await loads(page), loaded);
      const bad = await browser.newContext({ ...options, proxy: { server: address(), ...wrong } });
      // Over https, Playwright waits for its whole timeout here, with plain Chromium too.
      const reply = await (await bad.newPage()).goto(`${site.url}/small`);
      assert.is(reply?.status(), 407);
      assert.equal(await loads(page), loaded, 'a context does not have the credentials of another');
    } finally {
      await browser.close();
    }
  });
}

test('bodies, parallel requests and WebSockets go through a proxy that asks first', async () => {
  await connected({}, async (browser) => {
    const context = await browser.createBrowserContext({ proxyServer: address() });
    const page = await context.newPage();
    await page.authenticate(right);
    await page.goto(`${site.url}/small`);
    const statuses = await page.evaluate(async () => {
      const send = (index: number) => fetch(`/small?${index}`, { method: 'POST', body: 'x'.repeat(300_000) });
      return (await Promise.all(Array.from({ length: 12 }, (_, index) => send(index)))).map(({ status }) => status);
    });
    assert.equal(new Set(statuses), new Set([200]));
  });
});

test('REST routes say that the proxy requires credentials, or that it rejected them', async () => {
  const url = `${site.url}/small`;
  const without = 'requires a username and a password (407): add them to its URL';
  const rejected = 'rejected the username or password (407)';
  for (const target of [url, `${site.secureUrl}/small`]) {
    for (const [externalProxyServer, reason] of [
      [address(), without],
      [proxy.url('x', 'y'), rejected],
    ] as const) {
      refused(await service.post('/content', { url: target }, { query: { externalProxyServer } }), 502, reason);
    }
  }
});
