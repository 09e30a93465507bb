// A stored profile is in the browser before the client's code runs, at every entry point that starts a browser.
// @tier ci
import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { playwrightVersions } from '../../src/sessions/playwright/versions.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, rawClient, socketUrl } from '../support/clients/clients.ts';
import { connectPlaywright, version } from '../support/clients/playwright.ts';
import { loginAt, profilesKey, seenBy, seenLogin, upload, welcome } from '../support/clients/profiles.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { installed } from '../support/programs.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const token = 'token-of-ann';
const other = 'token-of-bob';

const { test, service, site } = fixtureSuite('doors with a profile', {
  timeoutMs: 90_000,
  env: { TOKEN: `${token},${other}`, PROFILES_KEY: profilesKey, CONCURRENT: '4', SPARES: '0' },
});
test.before(async () => succeeded(await upload(service, 'shop', loginAt(site), token)));

const query = { profile: 'shop' };
const shown = { content: `${seenLogin}.then((seen) => { document.body.innerHTML = '<i id=seen>' + seen + '</i>'; })` };

test.proves('profile@page');
test('/content', async () => {
  const body = { url: `${site.url}/small`, addScriptTag: [shown], waitForSelector: { selector: '#seen' } };
  assert.match(succeeded(await service.post('/content', body, { query, token })).text, welcome());
});

for (const isolation of ['context', 'process'] as const) {
  test.proves('profile@cdp');
  test(`a CDP socket in a ${isolation}; session lists do not reveal the name`, async () => {
    const browser = await connect(service, '/', { ...query, isolation, token });
    const pages = await browser.pages();
    assert.is(pages.length, 1, 'the page that wrote the profile is gone');
    assert.is(await seenBy(await browser.newPage(), site), welcome());
    assert.not.match(succeeded(await service.get('/sessions', { token: other })).text, 'profile=');
    await browser.close();
  });
}

test.proves('profile@code');
test('/function', async () => {
  const code = `export default async ({ page, context }) => {
    await page.goto(context.url);
    return { data: await page.evaluate(context.look), type: 'text/plain' };
  }`;
  const body = { code, context: { url: `${site.url}/small`, look: seenLogin } };
  assert.match(succeeded(await service.post('/function', body, { query, token })).text, welcome());
});

test('/unblock', async () => {
  const body = { url: `${site.url}/small`, content: false, screenshot: false };
  const json: any = succeeded(await service.post('/unblock', body, { query, token })).json();
  assert.is(json.cookies.find(({ name }: { name: string }) => name === 'session')?.value, 'welcome');
});

test.proves('profile@bql');
test('BrowserQL, on a pooled page and in a separate browser', async () => {
  const steps = `goto(url: "${site.url}/small") { status } evaluate(content: ${JSON.stringify(seenLogin)}) { value }`;
  for (const more of ['', 'reconnect(timeout: 1000) { browserWSEndpoint }']) {
    const answer = await service.post('/chromium/bql', { query: `mutation { ${steps} ${more} }` }, { query, token });
    assert.is(succeeded(answer).json<any>().data.evaluate.value, welcome());
  }
});

test.proves('profile@audit');
test('/performance', async () => {
  site.clear();
  const body = {
    url: `${site.url}/small`,
    config: {
      extends: 'lighthouse:default',
      settings: { onlyAudits: ['is-on-https'], throttlingMethod: 'provided', disableFullPageScreenshot: true },
    },
  };
  succeeded(await service.post('/performance', body, { query, token }));
  const asked = site.requests.find(({ path }) => path === '/small');
  assert.is(asked?.headers['cookie'], 'session=welcome');
});

for (const minor of ['1.65', '1.51']) {
  test.proves('profile@playwright');
  test(`a Playwright ${minor} socket`, async () => {
    const browser = await connectPlaywright(service, '/chromium/playwright', { ...query, token }, version(minor));
    const page = await browser.newPage();
    await page.goto(`${site.url}/small`);
    assert.is(await page.evaluate(seenLogin), welcome());
    await browser.close();
  });
}

test.proves('profile@playwright-firefox profile@playwright-webkit');
test('Firefox and WebKit, if they are installed', async () => {
  for (const name of ['firefox', 'webkit'] as const) {
    if (!installed(name)) continue;
    const browser = await connectPlaywright(service, `/${name}/playwright`, { ...query, token });
    const page = await browser.newPage();
    await page.goto(`${site.url}/small`);
    assert.is(await page.evaluate(seenLogin), welcome(), name);
    await browser.close();
  }
});

test('a Playwright 1.50 client is rejected because it does not support IndexedDB', async () => {
  const headers = { 'User-Agent': 'Playwright/1.50 (x64; debian 12) node/26.10' };
  const { status, text } = await handshake(service, '/chromium/playwright', { ...query, token }, headers);
  assert.is(status, 400);
  assert.match(text, 'Use 1.51 or newer');
});

test.proves('session:profile');
test('a POST /session session, whose later browsers keep the data of the first', async () => {
  const json: any = succeeded(await service.post('/session', { ttl: 60_000, profile: 'shop' }, { token })).json();
  for (const step of ['first', 'second']) {
    const browser = await puppeteer.connect({ browserWSEndpoint: json.connect });
    const page = await browser.newPage();
    await page.goto(`${site.url}/small`);
    const user = await page.evaluate(`localStorage.getItem('user')`);
    assert.is(user, step === 'first' ? 'welcome' : 'changed');
    await page.evaluate(`localStorage.setItem('user', 'changed')`);
    await browser.close();
  }
  const ended = await service.get(new URL(json.stop).pathname, { method: 'DELETE', token, query: { force: true } });
  assert.is(ended.status, 204);
});

