// Cookies with the attribute Partitioned go round unchanged: what one endpoint returns, every other one and the client
// libraries accept, and no site outside the partition receives them.
import { chromium } from 'playwright-core';
import * as assert from 'uvu/assert';
import { succeeded } from '../support/checks/expect.ts';
import { connect, socketUrl } from '../support/clients/clients.ts';
import { profilesKey } from '../support/clients/profiles.ts';
import { command } from '../support/clients/recordings.ts';
import { missing } from '../support/programs.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, fixture } = fixtureSuite('partitioned cookies', { env: { PROFILES_KEY: profilesKey } });
const insecure = { query: { acceptInsecureCerts: 'true' } };

interface Cookie {
  name: string;
  value: string;
  partitionKey?: unknown;
}

const set = (name: string) =>
  `/answer?${new URLSearchParams([
    ['header', `Set-Cookie: ${name}=1; Path=/; Secure; SameSite=None; Partitioned`],
    ['body', name],
  ])}`;
const site = () => fixture.site.secureUrl;
const other = () => site().replace('127.0.0.1', 'localhost');
/** A page with a frame of this site, and with a frame of another site that contains one: `frame` is its path. */
const framed = (frame: (name: string) => string) => {
  const inner = new URLSearchParams({ body: `<iframe src="${site()}${frame('crossed')}"></iframe>` });
  const body = `<iframe src="${site()}${frame('own')}"></iframe><iframe src="${other()}/answer?${inner}"></iframe>`;
  return `${site()}/answer?${new URLSearchParams({ body })}`;
};
/** Sets a cookie in each frame. The page itself sees only the first one. */
const page = () => framed(set);
/** Names of the cookies that the two frames of a page receive. */
async function receivedBy(body: object, profile?: string): Promise<Record<string, string[]>> {
  await scraped({ url: framed((name) => `/cookies?${name}`), ...frames, ...body }, profile);
  return received();
}

function received(): Record<string, string[]> {
  const names = (frame: string) => {
    const request = fixture.site.requests.findLast(({ path, query }) => path === '/cookies' && query.has(frame));
    return [...(request?.headers['cookie'] ?? '').matchAll(/(\w+)=/g)].map(([, name = '']) => name).toSorted();
  };
  return { own: names('own'), crossed: names('crossed') };
}

const partitionOf = ({ name, partitionKey }: Partial<Cookie>) => [name, partitionKey];
const own = () => ['own', 'https://127.0.0.1'];

async function scraped(body: object, profile?: string): Promise<Cookie[]> {
  const whole = { elements: [{ selector: 'body' }], debugOpts: { cookies: true }, ...body };
  const query = profile === undefined ? insecure.query : { ...insecure.query, profile };
  const reply = await fixture.service.post('/scrape', whole, { query });
  return succeeded(reply).json<{ debug: { cookies: Cookie[] } }>().debug.cookies;
}
const frames = { waitForFunction: { fn: 'frames.length === 2' }, gotoOptions: { waitUntil: 'networkidle0' } };
const cookiesOfPage = () => scraped({ url: page(), ...frames });

test('/scrape returns them in a form that its own field accepts, with the same partition', async () => {
  const cookies = await cookiesOfPage();
  assert.equal(cookies.map(partitionOf), [own()]);
  assert.equal((await scraped({ url: `${site()}/small`, cookies })).map(partitionOf), [own()]);
  // Another top-level site has another partition.
  assert.equal(await scraped({ url: `${other()}/small`, cookies }), []);
});

test.unless(missing('a full Chromium', 'a display'))('/unblock returns the same form', async () => {
  const reply = await fixture.service.post('/unblock', { url: page(), cookies: true, ...frames }, insecure);
  const { cookies } = succeeded(reply).json<{ cookies: Cookie[] }>();
  assert.equal(cookies.map(partitionOf), [own()]);
});

test.proves('page:cookies[].partitionKey.topLevelSite page:cookies[]._crHasCrossSiteAncestor');
test('the forms of Puppeteer, of the protocol and of Playwright mean the same', async () => {
  const { origin } = new URL('https://127.0.0.1');
  const forms: Record<string, object> = {
    text: { partitionKey: origin },
    playwright: { partitionKey: origin, _crHasCrossSiteAncestor: true },
    puppeteer: { partitionKey: { sourceOrigin: origin, hasCrossSiteAncestor: true } },
    protocol: { partitionKey: { topLevelSite: origin, hasCrossSiteAncestor: true } },
  };
  const cookies = Object.entries(forms).map(([name, form]) => {
    return { name, value: '1', url: site(), secure: true, sameSite: 'None', ...form };
  });
  assert.equal(await receivedBy({ cookies }), { own: ['text'], crossed: ['playwright', 'protocol', 'puppeteer'] });
});

