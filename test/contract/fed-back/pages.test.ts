// User agents, selectors and boxes that one route returns, given to every field of the same meaning and to client
// libraries.
// @tier ci
import { succeeded } from '../../support/checks/expect.ts';
import { readPng } from '../../support/checks/media.ts';
import type { Query } from '../../support/clients/clients.ts';
import { type Data, fedBackSuite } from './suite.ts';
import { each } from './walk.ts';

const { test, service, site, walk, walked, post, run, withPuppeteer, withPlaywright } = fedBackSuite('pages');

test('user agents', async () => {
  const given = 'Fed back/1.0 (ü; "x")';
  const { userAgent } = (
    await run(`mutation ($given: String!) { userAgent(userAgent: $given) { userAgent } }`, { given })
  )['userAgent'];
  const version = succeeded(await service.get('/json/version')).json<Data>();
  const sources = { BrowserQL: [String(userAgent)], '/json/version': [String(version['User-Agent'])] };
  const read = 'navigator.userAgent';
  const { url } = { url: `${site.url}/small` };
  const addScriptTag = [{ content: `document.title = ${read}` }];
  const titled = async (fields: object, query?: Query) =>
    /<title>(.*)<\/title>/.exec((await post('/content', { url, addScriptTag, ...fields }, query)).text)?.[1];
  await walked(() =>
    walk.feed(
      sources,
      {
        'userAgent as text': each((text) => titled({ userAgent: text })),
        'userAgent as an object': each((text) => titled({ userAgent: { userAgent: text } })),
        BrowserQL: each(async (text) => {
          const document = `mutation ($text: String!) { userAgent(userAgent: $text) { time } goto(url: "${url}") { status } evaluate(content: "${read}") { value } }`;
          return (await run(document, { text }))['evaluate'].value;
        }),
        'page.setUserAgent': each((text) =>
          withPuppeteer(async (browser) => {
            const page = await browser.newPage();
            await page.setUserAgent({ userAgent: text });
            return page.evaluate(read);
          }),
        ),
        newContext: each((text) =>
          withPlaywright(async (browser) =>
            (await (await browser.newContext({ userAgent: text })).newPage()).evaluate(read),
          ),
        ),
      },
      (text) => text,
    ),
  );
});

test('selectors and boxes', async () => {
  const url = `${site.url}/answer?${new URLSearchParams({ body: '<style>*{margin:0}</style><p id="a:b" class="c/d" style="position:absolute;left:10.5px;top:20.25px;width:30px;height:40px">x</p>' })}`;
  const first = await post('/scrape', { url, elements: [{ selector: '#a\\:b' }, { selector: 'p[class="c/d"]' }] });
  const rows: Data[] = first.json<Data>()['data'];
  const bql = await run(
    `mutation ($s: String!) { goto(url: "${url}") { status } waitForSelector(selector: $s) { selector x y width height } click(selector: $s) { selector x y } }`,
    { s: '#a\\:b' },
  );
  const sources = {
    '/scrape': rows.map(({ selector }) => String(selector)),
    BrowserQL: [String(bql['waitForSelector'].selector), String(bql['click'].selector)],
  };
  const found = (work: (selector: string) => Promise<unknown>) =>
    each(async (selector: string) => ((await work(selector)) === null ? 'nothing' : selector));
  const box = rows[0]?.['results'][0];
  const { x, y, width, height } = bql['waitForSelector'];
  const boxes = {
    '/scrape': [{ x: box.left, y: box.top, width: box.width, height: box.height }],
    BrowserQL: [{ x, y, width, height }],
  };
  await walked(async () => {
    await walk.feed(
      sources,
      {
        'elements[].selector': found(
          async (selector) =>
            (await post('/scrape', { url, elements: [{ selector }] })).json<Data>()['data'][0].results[0] ?? null,
        ),
        'waitForSelector.selector': found((selector) => post('/content', { url, waitForSelector: { selector } })),
        '/screenshot selector': found((selector) => post('/screenshot', { url, selector })),
        '/markdown selector': found((selector) => post('/markdown', { url, selector })),
        BrowserQL: found(
          async (selector) =>
            (
              await run(
                `mutation ($s: String!) { goto(url: "${url}") { status } querySelector(selector: $s) { id } }`,
                { s: selector },
              )
            )['querySelector'],
        ),
        'page.$': found((selector) =>
          withPuppeteer(async (browser) => {
            const page = await browser.newPage();
            await page.goto(url);
            return page.$(selector);
          }),
        ),
        'page.locator': found((selector) =>
          withPlaywright(async (browser) => {
            const page = await (await browser.newContext()).newPage();
            await page.goto(url);
            return page.locator(selector).textContent();
          }),
        ),
      },
      (selector) => selector,
    );
    await walk.feed(
      boxes,
      {
        'options.clip': each(async (clip) => sizeOf((await post('/screenshot', { url, options: { clip } })).bytes)),
        'screenshot(clip:)': each(async (clip) => {
          const document = `mutation ($clip: ScreenshotClip) { goto(url: "${url}") { status } screenshot(clip: $clip) { base64 } }`;
          return sizeOf(Buffer.from((await run(document, { clip }))['screenshot'].base64, 'base64'));
        }),
        'page.screenshot({ clip })': each((clip) =>
          withPuppeteer(async (browser) => {
            const page = await browser.newPage();
            await page.goto(url);
            return sizeOf(await page.screenshot({ clip }));
          }),
        ),
      },
      () => [30, 40],
    );
  });
});

/** Size of a PNG, give or take the part of a pixel. */
function sizeOf(bytes: Uint8Array): [number, number] {
  const { width, height } = readPng(bytes);
  return [width === 31 ? 30 : width, height === 41 ? 40 : height];
}
