// BrowserQL: the proxy mutation, with real proxies that require a password.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { buildSchema, isEnumType } from 'graphql';
import * as assert from 'uvu/assert';
import { type BqlAnswer, bqlSuite, placed, send } from '../support/clients/bql.ts';
import { proxyPassword, startHttpProxy, startSocksProxy, type TestProxy } from '../support/clients/proxies.ts';
import { startService } from '../support/service.ts';

const { test, fixture } = bqlSuite('BrowserQL proxy');
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

test('matching requests use the first proxy that matches; the rest connect as usual', async () => {
  const data = await fixture.data(
    `mutation Two($http: String!, $socks: String!) {
      a: proxy(server: $http, type: [document, xhr], operator: or) { time }
      b: proxy(server: $socks, url: ["*/images/*", "*.css"], method: GET, operator: and) { time }
      put: cookies(cookies: { name: "sid", value: "7", url: "SITE" }) { time }
      goto(url: "SITE/network", waitUntil: networkIdle) { status }
      color: evaluate(content: "getComputedStyle(document.body).backgroundColor") { value }
      size: evaluate(content: "document.images[0].naturalWidth") { value }
      sent: goto(url: "SITE/cookies") { status }
      text(selector: "#header") { text }
      set: goto(url: "SITE/set-cookie") { status }
      cookies { cookies { name } }
      moved: goto(url: "SITE/redirect?to=/small") { url status }
      fetched: evaluate(content: "(await fetch('/json')).status") { value }
    }`,
    { variables: { http: http.url(), socks: socks.url() } },
  );
  assert.equal([data.goto.status, data.color.value, data.size.value], [200, 'rgb(255, 0, 0)', '32']);
  assert.match(data.text.text, 'sid=7');
  assert.equal(data.cookies.cookies.map(({ name }: { name: string }) => name).toSorted(), ['hidden', 'sid', 'visited']);
  assert.equal([data.moved.url, data.moved.status, data.fetched.value], [`${fixture.site.url}/small`, 200, '200']);
  assert.ok(http.seen.length > 0 && socks.seen.length > 0, `${http.seen.length} and ${socks.seen.length}`);
});

test('without a matcher, nothing goes through the proxy; invalid arguments are reported', async () => {
  const none = await fixture.data(
    'mutation P($s: String!) { proxy(server: $s) { time } goto(url: "SITE/small") { status } }',
    {
      variables: { s: http.url() },
    },
  );
  assert.equal([none.goto.status, http.seen.length], [200, 0]);
  // covers: Mutation.proxy(city) Mutation.proxy(country) Mutation.proxy(state) Mutation.proxy(sticky)
  const wrong = (args: string) => `mutation { proxy(${args}, url: "*") { time } }`;
  await fixture.fails(wrong(`server: "${http.url()}", country: DE`), 'proxy', 'BAD_ARGUMENT', '"country"');
  await fixture.fails(wrong('server: "ftp://127.0.0.1:21"'), 'proxy', 'BAD_ARGUMENT', 'proxy');
  await fixture.fails(wrong('city: "New/York"'), 'proxy', 'BAD_ARGUMENT', '"city"');
  await fixture.fails(
    wrong('country: US, city: "boston", state: "ma", sticky: true'),
    'proxy',
    'BAD_ARGUMENT',
    'provider',
  );
  await fixture.fails(wrong(`server: "${fixture.site.refusingUrl}"`), 'proxy', 'PROXY_FAILED');
});

test('every country is accepted by the schema; without a provider, each is rejected', async () => {
  // covers: CountryType.*
  const schema = buildSchema((await fixture.service.get('/bql/schema.graphql')).text);
  const type = schema.getType('CountryType');
  const countries = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  assert.ok(countries.length > 190);
  const steps = countries.map((name) => `${name}: proxy(country: ${name}, url: "*") { time }`);
  const { errors } = await fixture.run(`mutation { ${steps.join(' ')} }`);
  assert.is(errors?.length, countries.length);
  assert.ok(errors?.every(({ message }) => message.includes('provider')));
});

test.proves('proxy.city proxy.country proxy.state proxy.sticky');
test('city, country, state and sticky are sent to the provider', async () => {
  await using provider = await startHttpProxy({ accepts: (_user, password) => password === proxyPassword });
  const user = 'customer[-cc-{country}][-st-{state}][-city-{city}][-sid-{session}]';
  const address = `${user}:${encodeURIComponent(proxyPassword)}@127.0.0.1:${provider.port}`;
  await using service = await startService({ env: { RESIDENTIAL_PROXY_URL: `http://${address}` } });
  const users = async (args: string) => {
    provider.seen.length = 0;
    const pages = 'a: goto(url: "SITE/small") { status } b: goto(url: "SITE/tall") { status }';
    const reply = await send(service, placed(`mutation { proxy(${args}, url: "*") { time } ${pages} }`, fixture));
    assert.is(reply.json<BqlAnswer>().errors, undefined, reply.text);
    return [...new Set(provider.seen.map(({ credentials = '' }) => credentials.replace(`:${proxyPassword}`, '')))];
  };
  assert.equal(await users('sticky: false'), ['customer']);
  assert.equal(await users('sticky: false, country: DE'), ['customer-cc-de']);
  assert.equal(await users('sticky: false, state: "new_york"'), ['customer-st-new_york']);
  assert.equal(await users('sticky: false, city: "boston"'), ['customer-city-boston']);
  const [kept = '', ...others] = await users('sticky: true');
  assert.match(kept, /^customer-sid-[0-9a-f]{8}$/);
  assert.equal(others, []);
});

test.proves('proxy.sticky');
test('sticky is rejected if the provider cannot keep an IP address', async () => {
  await using provider = await startHttpProxy();
  const url = `http://customer[-cc-{country}]:${encodeURIComponent(proxyPassword)}@127.0.0.1:${provider.port}`;
  await using service = await startService({ env: { RESIDENTIAL_PROXY_URL: url } });
  const reportedErrors = async (args: string) => {
    const reply = await send(service, `mutation { proxy(${args}) { time } }`);
    return reply.json<BqlAnswer>().errors?.map(({ message, extensions }) => `${extensions?.code}: ${message}`);
  };
  for (const sticky of [true, false]) {
    const [problem = '', ...others] = (await reportedErrors(`country: DE, sticky: ${sticky}`)) ?? [];
    assert.match(problem, /^BAD_ARGUMENT: "sticky" is not available: .* Leave it out/);
    assert.equal(others, []);
  }
  assert.is(await reportedErrors('country: DE, sticky: null'), undefined);
});

test('a response that is too large fails with a message that states the limit, compressed or not', async () => {
  const bombs: [path: string, headers: Record<string, string>][] = [
    ['plain', {}],
    ['packed', { 'content-encoding': 'gzip' }],
  ];
  for (const [name, headers] of bombs) {
    const body = new Uint8Array(80_000_000);
    const site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', ...headers });
      response.end(name === 'packed' ? gzipSync(body) : body);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const address = site.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const data = await fixture.data(
      `mutation P($s: String!) {
        proxy(server: $s, url: "*") { time }
        goto(url: "http://127.0.0.1:${port}/") { status }
        text { text }
      }`,
      { variables: { s: http.url() } },
    );
    assert.is(data.goto.status, 502, name);
    assert.match(data.text.text, 'larger than 32 MB');
    site.close();
  }
});