test('a cookie of an opaque site is refused: without its partition, every site would receive it', async () => {
  const cookies = [{ name: 'a', value: '1', url: site(), secure: true, partitionKeyOpaque: true }];
  await fixture.refuse('/content', { url: site(), cookies }, 400, 'cookies[0].partitionKeyOpaque');
});

test('Puppeteer and Playwright accept the cookies that were returned', async () => {
  const cookies = await cookiesOfPage();
  const browser = await connect(fixture.service, '/', insecure.query);
  // The libraries' types know no cookies of other libraries.
  await browser.setCookie(...(cookies as unknown as Parameters<typeof browser.setCookie>));
  const kept = await browser.cookies();
  assert.equal(kept.map(partitionOf), [['own', { sourceOrigin: 'https://127.0.0.1', hasCrossSiteAncestor: false }]]);
  await browser.close();
  const remote = await chromium.connectOverCDP(socketUrl(fixture.service, '/', insecure.query));
  const [context] = remote.contexts();
  await context?.addCookies(cookies as Parameters<typeof context.addCookies>[0]);
  const [cookie] = (await context?.cookies()) ?? [];
  assert.equal(partitionOf(cookie ?? { name: '', value: '' }), own());
  assert.match(JSON.stringify(cookie), '"_crHasCrossSiteAncestor":false');
  await remote.close();
});

test.proves('CookieInput.partitionKey CookieInput.hasCrossSiteAncestor');
test('BrowserQL: what the cookies operation returns, it accepts', async () => {
  const read = 'cookies { name value domain path secure sameSite partitionKey hasCrossSiteAncestor }';
  const ask = async (document: string) => {
    const reply = await fixture.service.post('/chromium/bql', { query: `mutation { ${document} }` }, insecure);
    return succeeded(reply).json<{ data: Record<string, { cookies: Record<string, unknown>[] }> }>().data;
  };
  const visit = `goto(url: ${JSON.stringify(page())}, waitUntil: networkIdle) { status }`;
  const { seen } = await ask(`${visit} seen: cookies { ${read} }`);
  const found = (seen?.cookies ?? []).toSorted((a, b) => String(a['name']).localeCompare(String(b['name'])));
  assert.equal(found.map(partitionOf), [own()]);
  found.push({ ...found[0], name: 'crossed', hasCrossSiteAncestor: true });
  const given = found
    .map((cookie) => {
      const fields = Object.entries(cookie).map(
        ([name, value]) => `${name}: ${name === 'sameSite' ? value : JSON.stringify(value)}`,
      );
      return `{ ${fields.join(', ')} }`;
    })
    .join(', ');
  const target = framed((name) => `/cookies?${name}`);
  await ask(`cookies(cookies: [${given}]) { ${read} } goto(url: "${target}", waitUntil: networkIdle) { status }`);
  assert.equal(received(), { own: ['own'], crossed: ['crossed'] });
});

test('profiles: saved with their partition and restored into it; opaque and malformed ones are counted', async () => {
  const browser = await connect(fixture.service, '/', insecure.query);
  const tab = await browser.newPage();
  await tab.goto(page(), { waitUntil: 'networkidle0' });
  const saved = await command(await tab.createCDPSession(), 'saveProfile', { name: 'partitioned' });
  assert.is(JSON.parse(JSON.stringify(saved)).cookieCount, 2);
  await browser.close();
  assert.equal(await receivedBy({}, 'partitioned'), { own: ['own'], crossed: ['crossed'] });

  const cookie = { value: '1', domain: '127.0.0.1', path: '/', secure: true, sameSite: 'None' };
  const cookies = [
    { ...cookie, name: 'text', partitionKey: 'https://127.0.0.1', _crHasCrossSiteAncestor: false },
    { ...cookie, name: 'object', partitionKey: { sourceOrigin: 'https://127.0.0.1' } },
    { ...cookie, name: 'opaque', partitionKeyOpaque: true },
    { ...cookie, name: 'number', partitionKey: 5 },
    { ...cookie, name: 'no URL', partitionKey: 'nowhere' },
  ];
  const uploaded = await fixture.service.post('/profile/upload', { name: 'uploaded', state: { cookies, origins: [] } });
  const counts = succeeded(uploaded).json<{ cookieCount: number; skippedMalformedCookies: number }>();
  assert.equal([counts.cookieCount, counts.skippedMalformedCookies], [2, 3]);
});
