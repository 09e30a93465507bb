// The browser shown next to a BrowserQL document while it runs: a real browser, server and live view. Tests
// what is shown, what the response is without the view, and that no browser is left behind, however the run ends.
// @tier ci
import * as assert from 'uvu/assert';
import type { Page } from 'puppeteer-core';
import { violations } from '../support/checks/axe.ts';
import { builtDocs } from '../support/built-docs.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { answered, closeRunner, openRunner, press, problemsOf, textOf, write } from '../support/checks/run-panel.ts';
import { rawClient, type SessionEntry, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { valueOf } from '../support/clients/targets.ts';
import { type Service, startService, stopAll } from '../support/service.ts';
import { type Site, startSite } from '../support/site/site.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { darkContrastFaults } from './dark-contrast.ts';

const test = suite('the browser beside a document', { timeoutMs: 180_000 });
const path = '/browserql/start';
const shown = '.run-stage iframe:not(.waiting)';
const still = '.run-stage canvas:not([hidden])';
/** A server that requires a token. */
let locked: Service;
/** A server without a token and with a slot for only one browser. */
let open: Service;
let site: Site;
let reader: Reader;
const visits: Page[] = [];

test.before(async () => {
  await builtDocs();
  site = await startSite();
  locked = await startService({ env: { TOKEN: 'of-the-reader', TIMEOUT: '120000' } });
  open = await startService({ env: { CONCURRENT: '1', QUEUED: '0' } });
  reader = await startReader();
});
test.after(() => stopAll(reader, locked, open, site));
test.after.each(async () => {
  await Promise.all(visits.splice(0).map((page) => page.close()));
  for (const service of [locked, open]) await nothingLeft(service);
});

const nothingLeft = (service: Service) =>
  until('the browser to close', async () => (await sessionsOf(service)).length === 0);

interface Visit {
  token?: string;
  width?: number;
}

async function visit(service: Service, { token = '', width = 1_280 }: Visit = {}): Promise<Page> {
  const page = await reader.open({ width, height: 1_200 });
  visits.push(page);
  await page.evaluateOnNewDocument(`localStorage.setItem('docs-api-token', ${JSON.stringify(token)}); window.moved = [];
    (window.shifts = new PerformanceObserver((list) => {
      for (const { node, previousRect, currentRect } of list.getEntries().flatMap(({ sources }) => [...sources]))
        if (node?.parentElement?.closest('.run-columns'))
          window.moved.push(node.nodeName + ' ' + node.textContent + ': ' + JSON.stringify([previousRect, currentRect]));
    })).observe({ type: 'layout-shift' })`);
  await page.goto(`${service.url}${path}?theme=light`, { waitUntil: 'load' });
  await openRunner(page);
  return page;
}

/** Runs the document once it is rendered: from then on, no part of the document or the stage may move. */
const run = (page: Page) =>
  page.evaluate(`(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    shifts.takeRecords();
    moved = [];
    document.querySelector('.run .primary').click();
  })()`);
/** The positions of the stage and the document. */
async function boxes(page: Page) {
  const boxOf = async (selector: string) => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await (await page.$(selector))?.boundingBox()) ?? {};
    return { left: x, right: x + width, top: y, bottom: y + height, height };
  };
  return { stage: await boxOf('.run-stage'), text: await boxOf('.bql-editor') };
}
/** Number of colors in an image; an empty page has one. */
const coloursOf = (canvas: string) => `(() => {
  const canvas = ${canvas};
  if (!canvas?.width) return 0;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
})()`;
const liveCanvas = `document.querySelector('${shown}')?.contentDocument.querySelector('canvas')`;

/** A document that opens a page, followed by other steps. */
const documentWith = (rest = '') =>
  `mutation { goto(url: "${site.url}/live/form") { status } type(selector: "#text", text: "seen") { time } ${rest} title { title } }`;

