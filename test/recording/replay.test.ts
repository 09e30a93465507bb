// Session replays: what they record of forms, navigations, requests and the console, in all tabs, until they end.
// @runs binary
import CDP from 'chrome-remote-interface';
import type { Browser } from 'puppeteer-core';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { connect, endAll, sessionsOf } from '../support/clients/clients.ts';
import {
  command,
  ended,
  eventsOf,
  listed,
  move,
  painted,
  replayTypes,
  payloadsOf,
} from '../support/clients/recordings.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const env = { TOKEN: 'secret-token', SPARES: '0' };

const { test, service, site } = fixtureSuite('session replays', { env });
test.after.each(() => endAll(service));

async function openTab(browser: Browser, url: string) {
  const page = await browser.newPage();
  await page.goto(url);
  return { page, cdp: await page.createCDPSession() };
}

/** Fills in the form and shows the password as text. @returns the events of its tab as text */
async function fill(on: Service): Promise<string> {
  const browser = await connect(on, '/', { replay: true });
  const { page, cdp } = await openTab(browser, `${site.url}/replay/form`);
  await page.type('#name', 'typed-name');
  await page.type('#word', 'typed-word');
  await page.type('#note', 'typed-note');
  await page.select('#list', 'second-choice');
  await page.evaluate("document.querySelector('#word').type = 'text'");
  await page.type('#word', '-more-of-it');
  const { error, recordingId } = await command(cdp, 'stopSessionRecording');
  assert.is(error, null);
  await browser.close();
  const { tabs } = await ended(on, recordingId ?? '');
  const tab = tabs.find(({ website }) => website.endsWith('/replay/form'));
  assert.equal([tab?.title, tab?.width, tab?.height, tab?.bytes], ['Sign in', 800, 600, 0]);
  return JSON.stringify(await eventsOf(on, recordingId ?? '', tab?.tab ?? 0));
}

test('a form: values of fields are masked, other text is recorded', async () => {
  const text = await fill(service);
  assert.match(text, 'Sign in');
  assert.match(text, /"text":"\*{10,}"/);
  for (const secret of ['given-name', 'given-word', 'typed-name', 'typed-word', 'typed-note', 'more-of-it']) {
    assert.not.match(text, secret);
  }
});

for (const [mask, shown] of [
  ['password', ['given-name', 'typed-name', 'typed-note']],
  ['none', ['given-name', 'typed-name', 'typed-note', 'given-word', 'typed-word']],
] as const) {
  test.proves('REPLAY_MASK');
  test(`REPLAY_MASK=${mask}: ${shown.length} values are shown`, async () => {
    await using other = await startService({ env: { ...env, REPLAY_MASK: mask } });
    const text = await fill(other);
    for (const each of shown) assert.match(text, each);
    if (mask === 'password')
      for (const each of ['given-word', 'typed-word', 'more-of-it']) assert.not.match(text, each);
  });
}

test('the events include navigations, requests and console messages, ordered by time', async () => {
  const browser = await connect(service, '/', { replay: true, trackingId: 'told' });
  const { page, cdp } = await openTab(browser, `${site.url}/replay/app?key=hidden-key`);
  await page.evaluate(`(async () => {
    console.warn('careful', 7); console.error('x'.repeat(5000)); show('list');
    await fetch('/replay/data?token=hidden-token&hidden-name#hidden-part', { method: 'POST' });
    await fetch('http://127.0.0.1:9/nothing').catch(() => {});
  })()`);
  await page.goto(`${site.otherUrl}/replay/app`);
  await page.reload();
  const { error, recordingId, url } = await command(cdp, 'stopSessionRecording');
  assert.is(error, null);
  assert.match((await command(cdp, 'stopSessionRecording')).error ?? '', /replay=true.*has ended/);
  await browser.close();
  const recording = await ended(service, recordingId ?? '');
  assert.equal([recording.kind, recording.reason, recording.url], ['replay', 'stopSessionRecording was sent.', url]);
  const last = recording.tabs.at(-1);
  assert.ok(last);
  const { tab, events: count, mp4, webm, ndjson } = last;
  assert.equal([mp4, webm, ndjson], [undefined, undefined, `${url}/events?tab=${tab}`]);
  const events = await eventsOf(service, recording.id, tab);
  assert.is(events.length, count);
  const times = events.map(({ timestamp }) => timestamp);
  assert.equal(
    times,
    times.toSorted((one, other) => one - other),
  );

  const addresses = payloadsOf(events, 'navigation').map(({ url: address }) => address);
  const own = `${site.url}/replay/app`;
  const other = `${site.otherUrl}/replay/app`;
  assert.equal(addresses, ['about:blank', `${own}?key=hidden-key`, `${own}/list`, other, other]);
  assert.ok(payloadsOf(events, 'navigation').some(({ title }) => title === 'list'));
  const messages = payloadsOf(events, 'console').map(({ level, text }) => [
    level,
    String(text).length,
    String(text).slice(0, 9),
  ]);
  assert.equal(messages.slice(0, 2), [
    ['warning', 9, 'careful 7'],
    ['error', 1_000, 'xxxxxxxxx'],
  ]);
  const requests = payloadsOf(events, 'request');
  const posted = requests.find(({ method }) => method === 'POST');
  assert.equal(
    [posted?.['url'], posted?.['status'], posted?.['type']],
    [`${site.url}/replay/data?token=`, 201, 'Fetch'],
  );
  const failed = requests.find(({ status }) => status === 0);
  assert.match(String(failed?.['error']), 'net::ERR_');
  assert.not.match(JSON.stringify(requests), 'hidden-');
  const read = events.filter(({ type }) => type === replayTypes.full).length;
  assert.ok(read >= 3, `every document has a full snapshot: ${read}`);
  assert.ok(events.some(({ type, data }) => type === replayTypes.meta && data.href === other));
  assert.ok(events.some((event) => event.type === replayTypes.change && JSON.stringify(event).includes('at list')));
});

