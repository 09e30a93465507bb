// What one server of a cluster sends to another, over a real connection.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';
import { nodeHeader } from '../../src/control/cluster/node-header.ts';
import { OtherServers } from '../../src/control/cluster/other-servers.ts';
import { suite } from '../support/suite.ts';

const test = suite('other servers');

test.shows('smuggled-requests', 'cluster');
test('a client cannot suppress a header that one server sends to the next, and those of its connection end there', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const next = createServer((request, response) => {
    seen.push(request.headers);
    response.end('seen');
  });
  next.on('upgrade', ({ headers }, socket) => {
    seen.push(headers);
    socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => next.listen(0, '127.0.0.1', resolve));
  // The address of a server that listens on a port has this type.
  const to = new URL(`http://127.0.0.1:${(next.address() as AddressInfo).port}`);
  const own = { [nodeHeader]: 'signed' };
  const servers = new OtherServers(() => undefined);
  const signal = AbortSignal.timeout(10_000);
  try {
    for (const connection of [
      `Upgrade, ${nodeHeader}`,
      `${nodeHeader.toUpperCase()},upgrade`,
      `upgrade ,${nodeHeader} `,
    ]) {
      const client = { connection, [nodeHeader]: 'forged', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
      const handshake = new Request(new URL('/', to), { headers: client });
      handshake.headers.set('connection', connection);
      await servers.passUpgradeOn(to, handshake, own, signal);
      assert.is(seen.at(-1)?.[nodeHeader], 'signed', connection);
      const request = new Request(new URL('/x', to), { headers: { [nodeHeader]: 'forged' } });
      request.headers.set('connection', connection);
      await servers.passOn(to, request, own, signal);
      assert.is(seen.at(-1)?.[nodeHeader], 'signed', connection);
    }
    assert.is(seen.length, 6);
    const headers = { 'x-kept': '1', 'x-hop': '1', te: 'trailers', 'keep-alive': 'timeout=5', connection: 'x-hop' };
    await servers.passOn(to, new Request(new URL('/x', to), { headers }), {}, signal);
    const { 'x-kept': kept, 'x-hop': hop, te, 'keep-alive': keepAlive } = seen.at(-1) ?? {};
    assert.equal({ kept, hop, te, keepAlive }, { kept: '1', hop: undefined, te: undefined, keepAlive: undefined });
  } finally {
    next.closeAllConnections();
    next.close();
  }
});
