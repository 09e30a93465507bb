// Playwright's connectOverCDP, 1.50 to 1.65, on a CDP socket: a broad flow through the oldest and the newest version, a
// short one through the others, in which the only refused commands are those that the library expects to fail.
// @tier ci
import { Buffer } from 'node:buffer';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import {
  loadPlaywright,
  minorOf,
  type PlaywrightVersion,
  playwrightVersions,
} from '../../src/sessions/playwright/versions.ts';
import { endAll, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { type RefusedCommands, refusedCommands } from '../support/clients/refused-commands.ts';
import { version } from '../support/clients/playwright.ts';
import { listFiles, token } from '../support/clients/session-files.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('Playwright over CDP through the gate', {
  timeoutMs: 90_000,
  env: { TOKEN: token, TIMEOUT: '90000' },
});
let refusals: RefusedCommands;
/** Cross-site frames run in separate processes and therefore have their own sessions. */
const isolated = { launch: JSON.stringify({ args: ['--site-per-process'] }) };
let directory: string;

test.before(() => {
  directory = temporaryDirectory();
  refusals = refusedCommands(service);
});
test.after.each(() => endAll(service));

/** Connects with a version of the library. */
async function connectOverCdp(release: PlaywrightVersion, query = {}): Promise<Browser> {
  const { chromium } = await loadPlaywright(release);
  return chromium.connectOverCDP(socketUrl(service, '/', query), { timeout: 60_000 });
}

const firstContext = (browser: Browser): BrowserContext => {
  const [context] = browser.contexts();
  if (!context) throw new Error('there is no default context');
  return context;
};

const thorough = ['1.50', '1.65'];

for (const each of playwrightVersions) {
  const minor = minorOf(each.version);
  test(`${minor}: no command is refused`, async () => {
    await refusals.takeNew();
    const broad = thorough.includes(minor);
    const browser = await connectOverCdp(each, broad ? isolated : {});
    await (broad ? broadFlow(browser) : shortFlow(browser));
    await browser.close();
    assert.equal(await refusals.takeNew(), []);
  });
}

async function shortFlow(browser: Browser): Promise<void> {
  const page = await firstContext(browser).newPage();
  await page.goto(`${site.url}/frames`);
  assert.equal(
    page.frames().map((frame) => new URL(frame.url()).pathname),
    ['/frames', '/small', '/small'],
  );
  await page.setContent(
    '<input><button onclick="this.textContent = document.querySelector(\'input\').value">Go</button>',
  );
  await page.fill('input', 'Grüße');
  await page.click('button');
  assert.is(await page.textContent('button'), 'Grüße');
  assert.is((await page.screenshot()).subarray(1, 4).toString(), 'PNG');
}

async function broadFlow(browser: Browser): Promise<void> {
  await checkDefaultContext(browser);
  const context = await browser.newContext({
    viewport: { width: 400, height: 300 },
    deviceScaleFactor: 2,
    locale: 'ja-JP',
    timezoneId: 'Asia/Tokyo',
    colorScheme: 'dark',
    userAgent: 'an agent of mine',
    extraHTTPHeaders: { 'x-mine': 'yes' },
    geolocation: { latitude: 1, longitude: 2 },
    permissions: ['geolocation'],
    httpCredentials: { username: 'user', password: 'pass' },
    serviceWorkers: 'allow',
    recordHar: { path: join(directory, 'all.har') },
  });
  await context.addInitScript('window.begun = "before the page"');
  await context.exposeFunction('double', (value: number) => value * 2);
  await context.tracing.start({ screenshots: true, snapshots: true });
  const page = await context.newPage();
  await checkEmulation(page);
  await checkEvents(page);
  await checkInterception(page);
  await checkMeasurements(page);
  await checkFileInputs(page);
  await context.setOffline(true);
  assert.is(await page.evaluate('navigator.onLine'), false);
  await context.tracing.stop({ path: join(directory, 'trace.zip') });
  await context.close();
  const har: { log: { entries: { request: { url: string } }[] } } = JSON.parse(
    readFileSync(join(directory, 'all.har'), 'utf8'),
  );
  assert.ok(har.log.entries.some(({ request }) => request.url === `${site.url}/json`));
  const trace = readFileSync(join(directory, 'trace.zip'));
  assert.is(trace.subarray(0, 2).toString(), 'PK');
  assert.ok(trace.includes('trace.network') && trace.length > 5_000, `${trace.length} bytes`);
}

