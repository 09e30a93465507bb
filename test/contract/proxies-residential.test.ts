// proxy=residential with the operator's provider (RESIDENTIAL_PROXY_URL): the provider's user name, the cost in units,
// what stays secret; and the network policy with private networks blocked.
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { refused, succeeded } from '../support/checks/expect.ts';
import type { Reply } from '../support/clients/http.ts';
import { providerUrl, proxyPassword, startHttpProxy, type TestProxy } from '../support/clients/proxies.ts';
import { until } from '../support/until.ts';

let provider: TestProxy;
/** The site under a name that only the provider resolves, so that the policy allows it. */
let siteUrl: string;

const { test, service, site } = fixtureSuite('residential proxies', {
  async env() {
    siteUrl = `http://browserd-only.test:${site.port}`;
    const accepts = (user: string, password: string) => password === proxyPassword && !user.includes('-cc-xx');
    provider = await startHttpProxy({ accepts });
    const user = 'canary-customer[-cc-{country}][-REGION-{COUNTRY}-{state}][-city-{city}][-sid-{session}]';
    return { BLOCK_PRIVATE_NETWORK: 'true', RESIDENTIAL_PROXY_URL: providerUrl(provider, user) };
  },
});
test.after(() => provider.close());
test.before.each(() => void provider.seen.splice(0));

const content = (query: Record<string, string>, body: Record<string, unknown> = { url: `${siteUrl}/small` }) =>
  service.post('/content', body, { query: { proxy: 'residential', ...query } });

/** The distinct user names that the provider saw in a request. */
async function users(query: Record<string, string>): Promise<string[]> {
  provider.seen.splice(0);
  const html = ['red', 'green', 'blue'].map((name) => `<img src="${siteUrl}/images/${name}.png">`).join('');
  succeeded(await content(query, { html }));
  return [...new Set(provider.seen.map(({ credentials }) => credentials?.replace(`:${proxyPassword}`, '') ?? ''))];
}

test.proves('RESIDENTIAL_PROXY_URL');
test('country, state, and city are passed to the provider, and left out if not requested', async () => {
  assert.equal(await users({ proxySticky: 'false' }), ['canary-customer']);
  assert.equal(await users({ proxySticky: '0', proxyCountry: 'DE' }), ['canary-customer-cc-de']);
  assert.equal(
    await users({ proxySticky: '0', proxyCountry: 'us', proxyState: 'New York', proxyCity: 'Stratford-upon  Avon' }),
    ['canary-customer-cc-us-REGION-US-New_York-city-Stratford_upon_Avon'],
  );
});

test('a request keeps its proxy session; another request gets a different one', async () => {
  const [first = '', ...more] = await users({ proxyCountry: 'us' });
  assert.match(first, /^canary-customer-cc-us-sid-[0-9a-f]{8}$/);
  assert.equal(more, []);
  assert.is(provider.seen.length, 3);
  const [second] = await users({ proxyCountry: 'us', proxySticky: 'true' });
  assert.match(second ?? '', /-sid-[0-9a-f]{8}$/);
  assert.is.not(first, second);
});

test('names that could be read as another part of the proxy URL are rejected', async () => {
  for (const proxyCity of ['a:b@evil.example', 'a/b', 'x'.repeat(101), ' ', 'a\tb']) {
    refused(await content({ proxyCity }), 400, '"proxyCity" must be a name');
  }
  refused(await content({ proxyCountry: 'deu' }), 400, '"proxyCountry" must be a two-letter country code');
  refused(await content({ proxySticky: 'maybe' }), 400, 'proxySticky');
  refused(await content({ externalProxyServer: 'h:1' }), 400, 'cannot be used together');
  refused(await content({ '--proxy-server': 'h:1' }), 400, 'cannot be used together');
  assert.equal(provider.seen, []);
});

test('private networks stay blocked for pages, subresources, redirects, and client proxies', async () => {
  const closed = (reply: Reply) => refused(reply, 403, 'BLOCK_PRIVATE_NETWORK');
  closed(await content({}, { url: `${site.url}/small` }));
  closed(await content({}, { url: `${site.otherUrl}/small` }));
  closed(await content({}, { url: `${siteUrl}/redirect?to=${encodeURIComponent(`${site.otherUrl}/small`)}` }));
  const own = { externalProxyServer: `127.0.0.1:${provider.port}` };
  closed(await service.post('/content', { url: `${siteUrl}/small` }, { query: own }));
  provider.seen.splice(0);
  const images = [site.url, site.otherUrl, site.secureUrl, `http://127.0.0.1:${service.port}`]
    .map((origin) => `<img src="${origin}/images/red.png">`)
    .join('');
  succeeded(await content({}, { html: `${images}<img src="${siteUrl}/images/blue.png">` }));
  assert.equal(provider.targets(), [`GET ${siteUrl}/images/blue.png`]);
  assert.equal(
    site.requests.map(({ path }) => path),
    ['/redirect', '/images/blue.png'],
  );
});

test('if the provider rejects a request, returns a 502 that does not name the provider', async () => {
  const reply = await content({ proxyCountry: 'xx' });
  refused(reply, 502, 'The residential proxy failed: it rejected the username or password');
  assert.not.match(reply.text, String(provider.port));
});

test('six units per megabyte are counted for the client', async () => {
  const counted = async () => {
    const { text } = await service.get('/metrics', { headers: { accept: 'text/plain' } });
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return {
      bytes: value('browserd_proxy_bytes_total\\{account="open",kind="residential"\\}'),
      units: value('browserd_proxy_units_total\\{account="open"\\}'),
    };
  };
  const before = await counted();
  const reply = succeeded(await content({}, { url: `${siteUrl}/bytes?count=1000000` }));
  // Seven units for the traffic, whose last bytes may be counted later, and one for the time.
  assert.ok(Number(reply.headers['x-units-used']) >= 7, String(reply.headers['x-units-used']));
  await until('the bytes to be counted', async () => (await counted()).bytes - before.bytes >= 1_000_000, 30_000);
  await until('the connections to close', () => provider.connections() === 0, 30_000);
  const { bytes, units } = await counted();
  assert.is(units, Math.ceil((bytes * 6) / 1_000_000));
  const total = (await service.get('/metrics/total')).json<{ units: number; proxies: Record<string, unknown> }>();
  assert.equal(total.proxies['open'], { bytes, units });
  assert.ok(total.units >= units);
});

test("the provider's address and password do not appear in responses, logs, or processes", async () => {
  const running = content({}, { url: `${siteUrl}/slow?ms=400` });
  await site.waitForRequest('/slow');
  const answers = await Promise.all(['/sessions', '/config', '/metrics'].map((path) => service.get(path)));
  const browsers = service.tree().filter(({ command }) => /--remote-debugging-pipe/.test(command));
  succeeded(await running);
  const commands = browsers.map(({ command, environment }) => `${command} ${environment}`);
  for (const text of [...answers.map((answer) => answer.text), service.output(), ...commands]) {
    for (const secret of ['canary-customer', 'canary-proxy', `127.0.0.1:${provider.port}`]) {
      assert.not.ok(text.includes(secret), `${secret} in ${text}`);
    }
  }
});

test('no connections are left open', async () => {
  await until('the connections to the provider to close', () => provider.connections() === 0, 30_000);
  await site.waitForConnections();
});
