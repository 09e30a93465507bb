// Launch options, addresses and file names of sessions, given to every field of the same meaning and to client libraries.
// @tier ci
import { parse } from 'content-disposition';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { succeeded } from '../../support/checks/expect.ts';
import { type Query, rawClient } from '../../support/clients/clients.ts';
import { send } from '../../support/clients/http.ts';
import { startHttpProxy } from '../../support/clients/proxies.ts';
import { type Data, fedBackSuite } from './suite.ts';
import { each } from './walk.ts';

const { test, service, site, walk, walked, post, run, optionsOf, withPuppeteer, withPlaywright } =
  fedBackSuite('sessions');

test('launch options of sessions', async () => {
  await using proxy = await startHttpProxy();
  const server = `http://127.0.0.1:${proxy.port}`;
  const launches: object[] = [
    {
      args: ['--lang=fr', '--user-agent=a "b" ü'],
      headless: true,
      defaultViewport: { width: 500, height: 400 },
      slowMo: 1,
    },
    { proxy: { server, bypass: '*.test', username: 'ü', password: 'a:b@c' } },
    { args: [`--proxy-server=${server}`, '--proxy-bypass-list=*.test;<-loopback>'], acceptInsecureCerts: true },
    { headless: 'new', timeout: 20_000, ignoreDefaultArgs: ['--mute-audio'], defaultViewport: null, unknown: 1 },
  ];
  const listed: Data[] = [];
  for (const launch of launches) listed.push(await optionsOf(launch));
  const page = { html: '<p>x</p>' };
  const taken = (work: (query: Query) => Promise<unknown>) =>
    each(async (launch: Data) => {
      await work({ launch: JSON.stringify(launch) });
      return launch;
    });
  await walked(() =>
    walk.feed(
      { '/sessions': listed },
      {
        launch: each((launch) => optionsOf(launch)),
        '/content': taken((query) => post('/content', page, query)),
        '/function': taken((query) => post('/function', { code: 'export default () => 1' }, query)),
        BrowserQL: taken((query) => run('mutation { title { title } }', {}, query)),
        Playwright: taken((query) => withPlaywright(() => Promise.resolve(), query)),
      },
      (launch) => launch,
    ),
  );
});

