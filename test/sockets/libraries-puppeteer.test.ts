// Puppeteer 22 to 25 on a CDP socket: a broad flow through the oldest and the newest version and a short one through
// the others, in which no command is refused.
// @tier ci
import { Buffer } from 'node:buffer';
import type { Browser, HTTPRequest, Page, default as puppeteer } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { endAll, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { type RefusedCommands, refusedCommands } from '../support/clients/refused-commands.ts';
import { listFiles, putFile, token } from '../support/clients/session-files.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

type Library = Pick<typeof puppeteer, 'connect'>;

const { test, service, site } = fixtureSuite('Puppeteer through the gate', {
  timeoutMs: 90_000,
  env: { TOKEN: token, TIMEOUT: '90000' },
});
let refusals: RefusedCommands;
/** Cross-site frames run in separate processes and therefore have their own sessions. */
const isolated = { launch: JSON.stringify({ args: ['--site-per-process'] }) };

test.before(() => (refusals = refusedCommands(service)));
test.after.each(() => endAll(service));

/** Runs the action and resolves with the event that it causes. */
async function caused<T>(on: (listener: (value: T) => void) => unknown, action: () => Promise<unknown>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  on(resolve);
  const [value] = await Promise.all([promise, action()]);
  return value;
}

const thorough = ['puppeteer-core-22', 'puppeteer-core'];

for (const name of ['puppeteer-core-22', 'puppeteer-core-23', 'puppeteer-core-24', 'puppeteer-core']) {
  if (thorough.includes(name)) test.differs('CDP clients download into any directory');
  test(`${name}: no command is refused`, async () => {
    // The package name is dynamic, so the newest version's types are used for all versions.
    const library: { default: Library } = await import(name);
    await refusals.takeNew();
    const broad = thorough.includes(name);
    const browser = await library.default.connect({
      browserWSEndpoint: socketUrl(service, '/', broad ? isolated : {}),
      protocolTimeout: 60_000,
    });
    assert.is((await browser.pages()).length, 1);
    const page = await browser.newPage();
    await checkNavigation(page);
    await checkInput(page);
    if (broad) {
      await checkEvents(page);
      await checkInterception(page);
      await checkEmulation(browser, page);
      await checkMeasurements(page);
      await checkFileTransfer(browser, page);
    }
    const context = await browser.createBrowserContext();
    const other = await context.newPage();
    await other.goto(`${site.url}/small`);
    await context.close();
    await page.close();
    await browser.close();
    assert.equal(await refusals.takeNew(), []);
  });
}

async function checkNavigation(page: Page): Promise<void> {
  await page.evaluateOnNewDocument('window.begun = "before the page"');
  await page.goto(`${site.url}/frames`);
  assert.is(await page.evaluate('window.begun'), 'before the page');
  assert.is(page.frames().length, 3);
  const addresses = page.frames().map((frame) => frame.evaluate('location.origin + " " + document.title'));
  const { url, otherUrl } = site;
  assert.equal(await Promise.all(addresses), [`${url} Frames`, `${url} Small`, `${otherUrl} Small`]);
  await page.goto(`${site.url}/small`);
  await page.goBack();
  assert.is(await page.title(), 'Frames');
  await page.reload();
  const cookie = { name: 'sid', value: '7', domain: '127.0.0.1', path: '/' };
  await page.setCookie(cookie);
  await page.goto(`${site.url}/cookies`);
  assert.is(await page.evaluate('document.querySelector("#header").textContent'), 'sid=7');
  assert.equal(
    (await page.cookies()).map((each) => each.value),
    ['7'],
  );
  await page.deleteCookie(cookie);
  assert.equal(await page.cookies(), []);
}

async function checkInput(page: Page): Promise<void> {
  await page.setContent(
    `<input id="name"><select id="kind"><option value="a">A<option value="b">B</select><button id="go"
    onclick="this.textContent = document.querySelector('#name').value">Go</button><iframe srcdoc="<b>inner</b>"></iframe>`,
  );
  await page.type('#name', 'Grüße');
  await page.select('#kind', 'b');
  await page.hover('#go');
  await page.click('#go');
  await page.focus('#name');
  await page.keyboard.press('Backspace');
  await page.touchscreen.tap(5, 5);
  await page.mouse.wheel({ deltaY: 10 });
  assert.is(await page.evaluate('document.querySelector("#go").textContent'), 'Grüße');
  assert.is(
    await page.evaluate('document.querySelector("#name").value + document.querySelector("#kind").value'),
    'Grüßb',
  );
  await page.waitForSelector('text/Grüße');
  await page.waitForFunction('document.querySelector("iframe").contentDocument.body.textContent === "inner"');
  const button = await page.$('::-p-aria(Grüße)');
  assert.ok(await button?.boundingBox());
  assert.ok(await button?.isVisible());
  const tree = await page.accessibility.snapshot();
  assert.ok(tree?.children?.some((child) => child.name === 'Grüße'));
}

async function checkEvents(page: Page): Promise<void> {
  await page.exposeFunction('double', (value: number) => value * 2);
  assert.is(await page.evaluate('double(21)'), 42);
  const message = await caused<{ text(): string }>(
    (listener) => page.once('console', listener),
    () => page.evaluate('console.log("said", 42)'),
  );
  assert.is(message.text(), 'said 42');
  page.once('dialog', (dialog) => void dialog.accept('an answer'));
  assert.is(await page.evaluate('prompt("a question")'), 'an answer');
  const popup = await caused<Page | null>(
    (listener) => page.once('popup', listener),
    () => page.evaluate(`void window.open('${site.url}/small')`),
  );
  await popup?.waitForSelector('h1');
  assert.is(await popup?.title(), 'Small');
  await popup?.close();
  const worker = await caused<{ evaluate(expression: string): Promise<unknown> }>(
    (listener) => page.once('workercreated', listener),
    () => page.evaluate('window.worker = new Worker("data:text/javascript,self.answer = 42"), undefined'),
  );
  await until("the worker's script", async () => (await worker.evaluate('self.answer')) === 42);
  // Puppeteer up to 24 fails to set up the interception below for a worker that ends in the meantime.
  await caused(
    (listener) => page.once('workerdestroyed', listener),
    () => page.evaluate('worker.terminate()'),
  );
}

async function checkInterception(page: Page): Promise<void> {
  await page.setRequestInterception(true);
  const answer = (request: HTTPRequest) => {
    const { pathname } = new URL(request.url());
    if (pathname === '/json') void request.respond({ contentType: 'application/json', body: '{"answer":"ours"}' });
    else if (pathname === '/websocket') void request.abort();
    else void request.continue();
  };
  page.on('request', answer);
  await page.goto(`${site.url}/network`);
  await page.waitForFunction('document.querySelector("#fetched").textContent === \'{"answer":"ours"}\'');
  page.off('request', answer);
  await page.setRequestInterception(false);
  const response = await page.goto(`${site.url}/json`);
  assert.equal(await response?.json(), { answer: 42 });
  await page.authenticate({ username: 'user', password: 'pass' });
  await page.goto(`${site.url}/auth`);
  assert.is(await page.title(), 'let in');
  await page.authenticate(null);
}

async function checkEmulation(browser: Browser, page: Page): Promise<void> {
  await page.setViewport({ width: 400, height: 300, deviceScaleFactor: 2, hasTouch: true });
  await page.setUserAgent('an agent of mine');
  await page.setExtraHTTPHeaders({ 'x-mine': 'yes' });
  await page.emulateTimezone('Asia/Tokyo');
  await page.emulateMediaType('print');
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await page.emulateVisionDeficiency('achromatopsia');
  await page.emulateCPUThrottling(1);
  await page.emulateIdleState({ isUserActive: false, isScreenUnlocked: false });
  await page.emulateNetworkConditions({ download: 1e7, upload: 1e7, latency: 1 });
  await page.setBypassCSP(true);
  await page.setCacheEnabled(false);
  await browser.defaultBrowserContext().overridePermissions(site.url, ['geolocation']);
  await page.setGeolocation({ latitude: 1, longitude: 2 });
  await page.goto(`${site.url}/echo-headers`);
  const headers: Record<string, string> = JSON.parse(
    String(await page.evaluate('document.querySelector("#headers").textContent')),
  );
  assert.equal([headers['user-agent'], headers['x-mine']], ['an agent of mine', 'yes']);
  const seen = await page.evaluate(
    `[innerWidth, devicePixelRatio, new Date(0).getHours(), matchMedia('(prefers-color-scheme: dark)').matches].join(' ')`,
  );
  assert.is(seen, '400 2 9 true');
  const where =
    'new Promise((done, failed) => navigator.geolocation.getCurrentPosition((at) => done(at.coords.longitude), failed))';
  assert.is(await page.evaluate(where), 2);
  await browser.defaultBrowserContext().clearPermissionOverrides();
  await page.setOfflineMode(true);
  assert.is(await page.evaluate('navigator.onLine'), false);
  await page.setOfflineMode(false);
  await page.setJavaScriptEnabled(false);
  await page.goto(`${site.url}/js`);
  assert.is(await page.title(), 'Before');
  await page.setJavaScriptEnabled(true);
  await page.emulateMediaType('screen');
}

async function checkMeasurements(page: Page): Promise<void> {
  await Promise.all([page.coverage.startJSCoverage(), page.coverage.startCSSCoverage()]);
  await page.goto(`${site.url}/network`);
  const [scripts, styles] = await Promise.all([page.coverage.stopJSCoverage(), page.coverage.stopCSSCoverage()]);
  assert.ok(scripts.some(({ url, ranges }) => url.endsWith('/assets/mark.js') && ranges.length > 0));
  assert.ok(styles.some(({ url, ranges }) => url.endsWith('/assets/red.css') && ranges.length > 0));

  await page.tracing.start({ screenshots: true });
  await page.goto(`${site.url}/small`);
  const traced = await page.tracing.stop();
  const { traceEvents }: { traceEvents: unknown[] } = JSON.parse(Buffer.from(traced ?? []).toString());
  assert.ok(traceEvents.length > 100, `${traceEvents.length} events`);

  const print = Buffer.from(await page.pdf({ printBackground: true }));
  assert.match(print.toString('latin1'), /^%PDF-[\s\S]+%%EOF\s*$/);
  const screenshotBytes = Buffer.from(await page.screenshot({ fullPage: true }));
  assert.is(screenshotBytes.subarray(1, 4).toString(), 'PNG');
  assert.ok(((await page.metrics()).Nodes ?? 0) > 0);

  const cdp = await page.createCDPSession();
  let snapshot = '';
  cdp.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => (snapshot += chunk));
  await cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  assert.type(JSON.parse(snapshot).snapshot.node_count, 'number');
  await cdp.send('Profiler.enable');
  await cdp.send('Profiler.start');
  assert.ok((await cdp.send('Profiler.stop')).profile.nodes.length > 0);
  await cdp.detach();
  await page.evaluate('class Mine {}; window.Mine = Mine; window.kept = new Mine(); undefined');
  const prototype = await page.evaluateHandle('Mine.prototype');
  const found = await page.queryObjects(prototype);
  assert.is(await found.getProperty('length').then((length) => length.jsonValue()), 1);
}

