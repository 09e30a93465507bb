// chrome-remote-interface and Lighthouse work through the gate without a refused command; files, and proxies of
// contexts that clients create, with each library's own API.
import { Buffer } from 'node:buffer';
import CDP from 'chrome-remote-interface';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import * as assert from 'uvu/assert';
import { endAll, socketUrl } from '../support/clients/clients.ts';
import { startHttpProxy, type TestProxy } from '../support/clients/proxies.ts';
import { type RefusedCommands, refusedCommands } from '../support/clients/refused-commands.ts';
import { fileNames, openSession, putFile, token } from '../support/clients/session-files.ts';
import { succeeded } from '../support/checks/expect.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('libraries, files and proxies through the gate', {
  timeoutMs: 120_000,
  env: () => {
    root = temporaryDirectory();
    mkdirSync(shared());
    return { TOKEN: token, SHARED_FILE_DIRS: shared(), TIMEOUT: '110000' };
  },
});
let refusals: RefusedCommands;
let proxy: TestProxy;
let root: string;
const shared = () => join(root, 'shared');

test.before(async () => {
  proxy = await startHttpProxy({ accepts: () => true });
  refusals = refusedCommands(service);
});
test.after(() => proxy.close());
test.after.each(() => endAll(service));

test('chrome-remote-interface: no command in a broad flow is refused', async () => {
  await refusals.takeNew();
  const browser = await CDP({ target: socketUrl(service, '/'), local: true });
  await browser.Target.setDiscoverTargets({ discover: true });
  const { browserContextId } = await browser.Target.createBrowserContext({});
  const { targetId } = await browser.Target.createTarget({ url: 'about:blank', browserContextId });
  const page = await CDP({ target: socketUrl(service, `/devtools/page/${targetId}`), local: true });
  const { Page, Runtime, Network, DOM, Input, Profiler, HeapProfiler, CSS, IO, Fetch, Performance, Log } = page;
  await Promise.all([Page.enable(), Runtime.enable(), Network.enable({}), DOM.enable({}), Log.enable()]);
  await Page.addScriptToEvaluateOnNewDocument({ source: 'window.begun = "before the page"' });
  const loaded = Page.loadEventFired();
  await Page.navigate({ url: `${site.url}/network` });
  await loaded;
  const valueOf = async (expression: string): Promise<unknown> =>
    (await Runtime.evaluate({ expression, returnByValue: true, awaitPromise: true })).result.value;
  assert.is(await valueOf('window.begun'), 'before the page');
  await Network.setCookie({ name: 'sid', value: '7', url: site.url });
  assert.equal(
    (await Network.getCookies({})).cookies.map(({ value }) => value),
    ['7'],
  );
  const { root: top } = await DOM.getDocument({});
  const { nodeId } = await DOM.querySelector({ nodeId: top.nodeId, selector: 'h1' });
  assert.is((await DOM.getOuterHTML({ nodeId })).outerHTML, '<h1>Network</h1>');
  await Input.dispatchMouseEvent({ type: 'mouseMoved', x: 5, y: 5 });
  await Input.insertText({ text: 'x' });
  await Fetch.enable({ patterns: [{ urlPattern: '*/json' }] });
  const paused = Fetch.requestPaused();
  const fetched = valueOf('fetch("/json").then((answer) => answer.text())');
  const { requestId } = await paused;
  await Fetch.fulfillRequest({ requestId, responseCode: 200, body: Buffer.from('ours').toString('base64') });
  assert.is(await fetched, 'ours');
  await Fetch.disable();
  await Profiler.enable();
  await Profiler.startPreciseCoverage({ callCount: true, detailed: true });
  await CSS.enable();
  await CSS.startRuleUsageTracking();
  await valueOf('(() => 1)()');
  assert.ok((await Profiler.takePreciseCoverage()).result.length > 0);
  assert.ok((await CSS.stopRuleUsageTracking()).ruleUsage.length > 0);
  let heap = '';
  HeapProfiler.addHeapSnapshotChunk(({ chunk }) => (heap += chunk));
  await HeapProfiler.takeHeapSnapshot({});
  assert.type(JSON.parse(heap).snapshot.node_count, 'number');
  await Performance.enable({});
  assert.ok((await Performance.getMetrics()).metrics.length > 5);
  const { stream = '' } = await Page.printToPDF({ transferMode: 'ReturnAsStream' });
  const { data } = await IO.read({ handle: stream });
  assert.match(Buffer.from(data, 'base64').toString('latin1'), /^%PDF/);
  await IO.close({ handle: stream });
  const dialog = Page.javascriptDialogOpening();
  const answered = valueOf('confirm("sure?")');
  assert.is((await dialog).message, 'sure?');
  await Page.handleJavaScriptDialog({ accept: true });
  assert.is(await answered, true);
  assert.match(Buffer.from((await Page.captureScreenshot({})).data, 'base64').toString('latin1'), /^.PNG/);
  await page.close();
  await browser.Target.disposeBrowserContext({ browserContextId });
  await browser.close();
  assert.equal(await refusals.takeNew(), []);
});

interface Report {
  data: {
    runtimeError?: object;
    categories: Record<string, { score: number | null }>;
    audits: Record<string, { scoreDisplayMode: string; errorMessage?: string }>;
  };
}

