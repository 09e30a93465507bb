// The page driver: navigating to URLs, setting HTML, and outcomes of both that test/fields does not test.
import * as assert from 'uvu/assert';
import { readContent } from '../../src/browser/page/capture/content.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import { setContent } from '../../src/browser/page/load/set-content.ts';
import { gotoDefaults, pageSuite } from '../support/pages.ts';
import { problemOf } from '../support/refusals.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = pageSuite('page: navigation');

test('follows a script redirect during the load', () =>
  fixture.browser.withPage(async (page) => {
    const response = await navigate(page, `${fixture.site.url}/refresh?script&to=/small`, gotoDefaults);
    assert.is(response?.url, `${fixture.site.url}/small`);
    assert.match(await readContent(page), '<h1>Small</h1>');
  }));

test.peer('REST routes', 'content: reading is retried if a navigation interrupts it');
test('reads the next page after a refresh', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/refresh?to=/small`, gotoDefaults);
    await page.sleep(200);
    assert.match(await readContent(page), '<h1>Small</h1>');
  }));

for (const event of ['domcontentloaded', 'load', 'networkidle2', 'networkidle0'] as const) {
  test(`waits for ${event}`, () =>
    fixture.browser.withPage(async (page) => {
      const began = performance.now();
      await navigate(page, `${fixture.site.url}/small`, { ...gotoDefaults, waitUntil: [event] });
      const took = performance.now() - began;
      if (event.startsWith('networkidle')) assert.ok(took >= 490, `idle requires 500 ms without traffic, took ${took}`);
      assert.match(await readContent(page), 'Small');
    }));
}

test('a download and an empty response are rejected with what to use instead', () =>
  fixture.browser.withPage(async (page) => {
    const download = await problemOf(navigate(page, `${fixture.site.url}/download`, gotoDefaults));
    assert.is(download.code, 'bad-request');
    assert.match(download.message, '/download');
    const empty = await problemOf(navigate(page, `${fixture.site.url}/status/204`, gotoDefaults));
    assert.is(empty.code, 'bad-request');
    assert.match(empty.message, '204');
  }));

test('a page that starts a download after loading is still a page', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/download-page`, gotoDefaults);
    assert.match(await readContent(page), 'Download page');
  }));

test.differs('A request with `bestAttempt` may hang until its limit');
test('bestAttempt: a document that never arrives does not hang', () =>
  fixture.browser.withPage(async (page) => {
    const began = idleNow();
    await navigate(page, `${fixture.site.url}/hang`, { ...gotoDefaults, timeout: 200, bestAttempt: true });
    assert.is(await readContent(page), '<html><head></head><body></body></html>');
    assert.ok(idleNow() - began < 3_000);
  }));

test('html: runs scripts, loads images, has the URL about:blank', () =>
  fixture.browser.withPage(async (page) => {
    const html = `<!doctype html><title>x</title><p id="p"></p><img src="${fixture.site.url}/images/red.png"><script>
      onload = () => { p.textContent = location.href + ' ' + document.images[0].naturalWidth + ' ' + document.compatMode; }</script>`;
    await setContent(page, html, gotoDefaults);
    assert.match(await readContent(page), '<p id="p">about:blank 32 CSS1Compat</p>');
  }));

test.peer('REST routes', 'html: network idle values are removed from waitUntil, others stay');
test('html: load waits for a slow resource, domcontentloaded does not, networkidle0 works', () =>
  fixture.browser.withPage(async (page) => {
    const html = `<img src="${fixture.site.url}/slow?ms=400">`;
    const began = performance.now();
    await setContent(page, html, gotoDefaults);
    assert.ok(performance.now() - began >= 390);
    const again = idleNow();
    await setContent(page, `${html}<p>2`, { ...gotoDefaults, waitUntil: ['domcontentloaded'] });
    assert.ok(idleNow() - again < 390);
    await setContent(page, '<p>idle', { ...gotoDefaults, waitUntil: ['networkidle0'] });
    assert.match(await readContent(page), 'idle');
  }));

test('html: networkidle0 with a worker, whose script ends in another session than it begins in', () =>
  fixture.browser.withPage(async (page) => {
    const code = `fetch('${fixture.site.url}/small', { mode: 'no-cors' }).then(() => postMessage(1))`;
    const html = `<script>new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}]))).onmessage = () => document.write('fetched')</script>`;
    await setContent(page, html, { ...gotoDefaults, waitUntil: ['networkidle0'] });
    assert.match(await readContent(page), 'fetched');
  }));

test('html: a resource that never loads is a timeout, or with bestAttempt the page so far', () =>
  fixture.browser.withPage(async (page) => {
    const html = `<h1>there</h1><img src="${fixture.site.url}/hang">`;
    const error = await problemOf(setContent(page, html, { ...gotoDefaults, timeout: 200 }));
    assert.is(error.code, 'wait-timeout');
    await setContent(page, html, { ...gotoDefaults, timeout: 200, bestAttempt: true });
    assert.match(await readContent(page), '<h1>there</h1>');
  }));

test('html: follows a script that navigates away', () =>
  fixture.browser.withPage(async (page) => {
    await setContent(page, `<script>location.href = '${fixture.site.url}/small'</script>`, gotoDefaults);
    assert.match(await readContent(page), 'Small');
  }));

test('html: local files cannot be framed', () =>
  fixture.browser.withPage(async (page) => {
    await setContent(page, '<iframe src="file:///etc/hostname"></iframe>', {
      ...gotoDefaults,
      timeout: 3_000,
      bestAttempt: true,
    });
    const { targetInfos } = await fixture.browser.process.connection.root.send('Target.getTargets');
    assert.not.ok(targetInfos.some(({ url }) => url.startsWith('file:')));
    const { frameTree } = await page.send('Page.getFrameTree');
    assert.not.ok(frameTree.childFrames?.some(({ frame }) => frame.url.startsWith('file:') && !frame.unreachableUrl));
  }));