async function checkDefaultContext(browser: Browser): Promise<void> {
  const context = firstContext(browser);
  assert.is(browser.contexts().length, 1);
  assert.equal(
    context.pages().map((page) => page.url()),
    ['about:blank'],
  );
  await context.addCookies([{ name: 'sid', value: '7', url: site.url }]);
  await context.grantPermissions(['geolocation'], { origin: site.url });
  const page = await context.newPage();
  await page.goto(`${site.url}/cookies`);
  assert.is(await page.textContent('#header'), 'sid=7');
  const permission = 'navigator.permissions.query({ name: "geolocation" }).then(({ state }) => state)';
  assert.is(await page.evaluate(permission), 'granted');
  await context.clearPermissions();
  assert.is(await page.evaluate(permission), 'prompt');
  assert.equal(
    (await context.cookies()).map(({ value }) => value),
    ['7'],
  );
  await context.clearCookies();
  assert.equal(await context.cookies(), []);
  await page.evaluate('localStorage.kept = "yes"');
  const { origins } = await context.storageState();
  assert.equal(origins[0]?.localStorage, [{ name: 'kept', value: 'yes' }]);
  await page.close();
  assert.is(context.pages().length, 1);
}

async function checkEmulation(page: Page): Promise<void> {
  await page.goto(`${site.url}/echo-headers`);
  const headers: Record<string, string> = JSON.parse((await page.textContent('#headers')) ?? '');
  assert.equal([headers['user-agent'], headers['x-mine']], ['an agent of mine', 'yes']);
  const seen = await page.evaluate(`[window.begun, innerWidth, devicePixelRatio, navigator.language,
    new Date(0).getHours(), matchMedia('(prefers-color-scheme: dark)').matches].join(' ')`);
  assert.is(seen, 'before the page 400 2 ja-JP 9 true');
  await page.emulateMedia({ media: 'print', reducedMotion: 'reduce', forcedColors: 'active' });
  assert.is(await page.evaluate('matchMedia("print").matches'), true);
  await page.emulateMedia({ media: null });
  const where =
    'new Promise((done, failed) => navigator.geolocation.getCurrentPosition((at) => done(at.coords.longitude), failed))';
  assert.is(await page.evaluate(where), 2);
  await page.goto(`${site.url}/auth`);
  assert.is(await page.title(), 'let in');
  await page.setViewportSize({ width: 500, height: 300 });
  assert.is(await page.evaluate('innerWidth'), 500);
}

async function checkEvents(page: Page): Promise<void> {
  await page.goto(`${site.url}/frames`);
  const addresses = page.frames().map((frame) => frame.evaluate('location.origin + " " + document.title'));
  const { url, otherUrl } = site;
  assert.equal(await Promise.all(addresses), [`${url} Frames`, `${url} Small`, `${otherUrl} Small`]);
  assert.is(await page.evaluate('double(21)'), 42);
  const [message] = await Promise.all([page.waitForEvent('console'), page.evaluate('console.log("said", 42)')]);
  assert.is(message.text(), 'said 42');
  page.once('dialog', (dialog) => void dialog.accept('an answer'));
  assert.is(await page.evaluate('prompt("a question")'), 'an answer');
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(`void window.open('${site.url}/small')`),
  ]);
  await popup.waitForSelector('h1');
  assert.is(await popup.title(), 'Small');
  await popup.close();
  const [worker] = await Promise.all([
    page.waitForEvent('worker'),
    page.evaluate('window.worker = new Worker("data:text/javascript,self.answer = 42"), undefined'),
  ]);
  await until("the worker's script", async () => (await worker.evaluate('self.answer')) === 42);
  const closed = new Promise((resolve) => worker.once('close', resolve));
  await Promise.all([closed, page.evaluate('worker.terminate()')]);
}

async function checkInterception(page: Page): Promise<void> {
  await page.route('**/json', (route) => route.fulfill({ json: { answer: 'ours' } }));
  await page.route('**/images/**', (route) => route.abort());
  await page.route('**/assets/**', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-more': '1' } }),
  );
  await page.goto(`${site.url}/network`);
  await page.waitForFunction('document.querySelector("#fetched").textContent.includes("ours")');
  assert.is((await site.waitForRequest('/assets/mark.js')).headers['x-more'], '1');
  await page.unrouteAll();
  const response = await page.goto(`${site.url}/json`);
  assert.equal(await response?.json(), { answer: 42 });
  assert.equal(await (await page.request.get(`${site.url}/json`)).json(), { answer: 42 });
}