test('the browser is shown next to the document while it runs, without the token, and closes; the last frame stays', async () => {
  const page = await visit(locked, { token: 'of-the-reader' });
  const problems = problemsOf(page);
  const before = (await boxes(page)).stage;
  await write(page, documentWith('waitForSelector(selector: "#go-on", timeout: 100000) { time }'));
  await run(page);
  await page.waitForSelector(shown);
  await page.waitForFunction(`${coloursOf(liveCanvas)} > 10`);
  const source = await page.$eval(shown, (frame) => `${frame.getAttribute('title')} ${frame.getAttribute('src')}`);
  assert.match(source, /^The browser, live \/live\/\?i=[\w-]{24}&theme=light$/);
  assert.is((await sessionsOf(locked)).length, 1);
  const { stage, text } = await boxes(page);
  assert.ok(stage.left >= text.right, 'next to the document');
  // View only: the frame does not accept input.
  assert.is(await page.evaluate(`${liveCanvas}.hasAttribute('tabindex')`), false);
  assert.equal(await violations(page, '.run'), []);
  const watched = (await locked.get('/sessions')).json<SessionEntry[]>().find(({ type }) => type === 'page');
  const client = await rawClient(`${watched?.webSocketDebuggerUrl}?token=of-the-reader`);
  await valueOf(client, `document.body.insertAdjacentHTML('beforeend', '<b id="go-on">On</b>')`);
  client.socket.close();
  await answered(page, '"title": "Live"');
  assert.match(await textOf(page, '.run-status'), /^200 · (?:\d+ ms|[\d.]+ s) · application\/json · \d+ bytes *$/);
  await page.waitForSelector(still);
  assert.is(await page.$('.run-stage iframe'), null);
  assert.ok(Number(await page.evaluate(coloursOf(`document.querySelector('${still}')`))) > 10);
  assert.match(await textOf(page, '.run-stage'), 'The browser has closed');
  assert.equal([(await boxes(page)).stage.height, await page.evaluate('moved')], [before.height, []]);
  assert.equal(problems, []);
  await nothingLeft(locked);

  // A browser that the document keeps alive stays open, but no longer than the document says.
  await write(page, documentWith('reconnect(timeout: 3000) { browserQLEndpoint }'));
  await run(page);
  await answered(page, 'browserQLEndpoint');
  await page.waitForSelector(still);
  assert.is((await sessionsOf(locked)).length, 1, 'kept alive by reconnect');
});

