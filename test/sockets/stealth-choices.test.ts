// What can be combined with a stealth browser and what cannot: options of the request, settings of the operator, and
// who may connect.
// @tier ci
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, handshake, type Refusal } from '../support/clients/clients.ts';
import { assertHidden, look, type BrowserTraits, stealth } from '../support/clients/looks.ts';
import { isColor, readPng } from '../support/checks/media.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { missing } from '../support/programs.ts';
import { startService } from '../support/service.ts';

// Each spare would be another full browser.
const { test, service, site } = fixtureSuite('choices with stealth', { env: { SPARES: '0', TIMEOUT: '60000' } });
const withChromium = test.unless(missing('a full Chromium', 'a display'));

function turnedAway({ status, text }: Refusal, expected: number, ...mentions: string[]): void {
  assert.is(status, expected, text);
  for (const mention of mentions) assert.match(text, mention);
}

withChromium('timezone applies to workers too', async () => {
  const code = `export default async ({ page, context }) => {
    await page.goto(context.url);
    return page.evaluate(() => new Promise((resolve) => {
      const text = 'postMessage(Intl.DateTimeFormat().resolvedOptions().timeZone)';
      new Worker(URL.createObjectURL(new Blob([text]))).onmessage = ({ data }) => resolve({ data, type: 'text/plain' });
    }));
  }`;
  const reply = await service.post(
    '/function',
    { code, context: { url: `${site.url}/small` } },
    stealth({ timezone: 'Asia/Tokyo' }),
  );
  assert.is(succeeded(reply).text, 'Asia/Tokyo');
});

withChromium('timezone is reported as ignored without stealth, and an invalid one is rejected', async () => {
  const send = (launch: object) =>
    service.post('/content', { html: 'x' }, { query: { launch: JSON.stringify(launch) } });
  assert.is(succeeded(await send({ timezone: 'Asia/Tokyo' })).headers['x-ignored-parameters'], 'launch.timezone');
  for (const timezone of ['Mars/Base', '+01:00', '', '../etc/passwd']) {
    refused(await send({ stealth: true, timezone }), 400, 'launch.timezone', 'IANA');
  }
});

withChromium('proxyLocaleMatch: language, dates and time zone match the country', async () => {
  const proxy = `http://127.0.0.1:${site.port}`;
  const query = { ...stealth().query, proxyLocaleMatch: 'true', proxyCountry: 'br', externalProxyServer: proxy };
  const browser = await connect(service, '/', query, { defaultViewport: null });
  const [page] = await browser.pages();
  const seen = JSON.parse(String(await page?.evaluate(look))) as BrowserTraits;
  await browser.close();
  assert.equal([seen.languages, seen.locale, seen.timezone], ['pt-BR,pt', 'pt-BR', 'America/Sao_Paulo']);
});

withChromium(
  "the client's switches are combined with those of stealth; --lang alone sets languages, dates and the header",
  async () => {
    const args = ['--lang=ja-JP', '--disable-blink-features=Serial', '--window-size=1111,700'];
    const query = { launch: JSON.stringify({ args }) };
    const browser = await connect(service, '/stealth', query, { defaultViewport: null });
    const page = await browser.newPage();
    await page.goto(`${site.url}/small`);
    const seen = JSON.parse(String(await page.evaluate(look))) as BrowserTraits;
    assert.equal(await page.evaluate('["serial" in navigator, outerWidth]'), [false, 1111]);
    await browser.close();
    assert.equal([seen.languages, seen.locale], ['ja-JP,ja', 'ja-JP']);
    assertHidden(seen, site);
  },
);

withChromium('screenshots show no scroll bar, and are as wide as the viewport; the window keeps its own', async () => {
  const html = '<!doctype html><style>html{background:rgb(0,128,0)}body{margin:0;height:1500px}</style>';
  const viewport = { width: 800, height: 500 };
  for (const options of [{}, { fullPage: true }, { clip: { x: 0, y: 0, width: 800, height: 400 } }]) {
    const reply = await service.post('/screenshot', { html, viewport, options }, stealth());
    const image = readPng(succeeded(reply, 'image/png').bytes);
    assert.is(image.width, 800, JSON.stringify(options));
    for (const x of [0, 784, 790, 799]) assert.ok(isColor(image.at(x, 200), [0, 128, 0]), `${x}`);
  }
  const query = `mutation { viewport(width: 800, height: 500) { width }
    content(html: ${JSON.stringify(html)}) { status } screenshot(fullPage: true) { format }
    evaluate(content: "innerWidth - document.documentElement.clientWidth") { value } }`;
  const { data } = succeeded(await service.post('/stealth/bql', { query })).json<{
    data: { evaluate: { value: string } };
  }>();
  assert.ok(Number(data.evaluate.value) > 0, data.evaluate.value);
});

