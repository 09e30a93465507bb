// The browser's side of the egress proxy: how long it waits for clients and servers.
// @runs newest
import { once } from 'node:events';
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { listenForSocks } from '../../src/browser/network/socks-server.ts';
import { pause } from '../../src/base/runtime/deadline.ts';
import { suite } from '../support/suite.ts';

const test = suite('SOCKS server');

test('a connection that never names its target is dropped', async () => {
  const listener = await listenForSocks(() => Promise.resolve(1), { handshakeMs: 50 });
  const socket = connect(listener.port, '127.0.0.1');
  await once(socket, 'close');
  await listener.close();
});

test('waits for a target that takes longer to respond than the handshake limit', async () => {
  // On a busy machine, the client of this test needs part of the limit.
  const handshakeMs = 1_000;
  const dial = async () => {
    await pause(1.2 * handshakeMs, undefined);
    return 4;
  };
  const listener = await listenForSocks(dial, { handshakeMs });
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(Uint8Array.of(5, 1, 0));
  const [greeting] = await once(socket, 'data');
  assert.equal([...greeting], [5, 0]);
  socket.write(Uint8Array.of(5, 1, 0, 1, 127, 0, 0, 1, 0, 80));
  const [answer] = await once(socket, 'data');
  assert.is(answer[1], 4);
  await listener.close();
});
