// Parts of live views that need no browser: which keys reach a page, the quality of frames, the header of a frame.
import { Buffer } from 'node:buffer';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import * as assert from 'uvu/assert';
import { CdpConnection } from '../../src/browser/cdp/process-connection.ts';
import type { RawMessage } from '../../src/browser/cdp/raw-message.ts';
import { metricsOf } from '../../src/browser/processes/client-viewports.ts';
import { Capture } from '../../src/sessions/live/page/capture.ts';
import { keyEffect } from '../../src/sessions/live/page/keys.ts';
import { messageOf, pixelsOf } from '../../src/sessions/live/protocol/picture.ts';
import { QualityLadder } from '../../src/sessions/live/page/quality.ts';
import { Viewer } from '../../src/sessions/live/viewer.ts';
import { pause } from '../../src/base/runtime/deadline.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('parts of live views');

const effect = (key: string, m = 0, full = true, d = true) =>
  keyEffect({ t: 'key', d, key, code: '', kc: 65, r: false, l: 0, m }, full);
const eventOf = (...args: Parameters<typeof effect>) => {
  const found = effect(...args);
  return found && 'event' in found ? found.event : undefined;
};

test('keys type text, except with Ctrl or Meta', () => {
  assert.equal([eventOf('a')?.text, eventOf('a')?.type], ['a', 'keyDown']);
  assert.is(eventOf('Enter')?.text, '\r');
  assert.equal([eventOf('a', 2)?.text, eventOf('a', 2)?.type], [undefined, 'rawKeyDown']);
  assert.equal(eventOf('a', 2)?.commands, ['selectAll']);
  assert.equal(eventOf('z', 10)?.commands, ['redo']);
  assert.is(eventOf('a', 4)?.modifiers, 2);
  assert.is(eventOf('Tab')?.text, undefined);
  assert.is(eventOf('a', 0, true, false)?.type, 'keyUp');
});

test('with Ctrl, a full browser gets only keys that edit or move the cursor; the shell gets all', () => {
  for (const key of ['a', 'c', 'v', 'x', 'z', 'y', 'ArrowLeft', 'Home', 'Backspace', 'Enter']) {
    assert.ok(effect(key, 2), key);
  }
  for (const key of ['t', 'n', 'w', 'u', 'j', 'h', 'o', 'p', 's', 'l', 'r', 'Tab', '1', 'PageDown', 'F5']) {
    assert.is(effect(key, 2), undefined, key);
    assert.ok(effect(key, 2, false), key);
  }
  for (const key of ['i', 'c', 'j', 'n', 't', 'b']) assert.is(effect(key, 10), undefined, key);
  for (const key of ['F1', 'F12', 'F11']) assert.is(effect(key), undefined, key);
  assert.is(effect('f', 1), undefined);
  assert.ok(effect('å', 1));
  assert.equal(effect('ArrowLeft', 1), { go: 'back' });
  assert.equal(effect('ArrowRight', 1), { go: 'forward' });
});

test('the quality drops while viewers lag and then recovers, but never exceeds what was requested', () => {
  const ladder = new QualityLadder(50, 0);
  const seen: string[] = [];
  let now = 0;
  const pass = (ready: boolean, steps: number) => {
    for (let step = 0; step < steps; step++) {
      now += 2_100;
      ladder.note(ready, now - 10);
      ladder.note(ready, now);
      seen.push(`${ladder.now.quality}@${ladder.now.scale}`);
    }
  };
  pass(false, 6);
  assert.equal([...new Set(seen.splice(0))], ['40@1', '30@1', '30@0.75', '30@0.5']);
  pass(true, 30);
  assert.is(seen.at(-1), '50@1');
});

