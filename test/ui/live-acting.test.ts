// User input on the live view page, in a real Chromium: mouse, keys, input methods, touch, clipboard, and
// responses to the watched page's dialogs and requests. Every message is checked against the protocol.
// The file is long because all its tests share one browser and one stand.
import * as assert from 'uvu/assert';
import type { CDPSession, Page } from 'puppeteer-core';
import type { ServerMessage } from '../../src/sessions/live/protocol/messages.ts';
import { type Reader, startReader } from '../support/checks/reader.ts';
import { type LiveServer, startLiveServer } from '../support/live-server.ts';
import { stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('acting in a live view');
let stand: LiveServer;
let reader: Reader;

test.before(async () => {
  stand = await startLiveServer();
  reader = await startReader();
});
test.after(() => stopAll(reader, stand));
test.after.each(() => {
  assert.equal(stand.problems.splice(0), []);
});

interface Opened {
  page: Page;
  cdp: CDPSession;
  /** The frame in the viewer's window. */
  box: { x: number; y: number; width: number; height: number };
}

async function open(hello: Partial<LiveServer['hello']> = {}, phone = false): Promise<Opened> {
  stand.hello = {
    t: 'hello',
    interactive: true,
    resizable: false,
    ui: true,
    instructions: '',
    expiresAt: null,
    ...hello,
  };
  stand.clear();
  const page = await reader.open({ width: 1_280, height: 800 });
  if (phone) await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  await page.goto(`${stand.url}/live/?i=abc`, { waitUntil: 'load' });
  await stand.message('ack');
  // An interactive view is ready once its second script has loaded.
  await page.waitForSelector(hello.interactive === false ? '[data-state=live]' : '[data-state=live] canvas[tabindex]');
  const box = await (await page.$('canvas'))?.boundingBox();
  assert.ok(box);
  return { page, cdp: await page.createCDPSession(), box };
}

/** The point in the window that shows a point of the watched page. */
const over = ({ box }: Opened, x: number, y: number) =>
  [box.x + (x / 800) * box.width, box.y + (y / 600) * box.height] as const;
const near = (value: unknown, wanted: number) =>
  assert.ok(Math.abs(Number(value) - wanted) <= 1, `${value} instead of ${wanted}`);
const ofKind = (t: string) => stand.received.filter((each) => each.t === t);

test('a click maps to the right point of a letterboxed frame and of a still at device pixels', async () => {
  const opened = await open();
  await opened.page.mouse.click(...over(opened, 200, 450));
  const first = await stand.message('down');
  near(first['x'], 200);
  near(first['y'], 450);
  await stand.message('up');
  stand.clear();
  stand.sendFrame({ width: 800, height: 600, scale: 2 });
  await stand.message('ack');
  const { width } = (await (await opened.page.$('canvas'))?.boundingBox()) ?? {};
  assert.is(width, opened.box.width);
  await opened.page.mouse.click(...over(opened, 600, 30));
  const second = await stand.message('up');
  near(second['x'], 600);
  near(second['y'], 30);
  assert.equal([second['n'], second['b'], second['m']], [0, 0, 0]);
});

test('clicks are counted, moves are sent before them, and buttons and modifiers are included', async () => {
  const opened = await open();
  const { page } = opened;
  await page.mouse.move(...over(opened, 100, 100), { steps: 20 });
  await page.mouse.click(...over(opened, 100, 100), { count: 3 });
  await stand.message('up', ({ c }) => c === 3);
  assert.equal(
    ofKind('down').map(({ c }) => c),
    [1, 2, 3],
  );
  near(stand.received[stand.received.findIndex(({ t }) => t === 'down') - 1]?.['x'], 100);
  stand.clear();
  await page.keyboard.down('Shift');
  await page.mouse.click(...over(opened, 300, 300), { button: 'right' });
  const right = await stand.message('down');
  assert.equal([right['n'], right['b'], right['c'], right['m']], [2, 2, 1, 8]);
  await page.keyboard.up('Shift');
  await page.mouse.down();
  await page.mouse.move(0, 0);
  await stand.message('move', ({ x, y, b }) => x === 0 && y === 0 && b === 1);
  await page.mouse.up();
});

test('wheel deltas are sent in whole pixels', async () => {
  const opened = await open();
  await opened.page.mouse.move(...over(opened, 400, 300));
  await opened.page.mouse.wheel({ deltaX: 3.4, deltaY: -120.7 });
  const { dx, dy } = await stand.message('wheel');
  assert.equal([dx, dy], [3, -121]);
});

test('keys are sent unchanged; shortcuts include their modifier, and copying requests the text', async () => {
  const opened = await open();
  const { page } = opened;
  await page.focus('canvas');
  await page.keyboard.press('a');
  const down = await stand.message('key');
  assert.equal([down['key'], down['code'], down['kc'], down['d'], down['m']], ['a', 'KeyA', 65, true, 0]);
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await stand.message('key', ({ key, m }) => key === 'a' && m === 2);
  await page.keyboard.press('c');
  assert.is((await stand.message('copy'))['cut'], false);
  await page.keyboard.press('x');
  await stand.message('copy', ({ cut }) => cut === true);
  await page.keyboard.up('Control');
  await page.keyboard.press('Tab');
  await stand.message('key', ({ key, d }) => key === 'Tab' && d === false);
  assert.not.ok(ofKind('key').some(({ key }) => key === 'c' || key === 'x'));
  await page.keyboard.press('F6');
  assert.is(await page.evaluate('document.activeElement.id'), '');
  assert.not.ok(ofKind('key').some(({ key }) => key === 'F6'));
});

test('an input method composes, and its text is sent once', async () => {
  const { page, cdp } = await open();
  await page.focus('canvas');
  await cdp.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
  await cdp.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  await cdp.send('Input.insertText', { text: '日本' });
  await stand.message('text');
  // Text that a phone keyboard enters without a key event.
  await cdp.send('Input.insertText', { text: '🙂' });
  await stand.message('text', ({ text }) => text === '🙂');
  assert.equal(
    ofKind('compose')
      .map(({ text }) => text)
      .slice(0, 2),
    ['にほ', 'にほん'],
  );
  assert.equal(
    ofKind('text').map(({ text }) => text),
    ['日本', '🙂'],
  );
});

test('pasted text is sent whole; copied text is put on the clipboard or offered', async () => {
  const { page } = await open();
  await page.focus('canvas');
  await page.evaluate(`const data = new DataTransfer(); data.setData('text/plain', 'two\\nlines');
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }))`);
  assert.is((await stand.message('paste'))['text'], 'two\nlines');
  await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`);
  stand.send({ t: 'copied', text: 'INV-2041' });
  await page.waitForSelector('.note .primary');
  assert.match(String(await page.evaluate(`document.querySelector('.note').textContent`)), /INV-2041.*Copy/);
});

test('on a phone, touches are sent as touches, the key row works with Ctrl, and pinching only zooms the view', async () => {
  const opened = await open({}, true);
  const { page, cdp } = opened;
  await page.touchscreen.tap(...over(opened, 400, 300));
  const start = await stand.message('touch');
  assert.is(start['k'], 'start');
  await stand.message('touch', ({ k }) => k === 'end');
  assert.is(await page.evaluate('document.activeElement.id'), 'keys');
  assert.equal(ofKind('down'), []);
  stand.send({ t: 'focus', editable: true, rect: [80, 60, 200, 30], mode: 'numeric', hint: 'go' });
  await page.waitForSelector('#keys[inputmode=numeric][enterkeyhint=go]');
  await page.tap('#hold-ctrl[aria-pressed=false]');
  await page.waitForSelector('#hold-ctrl[aria-pressed=true]');
  await page.tap('[data-key=ArrowLeft]');
  await stand.message('key', ({ key, d, m }) => key === 'ArrowLeft' && d === false && m === 2);
  await page.waitForSelector('#hold-ctrl[aria-pressed=false]');
  assert.is(await page.evaluate('document.activeElement.id'), 'keys');
  stand.clear();
  const [x, y] = over(opened, 400, 300);
  const fingers = (apart: number) => [
    { x: x - apart, y },
    { x: x + apart, y },
  ];
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(20) });
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(60) });
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await page.waitForFunction(
    `document.querySelector('canvas').getBoundingClientRect().width > ${opened.box.width * 2}`,
  );
  assert.not.ok(ofKind('touch').some(({ k }) => k === 'move' || k === 'end'));
});

test('tabs and URL bar', async () => {
  const { page } = await open();
  const tabs = ['One', 'Two'].map((title) => ({ id: title, title, url: 'https://x.example/' }));
  stand.send({ t: 'tabs', tabs, active: 'One' });
  await page.waitForSelector('.tab[aria-current]');
  await page.click('li:nth-child(2) .tab');
  assert.is((await stand.message('tab'))['id'], 'Two');
  await page.click('[aria-label="Close Two"]');
  await stand.message('closeTab', ({ id }) => id === 'Two');
  await page.click('#new-tab');
  await stand.message('newTab');
  await page.click('#back');
  await stand.message('back');
  assert.is(await page.evaluate(`document.querySelector('#forward').hasAttribute('disabled')`), true);
  await page.click('#address');
  await page.keyboard.type('shop.example/cart');
  await page.keyboard.press('Enter');
  assert.is((await stand.message('go'))['url'], 'https://shop.example/cart');
});

test('dialogs can be answered, and close if someone else answers first', async () => {
  const { page } = await open();
  stand.send({ t: 'dialog', id: 7, kind: 'prompt', message: 'Your name?', value: 'Maria' });
  await page.waitForSelector('dialog[open]');
  await page.keyboard.type('Ana');
  await page.keyboard.press('Enter');
  assert.equal(await stand.message('answer'), { t: 'answer', id: 7, accept: true, text: 'Ana' });
  stand.clear();
  stand.send({ t: 'dialog', id: 8, kind: 'confirm', message: 'Sure?', value: '' });
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Escape');
  await stand.message('answer', ({ id, accept }) => id === 8 && accept === false);
  stand.send({ t: 'dialog', id: 9, kind: 'alert', message: 'Oh', value: '' });
  await page.waitForSelector('dialog[open]');
  stand.send({ t: 'dialogGone', id: 9 });
  await page.waitForSelector('dialog:not([open])#dialog');
  assert.is(ofKind('answer').length, 1);
});

test('a select is shown as a list over the frame, a date as a field', async () => {
  const { page } = await open();
  const options = ['Denmark', 'Estonia', 'Latvia', 'Norway'].map((label, index) => ({
    label,
    group: index > 1 ? 'Others' : '',
    disabled: index === 2,
    selected: index === 1,
  }));
  const select: ServerMessage = { t: 'select', node: 3, rect: [100, 100, 200, 30], options };
  stand.send(select);
  await page.waitForSelector('select.select');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await stand.message('pick'), { t: 'pick', node: 3, index: 3 });
  stand.clear();
  stand.send(select);
  await page.waitForSelector('select.select option');
  await page.click('select.select option');
  await stand.message('pick', ({ index }) => index === 0);
  stand.clear();
  const date = { kind: 'date', value: '2026-11-26', min: '', max: '', step: '' };
  stand.send({ t: 'picker', node: 4, rect: [100, 500, 200, 30], ...date });
  await page.waitForSelector('.picker input[type=date]');
  await page.evaluate(`document.querySelector('.picker input').value = '2026-12-24'`);
  await page.evaluate(`document.querySelector('.picker').dispatchEvent(new Event('submit', { cancelable: true }))`);
  assert.equal(await stand.message('pick'), { t: 'pick', node: 4, value: '2026-12-24' });
});

test('files are chosen by the person and uploaded; a finished download is offered', async () => {
  const { page } = await open();
  stand.send({ t: 'files', upload: 'files/ticket', multiple: false, accept: '' });
  await page.waitForSelector('.note .primary');
  const [chooser] = await Promise.all([page.waitForFileChooser(), page.click('.note .primary')]);
  await chooser.accept([import.meta.filename]);
  await page.waitForSelector('.note', { hidden: true });
  assert.equal(
    stand.uploads.map(([request]) => request),
    ['PUT /live/abc/files/ticket/live-acting.test.ts', 'POST /live/abc/files/ticket'],
  );
  assert.match(stand.uploads[0]?.[1] ?? '', 'files are chosen by the person');
  stand.send({ t: 'download', name: 'a.pdf', href: 'downloads/d' });
  await page.waitForSelector('.note .primary');
  assert.is(
    await page.evaluate(`document.querySelector('#download-list a').getAttribute('href')`),
    `${stand.url}/live/abc/downloads/d`,
  );
});

test('Done ends the request; declining includes a note', async () => {
  const { page } = await open({ instructions: 'Enter the code' });
  await page.click('#done');
  assert.equal(await stand.message('done'), { t: 'done', failed: false, note: '' });
  const other = await open({ instructions: 'Enter the code' });
  await other.page.click('#say-cannot');
  await other.page.keyboard.type('No phone');
  await other.page.click('#cannot .primary');
  assert.equal(await stand.message('done'), { t: 'done', failed: true, note: 'No phone' });
});

test('a view-only page sends only acknowledgments', async () => {
  const opened = await open({ interactive: false, instructions: 'Not for viewers' });
  const { page } = opened;
  stand.send({ t: 'cursor', cursor: 'wait' });
  stand.send({ t: 'dialog', id: 1, kind: 'confirm', message: 'Delete it?', value: '' });
  await page.waitForFunction(`document.querySelector('#mode').textContent.includes('Delete it?')`);
  await page.mouse.click(...over(opened, 100, 100));
  await page.mouse.wheel({ deltaY: 100 });
  await page.keyboard.press('a');
  stand.clear();
  stand.sendFrame();
  await stand.message('ack');
  assert.equal([...new Set(stand.received.map(({ t }) => t))], ['ack']);
  assert.is(await page.evaluate(`getComputedStyle(document.querySelector('canvas')).cursor`), 'auto');
  assert.is(await page.evaluate(`document.querySelector('#ask').hasAttribute('hidden')`), true);
});
