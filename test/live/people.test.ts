// A person on the page of a live view: a real viewer browser on the real page of a real server, on a desktop and on a
// phone; clients of three libraries are notified how it ended.
import CDP from 'chrome-remote-interface';
import type { CDPSession, Page } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { connect, rawClient, socketUrl } from '../support/clients/clients.ts';
import { member, openPage, valueOf } from '../support/clients/targets.ts';
import { watchLive } from '../support/clients/viewer.ts';
import { version } from '../support/clients/playwright.ts';
import { send } from '../support/clients/http.ts';
import { loadPlaywright } from '../../src/sessions/playwright/versions.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('people in live views', {
  env: { TOKEN: 'live-token', TIMEOUT: '0', SPARES: '0' },
});
let reader: Reader;

test.before(async () => {
  // Keeps the shared browser running between the tests.
  await rawClient(socketUrl(service, '/chromium'));
  reader = await startReader();
});
test.after(() => reader.close());

interface Complete {
  liveURLId: string;
  reason: string;
  note?: string;
}

/** The page of a script, a link to it, and the event the script receives at its end. */
async function script(path: string, options: object) {
  const browser = await connect(service, '/chromium');
  const page = await browser.newPage();
  await page.goto(`${site.url}${path}`);
  const cdp = await page.createCDPSession();
  const completions: Complete[] = [];
  // Puppeteer's types know only Chromium's events.
  (cdp as unknown as { on(name: string, listener: (event: Complete) => void): void }).on(
    'Browserless.liveComplete',
    (event) => completions.push(event),
  );
  const { liveURL } = await liveUrl(cdp, options);
  return { browser, page, completions, link: liveURL };
}

const liveUrl = (cdp: CDPSession, options: object) =>
  cdp.send('Browserless.liveURL' as never, options as never) as Promise<{ liveURL: string; liveURLId: string }>;

/** Opens a link and waits until the person can interact with the page. */
async function look(
  link: string,
  phone = false,
): Promise<{ page: Page; at(x: number, y: number): Promise<[number, number]> }> {
  const page = await reader.open({ width: 1_280, height: 800 });
  if (phone) await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  await page.goto(link, { waitUntil: 'load' });
  await page.waitForSelector('[data-state=live] canvas[tabindex]');
  return {
    page,
    async at(x, y) {
      const box = await (await page.$('canvas'))?.boundingBox();
      assert.ok(box);
      return [box.x + (x / 800) * box.width, box.y + (y / 600) * box.height];
    },
  };
}

test('on a desktop: a person uses mouse, keyboard and input method, and reports that they are done', async () => {
  const { browser, page, completions, link } = await script('/live/form', {
    resizable: false,
    instructions: 'Enter the code that we sent',
  });
  const person = await look(link);
  assert.match(await person.page.$eval('body', (body) => body.innerText), 'Enter the code that we sent');
  await person.page.mouse.click(...(await person.at(60, 35)));
  await page.waitForFunction('document.activeElement.id === "text"');
  await person.page.keyboard.type('Ada ');
  const viewer = await person.page.createCDPSession();
  await viewer.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  await viewer.send('Input.insertText', { text: '日本' });
  await person.page.keyboard.sendCharacter('🎉');
  await page.waitForFunction('document.querySelector("#text").value === "Ada 日本🎉"');
  await person.page.keyboard.down('Control');
  await person.page.keyboard.press('a');
  await person.page.keyboard.up('Control');
  await person.page.keyboard.press('Backspace');
  await page.waitForFunction('document.querySelector("#text").value === ""');
  await person.page.mouse.click(...(await person.at(60, 195)));
  await page.waitForFunction('document.body.style.background !== ""');
  await person.page.click('#done');
  await until('the event', () => completions.length > 0);
  assert.equal(
    completions.map(({ reason }) => reason),
    ['done'],
  );
  await person.page.waitForSelector('[data-state=ended]');
  await browser.close();
  await person.page.close();
});

test('a frame that is decoded while the view ends does not show it as live again', async () => {
  const { browser, page, link } = await script('/live/form', { resizable: false, instructions: 'Say when' });
  const viewer = await reader.open({ width: 1_280, height: 800 });
  await viewer.evaluateOnNewDocument(`{
    const decode = createImageBitmap;
    window.createImageBitmap = async (...picture) => {
      const bitmap = await decode(...picture);
      if (window.holds) await new Promise((resolve) => (window.release = resolve));
      return bitmap;
    };
  }`);
  await viewer.goto(link, { waitUntil: 'load' });
  await viewer.waitForSelector('[data-state=live] canvas[tabindex]');
  await viewer.evaluate('window.holds = true');
  await page.evaluate('document.body.style.background = "red"');
  await viewer.waitForFunction('window.release');
  await viewer.click('#done');
  await viewer.waitForSelector('[data-state=ended]');
  const after = await viewer.evaluate(`(async () => {
    window.holds = false;
    window.release();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [document.body.dataset.state, document.querySelector('#state').textContent];
  })()`);
  assert.equal(after, ['ended', 'Ended']);
  await browser.close();
  await viewer.close();
});

