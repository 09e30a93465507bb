// The start page of a session before its first client: Chromium's renderer tells of a document some milliseconds before
// the target of the page has its address. Slow renderers make that time long enough to be seen.
import * as assert from 'uvu/assert';
import { openStartPage } from '../../src/sessions/lifecycle/start-page.ts';
import { TargetWatch } from '../../src/sessions/lifecycle/targets.ts';
import { startPageBrowser } from '../support/pages.ts';
import { suite } from '../support/suite.ts';

const test = suite('address of the start page', { timeoutMs: 120_000 });
/** Six of twelve pages or so had no address while openStartPage did not wait for it. */
const pages = 12;
/** How many times slower the renderer runs. */
const slowness = 15;

test('a page that was opened has an address: clients that connect leave out pages without', async () => {
  await using browser = await startPageBrowser();
  const { connection } = browser.process;
  const { root } = connection;
  const judge = { mayDrive: () => true, mayShow: () => true, endsSession: () => false };
  // As in a session, the browser reports its targets.
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
    // openStartPage takes the first page: the next round must find only its own.
    await gone;
  }
});
