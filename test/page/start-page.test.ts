// The start page of a session before its first client: Chromium's renderer reports a document a few milliseconds before
// the page's target has its URL. Slow renderers make that gap long enough to observe.
import * as assert from 'uvu/assert';
import { openStartPage } from '../../src/sessions/lifecycle/start-page.ts';
import { TargetWatch } from '../../src/sessions/lifecycle/targets.ts';
import { startPageBrowser } from '../support/pages.ts';
import { suite } from '../support/suite.ts';

const test = suite('address of the start page', { timeoutMs: 120_000 });
/** Number of pages. About six of twelve had no URL before openStartPage waited for it. */
const pages = 12;
/** How many times slower the renderer runs. */
const slowness = 15;

test('an opened page has its URL, because connecting clients ignore pages without one', async () => {
  await using browser = await startPageBrowser();
  const { connection } = browser.process;
  const { root } = connection;
  const judge = { mayDrive: () => true, mayShow: () => true, endsSession: () => false };
  // Make the browser report its targets, as in a session.
  await new TargetWatch(root, judge).start({ opened() {}, closed() {}, fileShown() {} });
  for (let count = 0; count < pages; count++) {
    const url = count % 2 === 0 ? 'data:text/html,<title>here</title>' : 'about:blank';
    const { targetId } = await root.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    await connection.session(sessionId).send('Emulation.setCPUThrottlingRate', { rate: slowness });
    await openStartPage(browser, url, new AbortController().signal);
    const { targetInfo } = await root.send('Target.getTargetInfo', { targetId });
    assert.is(targetInfo.url, url);
    const gone = root.once('Target.targetDestroyed', (event) => event.targetId === targetId);
    await root.send('Target.closeTarget', { targetId });
    // openStartPage uses the first page, so the next round must find only its own page.
    await gone;
  }
});
