// Requests that announce a different body than they send, through one server of a cluster to another: the next request
// of another tenant over the same pair of servers receives its own response, and bytes sent in place of a body are
// never read as a request.
import { connect as connectSocket } from 'node:net';
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { startListed } from '../support/cluster.ts';
import { type Service, stopAll } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('bodies between the servers of a cluster');
const [ann, bob] = [tokenOf('ann'), tokenOf('bob')];
const tokens = tokensFile([{ name: 'ann' }, { name: 'bob' }]);
let home: Service;
let other: Service;
/** Sessions of the two tenants on the server that requests are forwarded to. */
let [ofAnn, ofBob] = ['', ''];

const madeAt = async (server: Service, token: string) =>
  succeeded(await server.post('/session', { ttl: 120_000 }, { token })).json<{ id: string }>().id;

test.before(async () => {
  [home, other] = await startListed(2, { TOKEN: 'token-of-all', TOKENS_FILE: tokens.path, LOG_LEVEL: 'debug' });
  [ofAnn, ofBob] = [await madeAt(other, ann), await madeAt(other, bob)];
});
test.after(() => stopAll(home, other).finally(() => tokens[Symbol.dispose]()));

interface RawClient extends Disposable {
  /** The bytes received from the server so far. */
  text(): string;
  /** Resolves when the text matches or the server has closed. */
  answered: Promise<void>;
}

/** Sends bytes and leaves the connection open. */
function sendRaw(to: Service, bytes: string): RawClient {
  let text = '';
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const socket = connectSocket(to.port, new URL(to.url).hostname, () => socket.write(bytes));
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    text = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
    if (text.includes('\r\n\r\n')) resolve();
  });
  socket.on('close', () => resolve());
  socket.on('error', () => resolve());
  return { text: () => text, answered, [Symbol.dispose]: () => socket.destroy() };
}

const statusOf = (client: RawClient) => Number(/^HTTP\/1\.1 (\d{3})/.exec(client.text())?.[1]);

/** Reads the list of Bob's files through the other server, several times concurrently. */
async function bobIsAnswered(attack: string): Promise<void> {
  const calls = Array.from({ length: 4 }, () =>
    home.get(`/session-files/${ofBob}`, { token: bob, signal: AbortSignal.timeout(5_000) }),
  );
  for (const reply of await Promise.all(calls))
    assert.equal(succeeded(reply).json<{ files: unknown[] }>().files, [], attack);
}

const smuggled = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Rest: `;
const bodies: Record<string, (text: string) => string> = {
  'a length and no body': (text) => `Content-Length: ${text.length}\r\n\r\n`,
  'a length and a body': (text) => `Content-Length: ${text.length}\r\n\r\n${text}`,
  'half of its length': (text) => `Content-Length: ${text.length * 2}\r\n\r\n${text}`,
  chunks: (text) => `Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
  'chunks without an end': (text) => `Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}`,
  'both, with a body': (text) => `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${text}`,
  'a length of the connection': (text) =>
    `Connection: keep-alive, content-length\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  'Expect: 100-continue': (text) => `Expect: 100-continue\r\nContent-Length: ${text.length}\r\n\r\n`,
  'a trailer': (text) =>
    `Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n1\r\nx\r\n0\r\nContent-Length: ${text.length}\r\n\r\n`,
  'a length with a sign': (text) => `Content-Length: +${text.length}\r\n\r\n${text}`,
  'two lengths': (text) => `Content-Length: 0\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
};

test.shows('smuggled-requests', 'cluster', 'HTTP');
for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'PATCH', 'PURGE']) {
  test(`${method}: the next tenant gets its own responses`, async () => {
    await bobIsAnswered('before');
    for (const [name, bodyOf] of Object.entries(bodies)) {
      const marker = `/smuggled-${method}-${name.replaceAll(/\W/g, '-')}`;
      for (const token of [ann, undefined]) {
        const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
        const head = `${method} /session-files/${ofAnn}/x.txt HTTP/1.1\r\nHost: x\r\n${authorization}`;
        using attacker = sendRaw(home, `${head}${bodyOf(smuggled(marker))}`);
        await bobIsAnswered(`${method}: ${name}`);
        if (['GET', 'HEAD', 'OPTIONS'].includes(method)) {
          await attacker.answered;
          assert.is(statusOf(attacker), 400, `${method}: ${name}`);
        }
      }
    }
    for (const server of [home, other]) assert.not.match(server.output(), '/smuggled-', method);
  });
}

test('a GET with Content-Length: 0 succeeds', async () => {
  using client = sendRaw(
    home,
    `GET /session-files/${ofAnn} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann}\r\nContent-Length: 0\r\n\r\n`,
  );
  await client.answered;
  assert.is(statusOf(client), 200);
});

test('a handshake that announces a body is rejected and not forwarded', async () => {
  for (const [name, bodyOf] of Object.entries(bodies)) {
    const head = `GET /session/connect/${ofAnn}?token=${ann} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n`;
    const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    const connection = name === 'a length of the connection' ? '' : 'Connection: Upgrade\r\n';
    using attacker = sendRaw(home, `${head}${connection}${key}${bodyOf(smuggled('/smuggled-upgrade'))}`);
    await attacker.answered;
    assert.is(statusOf(attacker), 400, name);
    await bobIsAnswered(name);
  }
  assert.not.match(other.output(), '/smuggled-');
});

test('uploads arrive complete, with and without a length', async () => {
  const path = `/session-files/${ofAnn}/kept.txt`;
  const chunked = (text: string) =>
    `Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  for (const bodyOf of [(text: string) => `Content-Length: ${text.length}\r\n\r\n${text}`, chunked]) {
    const text = 'x'.repeat(100_000);
    const head = `PUT ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann}\r\n`;
    using client = sendRaw(home, `${head}${bodyOf(text)}`);
    await client.answered;
    assert.ok(statusOf(client) < 300, client.text());
    assert.is(succeeded(await home.get(path, { token: ann })).text, text);
    assert.is((await home.get(path, { token: ann, method: 'DELETE' })).status, 204);
  }
});

test('an unauthenticated request does not reach the server that its id names', async () => {
  /** How many client requests the server logged before this one. */
  const seen = async () => {
    const { headers } = await other.get(`/session-files/${ofBob}`, { token: bob });
    const own = () => other.logs().findIndex(({ id }) => id === headers['x-request-id']);
    await until('its line in the log', () => own() >= 0);
    const lines = other.logs().slice(0, own());
    return lines.filter(({ event, route }) => event === 'request' && !String(route).startsWith('/cluster/')).length;
  };
  const before = await seen();
  for (const token of [null, 'no-such-token']) {
    for (const [method, path] of [
      ['GET', `/session-files/${ofAnn}`],
      ['DELETE', `/session/${ofAnn}`],
      ['GET', `/kill/${ofAnn}`],
      ['GET', `/recordings/${ofAnn}`],
      ['DELETE', `/browser/${ofAnn}`],
    ] as const) {
      refused(await home.get(path, { token, method }), 401);
    }
  }
  // The first count did not include its own request.
  assert.is(await seen(), before + 1);
});