test('the socket of a promised page reads its profile once, even on a server without a token', async () => {
  await using open = await startService({ env: { PROFILES_KEY: profilesKey, SPARES: '0' } });
  const { id } = succeeded(await upload(open, 'promised', loginAt(site))).json<{ id: string }>();
  const directory = open.env['PROFILES_DIR'] ?? '';
  const [owner = ''] = readdirSync(directory).filter((name) => name !== 'vault.json');
  // Each use of a profile replaces its file.
  const uses: (string | null)[] = [];
  const watcher = watch(join(directory, owner), (_event, name) => {
    if (name === `${id}.profile`) uses.push(name);
  });
  const page: any = succeeded(await open.get('/json/new', { method: 'PUT' })).json();
  const client = await rawClient(socketUrl(open, new URL(page.webSocketDebuggerUrl).pathname, { profile: 'promised' }));
  client.socket.close();
  await client.closed;
  await until('the profile to be used', () => uses.length > 0);
  watcher.close();
  assert.is(uses.length, 1);
});

const startingSockets = ['/', '/chromium', '/stealth', '/chromium/stealth', '/chromium/playwright', '/chromium/bql'];
const startingCalls = [
  ['/content', { html: 'x' }],
  ['/pdf', { html: 'x' }],
  ['/screenshot', { html: 'x' }],
  ['/scrape', { html: 'x', elements: [{ selector: 'x' }] }],
  ['/export', { url: 'http://example.com/' }],
  ['/markdown', { html: 'x' }],
  ['/unblock', { url: 'http://example.com/' }],
  ['/performance', { url: 'http://example.com/' }],
  ['/function', { code: 'export default async () => ({ data: 1 })' }],
  ['/download', { code: 'export default async () => ({ data: 1 })' }],
  ['/chromium/bql', { query: 'mutation { url { url } }' }],
  ['/stealth/bql', { query: 'mutation { url { url } }' }],
] as const;

test("every endpoint returns 404 for another token's profile and for a missing one", async () => {
  for (const [profile, sent] of [
    ['shop', other],
    ['no-such', token],
  ] as const) {
    const message = `There is no profile "${profile}". GET /profiles lists the profiles of your token.`;
    for (const path of startingSockets) {
      const headers = { 'User-Agent': `Playwright/${playwrightVersions[0]?.version}` };
      const { status, text } = await handshake(service, path, { profile, token: sent }, headers);
      assert.is(status, 404, path);
      assert.match(text, message);
    }
    for (const [path, body] of startingCalls) {
      assert.match(
        refused(await service.post(path, body, { query: { profile }, token: sent }), 404).text,
        'There is no profile',
      );
    }
    refused(await service.post('/session', { profile }, { token: sent }), 404);
    for (const method of ['GET', 'DELETE'] as const) {
      refused(await service.get(`/profile/${profile}`, { method, token: sent }), 404);
    }
    refused(await service.post('/profile/refresh', { name: profile, state: {} }, { token: sent }), 404);
    refused(await service.post(`/profile/${profile}`, { name: 'mine' }, { method: 'PUT', token: sent }), 404);
  }
  assert.equal(succeeded(await service.get('/profiles', { token: other })).json(), []);
});

test.proves('profile@bql-kept profile@attach profile@code-running');
test('a running browser does not accept a profile', async () => {
  const client = await rawClient(socketUrl(service, '/', { token }));
  const { result } = await client.send('Browserless.reconnect', { timeout: 20_000 });
  const { pathname } = new URL(String(result?.['browserWSEndpoint']));
  const id = pathname.split('/').at(-1);
  for (const path of [pathname, `/devtools/browser/${id}`, `/chromium/bql/${id}`]) {
    const { status, text } = await handshake(service, path, { ...query, token });
    assert.is(status, 400, path);
    assert.match(text, 'this browser is already running');
  }
  const document = { query: 'mutation { url { url } }' };
  for (const [path, body] of [
    [`/chromium/bql/${id}`, document],
    [`/function/${id}`, { code: 'export default () => 1' }],
  ] as const) {
    refused(await service.post(path, body, { query, token }), 400, 'this browser is already running');
  }
  await service.get('/kill/all', { token });
});

test.proves('profile@bql-session profile@session');
test('a session accepts only its own profile', async () => {
  const document = { query: 'mutation { url { url } }' };
  for (const [own, status] of [
    [undefined, 400],
    ['shop', 200],
  ] as const) {
    const body = { ttl: 60_000, stealth: true, ...(own === undefined ? {} : { profile: own }) };
    const json: any = succeeded(await service.post('/session', body, { token })).json();
    const answer = await service.post(`/session/bql/${json.id}`, document, { query, token });
    assert.is(answer.status, status, answer.text);
    const shake = await handshake(service, new URL(json.connect).pathname, { ...query, token });
    assert.is(shake.status, status === 200 ? 101 : 400, shake.text);
    if (status !== 200) assert.match(answer.text + shake.text, 'must be that of the session');
    await service.get(new URL(json.stop).pathname, { method: 'DELETE', token, query: { force: true } });
  }
});
