// Parts of session replays: URLs, the order of events, what remains of a truncated file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { EventLog } from '../../src/sessions/recording/events/event-log.ts';
import { replayLimits } from '../../src/base/limits.ts';
import { copyWholeLines, startGzip } from '../../src/base/runtime/media/gzip.ts';
import { suite } from '../support/suite.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { displayUrl } from '../../src/sessions/recording/events/page-events.ts';

const test = suite('parts of replays');
const directory = temporaryDirectory();

test('request URLs have no query values, users, fragments or content', () => {
  for (const [given, shown] of [
    ['https://me:pass@shop.test/a?b=1&c=2#d', 'https://shop.test/a?b=&c='],
    ['https://shop.test/a?secret', 'https://shop.test/a'],
    ['https://shop.test/?=value&x', 'https://shop.test/'],
    ['https://shop.test/?a=b=c', 'https://shop.test/?a='],
    ['data:text/html;charset=utf-8,<p>secret', 'data:text/html;charset=utf-8'],
    ['data:secret', 'data:'],
    ['blob:https://shop.test/0a', 'blob:https://shop.test/0a'],
    ['not an address', ''],
  ]) {
    assert.is(displayUrl(given ?? ''), shown, given);
  }
  assert.is(displayUrl(`https://shop.test/${'x'.repeat(9_000)}`).length, replayLimits.addressCharacters);
});

function memory() {
  const chunks: Uint8Array[] = [];
  return {
    append: async (piece: Uint8Array) => void chunks.push(piece),
    close: async () => chunks.reduce((sum, { length }) => sum + length, 0),
    lines: () => gunzipSync(Buffer.concat(chunks)).toString().trimEnd().split('\n'),
  };
}

test('events are written in order of time; a title that is set later is included', async () => {
  const file = memory();
  const log = new EventLog(file);
  const at = Date.now() - 5_000;
  log.add(at + 2, '{"second":1}');
  const payload: { url: string; title?: string } = { url: 'https://shop.test/' };
  log.add(at + 1, { tag: 'navigation', payload });
  payload.title = 'Shop';
  log.add(Date.now() + 60_000, '{"last":1}');
  await log.drain();
  assert.is(log.events, 2);
  const bytes = await log.close();
  assert.equal([await log.close(), log.events], [bytes, 3]);
  log.add(at, '{"late":1}');
  assert.equal(file.lines(), [
    JSON.stringify({
      type: 5,
      data: { tag: 'navigation', payload: { url: 'https://shop.test/', title: 'Shop' } },
      timestamp: at + 1,
    }),
    '{"second":1}',
    '{"last":1}',
  ]);
});

test('a file that reaches its maximum size says so, and accepts nothing more', async () => {
  const file = memory();
  const log = new EventLog(file, 100);
  for (let at = 0; at < 50; at++) log.add(at, JSON.stringify({ at, text: Math.sqrt(at) }));
  assert.not.ok(log.isFull);
  await log.drain();
  assert.ok(log.isFull);
  log.add(60, '{"late":1}');
  await log.close();
  const lines = file.lines();
  assert.is(lines.length, log.events);
  assert.is(lines.length, 51);
  assert.match(lines.at(-1) ?? '', /"tag":"notice".*reached the maximum size/);
});

test('a truncated or corrupt compressed file keeps its complete lines', async () => {
  const gzip = startGzip();
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < 50; at++) {
    for (let line = 0; line < 40; line++) gzip.write(`${JSON.stringify({ at, line, text: 'x'.repeat(at) })}\n`);
    chunks.push(await gzip.flush());
  }
  const cut = Buffer.concat(chunks);
  const whole = Buffer.concat([cut, await gzip.end()]);
  const halfLine = Buffer.concat([cut.subarray(0, -4)]);
  for (const [name, bytes, minLines] of [
    ['whole', whole, 2_000],
    ['without its end', cut, 2_000],
    ['cut in its last chunk', halfLine, 1_950],
    ['in the middle', cut.subarray(0, cut.length / 2), 500],
    ['empty', Buffer.alloc(0), 0],
    ['not gzip', Buffer.from('{"a":1}\n'), 0],
  ] as const) {
    const [from, to] = [join(directory, `${name}.gz`), join(directory, `${name}.new.gz`)];
    writeFileSync(from, bytes);
    const { lines, bytes: size } = await copyWholeLines(from, to);
    const made = readFileSync(to);
    assert.is(made.length, size);
    const texts = gunzipSync(made).toString().split('\n');
    assert.is(texts.pop(), '', name);
    assert.is(texts.length, lines, name);
    assert.ok(lines >= minLines && lines <= 2_000, `${name}: ${lines}`);
    for (const text of texts) assert.type(JSON.parse(text), 'object');
  }
});
