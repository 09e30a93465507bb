// Proxies set by clients (externalProxyServer, --proxy-server, launch.proxy), with real proxies that require a
// password: traffic goes through them, wrong credentials cause a clear error, secrets do not appear, all traffic is
// counted.
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { jsonOf } from '../support/site/markup.ts';
import {
  proxyPassword,
  proxyUser,
  startHttpProxy,
  startSocksProxy,
  type TestProxy,
} from '../support/clients/proxies.ts';
import { stopAll } from '../support/service.ts';
import { processSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const certificate = `${import.meta.dirname}/../support/fixtures/localhost-cert.pem`;
const { test, fixture } = processSuite('proxies', {
  env: {
    TOKEN: 'canary-token-0',
    CONCURRENT: '4',
    SPARES: '0',
    NODE_EXTRA_CA_CERTS: certificate,
    DENO_CERT: certificate,
  },
});
const proxies: Record<'http' | 'https' | 'socks5', TestProxy> = {} as Record<'http' | 'https' | 'socks5', TestProxy>;

test.before(async () => {
  proxies.http = await startHttpProxy();
  proxies.https = await startHttpProxy({ secure: true });
  proxies.socks5 = await startSocksProxy();
});
test.after(() => stopAll(...Object.values(proxies)));
test.before.each(() => {
  for (const proxy of Object.values(proxies)) proxy.seen.splice(0);
});

const content = (query: Record<string, string>, body: Record<string, unknown> = { url: `${fixture.site.url}/small` }) =>
  fixture.service.post('/content', body, { query });

for (const kind of ['http', 'https', 'socks5'] as const) {
  test.proves('externalProxyServer@page');
  test(`${kind}: plain pages, TLS pages, and sockets go through the externalProxyServer proxy`, async () => {
    const proxy = proxies[kind];
    const query = { externalProxyServer: proxy.url() };
    const socket = { fn: "() => document.querySelector('#socket').textContent === 'hello'" };
    succeeded(await content(query, { url: `${fixture.site.url}/network`, waitForFunction: socket }));
    assert.match(
      succeeded(await content({ ...query, acceptInsecureCerts: 'true' }, { url: `${fixture.site.secureUrl}/small` }))
        .text,
      /Small page/,
    );
    const { host } = new URL(fixture.site.url);
    const tunneled = proxy.targets().filter((target) => target === `CONNECT ${host}`);
    assert.ok(tunneled.length > 0, `no tunnel to ${host} (for the socket) in ${proxy.targets().join(', ')}`);
    assert.ok(proxy.targets().includes(`CONNECT ${new URL(fixture.site.secureUrl).host}`), proxy.targets().join(', '));
    if (kind !== 'socks5') assert.ok(proxy.targets().includes(`GET ${fixture.site.url}/network`));
    for (const { credentials } of proxy.seen) assert.is(credentials, `${proxyUser}:${proxyPassword}`);
    await until('the connections to close', () => proxy.connections() === 0, 30_000);
  });

  test(`${kind}: the proxy resolves names that the server cannot resolve`, async () => {
    const url = `http://browserd-only.test:${fixture.site.port}/small`;
    const reply = succeeded(await content({ externalProxyServer: proxies[kind].url() }, { url }));
    assert.match(reply.text, /Small page/);
    assert.is(reply.headers['x-response-url'], url);
    assert.is(reply.headers['x-response-ip'], undefined);
  });

  test(`${kind}: wrong credentials return a 502 that says so`, async () => {
    const urls = [`${fixture.site.secureUrl}/small`, `${fixture.site.url}/small`];
    for (const url of kind === 'http' ? urls : urls.slice(1)) {
      const reply = await content(
        { externalProxyServer: proxies[kind].url(proxyUser, 'canary-wrong'), acceptInsecureCerts: 'true' },
        { url },
      );
      refused(reply, 502, 'The proxy from externalProxyServer failed: it rejected the username or password');
    }
    if (kind === 'http') {
      const bestAttempt = { url: `${fixture.site.url}/small`, bestAttempt: true };
      refused(await content({ externalProxyServer: proxies[kind].url('x', 'canary-wrong') }, bestAttempt), 502);
    }
    assert.equal(proxies[kind].targets(), []);
    assert.is(fixture.site.requests.length, 0);
    const line = fixture.service.logs().findLast(({ event }) => event === 'proxy.failed');
    assert.match(String(line?.['reason']), 'rejected the username or password');
  });
}

test('http: returns 502 for a site that the proxy cannot reach', async () => {
  const query = { externalProxyServer: proxies.http.url() };
  const secure = fixture.site.refusingUrl.replace('http:', 'https:');
  refused(await content(query, { url: secure }), 502, 'it responded with 502 instead of connecting to the site');
  refused(await content(query, { url: fixture.site.refusingUrl }), 502, 'The proxy from externalProxyServer failed');
});

test('socks5: returns 502 for a site that the proxy cannot reach', async () => {
  const query = { externalProxyServer: proxies.socks5.url() };
  refused(await content(query, { url: fixture.site.refusingUrl }), 502, 'it could not connect to the site');
});

const places: Record<string, (proxy: TestProxy) => Record<string, string>> = {
  'the --proxy-server parameter': (proxy) => ({ '--proxy-server': proxy.url() }),
  'launch.args': (proxy) => ({ launch: JSON.stringify({ args: [`--proxy-server=${proxy.url()}`] }) }),
  'launch.proxy': (proxy) => ({
    launch: JSON.stringify({
      proxy: { server: `127.0.0.1:${proxy.port}`, username: proxyUser, password: proxyPassword },
    }),
  }),
  'launch.proxy with other switches, which requires a separate browser': (proxy) => ({
    launch: JSON.stringify({ args: ['--lang=fr'], proxy: { server: proxy.url() } }),
  }),
};
for (const [place, query] of Object.entries(places)) {
  if (place.startsWith('launch.proxy')) test.proves('launch.proxy@page');
  test(`a proxy in ${place}: its password does not appear in processes, sessions, logs, or metrics`, async () => {
    const proxy = proxies.http;
    const running = content(query(proxy), { url: `${fixture.site.url}/slow?ms=400` });
    await fixture.site.waitForRequest('/slow');
    const sessions = await fixture.service.get('/sessions');
    const commands = fixture.service.tree().map(({ command, environment }) => `${command} ${environment}`);
    const metrics = await fixture.service.get('/metrics', { headers: { accept: 'text/plain' } });
    succeeded(await running);
    const encoded = encodeURIComponent(proxyPassword);
    for (const text of [sessions.text, metrics.text, fixture.service.output(), ...commands]) {
      for (const secret of [
        proxyPassword,
        encoded,
        'canary-proxy',
        btoa(proxyPassword),
        btoa(`${proxyUser}:${proxyPassword}`),
      ]) {
        assert.not.ok(text.includes(secret), `${secret} in ${text}`);
      }
    }
    assert.match(sessions.text, `127.0.0.1:${proxy.port}`);
    assert.ok(proxy.targets().some((target) => target.startsWith(`GET ${fixture.site.url}/slow`)));
  });
}

test('hosts on the bypass list are reached directly', async () => {
  const launch = JSON.stringify({
    args: [`--proxy-server=${proxies.http.url()}`, '--proxy-bypass-list=*.elsewhere.test;localhost'],
  });
  succeeded(await content({ launch }, { url: `${fixture.site.otherUrl}/small` }));
  assert.equal(proxies.http.targets(), []);
  succeeded(await content({ launch }));
  assert.is(proxies.http.targets().length, 1);
  const socks = JSON.stringify({ proxy: { server: proxies.socks5.url(), bypass: `localhost:${fixture.site.port}` } });
  succeeded(await content({ launch: socks }, { url: `${fixture.site.otherUrl}/small` }));
  assert.equal(proxies.socks5.targets(), []);
});

test('an unreachable proxy returns a 502 before a browser is used', async () => {
  const { host } = new URL(fixture.site.refusingUrl);
  const reply = await content({ externalProxyServer: `http://u:canary-secret@${host}` });
  refused(reply, 502, `The proxy from externalProxyServer at ${host} could not be reached: it refused the connection`);
  assert.not.match(reply.text, 'canary-secret');
  refused(await content({ externalProxyServer: 'socks5://nobody.invalid:1080' }), 502, 'name could not be resolved');
});

test('the network policy applies to what a page requests through a proxy', async () => {
  for (const kind of ['http', 'socks5'] as const) {
    const own = `http://127.0.0.1:${fixture.service.port}/config?token=canary-token-0`;
    const targets = [
      'http://169.254.169.254/',
      'http://[::ffff:a9fe:a9fe]/',
      own,
      own.replace('127.0.0.1', 'localhost'),
    ];
    const images = targets.map((target) => `<img src="${target}">`).join('');
    const page = `<!doctype html>${images}<img src="${fixture.site.url}/images/blue.png">`;
    succeeded(await content({ externalProxyServer: proxies[kind].url() }, { html: page }));
    await fixture.site.waitForRequest('/images/blue.png');
    const { host } = new URL(fixture.site.url);
    for (const target of proxies[kind].targets()) assert.match(target, host, 'nothing but the site');
    const redirect = `${fixture.site.url}/redirect?to=${encodeURIComponent('http://169.254.169.254/')}`;
    refused(await content({ externalProxyServer: proxies[kind].url() }, { url: redirect }), 403, 'link-local');
  }
});

test('traffic is counted for the client without revealing its token', async () => {
  const exposition = async () => (await fixture.service.get('/metrics', { headers: { accept: 'text/plain' } })).text;
  const counted = async () =>
    Number(
      /^browserd_proxy_bytes_total\{account="([0-9a-f]{10})",kind="external"\} (\d+)$/m.exec(await exposition())?.[2],
    );
  await until(
    'earlier requests to be counted',
    () => Object.values(proxies).every((proxy) => proxy.connections() === 0),
    30_000,
  );
  for (const proxy of [proxies.http, proxies.socks5]) {
    const before = (await counted()) || 0;
    const bytes = 300_000;
    const { text } = succeeded(
      await content({ externalProxyServer: proxy.url() }, { url: `${fixture.site.url}/bytes?count=${bytes}` }),
    );
    assert.ok(text.length >= bytes);
    const grown = await until('the bytes to be counted', async () => (await counted()) - before >= bytes, 30_000);
    assert.ok(grown);
    await until('the connections to close', () => proxy.connections() === 0, 30_000);
    const added = (await counted()) - before;
    assert.ok(added < bytes * 1.2 + 20_000, `${added} bytes counted for ${bytes}`);
  }
  assert.not.match(await exposition(), 'canary-token');
  assert.not.match(await exposition(), /^browserd_proxy_units_total\{/m);
});

test('returns 400 for invalid, conflicting, and unavailable proxies', async () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ externalProxyServer: 'ftp://host:21' }, /"externalProxyServer" must be a proxy/],
    [{ externalProxyServer: 'http://host:80/path' }, /"externalProxyServer" must be a proxy/],
    [{ externalProxyServer: 'http://a%3Ab:canary-c@host:80' }, /"externalProxyServer" must be a proxy/],
    [{ '--proxy-server': 'http=a:1;https=b:2' }, /must be a proxy/],
    [{ '--proxy-server': '' }, /must be a proxy/],
    [{ '--proxy-server': 'h:1', launch: '{"proxy":{"server":"h:2"}}' }, /two proxies/],
    [{ '--proxy-server': 'h:1', externalProxyServer: 'h:2' }, /"externalProxyServer" cannot be used together/],
    [{ proxy: 'residential', externalProxyServer: 'h:2' }, /"proxy" cannot be used together/],
    [{ proxy: 'residential' }, /"proxy" is not available: no provider is configured/],
    [{ proxy: 'http://h:2' }, /"proxy" must be "residential"/],
    [{ proxyCountry: 'de' }, /"proxyCountry" has no effect without proxy=residential/],
    [{ proxyCity: 'x', externalProxyServer: 'h:2' }, /"proxyCity" has no effect without proxy=residential/],
    [{ proxyLocaleMatch: '1', externalProxyServer: 'h:2' }, /"proxyLocaleMatch" needs "proxyCountry"/],
  ];
  for (const [query, message] of wrong) {
    const reply = refused(await content(query), 400, message);
    assert.not.match(reply.text, 'canary-c');
  }
});

