// The page driver: navigating to URLs, setting HTML, and every outcome of both.
import * as assert from 'uvu/assert';
import { ServiceError } from '../../src/base/errors.ts';
import { readContent } from '../../src/browser/page/capture/content.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import { setContent } from '../../src/browser/page/load/set-content.ts';
import { failureOf, gotoDefaults, prepare, pageSuite } from '../support/pages.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = pageSuite('page: navigation');

test('loads a page and returns its response', () =>
  fixture.browser.withPage(async (page) => {
    const response = await navigate(page, `${fixture.site.url}/small`, gotoDefaults);
    assert.is(response?.status, 200);
    assert.is(response?.statusText, 'OK');
    assert.is(response?.url, `${fixture.site.url}/small`);
    const html = await readContent(page);
    assert.ok(html.startsWith('<!DOCTYPE html><html lang="en">'), html);
    assert.match(html, '<h1>Small</h1>');
  }));

test('follows server redirects and returns the final URL', () =>
  fixture.browser.withPage(async (page) => {
    const response = await navigate(page, `${fixture.site.url}/redirect-chain/3`, gotoDefaults);
    assert.is(response?.url, `${fixture.site.url}/`);
    assert.match(await readContent(page), '<h1>Hello</h1>');
  }));

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

for (const code of [404, 500]) {
  test(`status ${code} loads like any other page`, () =>
    fixture.browser.withPage(async (page) => {
      const response = await navigate(page, `${fixture.site.url}/status/${code}`, gotoDefaults);
      assert.is(response?.status, code);
      assert.match(await readContent(page), `status ${code}`);
    }));
}

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

test('domcontentloaded does not wait for an image that never loads, load does', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/never-load`, { ...gotoDefaults, waitUntil: ['domcontentloaded'] });
    assert.match(await readContent(page), 'never loads');
    const error = await failureOf(
      navigate(page, `${fixture.site.url}/never-load?again`, { ...gotoDefaults, timeout: 300 }),
    );
    assert.is(error.code, 'wait-timeout');
    assert.match(error.message, 'gotoOptions.timeout');
  }));

test('waits for all of several events', () =>
  fixture.browser.withPage(async (page) => {
    const error = await failureOf(
      navigate(page, `${fixture.site.url}/never-load`, {
        ...gotoDefaults,
        waitUntil: ['domcontentloaded', 'load'],
        timeout: 300,
      }),
    );
    assert.is(error.code, 'wait-timeout');
  }));

test('networkidle2 tolerates two open requests, not three', () =>
  fixture.browser.withPage(async (page) => {
    const error = await failureOf(
      navigate(page, `${fixture.site.url}/busy`, { ...gotoDefaults, waitUntil: ['networkidle2'], timeout: 1_500 }),
    );
    assert.is(error.code, 'wait-timeout');
  }));

test('timeout 0 does not set a limit', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/slow?ms=300`, { ...gotoDefaults, timeout: 0 });
    assert.match(await readContent(page), 'slow 300');
  }));

test('sends referer and referrer policy', () =>
  fixture.browser.withPage(async (page) => {
    const options = { ...gotoDefaults, referer: 'https://from.example/path', referrerPolicy: 'unsafe-url' } as const;
    await navigate(page, `${fixture.site.url}/echo-headers?ref`, options);
    assert.match(await readContent(page), 'https://from.example/path');
  }));

test('explains failures: connection refused, connection reset, redirect loop', () =>
  fixture.browser.withPage(async (page) => {
    const circle = await failureOf(navigate(page, `${fixture.site.url}/redirect-loop`, gotoDefaults));
    assert.is(circle.code, 'navigation-failed');
    assert.match(circle.message, 'redirects too many times');
    const cut = await failureOf(navigate(page, `${fixture.site.url}/reset`, gotoDefaults));
    assert.is(cut.code, 'navigation-failed');
    assert.match(cut.message, /ERR_(EMPTY_RESPONSE|CONNECTION_CLOSED|CONNECTION_RESET|SOCKS)/);
    const own = new ServiceError('navigation-failed', 'nobody listens');
    const refused = await failureOf(navigate(page, 'http://127.0.0.1:9999/', { ...gotoDefaults, explain: () => own }));
    assert.is(refused, own);
  }));

test('a download and an empty response are rejected with what to use instead', () =>
  fixture.browser.withPage(async (page) => {
    const download = await failureOf(navigate(page, `${fixture.site.url}/download`, gotoDefaults));
    assert.is(download.code, 'bad-request');
    assert.match(download.message, '/download');
    const empty = await failureOf(navigate(page, `${fixture.site.url}/status/204`, gotoDefaults));
    assert.is(empty.code, 'bad-request');
    assert.match(empty.message, '204');
  }));

test('a page that starts a download after loading is still a page', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/download-page`, gotoDefaults);
    assert.match(await readContent(page), 'Download page');
  }));

test('bestAttempt: an unreachable site is an empty page', () =>
  fixture.browser.withPage(async (page) => {
    const response = await navigate(page, 'http://127.0.0.1:9999/', { ...gotoDefaults, bestAttempt: true });
    assert.is(response, undefined);
    assert.is(await readContent(page), '<html><head></head><body></body></html>');
  }));

test.differs('A request with `bestAttempt` may hang until its limit');
test('bestAttempt: a document that never arrives does not hang', () =>
  fixture.browser.withPage(async (page) => {
    const began = idleNow();
    await navigate(page, `${fixture.site.url}/hang`, { ...gotoDefaults, timeout: 200, bestAttempt: true });
    assert.is(await readContent(page), '<html><head></head><body></body></html>');
    assert.ok(idleNow() - began < 3_000);
  }));

test('bestAttempt: returns what has arrived of an endless document', () =>
  fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/drip`, { ...gotoDefaults, timeout: 500, bestAttempt: true });
    assert.match(await readContent(page), '<h1>drip</h1>');
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

test('html: a resource that never loads is a timeout, or with bestAttempt the page so far', () =>
  fixture.browser.withPage(async (page) => {
    const html = `<h1>there</h1><img src="${fixture.site.url}/hang">`;
    const error = await failureOf(setContent(page, html, { ...gotoDefaults, timeout: 200 }));
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

test('an untrusted certificate is rejected unless acceptInsecureCerts is set', () =>
  fixture.browser.withPage(async (page) => {
    const error = await failureOf(navigate(page, `${fixture.site.secureUrl}/small`, gotoDefaults));
    assert.match(error.message, 'acceptInsecureCerts');
    await prepare(page, { acceptInsecureCerts: true });
    const response = await navigate(page, `${fixture.site.secureUrl}/small`, gotoDefaults);
    assert.is(response?.status, 200);
  }));