/** A file that a chooser accepts, and a download with its events; the client's download directory is not used. */
async function checkFileTransfer(browser: Browser, page: Page): Promise<void> {
  const id = (await sessionsOf(service))[0]?.id ?? '';
  const { path }: { path: string } = (await putFile(service, id, { name: 'mine.txt', body: 'my file' })).json();
  await page.goto(`${site.url}/downloads`);
  await page.evaluate('document.body.insertAdjacentHTML("beforeend", "<input type=file>")');
  const [chooser] = await Promise.all([page.waitForFileChooser(), page.click('input')]);
  await chooser.accept([path]);
  assert.is(await page.evaluate('document.querySelector("input").files[0].text()'), 'my file');

  const cdp = await browser.target().createCDPSession();
  const begun: { guid: string; suggestedFilename: string }[] = [];
  const states: string[] = [];
  cdp.on('Browser.downloadWillBegin', (event) => begun.push(event));
  cdp.on('Browser.downloadProgress', ({ state }) => states.push(state));
  await cdp.send('Browser.setDownloadBehavior', {
    behavior: 'allowAndName',
    downloadPath: '/home/somebody/downloads',
    eventsEnabled: true,
  });
  await page.click('#note');
  await until('the download to be complete', () => states.includes('completed'));
  assert.equal(
    begun.map(({ suggestedFilename }) => suggestedFilename),
    ['Grüße.txt'],
  );
  const guid = begun[0]?.guid ?? '';
  await until('the file', async () => (await listFiles(service, id)).files.some((file) => file.name === guid));
  assert.is((await service.get(`/session-files/${id}/${guid}`)).text, 'a note of the site\n');
}
