// Servers without CLUSTER_SECRET, announced by entries in Valkey or listening at an address of the list: no request and
// no token is sent to them.
import { createServer, type Server } from 'node:http';
import { Redis } from 'iovalkey';
import * as assert from 'uvu/assert';
import { signAddress } from '../../src/control/cluster/proof.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import { handshake } from '../support/clients/clients.ts';
import { send } from '../support/clients/http.ts';
import { clusterSecret, startListed, startRegistered } from '../support/cluster.ts';
import { type Service, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { startValkey, type Valkey } from '../support/valkey.ts';

const test = suite('false servers of a cluster');

interface FalseServer {
  url: string;
  /** Method, path and headers of each request as one string. */
  seen: string[];
  close(): Promise<void>;
}

/** @param answer returns the JSON response to each request */
async function startFalse(answer: (path: string) => Promise<string> | string): Promise<FalseServer> {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    void Promise.resolve(answer(request.url ?? '')).then((text) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(text);
    });
  });
  server.on('upgrade', (request, socket) => {
    seen.push(`UPGRADE ${request.url} ${JSON.stringify(request.headers)}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '',
    seen,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
}

const idOf = (node: string) => `${node}-${crypto.randomUUID()}`;

/** Sends an operator's requests that a server may forward: by id, for lack of slots, and to all servers. */
async function askAround(home: Service, node: string): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    const { id } = succeeded(await home.post('/session', {})).json<{ id: string }>();
    assert.is((await home.get(`/session/${id}`, { method: 'DELETE' })).status, 204);
  }
  for (const id of [idOf(node), idOf(node)]) {
    const reply = await home.get(`/session-files/${id}`);
    assert.ok([410, 503].includes(reply.status), reply.text);
    const { status } = await handshake(home, `/session/connect/${id}`);
    assert.ok([410, 503].includes(status), String(status));
  }
  succeeded(await home.get('/sessions', { query: { scope: 'cluster' } }));
  assert.is((await handshake(home, '/')).status, 101);
  refused(await home.get('/kill/no-such-id'), 404);
}

test.shows('false-server', 'cluster');
test.needs('Redis');
test('a false entry in Valkey does not receive requests', async () => {
  const valkey: Valkey = await startValkey();
  const redis = new Redis(valkey.url.replace(/^valkey/, 'redis'));
  // With a spare, the browser stays for the next round.
  const [home] = await startRegistered(1, valkey, { SPARES: '1' });
  const thief = await startFalse(() =>
    JSON.stringify({ node: 'zzzzzz', listens: [], proof: 'f'.repeat(64), holds: true }),
  );
  const real = home.env['NODE_URL'] ?? '';
  const thiefUrl = `${thief.url}/`;
  const entries: Record<string, string> = {
    zzzzza: thief.url,
    zzzzzb: `${thiefUrl}#${'0'.repeat(64)}`,
    zzzzzc: signAddress('another secret of sixteen', 'zzzzzc', thief.url),
    // Signed for a different name, for a different address, and with trailing text.
    zzzzzd: signAddress(clusterSecret, 'zzzzzx', thief.url),
    zzzzze: signAddress(clusterSecret, 'zzzzze', real).replace(real, thief.url),
    zzzzzf: `${signAddress(clusterSecret, 'zzzzzf', real)}@${thief.url.slice(7)}`,
    zzzzzg: thief.url.replace('http:', 'https:'),
    zzzzzh: 'not an address',
  };
  try {
    for (const [node, addr] of Object.entries(entries)) {
      const until = Date.now() + 60_000;
      await redis.hset(`bd:{c}:node:${node}`, { addr, until, slots: 100, own: 0, queued: 0, drain: 0, mayQueue: 100 });
      await redis.zadd('bd:{c}:nodes', until, node);
      await redis.zadd('bd:{c}:sessions', -1, node);
      await askAround(home, node);
      assert.equal(thief.seen, [], node);
      await redis.zrem('bd:{c}:nodes', node);
      await redis.zrem('bd:{c}:sessions', node);
    }
    assert.ok(home.logs().some(({ event }) => event === 'cluster.false-entry'));
  } finally {
    redis.disconnect();
    await stopAll(home, thief, valkey);
  }
});

test.shows('false-server', 'cluster');
test('a server that cannot prove the secret receives only the challenge', async () => {
  const [real] = await startListed(1);
  let replaying: FalseServer | undefined;
  const answers: Record<string, (path: string) => Promise<string> | string> = {
    'no proof': () => JSON.stringify({ node: 'zzzzzz', holds: true }),
    'an invalid proof': () => JSON.stringify({ node: 'zzzzzz', listens: [], proof: '0'.repeat(64), holds: true }),
    'a response that is not JSON': () => '<html>',
    'an oversized proof': () => JSON.stringify({ node: 'zzzzzz', listens: [], proof: 'f'.repeat(1_000_000) }),
    // The thief replays the header it received to a real server, which signs the proof for its own address.
    'the proof of a real server': async (path) => {
      const header = /"x-browserd-node":"([^"]*)"/.exec(replaying?.seen.at(-1) ?? '')?.[1] ?? '';
      return (await send(`${real.url}${path}`, { headers: { 'x-browserd-node': header } })).text;
    },
  };
  const thieves = await Promise.all(
    Object.entries(answers).map(async ([name, answer]) => ({ name, ...(await startFalse(answer)) })),
  );
  replaying = thieves.at(-1);
  const secrets = /token-of-all|authorization|scope=|session/i;
  try {
    const list = [real, ...thieves].map(({ url }) => url).join();
    const [home] = await startListed(1, {}, () => ({ CLUSTER_NODES: list }));
    await askAround(home, 'zzzzzz');
    for (const { name, seen, url } of thieves) {
      assert.ok(seen.length > 0, name);
      for (const request of seen) {
        assert.match(request, /^GET \/cluster\/node\?nonce=/, name);
        assert.not.match(request, secrets, name);
      }
      const noted = home.logs().filter(({ event }) => ['cluster.not-proven', 'cluster.refused'].includes(event ?? ''));
      assert.ok(
        noted.some(({ address }) => String(address).startsWith(url)),
        name,
      );
    }
    await home.stop();
  } finally {
    await stopAll(real, ...thieves);
  }
});
