// BrowserQL: the proxy mutation in stealth browsers, which make their own connections through the proxy.
// @tier ci
import { createServer, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import { bqlSuite } from '../support/clients/bql.ts';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../support/clients/proxies.ts';
import { missing } from '../support/programs.ts';

const { test, fixture } = bqlSuite('BrowserQL proxy in stealth browsers');
const withChromium = test.unless(missing('a full Chromium', 'a display'));
let http: TestProxy;
let socks: TestProxy;

test.before(async () => {
  [http, socks] = await Promise.all([startHttpProxy(), startSocksProxy()]);
});
test.after(async () => {
  await Promise.all([http?.close(), socks?.close()]);
});
test.before.each(() => {
  http.seen.length = 0;
  socks.seen.length = 0;
});

const path = '/stealth/bql';
const step = 'mutation P($s: String!, $url: [String]) { proxy(server: $s, url: $url) { time } ';

withChromium('matching hosts use the first proxy that matches; the rest connect as usual', async () => {
  const data = await fixture.data(
    `mutation Two($http: String!, $socks: String!) {
      a: proxy(server: $socks, url: "*://localhost:*/*") { time }
      b: proxy(server: $http, url: ["*://127.*", "*localhost*", "http://*.test:*/*"]) { time }
      one: goto(url: "SITE/small") { status }
      two: goto(url: "OTHER/small") { status }
      three: goto(url: "DOTTED/small") { status }
    }`
      .replace('OTHER', fixture.site.otherUrl)
      .replace('DOTTED', fixture.site.url.replace('127.0.0.1', 'www.shop.test')),
    { path, variables: { http: http.url(), socks: socks.url() } },
  );
  assert.equal([data.one.status, data.two.status, data.three.status], [200, 200, 200]);
  const hosts = (proxy: TestProxy) => [...new Set(proxy.targets().map((target) => target.replace('CONNECT ', '')))];
  assert.equal(hosts(socks), [`localhost:${fixture.site.port}`]);
  assert.equal(hosts(http).toSorted(), [`127.0.0.1:${fixture.site.port}`, `www.shop.test:${fixture.site.port}`]);
});

/** Accepts connections and records the first bytes of each. */
async function startListener() {
  const heads: Uint8Array[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (bytes: Uint8Array) => {
      heads.push(bytes);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { heads, port, close: () => (sockets.forEach((each) => each.destroy()), server.close()) };
}

/** The cipher suites of a ClientHello (RFC 8446, section 4.1.2), as hexadecimal numbers. */
function cipherSuites(record: Uint8Array): string[] {
  const bytes = Buffer.from(record);
  const session = bytes[43] ?? 0;
  const at = 44 + session;
  const length = bytes.readUInt16BE(at);
  return Array.from({ length: length / 2 }, (_, index) =>
    bytes
      .readUInt16BE(at + 2 + index * 2)
      .toString(16)
      .padStart(4, '0'),
  );
}

withChromium('requests through the proxy have the TLS fingerprint of the browser', async () => {
  const listener = await startListener();
  try {
    const goto = `goto(url: "https://127.0.0.1:${listener.port}/") { status } }`;
    await fixture.run(`mutation { ${goto}`, { path });
    const direct = listener.heads.splice(0).map(cipherSuites);
    await fixture.run(step + goto, { path, variables: { s: http.url(), url: ['*'] } });
    const proxied = listener.heads.map(cipherSuites);
    assert.ok(http.seen.length > 0 && direct.length > 0 && proxied.length > 0);
    // Chromium puts a changing value first (GREASE, RFC 8701); other clients do not, and have different cipher suites.
    const grease = /^([0-9a-f])a\1a$/;
    for (const suites of [...direct, ...proxied]) assert.match(suites[0] ?? '', grease);
    assert.equal(proxied[0]?.slice(1), direct[0]?.slice(1));
  } finally {
    listener.close();
  }
});

withChromium('criteria that connections do not reveal are rejected with what to use instead', async () => {
  const fails = async (args: string, ...mentions: string[]) => {
    const { data, errors } = await fixture.run(`mutation { proxy(server: "${http.url()}", ${args}) { time } }`, {
      path,
    });
    assert.is(data['proxy'], null);
    assert.is(errors?.[0]?.extensions?.code, 'BAD_ARGUMENT');
    for (const mention of mentions) assert.ok(errors?.[0]?.message.includes(mention), errors?.[0]?.message);
  };
  await fails('url: "*/images/*"', 'path', '*://*.example.com/*');
  await fails('url: "*", type: document', '"type"', '/chromium/bql');
  await fails('url: "*", method: GET', '"method"');
  const options = { path, variables: { s: http.url(), url: ['*'] }, query: { externalProxyServer: socks.url() } };
  const { errors } = await fixture.run(`${step}}`, options);
  assert.match(errors?.[0]?.message ?? '', 'has a proxy');
});

withChromium('a proxy that rejects a site fails the navigation, and the next document does not use it', async () => {
  await using refusing = await startHttpProxy({ accepts: () => false });
  const variables = { s: refusing.url(), url: ['*'] };
  const { errors } = await fixture.run(`${step} goto(url: "SITE/small") { status } }`, { path, variables });
  assert.ok(errors?.length === 1, JSON.stringify(errors));
  assert.is((await fixture.data('mutation { goto(url: "SITE/small") { status } }', { path })).goto.status, 200);
});
