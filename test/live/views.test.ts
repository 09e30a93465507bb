// Live views through their commands and sockets: frames, what viewers do, limits, and the single end of each view.
// One long file: all tests share one server.
import * as assert from 'uvu/assert';
import { handshake, type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { member, openPage, valueOf } from '../support/clients/targets.ts';
import { socketOf, type Viewer, watchLive } from '../support/clients/viewer.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const { test, service, site } = fixtureSuite('live views', { env: { TOKEN: 'live-token', TIMEOUT: '0', SPARES: '0' } });

// Keeps the shared browser running between the tests.
test.before(() => rawClient(socketUrl(service, '/chromium')));

interface Watched {
  client: RawClient;
  sessionId: string;
  targetId: string;
  link: string;
  id: string;
  /** The value of an expression in the page. */
  value(expression: string): Promise<unknown>;
  complete(): unknown[];
}

/** Opens a page on the site and creates a live view of it. */
async function watched(path: string, options: object = {}, query: Record<string, string> = {}): Promise<Watched> {
  const client = await rawClient(socketUrl(service, '/chromium', query));
  const { sessionId, targetId } = await openPage(client, `${site.url}${path}`);
  const { result } = await client.send('Browserless.liveURL', options, sessionId);
  assert.ok(result);
  assert.is(result['error'], null);
  return {
    client,
    sessionId,
    targetId,
    link: String(result['liveURL']),
    id: String(result['liveURLId']),
    value: (expression) => valueOf(client, expression, sessionId),
    complete: () =>
      client.events
        .filter(({ method, sessionId: on }) => method === 'Browserless.liveComplete' && on === sessionId)
        .map(({ params }) => params),
  };
}

async function bye(view: Watched, ...viewers: Viewer[]): Promise<void> {
  for (const viewer of viewers) viewer.socket.terminate();
  view.client.socket.close();
  await view.client.closed;
}

test.peer(
  'sockets',
  'Browserless.liveURL returns liveURL and liveURLId; anyone with the link sees and controls the page',
);
test('the first frame arrives immediately, and a click changes the page and the frame', async () => {
  const view = await watched('/live/form');
  assert.match(view.link, new RegExp(`^${service.url}/live/\\?i=[\\w-]{24}$`));
  const viewer = await watchLive(view.link);
  const first = await viewer.nextFrame();
  assert.is(first.bytes.readUInt16BE(0), 0xff_d8, 'a JPEG');
  assert.is((await viewer.waitForMessage('hello')).interactive, true);
  assert.is((await viewer.waitForMessage('page', ({ title }) => title === 'Live')).url, `${site.url}/live/form`);
  viewer.click(60, 195);
  await until('the click', () => view.value('document.body.style.background !== ""'));
  await until('a sharp frame', () => viewer.frames.at(-1)?.kind === 'png');
  await bye(view, viewer);
});

test('a field receives keys, input method text and pasted text, and returns the selected text', async () => {
  const view = await watched('/live/form');
  const viewer = await watchLive(view.link);
  viewer.click(60, 35);
  const { editable, rect } = await viewer.waitForMessage('focus', (message) => message.editable);
  assert.is(editable, true);
  assert.equal([...rect], [20, 20, 200, 30]);
  viewer.press('a', 'KeyA', 65);
  viewer.press('B', 'KeyB', 66, 8);
  viewer.send({ t: 'compose', text: 'に' });
  viewer.send({ t: 'compose', text: 'にほん' });
  viewer.send({ t: 'text', text: '日本' });
  viewer.send({ t: 'paste', text: ' 🎉 pasted' });
  await until('the text', async () => (await view.value('text.value')) === 'aB日本 🎉 pasted');
  const types = await view.value('seen.map(([type]) => type).filter((type) => type.startsWith("comp")).join()');
  assert.is(types, 'compositionstart,compositionupdate,compositionupdate,compositionupdate,compositionend');
  viewer.press('a', 'KeyA', 65, 2);
  const other = await watchLive(view.link);
  await other.nextFrame();
  viewer.send({ t: 'copy', cut: false });
  assert.is((await viewer.waitForMessage('copied')).text, 'aB日本 🎉 pasted');
  viewer.send({ t: 'copy', cut: true });
  await until('the cut', async () => (await view.value('text.value')) === '');
  // The Command key of a Mac acts as Ctrl here.
  viewer.press('z', 'KeyZ', 90, 4);
  await until('the undo', async () => (await view.value('text.value')) === 'aB日本 🎉 pasted');
  viewer.click(60, 155);
  viewer.press('a', 'KeyA', 65, 2);
  viewer.send({ t: 'copy', cut: false });
  await viewer.waitForMessage('copied', ({ text }) => text === '');
  assert.is(other.messages.filter(({ t }) => t === 'copied').length, 0, 'only the viewer that copies gets the text');
  await bye(view, viewer, other);
});

test('double and triple clicks select a word and a line; wheel, right button and touch events arrive', async () => {
  const view = await watched('/live/form');
  const viewer = await watchLive(view.link);
  const selected = () => view.value('String(getSelection())');
  viewer.click(370, 28);
  viewer.click(370, 28, 2);
  await until('the word', async () => /^(?:first|second) ?$/.test(String(await selected())));
  viewer.click(370, 28, 3);
  await until('the line', async () => String(await selected()).startsWith('first second third'));
  viewer.send({ t: 'down', x: 60, y: 195, n: 2, b: 2, c: 1, m: 0 });
  viewer.send({ t: 'up', x: 60, y: 195, n: 2, b: 0, c: 1, m: 0 });
  viewer.send({ t: 'wheel', x: 60, y: 195, dx: 0, dy: 120, m: 0 });
  viewer.send({ t: 'touch', k: 'start', p: [{ x: 60, y: 195, id: 1 }] });
  viewer.send({ t: 'touch', k: 'move', p: [{ x: 160, y: 205, id: 1 }] });
  viewer.send({ t: 'touch', k: 'end', p: [] });
  viewer.send({ t: 'touch', k: 'end', p: [] });
  for (const type of ['contextmenu', 'wheel', 'touchstart', 'touchmove', 'touchend']) {
    await until(type, () => view.value(`seen.filter(([name]) => name === ${JSON.stringify(type)}).length === 1`));
  }
  await bye(view, viewer);
});

test('a select and a date are picked in the viewer, and invalid picks are ignored', async () => {
  const view = await watched('/live/form');
  const viewer = await watchLive(view.link);
  viewer.click(60, 235);
  const select = await viewer.waitForMessage('select');
  assert.equal(
    select.options.map(({ label, group, disabled, selected }) => [label, group, disabled, selected]),
    [
      ['a', 'One', false, true],
      ['b', 'One', true, false],
      ['c', '', false, false],
    ],
  );
  viewer.send({ t: 'pick', node: select.node + 1, index: 2 });
  viewer.send({ t: 'pick', node: select.node, index: 2 });
  await until('the choice', async () => (await view.value('select.value')) === 'c');
  viewer.send({ t: 'pick', node: select.node, index: 0 });
  viewer.click(60, 275);
  const date = await viewer.waitForMessage('picker');
  assert.equal([date.kind, date.value, date.min], ['date', '2026-01-02', '2026-01-01']);
  viewer.send({ t: 'pick', node: date.node, value: '2026-03-04' });
  await until('the date', async () => (await view.value('date.value')) === '2026-03-04');
  assert.is(await view.value('select.value'), 'c');
  const heard = await view.value('seen.filter(([type]) => type === "change").map(([, id]) => id).join()');
  assert.is(heard, 'select,date');
  await bye(view, viewer);
});

test.proves('Browserless.liveURL:interactive');
test.peer('sockets', 'Browserless.liveURL: interactive: false is for watching only');
test('view-only: no message except acknowledgments has any effect', async () => {
  const view = await watched('/live/form', { interactive: false });
  const viewer = await watchLive(view.link);
  await viewer.nextFrame();
  assert.is((await viewer.waitForMessage('hello')).interactive, false);
  viewer.click(60, 195);
  viewer.click(60, 35);
  viewer.press('a', 'KeyA', 65);
  for (const message of [
    { t: 'text', text: 'x' },
    { t: 'paste', text: 'x' },
    { t: 'copy', cut: true },
    { t: 'compose', text: 'x' },
    { t: 'wheel', x: 5, y: 5, dx: 0, dy: 10, m: 0 },
    { t: 'touch', k: 'start', p: [{ x: 60, y: 195, id: 1 }] },
    { t: 'size', w: 400, h: 400, dpr: 1 },
    { t: 'go', url: 'https://example.com/' },
    { t: 'reload' },
    { t: 'newTab' },
    { t: 'closeTab', id: view.targetId },
    { t: 'done', failed: false, note: '' },
    { t: 'nonsense' },
  ]) {
    if (message.t !== 'nonsense') viewer.send(message);
  }
  // An interactive viewer connects after them; once its click works, the earlier messages have been handled.
  const { result } = await view.client.send('Browserless.liveURL', {}, view.sessionId);
  const other = await watchLive(String(result?.['liveURL']));
  other.click(60, 195);
  await until('the click', () => view.value('document.body.style.background !== ""'));
  assert.equal(await view.value('[...new Set(seen.map(([type]) => type))].toSorted()'), [
    'click',
    'mousedown',
    'mousemove',
    'mouseup',
  ]);
  assert.is(await view.value('innerWidth'), 800);
  assert.equal(view.complete(), []);
  assert.is(viewer.messages.filter(({ t }) => t === 'copied').length, 0);
  await bye(view, viewer, other);
});

test('the page takes the size of the first viewer, and gets its own size back when that viewer leaves', async () => {
  const view = await watched('/live/form');
  await view.client.send(
    'Emulation.setDeviceMetricsOverride',
    { width: 700, height: 500, deviceScaleFactor: 1, mobile: false },
    view.sessionId,
  );
  const size = () => view.value('innerWidth + "x" + innerHeight');
  for (const _ of [1, 2]) {
    const viewer = await watchLive(view.link);
    const second = await watchLive(view.link);
    viewer.send({ t: 'size', w: 1_000, h: 640, dpr: 2 });
    second.send({ t: 'size', w: 300, h: 300, dpr: 1 });
    await until('the size of the viewer', async () => (await size()) === '1000x640');
    const picture = await until('its frame', () => viewer.frames.find(({ width }) => width === 1_000));
    assert.is(picture.height, 640);
    await second.leave();
    await viewer.leave();
    await until('its own size', async () => (await size()) === '700x500');
  }
  await bye(view);
});

test.proves('Browserless.liveURL:resizable');
test('without its own size, the page gets the size of its window back; resizable: false does not change it', async () => {
  const view = await watched('/live/form');
  const size = () => view.value('innerWidth + "x" + innerHeight');
  const before = await size();
  const viewer = await watchLive(view.link);
  viewer.send({ t: 'size', w: 1_000, h: 640, dpr: 1 });
  await until('the size of the viewer', async () => (await size()) === '1000x640');
  await view.client.send('Browserless.closeLiveURL', { liveURLId: view.id }, view.sessionId);
  await until('its own size', async () => (await size()) === before);
  const fixed = await view.client.send('Browserless.liveURL', { resizable: false }, view.sessionId);
  const other = await watchLive(String(fixed.result?.['liveURL']));
  assert.is((await other.waitForMessage('hello')).resizable, false);
  other.send({ t: 'size', w: 1_000, h: 640, dpr: 1 });
  other.click(60, 195);
  await until('the click', () => view.value('document.body.style.background !== ""'));
  assert.is(await size(), before);
  await bye(view, viewer, other);
});

test('a dialog is shown and answered; the first answer wins', async () => {
  const view = await watched('/live/dialog');
  const viewer = await watchLive(view.link);
  await viewer.waitForMessage('page');
  viewer.click(60, 35);
  const dialog = await viewer.waitForMessage('dialog');
  assert.equal([dialog.kind, dialog.message, dialog.value], ['prompt', 'Your name?', 'nobody']);
  const late = await watchLive(view.link);
  assert.is((await late.waitForMessage('dialog')).message, 'Your name?');
  viewer.send({ t: 'answer', id: dialog.id + 1, accept: true, text: 'wrong' });
  viewer.send({ t: 'answer', id: dialog.id, accept: true, text: 'Ada' });
  await late.waitForMessage('dialogGone');
  late.send({ t: 'answer', id: dialog.id, accept: true, text: 'Late' });
  await until('the answer', async () => (await view.value('document.title')) === 'Ada');
  // A script that answers the dialog itself wins.
  await view.client.send('Page.enable', {}, view.sessionId);
  viewer.click(60, 75);
  await until('the dialog', () => view.client.events.some(({ method }) => method === 'Page.javascriptDialogOpening'));
  await view.client.send('Page.handleJavaScriptDialog', { accept: true }, view.sessionId);
  await until('the dialog to close', async () => (await view.value('document.title')) === 'read');
  await viewer.waitForMessage('dialogGone', ({ id }) => id > dialog.id);
  await bye(view, viewer, late);
});

test('the view follows a popup that a click opens, and returns to the opener when the popup closes', async () => {
  const view = await watched('/live/popup');
  const viewer = await watchLive(view.link);
  await viewer.waitForMessage('page', ({ title }) => title === 'Opener');
  viewer.click(60, 35);
  await viewer.waitForMessage('page', ({ title }) => title === 'Live');
  await viewer.nextFrame();
  const { result } = await view.client.send('Target.getTargets');
  const infos = member(result, 'targetInfos');
  assert.ok(Array.isArray(infos));
  const popup = infos.find((info) => String(member(info, 'url')).endsWith('/live/form'));
  await view.client.send('Target.closeTarget', { targetId: String(member(popup, 'targetId')) });
  await until('the opener', () => {
    const page = viewer.messages.findLast(({ t }) => t === 'page');
    return page?.t === 'page' && page.title === 'Opener';
  });
  await bye(view, viewer);
});

test.proves('Browserless.liveURL:showBrowserInterface');
test('tabs and the address bar work only with showBrowserInterface', async () => {
  const plain = await watched('/live/form');
  const only = await watchLive(plain.link);
  only.send({ t: 'go', url: `${site.url}/live/tall` });
  only.click(60, 195);
  await until('the click', () => plain.value('document.body.style.background !== ""'));
  assert.is(await plain.value('location.pathname'), '/live/form');
  await bye(plain, only);

  const view = await watched('/live/form', { showBrowserInterface: true });
  const viewer = await watchLive(view.link);
  assert.is((await viewer.waitForMessage('tabs')).active, view.targetId);
  viewer.send({ t: 'go', url: `${site.url}/live/tall` });
  await viewer.waitForMessage('page', ({ url, canBack }) => url.endsWith('/live/tall') && canBack);
  viewer.send({ t: 'back' });
  await viewer.waitForMessage('page', ({ url, canForward }) => url.endsWith('/live/form') && canForward);
  for (const url of ['file:///etc/passwd', 'chrome://version', 'view-source:https://a.example', 'devtools://devtools'])
    viewer.send({ t: 'go', url });
  viewer.send({ t: 'newTab' });
  const fresh = await viewer.waitForMessage('tabs', ({ tabs, active }) => tabs.length > 1 && active !== view.targetId);
  viewer.send({ t: 'go', url: `${site.url}/live/tall` });
  await viewer.waitForMessage('page', ({ url }) => url.endsWith('/live/tall'));
  assert.is(await view.value('location.pathname'), '/live/form', 'no refused URL was opened');
  viewer.send({ t: 'closeTab', id: fresh.active });
  await viewer.waitForMessage(
    'tabs',
    ({ tabs, active }) => tabs.every(({ id }) => id !== fresh.active) && active === view.targetId,
  );
  viewer.send({ t: 'tab', id: 'nobody' });
  await bye(view, viewer);
});

test.proves('Browserless.liveURL:timeout Browserless.closeLiveURL:liveURLId');
test.peer('sockets', 'Browserless.closeLiveURL closes the link, Browserless.liveComplete reports it');
test('each end is reported once, with its reason, to the client and as a message to the viewer', async () => {
  const messageTexts = new Set<string>();
  const end = async (options: object, act: (view: Watched, viewer: Viewer) => void): Promise<unknown> => {
    const view = await watched('/live/form', options);
    const viewer = await watchLive(view.link);
    await viewer.waitForMessage('hello');
    act(view, viewer);
    const { text, code, reason } = await viewer.ended();
    assert.is(code, 1000);
    messageTexts.add(text);
    const [complete] = await until('the event', () => view.complete().length > 0 && view.complete());
    assert.is(member(complete, 'liveURLId'), view.id);
    assert.is(member(complete, 'reason'), reason);
    const closed = await view.client.send('Browserless.closeLiveURL', { liveURLId: view.id }, view.sessionId);
    assert.match(String(closed.result?.['error']), 'has ended');
    assert.is(view.complete().length, 1);
    assert.is((await handshake(service, `/live/${view.id}`)).status, 404);
    await bye(view);
    return complete;
  };
  await end({}, (_, viewer) => viewer.send({ t: 'done', failed: false, note: '' }));
  const failed = await end({}, (_, viewer) => viewer.send({ t: 'done', failed: true, note: 'No phone' }));
  assert.is(member(failed, 'note'), 'No phone');
  await end({ timeout: 300 }, () => {});
  await end(
    {},
    ({ client, sessionId, id }) => void client.send('Browserless.closeLiveURL', { liveURLId: id }, sessionId),
  );
  assert.is(messageTexts.size, 4);
});

test('closing the page or the browser ends the view', async () => {
  const view = await watched('/live/form');
  const viewer = await watchLive(view.link);
  await view.client.send('Target.closeTarget', { targetId: view.targetId });
  const { reason, text } = await viewer.ended();
  assert.is(reason, 'page-closed');
  const [complete] = await until('the event', () => {
    const events = view.client.events.filter(({ method }) => method === 'Browserless.liveComplete');
    return events.length > 0 && events;
  });
  assert.is(complete?.params?.['reason'], 'page-closed');
  await bye(view);

  const other = await watched('/live/form');
  const second = await watchLive(other.link);
  await other.client.send('Browser.close');
  const end = await second.ended();
  assert.is(end.reason, 'page-closed');
  assert.is.not(end.text, text);
});

test('after a page crash, the view continues with the next page that loads', async () => {
  const view = await watched('/live/form');
  const viewer = await watchLive(view.link);
  await viewer.nextFrame();
  await view.client.send('Inspector.enable', {}, view.sessionId);
  void view.client.send('Page.crash', {}, view.sessionId);
  await until('the crash', () => view.client.events.some(({ method }) => method === 'Inspector.targetCrashed'));
  await view.client.send('Page.navigate', { url: `${site.url}/live/tall` }, view.sessionId);
  await viewer.waitForMessage('page', ({ url }) => url.endsWith('/live/tall'));
  await viewer.nextFrame();
  await bye(view, viewer);
});

test('LIVE_MAX_VIEWERS limits the number of viewers; a viewer that leaves makes room', async () => {
  const view = await watched('/live/form');
  const viewers = await Promise.all(Array.from({ length: 5 }, () => watchLive(view.link)));
  await viewers[0]?.waitForMessage('viewers', ({ n }) => n === 5);
  assert.is((await handshake(service, `/live/${view.id}`)).status, 429);
  await viewers[2]?.leave();
  await viewers[0]?.waitForMessage('viewers', ({ n }) => n === 4);
  const sixth = await watchLive(socketOf(view.link, '/chrome'));
  await sixth.waitForMessage('hello');
  await bye(view, ...viewers, sixth);
});
