// Puppeteer's setContent with networkidle0 and networkidle2 on pages whose network has been idle before: the first page
// of a browser that was started ahead, a page that is written several times, a frame, and the page of /function.
// Chromium reports an idle network once per document; the server reports it for each time that it is written.
// @tier ci
import type { Browser, Frame, Page } from 'puppeteer-core-24';
import puppeteer from 'puppeteer-core-24';
import * as assert from 'uvu/assert';
import { endAll, socketUrl } from '../support/clients/clients.ts';
import { succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';

const { test, service, site } = fixtureSuite('documents that clients write again', { timeoutMs: 120_000 });
test.after.each(() => endAll(service));

/** Requests something after its load event, and shows `late` once it has arrived. @param ms how long the answer takes */
const late = (ms = 300) => `<p>early</p><script>onload = () => setTimeout(() =>
  fetch('${site.url}/slow?ms=${ms}', { mode: 'no-cors' }).then(() => (document.querySelector('p').textContent = 'late')), 50)
</script>`;
const hanging = (count: number) =>
  `<p>${count} hang</p><script>for (let i = 0; i < ${count}; i++) fetch('${site.url}/hang', { mode: 'no-cors' }).catch(() => {})</script>`;

const textOf = (frame: Frame | Page) => frame.$eval('p', (element) => element.textContent);

/** Resolves once Chromium has reported that the network of a page is idle. */
async function idle(page: Page): Promise<void> {
  const session = await page.createCDPSession();
  const { promise, resolve } = Promise.withResolvers<void>();
  session.on('Page.lifecycleEvent', ({ name }) => {
    if (name === 'networkIdle') resolve();
  });
  await session.send('Page.enable');
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true });
  await promise;
  await session.detach();
}

async function firstPage(browser: Browser): Promise<Page> {
  const [page] = await browser.pages();
  assert.ok(page);
  await idle(page);
  return page;
}

const doors = {
  'a virtual browser': ['/', {}],
  'a process': ['/', { isolation: 'process' }],
  'full Chromium': ['/', { launch: '{"headless":"new"}' }],
  'a stealth browser': ['/stealth', {}],
} as const;

for (const [name, [path, query]] of Object.entries(doors)) {
  test(`${name}: the first page, written several times`, async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: socketUrl(service, path, query) });
    const page = await firstPage(browser);
    for (let time = 0; time < 3; time++) {
      await page.setContent(late(), { waitUntil: 'networkidle0' });
      assert.is(await textOf(page), 'late');
    }
    await browser.close();
  });
}

test('two open requests satisfy networkidle2, one does not satisfy networkidle0', async () => {
  const browser = await puppeteer.connect({ browserWSEndpoint: socketUrl(service, '/') });
  const page = await firstPage(browser);
  await page.setContent(hanging(2), { waitUntil: 'networkidle2' });
  assert.is(await textOf(page), '2 hang');
  const failure = (error: Error) => error.message;
  assert.match(
    await page.setContent(hanging(3), { waitUntil: 'networkidle2', timeout: 1_500 }).then(() => '', failure),
    /timeout/i,
  );
  assert.match(
    await page.setContent(hanging(1), { waitUntil: 'networkidle0', timeout: 1_500 }).then(() => '', failure),
    /timeout/i,
  );
  await page.setContent(late(), { waitUntil: 'networkidle0' });
  assert.is(await textOf(page), 'late');
  await browser.close();
});

test('a page that starts a worker', async () => {
  const browser = await puppeteer.connect({ browserWSEndpoint: socketUrl(service, '/') });
  const page = await firstPage(browser);
  const worker = `<script>new Worker(URL.createObjectURL(new Blob(['1'])))</script>`;
  await page.setContent(late() + worker, { waitUntil: 'networkidle0', timeout: 20_000 });
  assert.is(await textOf(page), 'late');
  await browser.close();
});

test('a frame that is written again, and a page after a navigation', async () => {
  const browser = await puppeteer.connect({ browserWSEndpoint: socketUrl(service, '/') });
  const page = await firstPage(browser);
  await page.setContent('<iframe srcdoc="<p>frame</p>"></iframe>', { waitUntil: 'networkidle0' });
  const [, frame] = page.frames();
  assert.ok(frame);
  await frame.setContent(late(), { waitUntil: 'networkidle0' });
  assert.is(await textOf(frame), 'late');
  await page.goto(`${site.url}/small`, { waitUntil: 'networkidle0' });
  await page.setContent(late(), { waitUntil: 'networkidle0' });
  assert.is(await textOf(page), 'late');
  await browser.close();
});

test('/function: its page was made ahead of the code', async () => {
  const code = `export default async ({ page, context }) => {
    const seen = [];
    for (let time = 0; time < 2; time++) {
      await page.setContent(context.html, { waitUntil: 'networkidle0' });
      seen.push(await page.$eval('p', (element) => element.textContent));
    }
    return seen;
  }`;
  for (let request = 0; request < 3; request++) {
    const reply = await service.post('/function', { code, context: { html: late(request === 0 ? 800 : 300) } });
    succeeded(reply, 'application/json; charset=UTF-8');
    assert.equal(reply.json(), ['late', 'late']);
  }
});
