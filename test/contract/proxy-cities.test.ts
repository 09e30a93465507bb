// GET /proxy/cities and RESIDENTIAL_PROXY_CITIES: what the route lists, who can read it, and that every entry point
// rejects a city that is not in the list before it contacts the provider.
import * as assert from 'uvu/assert';
import { fixtureSuite } from '../support/fixture.ts';
import { namesField, refused, succeeded } from '../support/checks/expect.ts';
import { type BqlAnswer, send } from '../support/clients/bql.ts';
import { handshake } from '../support/clients/clients.ts';
import { providerUrl, proxyPassword, startProvider, type TestProxy } from '../support/clients/proxies.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { startService } from '../support/service.ts';

let provider: TestProxy;
const RESIDENTIAL_PROXY_CITIES = 'de:Berlin, de:Bad Hersfeld\nUS:New York,us:Berlin,br:São Paulo';

const { test, service, site } = fixtureSuite('cities of proxies', {
  async env() {
    provider = await startProvider();
    return { TOKEN: 'secret-token', RESIDENTIAL_PROXY_URL: providerUrl(provider), RESIDENTIAL_PROXY_CITIES };
  },
});
test.after(() => provider.close());
test.before.each(() => void provider.seen.splice(0));

const de = { code: 'DE', cities: ['Berlin', 'Bad Hersfeld'] };
const us = { code: 'US', cities: ['New York', 'Berlin'] };
const br = { code: 'BR', cities: ['São Paulo'] };
const json = 'application/json; charset=UTF-8';

test.proves('GET/proxy/cities?country');
test('lists all cities or those of one country; an unknown country has none', async () => {
  const list = async (query = {}) => succeeded(await service.get('/proxy/cities', { query }), json).json();
  assert.equal(await list(), { countries: [de, us, br], totalCountries: 3, totalCities: 5, filters: {} });
  for (const country of ['DE', 'de', 'De']) {
    assert.equal(await list({ country }), {
      countries: [de],
      totalCountries: 1,
      totalCities: 2,
      filters: { country },
    });
  }
  assert.equal(await list({ country: 'fr' }), {
    countries: [],
    totalCountries: 0,
    totalCities: 0,
    filters: { country: 'fr' },
  });
});

test('errors for invalid queries name the parameter and do not repeat long values', async () => {
  for (const country of ['deu', 'd', '', '1a', 'ß', '__proto__', 'x'.repeat(8_000)]) {
    const reply = await service.get('/proxy/cities', { query: { country }, headers: { accept: 'application/json' } });
    namesField(reply, 'country');
    assert.ok(reply.text.length < 1_000, `${reply.text.length} characters`);
  }
  refused(await service.get('/proxy/cities', { query: { city: 'Berlin' } }), 400, 'city');
  refused(await service.get('/proxy/cities', { query: `country=de&${'x'.repeat(8_000)}=1` }), 400);
});

test('requires a token and accepts only GET', async () => {
  for (const token of [null, 'wrong']) {
    refused(await service.get('/proxy/cities', { token }), 401, 'Bad or missing authentication.');
  }
  for (const method of ['PUT', 'DELETE']) {
    refused(await service.get('/proxy/cities', { method }), 404, '/proxy/cities accepts GET');
  }
  refused(await service.post('/proxy/cities', { country: 'de' }), 404, '/proxy/cities accepts GET');
  assert.is((await handshake(service, '/proxy/cities', { token: 'secret-token' })).status, 404);
});

const content = (query: Record<string, string>) =>
  service.post('/content', { url: `${site.url}/small` }, { query: { proxy: 'residential', ...query } });
const session = (proxy: object) => service.post('/session', { proxy: { type: 'residential', ...proxy } });
const document = async (args: string): Promise<string[]> => {
  const pages = `goto(url: "${site.url}/small") { status }`;
  const reply = await send(service, `mutation { proxy(${args}, url: "*") { time } ${pages} }`);
  const errors = reply.json<BqlAnswer>().errors ?? [];
  return errors.map(({ message, extensions }) => `${extensions?.code}: ${message}`);
};
const users = () => [
  ...new Set(provider.seen.map(({ credentials = '' }) => credentials.replace(`:${proxyPassword}`, ''))),
];

test('a listed city is passed to the provider no matter how it is spelled', async () => {
  for (const [query, user] of [
    [{ proxyCity: 'berlin' }, 'customer-city-berlin'],
    [{ proxyCountry: 'de', proxyCity: 'BAD-hersfeld' }, 'customer-cc-de-city-BAD_hersfeld'],
    [{ proxyCountry: 'US', proxyCity: ' New_York ' }, 'customer-cc-us-city-New_York'],
    // The accent as a separate (combining) character.
    [{ proxyCity: 'Sa\u0303o Paulo' }, `customer-city-Sa\u0303o_Paulo`],
  ] as const) {
    provider.seen.splice(0);
    succeeded(await content({ ...query, proxySticky: '0' }));
    assert.equal(users(), [user]);
  }
  provider.seen.splice(0);
  assert.equal(await document('sticky: false, country: US, city: "new_york"'), []);
  assert.equal(users(), ['customer-cc-us-city-new_york']);
  const { id } = succeeded(await session({ country: 'DE', city: 'Bad-Hersfeld' })).json<{ id: string }>();
  assert.is((await service.get(`/session/${id}`, { method: 'DELETE' })).status, 204);
});

