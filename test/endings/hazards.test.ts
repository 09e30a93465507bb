// Pages that misbehave must affect only their own request: dialogs, popups, downloads, loops, memory, endless loading.
// After each of them, the server responds as before and nothing is left behind.
// @tier ci
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { textOf } from '../support/site/markup.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { idleNow } from '../support/idle-clock.ts';

const { test, fixture } = fixtureSuite('hazards');
const at = (path: string) => `${fixture.site.url}${path}`;

test.after.each(async () => {
  await until('the request to end', async () => {
    const { pressure } = (await fixture.service.get('/pressure')).json<{ pressure: { running: number } }>();
    return pressure.running === 0;
  });
  assert.match((await fixture.post('/content', { html: '<h1>still here</h1>' })).text, /still here/);
  await fixture.site.waitForConnections();
});

test('dialogs are accepted, including the one on unload', async () => {
  const html = await fixture.read('/dialogs');
  assert.is(textOf(html, 'done'), 'alert, confirm true, prompt x');
  await fixture.post('/screenshot', { url: at('/dialogs') });
  await fixture.post('/pdf', { url: at('/dialogs') });
});

test('popups are closed', async () => {
  const before = fixture.service.tree().length;
  assert.match(await fixture.read('/popup'), /<h1>Popup/);
  await until('their processes to exit', () => fixture.service.tree().length <= before + 1);
});

test('a download is not a page and leaves no file behind', async () => {
  const reply = await fixture.service.post('/content', { url: at('/download') });
  assert.ok(reply.status >= 400 && !reply.text.includes('Internal Server Error'), `${reply.status} ${reply.text}`);
  assert.match(await fixture.read('/download-page', { waitForTimeout: 300 }), /Download page/);
  const { readdirSync } = await import('node:fs');
  assert.equal(readdirSync(fixture.service.downloadDir), []);
});

// The routes share what loads a page and differ in what they do with it.
for (const [route, ...paths] of [
  ['content', '/loop', '/late-loop', '/hang', '/drip', '/never-load'],
  ['screenshot', '/late-loop'],
  ['pdf', '/late-loop'],
  ['scrape', '/late-loop'],
]) {
  for (const path of paths) {
    test(`${route} of ${path} stops at its time limit`, async () => {
      const extra =
        route === 'scrape' ? { elements: [{ selector: '.never' }] } : { waitForSelector: { selector: '.never' } };
      const began = idleNow();
      const reply = await fixture.service.post(`/${route}`, { url: at(path), ...extra }, { query: { timeout: 700 } });
      refused(reply, 408, 'Request has timed out');
      assert.ok(idleNow() - began < 3_000, `took ${idleNow() - began} ms`);
    });
  }
}

test('a looping script in waitForFunction stops at the time limit', async () => {
  const body = { url: at('/'), waitForFunction: { fn: '() => { for (;;); }', timeout: 0 } };
  refused(await fixture.service.post('/content', body, { query: { timeout: 700 } }), 408);
});

test('a looping page is freed when its client disconnects', async () => {
  const leave = new AbortController();
  const reply = fixture.service.post('/content', { url: at('/loop') }, { signal: leave.signal }).catch(() => 'gone');
  await fixture.site.waitForRequest('/loop');
  leave.abort();
  assert.is(await reply, 'gone');
});

test.shows('hanging-page', 'REST');
test.peer('REST routes', 'content: other failures while reading are immediate errors');
test('a page that fills its heap fails with a reason and does not affect other pages', async () => {
  const otherRequest = fixture.service.post('/content', { url: at('/slow?ms=1500') });
  // A small heap, so that the test needs little of the machine's memory.
  const launch = JSON.stringify({ args: ['--js-flags=--max-old-space-size=128'] });
  const reply = await fixture.service.post('/content', { url: at('/oom') }, { query: { launch, timeout: 20_000 } });
  refused(reply, 500, /crashed/);
  succeeded(await otherRequest);
});

test.peer('REST routes');
test('a page that keeps reloading itself does not cause an internal error', async () => {
  const html = `<script>location.reload()</script>`;
  const url = `data:text/html,${encodeURIComponent(html)}`;
  const reply = await fixture.service.post('/content', { url }, { query: { timeout: 3_000 } });
  assert.ok([200, 408, 500].includes(reply.status));
  assert.not.match(reply.text, /Internal Server Error/);
});

test('a 10 MB document is returned complete', async () => {
  const script = "document.body.append('x'.repeat(10_000_000))";
  const { text } = await fixture.post('/content', { html: '<p></p>', addScriptTag: [{ content: script }] });
  assert.ok(text.length > 10_000_000);
});

test('an element 30000 pixels high is captured or rejected with a reason', async () => {
  const html = '<body style="margin:0"><div style="height:30000px;background:red"></div></body>';
  const reply = await fixture.service.post('/screenshot', { html, options: { fullPage: true } });
  if (reply.status !== 200) assert.not.match(reply.text, /Internal Server Error/);
});

test('handles unusual markup and characters', async () => {
  for (const html of [
    '',
    ' ',
    '</html>',
    '<frameset><frame></frameset>',
    '\u0000<h1>nul</h1>',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
  ]) {
    const reply = await fixture.service.post('/content', { html, url: undefined });
    assert.ok([200, 400].includes(reply.status), `${JSON.stringify(html)}: ${reply.status} ${reply.text}`);
  }
});