test('in a narrow window it is below the document; a quick document leaves its last frame', async () => {
  const page = await visit(open, { width: 390 });
  assert.equal(await violations(page, '.run'), [], 'before');
  await write(page, 'mutation { content(html: "<h1>Quick</h1>") { status } title { title } }');
  await run(page);
  await answered(page, '"title"');
  await page.waitForSelector(still);
  // Until then, the image from the previous run may still be there.
  await page.waitForFunction(`${coloursOf(`document.querySelector('${still}')`)} > 1`);
  const { stage, text } = await boxes(page);
  assert.ok(stage.top >= text.bottom, 'below the document');
  assert.is(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  assert.equal(await page.evaluate('moved'), []);
  assert.equal(await violations(page, '.run'), [], 'after');
  assert.equal(await darkContrastFaults(page, '.run'), [], 'after, dark');
});

test('Stop, closing the panel and leaving the page close the browser immediately', async () => {
  const long = documentWith('waitForTimeout(time: 25000) { time }');
  const page = await visit(locked, { token: 'of-the-reader' });
  const start = async () => {
    await write(page, long);
    await press(page, 'Enter');
    await page.waitForSelector(shown);
  };
  await start();
  // Wait until the view shows the page: the last frame stays after the run.
  await page.waitForFunction(`${coloursOf(liveCanvas)} > 10`);
  // With the keyboard: the Stop button is the former Run button.
  await page.focus('.run .run-button');
  await page.keyboard.press('Enter');
  await answered(page, 'Stopped.');
  await page.waitForSelector(still);
  await nothingLeft(locked);
  await start();
  await closeRunner(page);
  await page.waitForSelector('.run', { hidden: true });
  await nothingLeft(locked);
  await openRunner(page);
  await start();
  await page.evaluate(`document.querySelector('#docs-sidebar a[href="/browserql/getting-started"]').click()`);
  await page.waitForSelector('article[data-path="/browserql/getting-started"]');
  await nothingLeft(locked);
  await openRunner(page);
  await start();
  await page.goto('about:blank');
  await nothingLeft(locked);
});

test('without a browser to watch, the response is shown with the reason: a wrong token, a full server', async () => {
  const page = await visit(locked, { token: 'wrong' });
  await write(page, documentWith());
  await run(page);
  await answered(page, '401 · ');
  assert.match(await textOf(page, '.run-stage'), 'the server did not provide a browser to watch');
  // The token prompt has the focus; the run continues with the right token.
  assert.is(await page.evaluate(`document.activeElement === document.querySelector('.run-token input')`), true);
  assert.match(await textOf(page, '.run-token'), 'rejected the token');
  await page.keyboard.sendCharacter('of-the-reader');
  await page.keyboard.press('Enter');
  await answered(page, '"title": "Live"');

  const full = await visit(open);
  // The sample's automatic run occupies the only slot until its last frame has arrived.
  await nothingLeft(open);
  const other = await rawClient(socketUrl(open, '/chromium'));
  await write(full, documentWith());
  await run(full);
  await answered(full, '429 · ');
  assert.match(await textOf(full, '.run-stage'), 'the server did not provide a browser to watch');
  other.socket.close();
  await nothingLeft(open);
  await run(full);
  await answered(full, '"title": "Live"');
  await full.waitForSelector(still);
});

test('if the live view fails, the panel says so and the document still runs', async () => {
  const page = await visit(locked, { token: 'of-the-reader' });
  await page.setRequestInterception(true);
  let refused = /\/browser\/[\w-]+\/live$/;
  page.on('request', (request) => {
    if (refused.test(request.url())) void request.respond({ status: 404, body: 'gone' });
    else void request.continue();
  });
  await write(page, documentWith());
  await run(page);
  await answered(page, '"title": "Live"');
  assert.match(await textOf(page, '.run-stage'), 'not provide a live view of the browser');
  await nothingLeft(locked);
  // As if LIVE_FRAME_ANCESTORS forbade the frame, or too many people were watching.
  refused = /\/live\/\?i=/;
  await run(page);
  await page.waitForFunction(
    `document.querySelector('.run-stage').textContent.includes('the live view received no frames')`,
  );
  assert.match(await textOf(page, '.run-status'), /^200 ·/);
});

test('there is a browser to watch only if the document opens a page and the switch is on', async () => {
  const page = await visit(locked, { token: 'of-the-reader' });
  // The page's sample has run automatically.
  await page.waitForSelector(still);
  const cdp = await page.createCDPSession();
  await cdp.send('Network.enable');
  const sockets: string[] = [];
  cdp.on('Network.webSocketCreated', ({ url }) => sockets.push(url));
  const paths: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') paths.push(new URL(request.url()).pathname);
  });
  for (const [text, answer] of [
    ['mutation { goto(url: "about:blank") { nothing } }', 'Cannot query field'],
    ['mutation { goto(url: ', '400 · '],
    ['{ browser { version } }', '· '],
    ['mutation { title { title } }', '"title"'],
  ] as const) {
    await write(page, text);
    await run(page);
    await answered(page, answer);
    assert.match(await textOf(page, '.run-stage'), 'does not open a page');
  }
  await page.click('.run-switch');
  assert.is(await page.$('.run-stage'), null);
  await write(page, documentWith());
  await run(page);
  await answered(page, '"title": "Live"');
  await page.reload({ waitUntil: 'load' });
  await openRunner(page);
  assert.is(await page.$('.run-stage'), null, 'the switch is remembered');
  assert.equal([sockets, [...new Set(paths)]], [[], ['/chromium/bql']]);
  await page.click('.run-switch input');
  await page.waitForSelector('.run-stage');
});

test('the Content-Security-Policy only allows framing this server and responses', async () => {
  const reply = await locked.get(path, { headers: { accept: 'text/html' } });
  const policy = String(reply.headers['content-security-policy']).split('; ');
  assert.ok(policy.includes("frame-src 'self' blob:"), policy.join());
});