test('on a phone: the page takes its size, and a tap focuses a field for typing', async () => {
  const { browser, page, link } = await script('/live/form', {});
  const before = await page.evaluate('innerWidth');
  const person = await look(link, true);
  await page.waitForFunction('innerWidth < 400');
  const [x, y] = (await page.evaluate('[innerWidth, innerHeight]')) as [number, number];
  // The frame in the new size has arrived.
  await person.page.waitForFunction(
    `(({ width, height }) => Math.abs(width / height - ${x / y}) < 0.01)(document.querySelector('canvas'))`,
  );
  const box = await (await person.page.$('canvas'))?.boundingBox();
  assert.ok(box && box.width > 300 && box.height > 300, JSON.stringify(box));
  const tap = (left: number, top: number) =>
    person.page.touchscreen.tap(box.x + (left / x) * box.width, box.y + (top / y) * box.height);
  await tap(60, 35);
  await page.waitForFunction('document.activeElement.id === "text"');
  const viewer = await person.page.createCDPSession();
  await viewer.send('Input.insertText', { text: 'typed on glass' });
  await page.waitForFunction('document.querySelector("#text").value === "typed on glass"');
  await person.page.close();
  await page.waitForFunction(`innerWidth === ${Number(before)}`);
  await browser.close();
});

test('a person can say why it failed; Playwright over CDP and chrome-remote-interface are notified', async () => {
  const url = socketUrl(service, '/chromium');
  const { chromium } = await loadPlaywright(version('1.65'));
  const browser = await chromium.connectOverCDP(url);
  const context = browser.contexts()[0];
  assert.ok(context);
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(`${site.url}/live/form`);
  const cdp = await context.newCDPSession(page);
  const completions: Complete[] = [];
  cdp.on('Browserless.liveComplete' as never, ((event: Complete) => completions.push(event)) as never);
  const link = (await cdp.send('Browserless.liveURL' as never, { instructions: 'Try it' } as never)) as unknown as {
    liveURL: string;
  };
  const person = await look(link.liveURL);
  await person.page.click('#say-cannot');
  await person.page.type('#cannot-note', 'No phone here');
  await person.page.click('#cannot .primary');
  await until('the event', () => completions.length > 0);
  assert.equal([completions[0]?.reason, completions[0]?.note], ['failed', 'No phone here']);
  await person.page.close();
  await browser.close();

  const client = await CDP({ target: socketUrl(service, '/chromium'), local: true });
  const heard: Complete[] = [];
  client.on('event', ({ method, params }) => {
    if (method === 'Browserless.liveComplete') heard.push(params as Complete);
  });
  const made = (await client.send('Browserless.liveURL' as never, { timeout: 200 } as never)) as unknown as {
    liveURL: string;
  };
  assert.match(made.liveURL, '/live/?i=');
  await until('the event', () => heard.length > 0);
  assert.is(heard[0]?.reason, 'timeout');
  await client.close();
});

test('the page has security headers, works in a frame on another site, and reports links that do not work', async () => {
  const { browser, link } = await script('/live/form', { interactive: false });
  const { status, headers } = await send(link, {});
  assert.is(status, 200);
  assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors \*/);
  assert.is(headers['referrer-policy'], 'no-referrer');
  assert.is(headers['cache-control'], 'no-store');
  const other = await reader.open();
  await other.goto(`${site.otherUrl}/small`);
  await other.evaluate(`
    window.told = [];
    addEventListener('message', ({ data }) => data.type === 'browserd.live' && told.push(data.state));
    document.body.innerHTML = '<iframe width="600" height="400" src="${link}"></iframe>'`);
  await other.waitForFunction('told.includes("live")');
  await other.close();
  const gone = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const html = await send(gone, { headers: { Accept: 'text/html' } });
  assert.is(html.status, 404);
  assert.match(html.text, 'This link does not work');
  assert.match(String(html.headers['content-security-policy']), "default-src 'none'");
  const plain = await send(gone, {});
  assert.is(plain.status, 404);
  assert.match(plain.text, 'This link does not work');
  await browser.close();
});

test("in a full browser: a tab is shown, and no key opens any of the browser's own pages", async () => {
  const client = await rawClient(socketUrl(service, '/chromium', { launch: JSON.stringify({ headless: 'new' }) }));
  const { sessionId } = await openPage(client, `${site.url}/live/form`);
  const { result } = await client.send('Browserless.liveURL', { resizable: false }, sessionId);
  const viewer = await watchLive(String(result?.['liveURL']));
  await viewer.nextFrame();
  const targets = async () => {
    const { result: known } = await client.send('Target.getTargets');
    const infos = member(known, 'targetInfos');
    assert.ok(Array.isArray(infos));
    return infos.map((info) => String(member(info, 'url'))).toSorted();
  };
  const before = await targets();
  const letters = [...'abcdefghijklmnopqrstuvwxyz'].map((key) => [
    key,
    `Key${key.toUpperCase()}`,
    key.charCodeAt(0) - 32,
  ]);
  const functions = Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, `F${at + 1}`, 112 + at]);
  const keys = [...letters, ...functions, ['Tab', 'Tab', 9], ['1', 'Digit1', 49]] as [string, string, number][];
  viewer.click(60, 80);
  for (const m of [2, 10, 4, 1, 3]) {
    for (const key of keys) {
      // Stay below the rate limit.
      if (viewer.socket.bufferedAmount > 0) await viewer.waitForMessage('hello');
      viewer.press(...key, m);
      viewer.press('Escape', 'Escape', 27);
    }
    // Wait for the rate limit to refill; by then the page has received the last key.
    await valueOf(client, 'new Promise((resolve) => setTimeout(resolve, 800))', sessionId);
  }
  viewer.click(60, 80);
  viewer.press('q', 'KeyQ', 81);
  await until('the last key', () =>
    valueOf(client, 'seen.some(([type, , key]) => type === "keyup" && key === "q")', sessionId),
  );
  assert.equal(await targets(), before);
  viewer.socket.terminate();
  client.socket.close();
  await client.closed;
});
