// Windows that the pages of code open: /function shows them to the code as Puppeteer does, /download counts their files.
// @tier ci
import * as assert from 'uvu/assert';
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js';
import { refused, succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('windows of code', { env: { TOKEN: 'browserless' } });
const at = (path: string) => `${fixture.site.url}${path}`;
const answer = (body: string, header = '') => at(`/answer?body=${encodeURIComponent(body)}${header}`);
const file = (body: string) =>
  answer(body, '&type=text/csv&header=' + encodeURIComponent('Content-Disposition: attachment; filename=a.csv'));

const engines: Record<string, Record<string, string>> = {
  shell: {},
  'full Chromium': { launch: JSON.stringify({ headless: true }) },
  'a stealth browser': { launch: JSON.stringify({ stealth: true }) },
  'a separate process': { isolation: 'process' },
  'a full browser with options': { launch: JSON.stringify({ headless: true, args: ['--lang=de'] }) },
};

const run = (route: string, code: string, context: object, query: Record<string, string> = {}) =>
  fixture.service.post(`/${route}`, { code, context }, { query: { timeout: '20000', ...query } });

test.after.each(async () => {
  await until('the request to end', async () => {
    const { pressure } = (await fixture.service.get('/pressure')).json<{ pressure: { running: number } }>();
    return pressure.running === 0;
  });
});

/** Code that resolves with the window that the action opens. */
const popupOf = `const popupOf = (page, action) =>
  Promise.all([new Promise((resolve) => page.once('popup', resolve)), action()]).then(([popup]) => popup);`;

for (const [engine, query] of Object.entries(engines)) {
  test(`files of windows count: ${engine}`, async () => {
    const html = `<form target="_blank" method="post" action="${file('form')}"><button>Form</button></form>
      <a id="link" target="_blank" href="${file('link')}">Link</a><br>
      <p onclick="open(this.title, '', 'noopener')" title="${file('noopener')}&ms=700">Script</p>`;
    const code = `export default async ({ page, context }) => {
      await page.goto(context.url);
      await page.click('button');
      await page.click('#link');
      await page.click('p');
    }`;
    const reply = succeeded(await run('download', code, { url: answer(html) }, query), 'application/zip');
    const zip = new ZipReader(new BlobReader(new Blob([new Uint8Array(reply.bytes)])));
    const texts = (await zip.getEntries()).map((entry) => (entry.directory ? '' : entry.getData(new TextWriter())));
    assert.equal((await Promise.all(texts)).toSorted(), ['form', 'link', 'noopener']);
  });

  test(`a login window answers its opener: ${engine}`, async () => {
    const login = `<title>Login</title><button onclick="opener.postMessage('token', '*'); window.close()">Log in</button>`;
    const code = `${popupOf}
    export default async ({ page, context }) => {
      await page.goto(context.url);
      const browser = page.browser();
      const answered = page.evaluate(() => new Promise((resolve) => { onmessage = ({ data }) => resolve(data); }));
      const popup = await popupOf(page, () => page.click('a'));
      const closed = new Promise((resolve) => popup.once('close', resolve));
      await popup.waitForSelector('button');
      const seen = [await popup.title(), popup.target().opener() === page.target(), (await browser.pages()).length];
      // The click closes the window, perhaps before the browser answers.
      await popup.click('button').catch(() => {});
      const answer = await answered;
      await closed;
      return [...seen, answer, (await browser.pages()).length];
    }`;
    const url = answer(`<a target="_blank" rel="opener" href="${answer(login)}">Log in</a>`);
    const reply = succeeded(await run('function', code, { url }, query));
    assert.equal(reply.json(), ['Login', true, 2, 'token', 1]);
  });

  test(`windows of windows, and those that their opener writes into: ${engine}`, async () => {
    const code = `${popupOf}
    export default async ({ page, context }) => {
      await page.goto(context.url);
      const created = [];
      page.browser().on('targetcreated', (target) => created.push(target.type()));
      const first = await popupOf(page, () => page.evaluate(() => void open('about:blank').document.write('<p>written</p>')));
      const second = await popupOf(first, () => first.evaluate((url) => void open(url), context.next));
      await second.waitForSelector('h1');
      const target = await page.browser().waitForTarget((each) => each.url() === context.next);
      return {
        text: await first.$eval('p', (element) => element.textContent),
        next: await second.$eval('h1', (element) => element.textContent),
        same: target === second.target(),
        created,
      };
    }`;
    const next = answer('<h1>next</h1>');
    const reply = succeeded(await run('function', code, { url: at('/small'), next }, query));
    assert.equal(reply.json(), { text: 'written', next: 'next', same: true, created: ['page', 'page'] });
  });
}

const forever = {
  'windows that open themselves': `<script>open(location); open(location)</script>`,
  'windows that replace themselves': `<script>open(location, '', 'noopener'); close()</script>`,
  'windows without end': `<script>setInterval(() => open('about:blank'), 1)</script>`,
  'windows that close': `<script>setInterval(() => open('about:blank').close(), 1)</script>`,
};
for (const [name, html] of Object.entries(forever)) {
  for (const route of ['function', 'download']) {
    test(`${name} end the request: ${route}`, async () => {
      const code = `export default async ({ page, context }) => {
        page.evaluate((url) => void open(url), context.url);
        ${route === 'function' ? 'await new Promise(() => {});' : ''}
      }`;
      refused(await run(route, code, { url: answer(html) }, { timeout: '60000' }), 400, /The pages of the code/);
      await fixture.site.waitForConnections();
    });
  }
}

test('windows are as guarded as pages: ads and files of the server', async () => {
  const code = `${popupOf}
  export default async ({ page, context }) => {
    await page.goto(context.url);
    const own = await popupOf(page, () => page.click('a'));
    await own.waitForSelector('#after');
    await page.evaluate(() => void open('file:///etc/passwd'));
    await popupOf(page, () => page.evaluate(() => void open('about:blank')));
    const pages = await page.browser().pages();
    return {
      ad: await own.evaluate(() => document.documentElement.dataset.ad ?? 'blocked'),
      texts: (await Promise.all(pages.map((each) => each.content()))).filter((text) => text.includes('root:')),
    };
  }`;
  const url = answer(`<a target="_blank" href="${at('/ads')}">Ads</a>`);
  assert.equal(succeeded(await run('function', code, { url }, { blockAds: 'true' })).json(), {
    ad: 'blocked',
    texts: [],
  });
  assert.is(succeeded(await run('function', code, { url })).json<{ ad: string }>().ad, 'ran');
});

for (const [engine, query] of Object.entries(engines)) {
  test(`windows load only what the request may load: ${engine}`, async () => {
    const outside = `http://outside.localhost:${fixture.site.port}/small`;
    const html = `<a target="_blank" rel="opener" href="${outside}">Link</a><br>
      <form target="_blank" method="post" action="${outside}"><button>Form</button></form>
      <p onclick="window.open('${outside}', '', 'noopener')">Script</p>
      <i onclick="window.open('/redirect?to=${encodeURIComponent(outside)}')">Redirect</i>`;
    const code = `${popupOf}
    export default async ({ page, context }) => {
      await page.goto(context.url);
      const outcomes = [];
      for (const selector of ['a', 'button', 'i']) {
        const popup = await popupOf(page, () => page.click(selector));
        await popup.waitForFunction("location.href !== 'about:blank' && document.readyState === 'complete'");
        outcomes.push((await popup.title()) === 'Small' ? 'loaded' : 'refused');
        // In full Chromium, a window hides its opener, where a click waits for the element to be shown.
        await page.bringToFront();
      }
      const opened = new Promise((resolve) => page.browser().once('targetcreated', resolve));
      await page.click('p');
      const apart = await (await opened).page();
      await apart.waitForFunction("location.href !== 'about:blank' && document.readyState === 'complete'");
      outcomes.push((await apart.title()) === 'Small' ? 'loaded' : 'refused');
      const file = await apart.goto('file:///etc/passwd').then(() => 'loaded', () => 'refused');
      return [...outcomes, file];
    }`;
    const inside = `http://inside.localhost:${fixture.site.port}`;
    const url = answer(html).replace(fixture.site.url, inside);
    const outcomes = async (more: Record<string, string>) =>
      succeeded(await run('function', code, { url }, { ...query, ...more })).json();
    assert.equal(
      await outcomes({ allowedDomains: 'inside.localhost' }),
      Array.from({ length: 5 }, () => 'refused'),
    );
    assert.not.ok(fixture.site.requests.some(({ headers }) => headers['host']?.startsWith('outside.')));
    assert.equal(await outcomes({}), ['loaded', 'loaded', 'loaded', 'loaded', 'refused']);
  });
}

test('code sees only its own windows, and they end with the request', async () => {
  const holding = `${popupOf}
  export default async ({ page, context }) => {
    await page.goto(context.url);
    await popupOf(page, () => page.click('a'));
    await fetch(context.ready, { mode: 'no-cors' });
    await new Promise(() => {});
  }`;
  const looking = `export default async ({ page }) => {
    const created = [];
    page.browser().on('targetcreated', (target) => created.push(target.url()));
    await page.browser().createBrowserContext().then((context) => context.newPage());
    return [(await page.browser().pages()).length, created.length];
  }`;
  const url = answer(`<a target="_blank" href="${at('/never-load')}">Open</a>`);
  const leave = new AbortController();
  const held = fixture.service
    .post('/function', { code: holding, context: { url, ready: at('/lib.js') } }, { signal: leave.signal })
    .catch(() => undefined);
  await fixture.site.waitForRequest('/lib.js');
  assert.equal(succeeded(await run('function', looking, {})).json(), [2, 1]);
  leave.abort();
  await held;
  await fixture.site.waitForConnections();
});

for (const isolation of ['process', 'context']) {
  test(`code in a running browser sees the windows of its page, which stay: isolation=${isolation}`, async () => {
    const query = 'mutation { reconnect(timeout: 30000) { browserQLEndpoint } }';
    const begun = await fixture.service.post('/chromium/bql', { query }, { query: { isolation } });
    const id = /\/bql\/([\w-]+)/.exec(succeeded(begun).text)?.[1] ?? '';
    const code = `${popupOf}
    export default async ({ page, context }) => {
      await page.goto(context.url);
      const popup = await popupOf(page, () => page.click('a'));
      await popup.waitForSelector('h1');
      return [await popup.title(), (await page.browser().pages()).length];
    }`;
    const url = answer(`<a target="_blank" href="${at('/small')}">Open</a>`);
    assert.equal(succeeded(await run(`function/${id}`, code, { url })).json(), ['Small', 2]);
    const sessions = (await fixture.service.get('/sessions')).json<{ type: string; url: string }[]>();
    assert.equal(
      sessions
        .filter(({ type }) => type === 'page')
        .map((each) => each.url)
        .toSorted(),
      [url, at('/small')].toSorted(),
    );
    await fixture.service.get('/kill/all');
  });
}
