// Cookies and storage state that one route returns, given to every field of the same meaning and to client libraries.
// Frames and partitions: partitioned-cookies.test.ts.
// @tier ci
import * as assert from 'uvu/assert';
import type { Query } from '../../support/clients/clients.ts';
import { bodyFor, type Data, elements, fedBackSuite, insecure, pageRoutes } from './suite.ts';
import { each, type Sinks } from './walk.ts';

const { test, site, walk, walked, post, run, ran, withPuppeteer, withPlaywright } = fedBackSuite('cookies');

const withoutNulls = (value: object) => Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));

type Cookie = Record<string, any>;

/** A cookie as text, without what its format cannot hold. */
function cookieText(cookie: Cookie): string {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey: key } = cookie;
  const partition = key?.topLevelSite ?? key?.sourceOrigin ?? key ?? '';
  const until = (expires ?? -1) < 0 ? 'session' : Math.round(expires);
  return [name, value, domain, path, until, Boolean(httpOnly), Boolean(secure), sameSite ?? '', partition].join('|');
}

const shop = () => site.secureUrl.replace('127.0.0.1', 'www.app.localhost');
const bqlCookie = 'name value domain path expires httpOnly secure sameSite partitionKey hasCrossSiteAncestor';

async function scraped(path: string, fields: object = {}, query: Query = {}): Promise<Cookie[]> {
  const body = { url: `${shop()}${path}`, elements, debugOpts: { cookies: true }, ...fields };
  return (await post('/scrape', body, { ...insecure, ...query })).json<Data>()['debug'].cookies;
}

test.proves('page:cookies[].hasCrossSiteAncestor');
test.proves('CookieInput.{_crHasCrossSiteAncestor,priority,sourceScheme,sourcePort}');
test.proves('CookieInput.{size,session,sameParty,partitionKeyOpaque}');
test('cookies', async () => {
  const url = `${shop()}/every-cookie`;
  const visit = `goto(url: "${url}") { status }`;
  const bql = await run(`mutation { ${visit} cookies { cookies { ${bqlCookie} url } } }`);
  const selected = await run(`mutation { ${visit} cookies { cookies { ${bqlCookie} _crHasCrossSiteAncestor } } }`);
  const own = { '/scrape': await scraped('/every-cookie'), '/unblock': await unblocked(url) };
  const puppeteer = await withPuppeteer(async (browser) => {
    await (await browser.newPage()).goto(url);
    return browser.cookies();
  });
  const playwright = await withPlaywright(async (browser) => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    await (await context.newPage()).goto(url);
    return context.cookies();
  });
  const code = `await page.goto('${url}'); const session = await page.createCDPSession();
    return { page: await page.cookies(), protocol: (await session.send('Network.getCookies')).cookies }`;
  const { page, protocol } = await ran(code);
  const others = { BrowserQL: bql['cookies'].cookies, 'page.cookies() in /function': page, puppeteer, playwright };
  assert.is(own['/scrape'].length, 19);
  await walked(async () => {
    await walk.feed<Cookie>(
      { ...own, ...others, 'the protocol in /function': protocol },
      cookieSinks(['/content']),
      cookieText,
    );
    const routes = pageRoutes.filter((route) => !['/content', '/scrape'].includes(route));
    await walk.feed<Cookie>(own, cookieSinks(routes), cookieText);
    const forLibraries = { ...own, BrowserQL: selected['cookies'].cookies };
    await walk.feed<Cookie>(forLibraries, libraryCookieSinks(), cookieText);
    const ranked = ({ name, priority }: Cookie) => `${name}|${priority}`;
    const readRanks = async (fields: object, query?: Query) => (await scraped('/cookies', fields, query)).map(ranked);
    await walk.feed<Cookie>(
      own,
      {
        'cookies and their priorities': (cookies) => readRanks({ cookies }),
        'a profile and their priorities': async (cookies) => readRanks({}, { profile: await uploaded({ cookies }) }),
      },
      ranked,
    );
  });
});

async function unblocked(url: string): Promise<Cookie[]> {
  const reply = await post('/unblock', { url, content: false, screenshot: false });
  return reply.json<{ cookies: Cookie[] }>().cookies;
}

let profiles = 0;