async function checkMeasurements(page: Page): Promise<void> {
  await Promise.all([page.coverage.startJSCoverage(), page.coverage.startCSSCoverage()]);
  await page.goto(`${site.url}/network`);
  const [scripts, styles] = await Promise.all([page.coverage.stopJSCoverage(), page.coverage.stopCSSCoverage()]);
  assert.ok(scripts.some(({ url, functions }) => url.endsWith('/assets/mark.js') && functions.length > 0));
  assert.ok(styles.some(({ url, ranges }) => url.endsWith('/assets/red.css') && ranges.length > 0));
  assert.match((await page.pdf()).toString('latin1'), /^%PDF-[\s\S]+%%EOF\s*$/);
  assert.is((await page.screenshot({ fullPage: true })).subarray(1, 4).toString(), 'PNG');
  const cdp = await page.context().newCDPSession(page);
  let snapshot = '';
  cdp.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => (snapshot += chunk));
  await cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  assert.type(JSON.parse(snapshot).snapshot.node_count, 'number');
  await cdp.detach();
}

/** Uploads with their content, which Playwright sends as base64 regardless of size, and by the path of a client's file. */
async function checkFileInputs(page: Page): Promise<void> {
  await page.setContent('<input type="file" multiple>');
  const sizes = [5, 100_000];
  const files = sizes.map((size) => ({ name: `${size}.txt`, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'x') }));
  await page.setInputFiles('input', files);
  const read = `Promise.all(Array.from(document.querySelector('input').files, async (file) =>
    file.name + ' ' + (await file.text()).replace(/^x+$/, (all) => all.length)))`;
  assert.equal(await page.evaluate(read), ['5.txt 5', '100000.txt 100000']);
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('input')]);
  await chooser.setFiles({ name: 'chosen.txt', mimeType: 'text/plain', buffer: Buffer.from('xx') });
  assert.equal(await page.evaluate(read), ['chosen.txt 2']);
  const path = join(directory, 'mine.txt');
  writeFileSync(path, 'xxx');
  await page.setInputFiles('input', path);
  assert.equal(await page.evaluate(read), ['mine.txt 3']);
}

for (const minor of ['1.50', '1.65']) {
  test(`${minor}: a download has its event and name in every context, and its content is served over HTTP`, async () => {
    const browser = await connectOverCdp(version(minor));
    const [entry] = await sessionsOf(service);
    const id = entry?.id ?? '';
    for (const [index, context] of [firstContext(browser), await browser.newContext()].entries()) {
      const page = await context.newPage();
      await page.goto(`${site.url}/downloads`);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('#note')]);
      assert.is(download.suggestedFilename(), 'Grüße.txt');
      assert.is(download.url(), `${site.url}/files/note.txt`);
      assert.is(await download.failure(), null);
      await until('the file', async () => (await listFiles(service, id)).files.length === index + 1);
      for (const { name } of (await listFiles(service, id)).files) {
        const answer = await service.get(`/session-files/${id}/${encodeURIComponent(name)}`);
        assert.is(answer.text, 'a note of the site\n');
      }
      // Playwright assumes that the browser wrote to a directory on the client's machine.
      assert.not.ok(existsSync(await download.path()));
      const saved = await download.saveAs(join(directory, 'saved')).then(() => 'saved', String);
      assert.match(saved, 'ENOENT');
    }
    await browser.close();
  });
}

const registry = process.env['PLAYWRIGHT_BROWSERS_PATH'] ?? join(homedir(), '.cache', 'ms-playwright');
const video = async () => {
  const browser = await connectOverCdp(version('1.65'));
  const context = await browser.newContext({ recordVideo: { dir: directory } });
  const page = await context.newPage();
  await page.goto(`${site.url}/small`);
  const recording = page.video();
  await context.close();
  // The first bytes of every WebM file: the EBML identifier.
  assert.equal([...readFileSync((await recording?.path()) ?? '').subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
  await browser.close();
};
const videoTitle = 'a video of a context is recorded on the client';
if (globSync(join(registry, 'ffmpeg-*')).length > 0) test(videoTitle, video);
else test.skip(videoTitle, "Playwright's ffmpeg is not installed", { impossibleInCi: true });
