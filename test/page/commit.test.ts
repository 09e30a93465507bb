// A document that the renderer reports before the browser process has committed it: commands must not be rejected.
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/pages.ts';

const { test, fixture } = pageSuite('document before its commit');
/** Number of pages. About half of them rejected the command before Page.send retried it. */
const pages = 12;

for (const method of ['Page.reload', 'Page.captureScreenshot'] as const) {
  test(`${method} right after a document starts is not rejected`, async () => {
    for (let count = 0; count < pages; count++) {
      await fixture.browser.withPage(async (page) => {
        const { promise, resolve } = Promise.withResolvers<unknown>();
        const stop = page.on('Page.lifecycleEvent', ({ name }) => {
          if (name !== 'init') return;
          stop();
          page.send(method).then(() => resolve('done'), resolve);
        });
        await page.send('Page.navigate', { url: `${fixture.site.url}/small?${count}` });
        assert.is(await promise, 'done');
      });
    }
  });
}
