// Viewports that one route returns, given to every field of the same meaning and to client libraries.
// @tier ci
import type { Query } from '../../support/clients/clients.ts';
import { bodyFor, type Data, fedBackSuite, pageRoutes } from './suite.ts';
import { each } from './walk.ts';

const { test, site, walk, walked, post, run, ran, optionsOf, withPuppeteer, withPlaywright, service } =
  fedBackSuite('viewports');

type Viewport = Record<string, any> | null;

const measure = 'JSON.stringify([innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints > 0])';

function viewportText(viewport: Viewport): unknown {
  if (viewport === null) return undefined;
  const { width, height, deviceScaleFactor = 1, hasTouch = false } = viewport;
  return [width, height, deviceScaleFactor, hasTouch];
}

test.proves('page:viewport.mobile');
test.proves('viewport.{isMobile,hasTouch,isLandscape}');
test('viewports', async () => {
  const parts = 'width height deviceScaleFactor mobile isMobile hasTouch isLandscape';
  const bql = await run(`mutation {
    plain: viewport(width: 500.4, height: 399.6) { ${parts} }
    phone: viewport(width: 390, height: 844, deviceScaleFactor: 3, mobile: true) { ${parts} }
    wide: viewport(width: 12000, height: 300, deviceScaleFactor: 0.5, hasTouch: true, isLandscape: true) { ${parts} } }`);
  const full = { width: 500, height: 400, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true, isLandscape: true };
  const launched = [];
  for (const defaultViewport of [full, null]) launched.push((await optionsOf({ defaultViewport }))['defaultViewport']);
  const sources: Record<string, Viewport[]> = {
    BrowserQL: [bql['plain'], bql['phone'], bql['wide']],
    '/sessions': launched,
    '/function': [
      await ran('return page.viewport()'),
      await ran(`await page.setViewport(${JSON.stringify(full)}); return page.viewport()`),
    ],
  };
  const html = '<meta name="viewport" content="width=device-width"><title></title>';
  const addScriptTag = [{ content: `document.title = ${measure}` }];
  const inPage = async (fields: object, query?: Query) => {
    const { text } = await post('/content', { html, addScriptTag, ...fields }, query);
    return JSON.parse(/<title>(.*)<\/title>/.exec(text)?.[1] ?? '');
  };
  const other = pageRoutes.filter((route) => route !== '/content');
  await walked(async () => {
    await walk.feed<Viewport>(
      sources,
      {
        '/content': each((viewport) => inPage({ viewport })),
        'page.setViewport': each((viewport) =>
          withPuppeteer(async (browser) => {
            const page = await browser.newPage();
            await page.setViewport(viewport as Parameters<typeof page.setViewport>[0]);
            await page.setContent(html);
            return JSON.parse(String(await page.evaluate(measure)));
          }),
        ),
      },
      viewportText,
    );
    await walk.feed<Viewport>(
      Object.fromEntries(
        Object.entries(sources).map(([name, all]) => [name, all.filter((viewport) => viewport !== null)]),
      ),
      {
        BrowserQL: each(async (viewport) => {
          const args = Object.entries(viewport ?? {}).map(([name, value]) => `${name}: ${value}`);
          const document = `mutation ($html: String!, $code: String) { viewport(${args.join()}) { time } content(html: $html) { status } evaluate(content: $code) { value } }`;
          return JSON.parse((await run(document, { html, code: measure }))['evaluate'].value);
        }),
      },
      viewportText,
    );
    // Playwright has no orientation.
    const size = (viewport: Viewport) => (viewportText(viewport) as unknown[] | undefined)?.slice(0, 4);
    await walk.feed<Viewport>(
      sources,
      {
        newContext: each((viewport) =>
          withPlaywright(async (browser) => {
            const { deviceScaleFactor, isMobile, hasTouch } = viewport ?? {};
            const shape = Object.fromEntries(
              Object.entries({ deviceScaleFactor, isMobile, hasTouch }).filter(([, part]) => part !== undefined),
            );
            const context = await browser.newContext({
              viewport: viewport as { width: number; height: number } | null,
              ...shape,
            });
            const page = await context.newPage();
            await page.setContent(html);
            return JSON.parse(String(await page.evaluate(measure))).slice(0, 4);
          }),
        ),
      },
      size,
    );
    await walk.feed<Viewport>(
      sources,
      {
        ...Object.fromEntries(
          other.map((route) => [
            route,
            each(async (viewport: Viewport) => {
              await post(route, bodyFor(route, { url: `${site.url}/small`, viewport }));
              return viewport;
            }),
          ]),
        ),
        defaultViewport: each(async (defaultViewport) =>
          withPuppeteer(
            async () =>
              (await service.get('/sessions')).json<Data[]>()[0]?.['launchOptions'].defaultViewport && defaultViewport,
            { launch: JSON.stringify({ defaultViewport }) },
          ),
        ),
      },
      (viewport) => viewport,
    );
  });
});