test('a viewer has two frames in flight, or one if frames take a long time', async () => {
  const sent: number[] = [];
  const listeners: ((text: string) => void)[] = [];
  const socket = {
    protocol: '',
    closed: new AbortController().signal,
    send: () => undefined,
    sendBytes: () => undefined,
    sendBinary: ([head]: readonly Buffer[]) => void sent.push(head?.readUInt32BE(1) ?? 0),
    drained: () => Promise.resolve(),
    onText: (listener: (text: string) => void) => void listeners.push(listener),
    onBytes: () => undefined,
    waitingBytes: 0,
    hold: () => undefined,
    close: () => undefined,
  };
  const viewer = new Viewer({ socket, interactive: false, onMessage: () => undefined, changed: () => undefined });
  viewer.listen();
  const receiveMessage = (message: object) => listeners[0]?.(JSON.stringify(message));
  const show = (seq: number) =>
    viewer.show({ seq, format: 'jpeg', width: 800, height: 600, bytes: Buffer.alloc(1_000) });
  receiveMessage({ t: 'visible', on: true });
  for (const seq of [1, 2, 3]) show(seq);
  assert.equal(sent, [1, 2]);
  const began = performance.now();
  await until('a slow frame', () => performance.now() - began > 250);
  receiveMessage({ t: 'ack', seq: 2 });
  for (const seq of [4, 5]) show(seq);
  assert.equal(sent, [1, 2, 3], 'the newest of the waiting frames, then one at a time');
  receiveMessage({ t: 'ack', seq: 3 });
  show(6);
  assert.equal(sent, [1, 2, 3, 5, 6], 'two again, since this one was fast');
});

test('only known properties of the page size that a client sets are kept', () => {
  const screenOrientation = { type: 'portraitPrimary', angle: 0 } as const;
  const sent = { width: 390, height: 844, deviceScaleFactor: 3, mobile: true, screenOrientation };
  assert.equal(metricsOf({ ...sent, junk: 'x'.repeat(1_000), scale: 'wide' }), sent);
  const none = { width: 0, height: 0, deviceScaleFactor: 0, mobile: false };
  assert.equal(metricsOf({ screenOrientation: { type: 'x'.repeat(1_000), angle: 0 } }), none);
});

test('the size of an image is read from its header', () => {
  const data = Buffer.alloc(30 * 20 * 4, 200);
  assert.equal(pixelsOf(jpeg.encode({ width: 30, height: 20, data }, 80).data), { width: 30, height: 20 });
  const png = new PNG({ width: 30, height: 20 });
  assert.equal(pixelsOf(PNG.sync.write(png)), { width: 30, height: 20 });
  for (const bytes of ['', 'GIF89a', '\xff\xd8\xff']) assert.is(pixelsOf(Buffer.from(bytes, 'latin1')), undefined);
  const [head] = messageOf({ seq: 70_000, format: 'png', width: 800, height: 600, bytes: data });
  assert.equal(
    [head?.length, head?.readUInt8(0), head?.readUInt32BE(1), head?.readUInt16BE(5), head?.readUInt16BE(7)],
    [16, 1, 70_000, 800, 600],
  );
});

test('a rejected screencast is requested again while someone is watching, but a running one is not', async () => {
  // Chromium rejects a screencast while a page switches processes for another site.
  const sent: { id: number; method: string }[] = [];
  let receive: (message: RawMessage) => void = () => {};
  const connection = new CdpConnection({
    send: (message) => void sent.push(JSON.parse(message)),
    congestion: () => undefined,
    onMessage: (listener) => (receive = listener),
    onCut: () => {},
    onClose: () => {},
  });
  const starts = () => sent.filter(({ method }) => method === 'Page.startScreencast');
  const answer = (number: number, body: object) => {
    const text = Buffer.from(JSON.stringify({ id: starts()[number]?.id, sessionId: 'page', ...body }));
    receive({ parts: [text], bytes: text.length });
  };
  const refusal = { error: { code: -32_000, message: 'Not attached to an active page' } };
  const options = { quality: 70, still: 'jpeg', stillQuality: 70, adapts: false } as const;
  const audience = { show: () => undefined, next: () => 1, isReady: () => true };
  using capture = new Capture(connection.session('page'), options, audience);
  capture.demand(true);
  capture.restart();
  assert.is(starts().length, 2);
  answer(0, refusal);
  answer(1, refusal);
  await until('the retry', () => starts().length === 3);
  // The second start is running, so the outcome of an earlier one no longer matters.
  capture.restart();
  answer(2, refusal);
  answer(3, { result: {} });
  capture.restart();
  answer(4, refusal);
  capture.demand(false);
  // Longer than the pause before a retry.
  await pause(300, undefined);
  assert.is(starts().length, 5);
});