test('shorthands with variables keep their values when another declaration overrides a part', async () => {
  const browser = await connect(service, '/', { replay: true });
  const link = `/answer?type=text/css&body=${encodeURIComponent('.b{margin:var(--p);margin-top:24px}')}`;
  const html = `<style>:root{--p:7px}.a{padding:var(--p);padding-bottom:24px}@media all{.c{inset:var(--p);top:3px}}</style>
<link rel="stylesheet" href="${link.replaceAll('&', '&amp;')}"><body class="b"><p class="d" id="last">x</p><script>
const made = new CSSStyleSheet(); made.replaceSync('.d{border-width:var(--p);border-top-width:1px}'); document.adoptedStyleSheets = [made];
const own = document.styleSheets[0]; own.insertRule('#last{scroll-margin:var(--p);scroll-margin-top:2px}');</script>`;
  const { page, cdp } = await openTab(browser, `${site.url}/answer?body=${encodeURIComponent(html)}`);
  assert.is(await page.evaluate('own.cssRules[0].cssText.includes("7px")'), false);
  const { error, recordingId } = await command(cdp, 'stopSessionRecording');
  assert.is(error, null);
  await browser.close();
  const { tabs } = await ended(service, recordingId ?? '');
  const text = JSON.stringify(await eventsOf(service, recordingId ?? '', tabs.at(-1)?.tab ?? 0));
  for (const expected of [
    '.a{padding:var(--p);padding-bottom:24px}',
    '.c{inset:var(--p);top:3px}',
    'margin-left: 7px;',
    'border-left-width: ',
    'scroll-margin-left: 7px;',
  ]) {
    assert.match(text, expected);
  }
  assert.not.match(text, /(?:padding|margin|width)-?\w*: ;/);
});

test('a client that impersonates the recorder harms neither the browser nor its replay', async () => {
  const browser = await connect(service, '/', { replay: true });
  const { page, cdp } = await openTab(browser, `${site.url}/replay/app`);
  const worlds: { id: number; name: string }[] = [];
  cdp.on('Runtime.executionContextCreated', ({ context }) => worlds.push(context));
  await cdp.send('Runtime.enable');
  const world = await until('its world', () => worlds.find(({ name }) => name === 'browserd replay'));
  const contextId = world.id;
  await cdp.send('Runtime.evaluate', { expression: 'delete globalThis.browserdReplay', contextId });
  await cdp.send('Runtime.addBinding', { name: 'browserdReplay', executionContextId: contextId });
  const payloads: string[] = [];
  cdp.on('Runtime.bindingCalled', ({ payload }) => payloads.push(payload));
  const lines = ['{"timestamp":1,"type":4}', '{"timestamp":1,"type":4', '{"timestamp":1,"type":4,"data":null}', 'x'];
  for (const line of lines) {
    const expression = `browserdReplay(${JSON.stringify(`e${line}`)})`;
    await cdp.send('Runtime.evaluate', { expression, contextId });
  }
  await until('its own messages', () => payloads.length >= lines.length);
  await page.evaluate("show('kept')");
  assert.is(await page.title(), 'kept');
  const { error, recordingId } = await command(cdp, 'stopSessionRecording');
  assert.is(error, null);
  assert.is((await ended(service, recordingId ?? '')).state, 'finished');
  await browser.close();
});

