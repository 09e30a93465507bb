// Signed documents (WEB_BOT_AUTH_KEY) whose requests are held, changed or made by something other than the browser: no
// signature is sent to a host other than the one it was made for.
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { assertSigned, newKey } from '../support/checks/signatures.ts';
import { connect } from '../support/clients/clients.ts';
import { proxyPassword, proxyUser, startHttpProxy } from '../support/clients/proxies.ts';
import { fixtureSuite } from '../support/fixture.ts';
import type { SiteRequest } from '../support/site/site.ts';

const { test, service, site } = fixtureSuite('signed documents that others change', {
  env: () => {
    const WEB_BOT_AUTH_KEY = JSON.stringify(key);
    return { WEB_BOT_AUTH_KEY, WEB_BOT_AUTH_DIRECTORY: directory };
  },
});
const key = newKey();
const directory = 'https://bots.example.com';

const signed = (request: SiteRequest | undefined) => assertSigned(request, { key, directory });
const requestsOf = (path: string) => site.requests.filter((request) => request.path === path);

/** Checks that there is one request for this path, and that it is signed. */
function signedOnce(path: string): void {
  const found = requestsOf(path);
  assert.is(found.length, 1, `${path}: ${found.length} requests`);
  signed(found[0]);
}

test('documents are signed despite interceptors, credentials and headers of the same names', async () => {
  succeeded(
    await service.post('/content', {
      url: `${site.url}/auth`,
      authenticate: { username: 'user', password: 'pass' },
      rejectRequestPattern: ['.*\\.png'],
      setExtraHTTPHeaders: { 'signature-agent': '"https://else.example.com"', Signature: 'x', 'X-Own': 'stays' },
    }),
  );
  const [, last] = requestsOf('/auth');
  signed(last);
  assert.is(last?.headers['x-own'], 'stays');
});

test('interception by clients works as before, and a request that they redirect is signed for its new host', async () => {
  const browser = await connect(service);
  const page = await browser.newPage();
  await page.setRequestInterception(true);
  const seen: Record<string, string>[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    seen.push(request.headers());
    if (url.pathname === '/answered') return void request.respond({ body: 'by the client' });
    if (url.pathname === '/refused') return void request.abort();
    const headers = { ...request.headers(), 'x-client': 'own' };
    void request.continue(url.pathname === '/moved' ? { url: `${site.otherUrl}/small`, headers } : { headers });
  });
  await page.goto(`${site.url}/moved`);
  signedOnce('/small');
  assert.is(requestsOf('/small')[0]?.headers['host'], `localhost:${site.port}`);
  assert.is(requestsOf('/small')[0]?.headers['x-client'], 'own');
  await page.goto(`${site.url}/answered`);
  assert.is(await page.evaluate('document.body.innerText'), 'by the client');
  await page.goto(`${site.url}/refused`).then(
    () => assert.unreachable(),
    () => {},
  );
  await browser.close();
  for (const headers of seen) assert.not.ok('signature' in headers);
});

test('a browser session can intercept too, but cannot send a document to a different host', async () => {
  const browser = await connect(service, '/', { isolation: 'process' });
  const page = await browser.newPage();
  const session = await browser.target().createCDPSession();
  const refusals: string[] = [];
  session.on('Fetch.requestPaused', async ({ requestId, request }) => {
    const moved = request.url.endsWith('/moved') ? { url: `${site.otherUrl}/small` } : {};
    await session.send('Fetch.continueRequest', { requestId, ...moved }).catch(async ({ message }: Error) => {
      refusals.push(message);
      await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    });
  });
  await session.send('Fetch.enable');
  await page.goto(`${site.url}/frames`);
  signedOnce('/frames');
  await page.goto(`${site.url}/moved`).then(
    () => assert.unreachable(),
    () => {},
  );
  await browser.close();
  assert.is(refusals.length, 1);
  assert.match(refusals[0] ?? '', 'WEB_BOT_AUTH_KEY');
  assert.equal(requestsOf('/moved'), []);
});

test('BrowserQL: a request that the server makes through a proxy is signed', async () => {
  await using proxy = await startHttpProxy();
  const server = `http://${proxyUser}:${encodeURIComponent(proxyPassword)}@127.0.0.1:${proxy.port}`;
  const query = `mutation { proxy(server: "${server}", url: "*") { time } goto(url: "${site.url}/redirect?to=${site.otherUrl}/small") { status } }`;
  assert.not(succeeded(await service.post('/chromium/bql', { query })).json<{ errors?: unknown }>().errors);
  assert.ok(proxy.seen.length >= 2);
  signedOnce('/redirect');
  signedOnce('/small');
});