test("parameters that only the provider uses are listed as ignored with a client's own proxy", async () => {
  const query = { externalProxyServer: proxies.http.url(), proxyCountry: 'BR', proxySticky: 'true' };
  assert.is(succeeded(await content(query)).headers['x-ignored-parameters'], 'proxySticky, proxyCountry');
  const matched = succeeded(await content({ ...query, proxyLocaleMatch: 'true' }));
  assert.is(matched.headers['x-ignored-parameters'], 'proxySticky');
});

test("proxyLocaleMatch sets the browser's language to the country's", async () => {
  const query = { externalProxyServer: proxies.http.url(), proxyCountry: 'BR', proxyLocaleMatch: 'true' };
  const { text } = succeeded(await content(query, { url: `${fixture.site.url}/echo-headers` }));
  assert.match(String(jsonOf(text, 'headers')['accept-language']), /^pt-BR,pt(;q=0\.9)?$/);
  const script = 'document.body.dataset.languages = navigator.languages';
  const page = succeeded(await content(query, { html: '<p></p>', addScriptTag: [{ content: script }] })).text;
  assert.match(page, 'data-languages="pt-BR,pt"');
});

test('no connections are left open', async () => {
  for (const proxy of Object.values(proxies)) {
    await until('the connections to the proxy to close', () => proxy.connections() === 0, 30_000);
  }
  await fixture.site.waitForConnections();
});
