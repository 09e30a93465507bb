// Addresses of pages that one route returns, given to every field of the same meaning and to client libraries.
// @tier ci
import { bodyFor, type Data, fedBackSuite, pageRoutes } from './suite.ts';
import { each } from './walk.ts';

const { test, service, site, walk, walked, post, run, withPuppeteer, withPlaywright } = fedBackSuite('addresses');

/** Addresses as BrowserQL and REST report them after a page was opened. */
async function addresses(): Promise<Record<string, string[]>> {
  const { url } = site;
  const links = [
    `${url}/small?q=a b&ü=ö#fräg ment`,
    `${url}/small?a={b}|c^%`,
    `${url.replace('127.0.0.1', 'bücher.localhost')}/small`,
  ];
  const seen: Record<string, string[]> = {
    BrowserQL: [],
    'requests in BrowserQL': [],
    '/scrape': [],
    'X-Response-URL': [],
  };
  for (const link of links) {
    const document = `mutation ($link: String!) { goto(url: $link) { url } url { url } request { url } response { url } }`;
    const data = await run(document, { link });
    seen['BrowserQL']?.push(data['url'].url, data['goto'].url);
    seen['requests in BrowserQL']?.push(data['request'][0].url, data['response'][0].url);
  }
  const body = links.map((link) => `<a href="${link}">x</a>`).join('');
  const reply = await post('/scrape', { html: body, elements: [{ selector: 'a' }] });
  for (const { attributes } of reply.json<Data>()['data'][0].results) seen['/scrape']?.push(attributes[0].value);
  for (const link of links)
    seen['X-Response-URL']?.push((await post('/content', { url: link })).headers['x-response-url'] ?? '');
  const pages = withPuppeteer(async (browser) => {
    const page = await browser.newPage();
    await page.goto(links[0] ?? '');
    return (await service.get('/sessions'))
      .json<Data[]>()
      .flatMap(({ url: at }) => (at === undefined ? [] : [String(at)]));
  });
  return { ...seen, '/sessions': await pages };
}

test('addresses of pages', async () => {
  const sources = await addresses();
  const normal = (text: string) => new URL(text).href;
  const addScriptTag = [{ content: 'document.title = location.href' }];
  const plain = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&lt;', '<');
  await walked(async () => {
    await walk.feed(
      sources,
      {
        '/content': each(async (url) =>
          plain(/<title>(.*)<\/title>/.exec((await post('/content', { url, addScriptTag })).text)?.[1] ?? ''),
        ),
        'BrowserQL goto': each(
          async (url) =>
            (await run('mutation ($url: String!) { goto(url: $url) { status } url { url } }', { url }))['url'].url,
        ),
        'page.goto': async (urls) =>
          withPuppeteer(async (browser) => {
            const page = await browser.newPage();
            return each(async (url: string) => {
              await page.goto(url);
              return page.url();
            })(urls);
          }),
        Playwright: async (urls) =>
          withPlaywright(async (browser) => {
            const page = await (await browser.newContext()).newPage();
            return each(async (url: string) => {
              await page.goto(url);
              return page.url();
            })(urls);
          }),
      },
      normal,
    );
    const visited = { BrowserQL: sources['requests in BrowserQL'] ?? [] };
    const taken = (work: (url: string) => Promise<unknown>) =>
      each(async (url: string) => {
        await work(url);
        return url;
      });
    await walk.feed(
      visited,
      {
        ...Object.fromEntries(
          pageRoutes
            .filter((route) => route !== '/content')
            .map((route) => [route, taken((url) => post(route, bodyFor(route, { url })))]),
        ),
        'url of POST /session': taken((url) => post('/session', { url, ttl: 1_000 }, {})),
        'BrowserQL matchers': each(async (url) => {
          const document = `mutation ($url: String!) { goto(url: $url) { status } request(url: [$url], wait: false) { url } waitForResponse(url: $url) { url } }`;
          const { request, waitForResponse } = await run(document, { url });
          return request[0]?.url === waitForResponse.url ? waitForResponse.url : undefined;
        }),
        'cookies[].url': each(async (url) => {
          site.clear();
          await post('/content', { url, cookies: [{ name: 'a', value: 'b', url }] });
          return site.requests.find(({ path }) => path === '/small')?.headers['cookie'] === 'a=b' ? url : undefined;
        }),
        'gotoOptions.referer': each(async (url) => {
          site.clear();
          await post('/content', {
            url: `${site.url}/echo-headers`,
            gotoOptions: { referer: url, referrerPolicy: 'unsafe-url' },
          });
          return site.requests.find(({ path }) => path === '/echo-headers')?.headers['referer'];
        }),
      },
      (url) => url,
    );
  });
});
