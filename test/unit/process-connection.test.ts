// The connection to a browser process: forgotten sessions leave nothing behind.
// @runs newest
import * as assert from 'uvu/assert';
import { ConnectionClosed } from '../../src/browser/cdp/connection.ts';
import { CdpConnection } from '../../src/browser/cdp/process-connection.ts';
import { suite } from '../support/suite.ts';

const test = suite('process connection');

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