withChromium('launch.headless is reported as ignored, and rejected for the headless shell', async () => {
  const content = (headless: unknown) => service.post('/content', { html: 'x' }, stealth({ headless }));
  assert.is(succeeded(await content(true)).headers['x-ignored-parameters'], 'launch.headless');
  refused(await content('shell'), 400, 'stealth', 'shell');
  turnedAway(await handshake(service, '/stealth', { headless: 'shell' }), 400, 'stealth', 'shell');
  const off = await handshake(service, '/stealth', { stealth: 'false', headless: 'true' });
  assert.is(off.status, 101, off.text);
  assert.is(off.headers['x-ignored-parameters'], 'stealth, headless');
});

withChromium('a stealth browser has its own process: isolation=context is rejected', async () => {
  turnedAway(await handshake(service, '/stealth', { isolation: 'context' }), 400, 'isolation=context', 'stealth');
  const query = { ...stealth().query, isolation: 'context' };
  refused(await service.post('/content', { html: 'x' }, { query }), 400, 'stealth');
});

withChromium('a requested viewport is applied', async () => {
  const read = async (fields: object) =>
    JSON.parse(
      succeeded(
        await service.post(
          '/scrape',
          { html: '<title></title>', elements: [{ selector: 'title' }], ...fields },
          stealth(),
        ),
      ).text,
    ) as { data: { results: { text: string }[] }[] };
  const addScriptTag = [{ content: 'document.title = innerWidth + "x" + innerHeight' }];
  const viewport = { width: 800, height: 600 };
  assert.is((await read({ addScriptTag, viewport })).data[0]?.results[0]?.text, '800x600');
  const body = { html: '<body style="margin: 0; height: 3000px">', options: { fullPage: true } };
  const whole = succeeded(await service.post('/screenshot', body, stealth()));
  // Width and height of a PNG (IHDR, ISO/IEC 15948).
  assert.is(Buffer.from(whole.bytes).readUInt32BE(20), 3000);
});

test.proves('ALLOW_STEALTH');
withChromium('ALLOW_STEALTH=false: every endpoint rejects stealth with the reason', async () => {
  await using strict = await startService({ env: { ALLOW_STEALTH: 'false', SPARES: '0' } });
  turnedAway(await handshake(strict, '/stealth'), 400, 'ALLOW_STEALTH');
  turnedAway(await handshake(strict, '/', stealth().query), 400, 'ALLOW_STEALTH');
  refused(await strict.post('/content', { html: 'x' }, stealth()), 400, 'ALLOW_STEALTH');
  refused(await strict.post('/stealth/bql', { query: 'mutation { url { url } }' }), 400, 'ALLOW_STEALTH');
  refused(await strict.post('/session', { stealth: true }), 400, 'ALLOW_STEALTH');
  refused(await strict.post('/session', { browser: 'stealth' }), 400, 'ALLOW_STEALTH');
  succeeded(await strict.post('/session', {}));
});

test('stealth endpoints require the token and reject pages from other sites', async () => {
  await using closed = await startService({ env: { TOKEN: 'secret', SPARES: '0' } });
  for (const path of ['/stealth', '/chromium/stealth', '/chrome/stealth']) {
    turnedAway(await handshake(closed, path, { token: 'wrong' }), 401);
    turnedAway(await handshake(service, path, {}, { Origin: 'https://evil.example' }), 403);
  }
});

test('without a full browser, the error says what is missing', async () => {
  const none = join(service.baseDir, 'no-browser');
  writeFileSync(none, '');
  await using bare = await startService({ env: { CHROMIUM_PATH: none, CHROME_PATH: none, SPARES: '0' } });
  turnedAway(await handshake(bare, '/stealth'), 404, none);
});