test.proves('RESIDENTIAL_PROXY_CITIES');
test('proxyCity: an unlisted city or one in a different country is rejected', async () => {
  refused(await content({ proxyCity: 'Hamburg' }), 400, '"proxyCity" is "Hamburg"', 'GET /proxy/cities');
  refused(
    await content({ proxyCountry: 'de', proxyCity: 'New York' }),
    400,
    '"proxyCity" is "New York", which is in US and not in DE. Set "proxyCountry" to a country that has it, or choose another city',
    'GET /proxy/cities',
  );
  refused(await content({ proxyCountry: 'fr', proxyCity: 'Berlin' }), 400, 'in DE, US and not in FR');
  const { status, text } = await handshake(service, '/', {
    token: 'secret-token',
    proxy: 'residential',
    proxyCity: 'Hamburg',
  });
  assert.is(status, 400);
  assert.match(text, '"proxyCity" is "Hamburg"');
  assert.equal(provider.seen, []);
});

test('proxy.city of a session: the same, with US as the default country', async () => {
  namesField(await session({ country: 'de', city: 'Hamburg' }), 'proxy.city');
  refused(await session({ country: 'de', city: 'Hamburg' }), 400, '"proxy.city" is "Hamburg"', 'GET /proxy/cities');
  refused(
    await session({ city: 'São Paulo' }),
    400,
    '"proxy.city" is "São Paulo", which is in BR and not in US. Set "proxy.country" to a country that has it, or choose another city',
  );
  assert.equal((await service.get('/sessions')).json(), []);
});

test('proxy(city:) in BrowserQL: the same, as the error of its step', async () => {
  const [unknown = '', ...more] = await document('country: DE, city: "hamburg"');
  assert.match(unknown, /^BAD_ARGUMENT: "city" is "hamburg", .* GET \/proxy\/cities/);
  assert.equal(more, []);
  const [elsewhere = ''] = await document('country: BR, city: "berlin"');
  assert.match(elsewhere, /^BAD_ARGUMENT: "city" is "berlin", which is in DE, US and not in BR\..* "country"/);
  const [long = ''] = await document(`city: "${'x'.repeat(5_000)}"`);
  assert.match(long, '"city" must be a name');
  assert.ok(long.length < 400, `${long.length} characters`);
  assert.equal(provider.seen, []);
  for (const { code, cities } of [de, us, br]) {
    for (const city of cities) assert.equal(await document(`country: ${code}, city: "${city}"`), []);
  }
});

test('every token can read the list, even with a plan without proxyCity', async () => {
  using file = tokensFile([{ name: 'reader', plan: 'free' }]);
  await using own = await startService({
    env: {
      SPARES: '0',
      TOKEN: 'operator',
      TOKENS_FILE: file.path,
      RESIDENTIAL_PROXY_URL: providerUrl(provider),
      RESIDENTIAL_PROXY_CITIES,
    },
  });
  const reply = succeeded(await own.get('/proxy/cities', { token: tokenOf('reader') }));
  assert.is(reply.json<{ totalCities: number }>().totalCities, 5);
  for (const secret of ['customer', 'canary', `:${provider.port}`]) assert.not.match(reply.text, secret);
  refused(await own.get('/proxy/cities', { token: 'nobody' }), 401);
});

const lacking: Record<string, [env: Record<string, string>, advice: string]> = {
  'no provider': [{}, 'Requests cannot choose a city here; use your own proxy with externalProxyServer'],
  'a provider without cities': [
    { RESIDENTIAL_PROXY_URL: 'http://me[-{country}]:p@127.0.0.1:1' },
    'Requests cannot choose a city here',
  ],
  'a provider whose cities are not listed': [
    { RESIDENTIAL_PROXY_URL: 'http://me[-{city}]:p@127.0.0.1:1' },
    'Choose a city from the list of the provider: "proxyCity" accepts any',
  ],
};
for (const [name, [env, advice]] of Object.entries(lacking)) {
  test(`404: ${name}`, async () => {
    await using bare = await startService({ env: { SPARES: '0', ...env } });
    refused(await bare.get('/proxy/cities'), 404, 'RESIDENTIAL_PROXY_CITIES', advice);
    refused(await bare.get('/proxy/cities', { query: { country: 'deu' } }), 400, 'country');
  });
}