test.proves('replay@cdp');
test('three tabs and a popup are recorded until the session ends; a page that closes keeps its events', async () => {
  const browser = await connect(service, '/', { replay: true, trackingId: 'tabs' });
  const tabs = [];
  for (const name of ['one', 'two', 'three']) {
    const tab = await openTab(browser, `${site.url}/replay/app`);
    await tab.page.evaluate(`show('${name}')`);
    tabs.push(tab);
  }
  const opened = new Promise((resolve) => browser.once('targetcreated', resolve));
  await tabs[0]?.page.evaluate("window.open('/replay/form', '', 'width=300,height=200')");
  await opened;
  await tabs[2]?.page.evaluate("document.body.append('the last words')");
  await tabs[2]?.page.close();
  await until(
    'all to be recorded',
    async () => (await listed(service, { trackingId: 'tabs' })).recordings[0]?.tabs.length === 5,
  );
  await until('the popup to be recorded', async () => {
    const { recordings } = await listed(service, { trackingId: 'tabs' });
    return recordings[0]?.tabs.some(({ title }) => title === 'Sign in');
  });
  const { recordings } = await listed(service, { trackingId: 'tabs' });
  refused(await service.get(`/recordings/${recordings[0]?.id}/events`), 409, 'stopSessionRecording');
  await browser.disconnect();
  const recording = await ended(service, recordings[0]?.id ?? '');
  assert.equal([recording.state, recording.reason], ['finished', 'The session ended.']);
  assert.equal(recording.tabs.map(({ title }) => title).toSorted(), ['', 'Sign in', 'one', 'three', 'two']);
  const closed = recording.tabs.find(({ title }) => title === 'three');
  const events = JSON.stringify(await eventsOf(service, recording.id, closed?.tab ?? 0));
  assert.match(events, 'at three');
  assert.match(events, 'the last words');
});

test('a video comes with the protocol events, even together with a replay', async () => {
  const browser = await connect(service, '/', { record: true, replay: true });
  const { page, cdp } = await openTab(browser, `${site.url}/replay/app`);
  const began = await command(cdp, 'startRecording');
  await page.goto(`${site.url}/replay/app`);
  await page.evaluate("console.info('beside a video'); fetch('/replay/data'); show('film')");
  await move(page);
  await painted(page, 20);
  assert.is((await command(cdp, 'stopRecording')).error, null);
  await browser.close();
  const video = await ended(service, began.recordingId ?? '');
  const tab = video.tabs.find(({ title }) => title === 'film');
  assert.ok(video.kind === 'video' && tab?.mp4 && tab.webm && tab.ndjson && tab.bytes > 0);
  const events = await eventsOf(service, video.id, tab.tab);
  assert.ok(events.every(({ type }) => type === replayTypes.custom));
  assert.ok(payloadsOf(events, 'console').some(({ text }) => text === 'beside a video'));
  assert.ok(payloadsOf(events, 'request').some(({ status }) => status === 201));
  assert.ok(
    payloadsOf(events, 'navigation').some(({ url, title }) => String(url).endsWith('/film') && title === 'film'),
  );
  const { recordings } = await listed(service, { session: video.session });
  assert.equal(recordings.map(({ kind }) => kind).toSorted(), ['replay', 'video']);
});

test.proves('replay@attach replay@session session:replay');
test('chrome-remote-interface can stop it; without replay=true, there is nothing to stop', async () => {
  const made = succeeded(await service.post('/session', { replay: true })).json<{ connect: string; id: string }>();
  const client = await CDP({ target: made.connect, local: true });
  // The library's types do not know these commands.
  const order = client.send.bind(client) as unknown as (method: string) => Promise<{ error: string | null }>;
  assert.is((await order('Browserless.stopSessionRecording')).error, null);
  await client.close();
  const silent = await CDP({ target: `${made.connect}&replay=false`, local: true });
  const none = silent.send.bind(silent) as unknown as typeof order;
  assert.match((await none('Browserless.stopSessionRecording')).error ?? '', 'replay=true');
  await silent.close();

  const joined = await connect(service, '/', { trackingId: 'joined' });
  const [entry] = (await sessionsOf(service)).filter(({ trackingId }) => trackingId === 'joined');
  const second = await connect(service, `/devtools/browser/${entry?.id}`, { replay: true });
  assert.is((await listed(service, { trackingId: 'joined' })).recordings.length, 1);
  await second.disconnect();
  await joined.close();
});
