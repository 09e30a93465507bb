// Messages of a browser: their session is read without parsing them, even when they arrive in chunks, and forgotten
// sessions leave nothing behind.
// @runs newest
import { Buffer } from 'node:buffer';
import * as assert from 'uvu/assert';
import { ConnectionClosed } from '../../src/browser/cdp/connection.ts';
import { CdpConnection } from '../../src/browser/cdp/process-connection.ts';
import {
  responseIdOf,
  prefixOf,
  sessionAtEnd,
  sessionOf,
  textOf,
  withoutSession,
} from '../../src/browser/cdp/raw-message.ts';
import { suite } from '../support/suite.ts';

const test = suite('raw messages');
const session = '0123456789ABCDEF0123456789ABCDEF';
const answer = `{"id":7,"result":{"value":"é"},"sessionId":"${session}"}`;

/** The message split into chunks of `length` bytes. */
function inPieces(text: string, length: number) {
  const bytes = Buffer.from(text);
  const parts = Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    Buffer.from(bytes.subarray(at * length, (at + 1) * length)),
  );
  return { parts, bytes: bytes.length };
}

test('finds the session of a message, however it is split', () => {
  for (const length of [1, 2, 7, 33, 47, 48, 49, 1_000]) {
    assert.is(sessionOf(inPieces(answer, length)), session, `chunks of ${length}`);
    assert.is(textOf(inPieces(answer, length)), answer);
  }
});

test('the client gets the message without its session', () => {
  for (const length of [1, 7, 48, 49, 1_000]) {
    const parts = withoutSession(inPieces(answer, length));
    assert.equal(JSON.parse(Buffer.concat([...parts]).toString()), { id: 7, result: { value: 'é' } });
  }
});

test('only the last property of the message itself is its session', () => {
  const inside = [
    `{"id":1,"result":{"sessionId":"${session}"}}`,
    `{"method":"X.y","params":{"text":",\\"sessionId\\":\\"${session}\\"}"}}`,
    `{"id":1,"result":{}}`,
    '',
    `"sessionId":"${session}"}`,
  ];
  for (const text of inside) {
    assert.is(sessionOf(inPieces(text, 10)), undefined, text);
    assert.is(sessionAtEnd(text), undefined, text);
  }
});

test('finds the beginning of a message, however it is split', () => {
  const event = `{"method":"Target.attachedToTarget","params":{"sessionId":"${session}"}}`;
  for (const length of [1, 3, 47, 48, 49, 1_000]) {
    assert.is(prefixOf(inPieces(event, length)), event.slice(0, 48), `chunks of ${length}`);
    assert.is(responseIdOf(prefixOf(inPieces(answer, length))), 7, `chunks of ${length}`);
  }
  assert.is(responseIdOf('{"method":"Page.loadEventFired"'), undefined);
});

test('a forgotten session ends, its pending commands fail, and other sessions continue', async () => {
  const sent: string[] = [];
  const connection = new CdpConnection({
    send: (message) => void sent.push(message),
    congestion: () => undefined,
    onMessage: () => {},
    onCut: () => {},
    onClose: () => {},
  });
  const [one, other] = [connection.session('one'), connection.session('other')];
  const pending = one.send('Page.enable').then(
    () => undefined,
    (error: unknown) => error,
  );
  let answered = false;
  void other.send('Page.enable').finally(() => (answered = true));
  assert.is(sent.length, 2);
  connection.forget('one');
  assert.instance(await pending, ConnectionClosed);
  assert.not(answered);
  assert.is.not(connection.session('one'), one);
  assert.is(connection.session('other'), other);
});