test('addresses of sessions and pages', async () => {
  const title = 'Small';
  const document = `mutation { goto(url: "${site.url}/small") { status } liveURL(timeout: 30000) { liveURL }
    reconnect(timeout: 30000) { browserQLEndpoint browserWSEndpoint devtoolsFrontendUrl webSocketDebuggerUrl } }`;
  const { reconnect, liveURL } = await run(document);
  const handed = await post('/unblock', { url: `${site.url}/small`, browserWSEndpoint: true, screenshot: false });
  const created = await post('/session', { ttl: 30_000, processKeepAlive: 30_000, url: `${site.url}/small` }, {});
  const { connect, stop } = created.json<Data>();
  const listed = succeeded(await service.get('/sessions')).json<Data[]>();
  const pages = listed.filter(({ type, url }) => type === 'page' && url === `${site.url}/small`);
  assert.ok(pages.length > 0);
  const ofPages = (name: string) => pages.map((page) => String(page[name]));
  const version = succeeded(await service.get('/json/version')).json<Data>();
  const browsers = {
    'reconnect in BrowserQL': [String(reconnect['browserWSEndpoint'])],
    '/unblock': [String(handed.json<Data>()['browserWSEndpoint'])],
    '/session': [String(connect)],
    '/sessions': ofPages('browserWSEndpoint'),
  };
  const titleOf = async (titles: Promise<string>[]) => ((await Promise.all(titles)).includes(title) ? title : 'none');
  const libraries = {
    'puppeteer.connect': each(async (browserWSEndpoint: string) => {
      const browser = await puppeteer.connect({ browserWSEndpoint });
      const titles = (await browser.pages()).map((page) => page.title());
      const found = await titleOf(titles);
      await browser.disconnect();
      return found;
    }),
    'chromium.connectOverCDP': each(async (endpoint: string) => {
      const browser = await chromium.connectOverCDP(endpoint);
      const found = await titleOf(browser.contexts().flatMap((context) => context.pages().map((page) => page.title())));
      await browser.close();
      return found;
    }),
  };
  const opened = each(async (url: string) => {
    const reply = await send(new URL(url, service.url));
    return reply.status;
  });
  await walked(async () => {
    await walk.feed(browsers, libraries, () => title);
    await walk.feed(
      { '/json/version': [String(version['webSocketDebuggerUrl'])] },
      { 'puppeteer.connect': libraries['puppeteer.connect'] },
      () => 'none',
    );
    await walk.feed(
      {
        'reconnect in BrowserQL': [String(reconnect['browserQLEndpoint'])],
      },
      {
        BrowserQL: each(async (url) => {
          const body = JSON.stringify({ query: 'mutation { title { title } reconnect { browserQLEndpoint } }' });
          const reply = await send(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
          return succeeded(reply).json<{ data: Data }>().data['title'].title;
        }),
      },
      () => title,
    );
    await walk.feed(
      {
        'reconnect in BrowserQL': [String(reconnect['webSocketDebuggerUrl'])],
        '/sessions': ofPages('webSocketDebuggerUrl'),
      },
      {
        'a client of the protocol': each(async (url) => {
          const client = await rawClient(url);
          const { result } = await client.send('Runtime.evaluate', { expression: 'document.title' });
          client.socket.close();
          return (result as { result: { value: string } }).result.value;
        }),
      },
      () => title,
    );
    const links = [reconnect['devtoolsFrontendUrl'], liveURL['liveURL'], ...ofPages('devtoolsFrontendUrl')].map(String);
    await walk.feed({ 'links for people': links }, { 'a browser': opened }, () => 200);
    const ended = { '/session': [String(stop)], '/sessions': [String(pages[0]?.['killURL'])] };
    await walk.feed(
      ended,
      {
        'a request': each(
          async (url) => (await send(url, { method: url.includes('/kill/') ? 'GET' : 'DELETE' })).status,
        ),
      },
      () => 204,
    );
  });
});

const names = [
  'grün 東京.txt',
  `a"b'c.txt`,
  'a%20b%2Fc.txt',
  'semi;colon=x.txt',
  'a+b&c#d?e.txt',
  '😀.txt',
  'a:b*c|d<e>.txt',
];
/** The name in a header (RFC 6266). */
const nameIn = (header = '') => parse(header).parameters['filename'];

test('names of files', async () => {
  await withPuppeteer(
    async (browser) => {
      const reply = await service.get('/sessions', { query: { trackingId: 'files' } });
      const id = String(succeeded(reply).json<Data[]>()[0]?.['id']);
      const put = async (name: string) => {
        const at = new URL(`/session-files/${id}/${encodeURIComponent(name)}`, service.url);
        return (await send(at, { method: 'PUT', body: 'x' })).json<Data>();
      };
      const headers: string[] = [];
      for (const name of names) {
        const body = { url: `${site.url}/file-name?${new URLSearchParams({ name })}` };
        headers.push(nameIn((await post('/export', body)).headers['content-disposition']) ?? '');
      }
      const code = (name: string) => `export default async ({ page }) => {
        await page.goto('${site.url}/small');
        await page.evaluate((name) => { const link = document.createElement('a'); link.download = name; link.href = URL.createObjectURL(new Blob(['x'])); link.click(); }, ${JSON.stringify(name)});
      }`;
      const downloads: string[] = [];
      for (const name of names.slice(0, 4)) {
        downloads.push(nameIn((await post('/download', { code: code(name) })).headers['content-disposition']) ?? '');
      }
      const page = await browser.newPage();
      await page.setContent('<input type="file">');
      const input = await page.$<'input'>('input' as never);
      assert.ok(input);
      await walked(async () => {
        await walk.feed(
          { '/export': headers, '/download': downloads, 'a client': names },
          {
            'PUT /session-files': each(async (name) => (await put(name))['name']),
            'GET /session-files': each(async (name) => {
              const { url } = await put(name);
              return nameIn((await send(url)).headers['content-disposition']);
            }),
            'a file field': each(async (name) => {
              await put(name);
              const session = await page.createCDPSession();
              const { root } = await session.send('DOM.getDocument');
              const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input' });
              await session.send('DOM.setFileInputFiles', { files: [name], nodeId });
              return page.evaluate('document.querySelector("input").files[0]?.name');
            }),
          },
          (name) => name,
        );
        const list = (await service.get(`/session-files/${id}`)).json<{ files: Data[] }>().files;
        await walk.feed(
          { 'GET /session-files': list.map((file) => [String(file['path']), String(file['name'])] as const) },
          {
            uploadFile: each(async ([path]) => {
              await input.uploadFile(path);
              return page.evaluate('document.querySelector("input").files[0]?.name');
            }),
          },
          ([, name]) => name,
        );
      });
    },
    { trackingId: 'files' },
  );
});
