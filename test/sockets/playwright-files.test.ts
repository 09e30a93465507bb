// CDPSessions of Playwright clients: what they are not allowed to do, and that Playwright's own file transfers work.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { connectPlaywright } from '../support/clients/playwright.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { missing } from '../support/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { test, service, site } = fixtureSuite('CDPSessions of Playwright clients', {
  timeoutMs: 120_000,
  env: { TOKEN: 'secret-token', TIMEOUT: '120000', SPARES: '0', MAX_SESSION_FILES_MB: '2' },
});
let directory: string;

test.before(() => (directory = temporaryDirectory()));

const reasonOf = (doing: Promise<unknown>) =>
  doing.then(
    () => 'it worked',
    (error: Error) => error.message,
  );

test("the server's files, the browser's internal pages and unknown methods are refused, and the session continues", async () => {
  const secret = join(directory, 'secret.txt');
  writeFileSync(secret, 'a secret of the server');
  const browser = await connectPlaywright(service);
  const page = await browser.newPage();
  await page.setContent('<input type=file>');
  const cdp = await page.context().newCDPSession(page);
  const { root } = await cdp.send('DOM.getDocument');
  const { nodeId } = await cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input' });
  assert.match(await reasonOf(cdp.send('DOM.setFileInputFiles', { nodeId, files: [secret] })), 'cannot read');
  assert.is(await page.evaluate('document.querySelector("input").files.length'), 0);
  for (const url of [`file://${secret}`, 'chrome://version', 'view-source:http://a.test/', 'devtools://devtools/x']) {
    assert.match(
      await reasonOf(cdp.send('Page.navigate', { url })),
      /Protocol error \(Page\.navigate\): The scheme/,
      url,
    );
  }
  const { targetInfo } = await cdp.send('Target.getTargetInfo');
  const exposed = cdp.send('Target.exposeDevToolsProtocol', { targetId: targetInfo.targetId });
  assert.match(await reasonOf(exposed), /Protocol error \(Target\.exposeDevToolsProtocol\)/);
  // A method that this version of the library does not know.
  const unknown = Reflect.apply(cdp.send, cdp, ['No.such']);
  assert.match(await reasonOf(unknown), "Protocol error (No.such): 'No.such' wasn't found");
  const { result } = await cdp.send('Runtime.evaluate', { expression: '6 * 7' });
  assert.is(result.value, 42);
  await browser.close();
});

test('downloads reach the client, even if a CDPSession specifies a directory on the server', async () => {
  const elsewhere = join(directory, 'elsewhere');
  const browser = await connectPlaywright(service);
  const page = await browser.newPage();
  const ofPage = await page.context().newCDPSession(page);
  const ofBrowser = await browser.newBrowserCDPSession();
  await ofPage.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: elsewhere });
  const { targetInfo } = await ofPage.send('Target.getTargetInfo');
  await ofBrowser.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath: elsewhere,
    ...(targetInfo.browserContextId === undefined ? {} : { browserContextId: targetInfo.browserContextId }),
  });
  await page.setContent('<a download="report.txt" href="data:text/plain,the%20report">get</a>');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('a')]);
  assert.is(download.suggestedFilename(), 'report.txt');
  const path = join(directory, 'report.txt');
  await download.saveAs(path);
  assert.is(readFileSync(path, 'utf8'), 'the report');
  assert.not.ok(existsSync(elsewhere));
  await browser.close();
});

test('uploaded files, traces and HAR files work', async () => {
  const browser = await connectPlaywright(service);
  const har = join(directory, 'visit.har');
  const context = await browser.newContext({ recordHar: { path: har } });
  await context.tracing.start({ screenshots: true, snapshots: true });
  const page = await context.newPage();
  await page.goto(`${site.url}/`);
  await page.setContent('<input type=file>');
  await page.setInputFiles('input', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('bytes') });
  assert.is(await page.evaluate('document.querySelector("input").files[0].text()'), 'bytes');
  const trace = join(directory, 'trace.zip');
  await context.tracing.stop({ path: trace });
  assert.is(readFileSync(trace).subarray(0, 2).toString(), 'PK');
  await context.close();
  assert.match(readFileSync(har, 'utf8'), site.url);
  await browser.close();
});

const reason = missing('a full Chromium');
if (reason !== undefined) test.skip('keys in a full browser', reason);
else {
  test("Playwright's keys reach the page but not the window of a full browser", async () => {
    const browser = await connectPlaywright(service, '/chromium/playwright', { launch: '{"headless":"new"}' });
    const all = await browser.newBrowserCDPSession();
    const shown = async () =>
      (await all.send('Target.getTargets')).targetInfos.filter(({ type }) => type === 'page').map(({ url }) => url);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.setContent(
      '<input autofocus value="text"><script>onkeydown = ({ key }) => (window.last = key)</script>',
    );
    const before = await shown();
    const cdp = await context.newCDPSession(page);
    const keys = ['j', 'h', 'u', 't', 'n', 'Shift+I', 'Shift+O', 'Shift+N'].map((key) => `Control+${key}`);
    for (const key of [...keys, 'F12']) {
      await page.keyboard.press(key);
      assert.is(await page.evaluate('window.last'), key.split('+').at(-1));
    }
    for (const [key, code] of [
      ['j', 74],
      ['t', 84],
    ] as const) {
      const pressed = { key, windowsVirtualKeyCode: code, nativeVirtualKeyCode: code, modifiers: 2 };
      await cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed });
      await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed });
    }
    // A window opened by a key would appear before one that is requested now.
    const last = await context.newPage();
    await last.goto('data:text/html,last');
    assert.equal((await shown()).toSorted(), [...before, 'data:text/html,last'].toSorted());
    await browser.close();
  });
}

test('uploaded files count against MAX_SESSION_FILES_MB, and the session continues', async () => {
  const browser = await connectPlaywright(service);
  const page = await browser.newPage();
  await page.setContent('<input type=file>');
  const file = (name: string, bytes: number) => {
    const path = join(directory, name);
    writeFileSync(path, Buffer.alloc(bytes, 'x'));
    return path;
  };
  assert.is(await reasonOf(page.setInputFiles('input', file('first.txt', 1_500_000))), 'it worked');
  assert.match(await reasonOf(page.setInputFiles('input', file('second.txt', 1_500_000))), 'MAX_SESSION_FILES_MB');
  assert.is(await page.evaluate('document.querySelector("input").files[0].size'), 1_500_000);
  await browser.close();
});