test('Lighthouse: no command in a complete audit is refused', async () => {
  const reply = succeeded(await service.post('/performance', { url: `${site.url}/network` }));
  const { data } = reply.json<Report>();
  assert.is(data.runtimeError, undefined);
  assert.type(data.categories['performance']?.score, 'number');
  const failed = Object.entries(data.audits).filter(([, { scoreDisplayMode }]) => scoreDisplayMode === 'error');
  assert.equal(failed, []);
  assert.ok(data.audits['bf-cache'], "the audit that navigates to one of the browser's own pages");
  assert.equal(
    service.logs().filter(({ event }) => event === 'audit.command-refused'),
    [],
  );
});

/** A page with a file input, driven over a bare socket. */
async function openInput() {
  const { client, id } = await openSession(service);
  const { result } = await client.send('Target.createTarget', { url: `${site.url}/downloads` });
  const attached = await client.send('Target.attachToTarget', { targetId: result?.['targetId'], flatten: true });
  const sessionId = String(attached.result?.['sessionId']);
  const evaluate = async (expression: string, more: object = { returnByValue: true }) => {
    const answer = await client.send('Runtime.evaluate', { expression, awaitPromise: true, ...more }, sessionId);
    return answer.result?.['result'] as { value?: unknown; objectId?: string }; // As the protocol defines.
  };
  await until('the page', async () => (await evaluate('document.querySelector("#cut") !== null')).value);
  await evaluate('document.body.insertAdjacentHTML("beforeend", "<input type=file>")');
  const { objectId } = await evaluate('document.querySelector("input")', {});
  return {
    client,
    id,
    choose: (file: string) => client.send('DOM.setFileInputFiles', { files: [file], objectId }, sessionId),
    click: (link: string) => evaluate(`document.querySelector('#${link}').click()`),
    /** The name, size and SHA-256 of the chosen file. */
    chosen: async () =>
      (
        await evaluate(`(async () => { const [file] = document.querySelector('input').files;
          const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
          return [file.name, file.size, Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')].join(' '); })()`)
      ).value,
  };
}

const describe = (name: string, bytes: Buffer) =>
  `${name} ${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;

test.differs('CDP clients name files on the server');
test('DOM.setFileInputFiles accepts the name of a file sent with PUT, and of a 1 MiB file from Browserless.uploadFile', async () => {
  const page = await openInput();
  const put = Buffer.from('a file by PUT');
  await putFile(service, page.id, { name: 'put.txt', body: put });
  assert.equal((await page.choose('put.txt')).result, {});
  assert.is(await page.chosen(), describe('put.txt', put));
  const large = Buffer.alloc(2 ** 20, 'abc');
  const { result } = await page.client.send('Browserless.uploadFile', {
    name: 'large.bin',
    data: large.toString('base64'),
  });
  assert.equal([result?.['error'], result?.['size']], [null, large.length]);
  assert.equal((await page.choose('large.bin')).result, {});
  assert.is(await page.chosen(), describe('large.bin', large));
  const outside = join(root, 'outside.txt');
  writeFileSync(outside, 'not shared');
  for (const named of [outside, '/etc/passwd', 'no-such.txt', `${shared()}/../outside.txt`]) {
    assert.match((await page.choose(named)).error?.message ?? '', /cannot read .* PUT \/session-files\//, named);
  }
  assert.is(await page.chosen(), describe('large.bin', large), 'the choice has not changed');
});

test.proves('SHARED_FILE_DIRS');
test('SHARED_FILE_DIRS: pages can use files from there, and download there if a client specifies it, but nowhere else', async () => {
  const page = await openInput();
  const bytes = Buffer.from('a shared file');
  writeFileSync(join(shared(), 'shared.txt'), bytes);
  assert.equal((await page.choose(join(shared(), 'shared.txt'))).result, {});
  assert.is(await page.chosen(), describe('shared.txt', bytes));
  const allow = (downloadPath: string) =>
    page.client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath, eventsEnabled: true });
  assert.equal((await allow(shared())).result, {});
  await page.click('free');
  // Chromium reserves the name with an empty file.
  const size = () => statSync(join(shared(), 'free.csv'), { throwIfNoEntry: false })?.size ?? 0;
  await until('the shared download', () => size() > 0);
  assert.is(readFileSync(join(shared(), 'free.csv'), 'utf8'), 'a,b\n1,2\n');
  assert.equal(await fileNames(service, page.id), []);
  assert.equal((await allow(join(root, 'elsewhere'))).result, {});
  await page.click('note');
  await until('the other download', async () => (await fileNames(service, page.id)).length > 0);
  assert.not.ok(readdirSync(root).includes('elsewhere'));
});

test("Playwright: a context's proxy applies to that context only", async () => {
  proxy.seen.length = 0;
  await refusals.takeNew();
  const browser = await chromium.connectOverCDP(socketUrl(service, '/'));
  const server = `http://127.0.0.1:${proxy.port}`;
  const context = await browser.newContext({ proxy: { server } });
  const page = await context.newPage();
  await page.goto(`${site.url}/small`);
  assert.is(await page.title(), 'Small');
  assert.ok(proxy.targets().includes(`GET ${site.url}/small`));
  const plain = await browser.newContext();
  await (await plain.newPage()).goto(`${site.url}/json`);
  assert.not.ok(proxy.targets().includes(`GET ${site.url}/json`));
  assert.equal(await refusals.takeNew(), []);
  const cdp = await browser.newBrowserCDPSession();
  const direct = await cdp.send('Target.createBrowserContext', { proxyServer: 'direct://' }).then(
    () => 'made',
    (error: unknown) => String(error),
  );
  assert.match(direct, 'must be a proxy');
  await browser.close();
});