/** Stores a state as a profile that must have all of its cookies; returns its name. */
async function uploaded(state: { cookies?: readonly unknown[]; origins?: readonly unknown[] }): Promise<string> {
  const name = `fed-back-${profiles++}`;
  const saved = (await post('/profile/upload', { name, state }, {})).json<Data>();
  assert.equal([saved['cookieCount'], saved['skippedMalformedCookies']], [state.cookies?.length ?? 0, 0]);
  return name;
}

/** The fields that take cookies; each returns all cookies that the browser has afterward. */
function cookieSinks(routes: readonly string[]): Sinks<Cookie> {
  const sent = async (route: string, cookies: readonly Cookie[]) => {
    site.clear();
    await post(route, bodyFor(route, { url: `${shop()}/cookies`, cookies }));
    const header = site.requests.findLast(({ path }) => path === '/cookies')?.headers['cookie'] ?? '';
    const pairs = Buffer.from(header, 'latin1').toString().split('; ');
    return cookies.flatMap((cookie) =>
      pairs.includes(cookie['name'] === '' ? cookie['value'] : `${cookie['name']}=${cookie['value']}`)
        ? [cookieText(cookie)]
        : [],
    );
  };
  const set = 'mutation ($given: [CookieInput])';
  return {
    ...Object.fromEntries(routes.map((route) => [route, (cookies: readonly Cookie[]) => sent(route, cookies)])),
    '/scrape': async (cookies) => (await scraped('/cookies', { cookies })).map(cookieText),
    async BrowserQL(given) {
      const document = `${set} { goto(url: "${shop()}/cookies") { status } cookies(cookies: $given) { cookies { ${bqlCookie} } } }`;
      return (await run(document, { given }))['cookies'].cookies.map(cookieText);
    },
    'a profile': async (cookies) =>
      (await scraped('/cookies', {}, { profile: await uploaded({ cookies }) })).map(cookieText),
  };
}

/** The cookie as the protocol reports it: Playwright reports a cookie without SameSite as Lax. */
function libraryCookieSinks(): Sinks<Cookie> {
  // GraphQL has null for an absent part; the libraries have nothing there.
  const plain = (cookies: readonly Cookie[]) => cookies.map(withoutNulls);
  const urls = [`${shop()}/cookies`];
  const inContext = (cookies: readonly Cookie[], isState: boolean) =>
    withPlaywright(async (browser) => {
      // The libraries' types know no cookies of other libraries.
      const given = plain(cookies) as any[];
      const state = isState ? { storageState: { cookies: given, origins: [] } } : {};
      const context = await browser.newContext({ ignoreHTTPSErrors: true, ...state });
      if (!isState) await context.addCookies(given);
      const page = await context.newPage();
      await page.goto(`${shop()}/cookies`);
      const session = await context.newCDPSession(page);
      return (await session.send('Network.getCookies', { urls })).cookies.map(cookieText);
    });
  return {
    'browser.setCookie': (cookies) =>
      withPuppeteer(async (browser) => {
        await browser.setCookie(...(plain(cookies) as any[]));
        return (await browser.cookies()).map(cookieText);
      }),
    addCookies: (cookies) => inContext(cookies, false),
    storageState: (cookies) => inContext(cookies, true),
  };
}

test('storage state', async () => {
  const url = `${site.url}/answer?body=stored`;
  const value = 'grün "quoted"\n東京';
  const read = async (query: Query) =>
    withPlaywright(async (browser) => {
      const page = await browser.contexts()[0]?.newPage();
      await page?.goto(url);
      return [await page?.evaluate(() => localStorage.getItem('a b'))];
    }, query);
  const states = await withPlaywright(async (browser) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    await page.evaluate((text) => localStorage.setItem('a b', text), value);
    return [await context.storageState(), await context.storageState({ indexedDB: true })];
  });
  const kept = await withPlaywright(
    async (browser) => {
      const [context] = browser.contexts();
      const page = await context?.newPage();
      await page?.goto(url);
      return context?.storageState() ?? { cookies: [], origins: [] };
    },
    { profile: await uploaded(states[0] ?? {}) },
  );
  await walked(() =>
    walk.feed(
      { storageState: states, 'a profile': [kept] },
      {
        '/profile/upload': async (given) =>
          (await Promise.all(given.map(async (state) => read({ profile: await uploaded(state) })))).flat(),
        newContext: each(async (storageState) =>
          withPlaywright(async (browser) => {
            const page = await (await browser.newContext({ storageState })).newPage();
            await page.goto(url);
            return page.evaluate(() => localStorage.getItem('a b'));
          }),
        ),
      },
      () => value,
    ),
  );
});
