// Proxies: provider templates, selection from a request's parameters, bypass rules, languages, accounts.
// @runs newest
import * as assert from 'uvu/assert';
import { accountOf } from '../../src/api/routes/http/auth.ts';
import { publicUrl } from '../../src/api/routes/http/public-url.ts';
import { applyLegacyShim } from '../../src/base/schema/request/launch.ts';
import { parseQuery } from '../../src/base/schema/parse.ts';
import { fillTemplate, isProxyTemplate, type ProxyValues } from '../../src/base/config/proxy-template.ts';
import { parseProxyUrl } from '../../src/base/config/proxy-url.ts';
import { languageOf, timezoneOf } from '../../src/base/config/places/country.ts';
import { resolveProxy } from '../../src/browser/network/proxy.ts';
import { citiesOf } from '../../src/base/config/places/cities.ts';
import { browserQuery } from '../../src/base/schema/request/query.ts';
import { suite } from '../support/suite.ts';
import { words } from '../support/words.ts';
import { bypassRules } from '../../src/browser/network/upstream/local-proxy.ts';

const test = suite('proxies');
const none: ProxyValues = {
  country: undefined,
  COUNTRY: undefined,
  city: undefined,
  state: undefined,
  session: undefined,
};

function take(query: string, template?: string, cities: string[] = []) {
  const shimmed = applyLegacyShim(new URLSearchParams(query));
  const provider = template === undefined ? undefined : { template, cities: citiesOf(cities) };
  return resolveProxy(parseQuery(browserQuery, shimmed.params), shimmed.launch, provider);
}

test('templates: placeholders, optional parts, encoding', () => {
  const template = 'http://me[-c-{country}][-s-{session}]:pw@gate.example:7000';
  assert.is(fillTemplate(template, none), 'http://me:pw@gate.example:7000');
  assert.is(fillTemplate(template, { ...none, country: 'de' }), 'http://me-c-de:pw@gate.example:7000');
  assert.is(fillTemplate('http://{city}:pw@h:1', { ...none, city: 'a:b@c/d' }), 'http://a%3Ab%40c%2Fd:pw@h:1');
  for (const good of [
    template,
    'socks5://u:p@[::1]:1080',
    'http://{country}.gate.example:80',
    'https://u-{COUNTRY}-{state}-{city}:p_{session}@h:1',
  ]) {
    assert.ok(isProxyTemplate(good), good);
  }
  for (const bad of [
    'http://me-{land}:p@h:1',
    'http://me:p@{city}.example:1',
    'ftp://h:1',
    'nonsense {city}',
    'http://',
  ]) {
    assert.not(isProxyTemplate(bad), bad);
  }
});

test('accepts valid proxy URLs and no others', () => {
  for (const good of ['h:1', 'http://h', 'https://u:p@h:1', 'socks5://[::1]:2', 'socks5h://h:1', 'socks4://u@h:1']) {
    assert.ok(parseProxyUrl(good), good);
  }
  for (const bad of [
    ...words(`
    direct:// ftp://h http://h/x http://h?x http=h:1 h:1,g:2 http://a%3Ab:c@h http://%zz@h
  `),
    '',
  ]) {
    assert.is(parseProxyUrl(bad), undefined, bad);
  }
});

test('proxy credentials with control characters or too many characters are rejected', () => {
  const schemes = ['http', 'https', 'socks', 'socks4', 'socks4a', 'socks5', 'socks5h'];
  for (const scheme of schemes) {
    for (const code of ['%00', '%07', '%09', '%0a', '%0A', '%0d%0a', '%1b', '%7f', '%c2%85', '%c2%9b']) {
      for (const credentials of [`u${code}`, `u${code}:p`, `u:p${code}x`, `:${code}`]) {
        assert.is(parseProxyUrl(`${scheme}://${credentials}@h:1`), undefined, `${scheme} ${credentials}`);
      }
    }
    const longest = scheme.startsWith('http') ? 4_096 : 255;
    assert.ok(parseProxyUrl(`${scheme}://${'u'.repeat(longest)}:${'p'.repeat(longest)}@h:1`), scheme);
    assert.is(parseProxyUrl(`${scheme}://${'u'.repeat(longest + 1)}@h:1`), undefined, scheme);
    assert.is(parseProxyUrl(`${scheme}://u:${'%C3%BC'.repeat(Math.ceil((longest + 1) / 2))}@h:1`), undefined, scheme);
  }
});

test('a proxy can be set in four places', () => {
  assert.is(take('').proxy, undefined);
  assert.is(take('externalProxyServer=http://u:p@h:1').proxy?.url().href, 'http://u:p@h:1/');
  assert.is(take('--proxy-server=socks5://u:p@h:1').proxy?.url().href, 'socks5://u:p@h:1');
  const own = take(`launch=${encodeURIComponent('{"proxy":{"server":"h:1","username":"a b","password":"p@"}}')}`);
  assert.is(own.proxy?.url().href, 'http://a%20b:p%40@h:1/');
  assert.equal(own.launch.proxy, { server: 'http://h:1' });
  const residential = take('proxy=residential&proxyCountry=US', 'http://u-{country}:p@h:1');
  assert.is(residential.proxy?.url().href, 'http://u-us:p@h:1/');
  assert.equal(residential.launch.proxy, { server: 'residential' });
});

test('proxy parameters follow what the provider needs and offers', () => {
  const template = 'http://u-{country}[-{session}]:p@h:1';
  assert.throws(() => take('proxy=residential', template), '"proxyCountry" is required by this server\'s provider');
  assert.throws(
    () => take('proxy=residential&proxyCountry=us&proxyCity=x', template),
    '"proxyCity" is not available: this server\'s provider does not offer it',
  );
  const session = 'http://u-{session}:p@h:1';
  const sticky = take('proxy=residential', session).proxy;
  assert.is(sticky?.url().href, sticky?.url().href);
  const moving = take('proxy=residential&proxySticky=false', session).proxy;
  assert.is.not(moving?.url().href, moving?.url().href);
});

test('accepts listed cities in any spelling, and every city without a list', () => {
  const template = 'http://u[-{country}][-{city}]:p@h:1';
  const city = (query: string, cities?: string[]) =>
    take(`proxy=residential&${query}`, template, cities).proxy?.url().username;
  const many = Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => `x${letter}:San Juan`);
  const cities = ['de:Berlin', 'us:New York', 'US:Stratford-upon Avon', ...many];
  assert.is(city('proxyCity=Atlantis'), 'u-Atlantis');
  assert.is(city('proxyCity=new-york', cities), 'u-new_york');
  assert.is(city('proxyCity=%20STRATFORD_UPON_avon%20&proxyCountry=us', cities), 'u-us-STRATFORD_UPON_avon');
  assert.is(city('proxyCountry=fr', cities), 'u-fr');
  for (const [query, says] of [
    ['proxyCity=newyork', '"proxyCity" is "newyork", which this server\'s provider does not offer'],
    ['proxyCity=Berlin&proxyCountry=us', '"proxyCity" is "Berlin", which is in DE and not in US'],
    ['proxyCity=San%20Juan&proxyCountry=us', '"proxyCity" is "San Juan", which is in 26 countries and not in US'],
  ] as const) {
    assert.throws(() => city(query, cities), says);
  }
});

test('the country sets the time zone, but only for stealth browsers', () => {
  const zones = {
    de: 'Europe/Berlin',
    US: 'America/New_York',
    jp: 'Asia/Tokyo',
    ru: 'Europe/Moscow',
    AU: 'Australia/Sydney',
  };
  for (const [country, zone] of Object.entries(zones)) assert.is(timezoneOf(country), zone);
  assert.is(timezoneOf('xx'), undefined);
  const query = 'externalProxyServer=h:1&proxyCountry=de&proxyLocaleMatch=1';
  assert.is(take(query).launch.timezone, undefined);
  assert.is(take(`${query}&stealth`).launch.timezone, 'Europe/Berlin');
  assert.is(take(`${query}&launch={"stealth":true,"timezone":"Asia/Tokyo"}`).launch.timezone, 'Asia/Tokyo');
});

test('the country sets the language, unless --lang is set', () => {
  const tags = { de: 'de-DE', BR: 'pt-BR', jp: 'ja-JP', us: 'en-US', ch: 'de-CH', IN: 'hi-IN' };
  for (const [country, tag] of Object.entries(tags)) assert.is(languageOf(country), tag);
  const given = take('externalProxyServer=h:1&proxyCountry=de&proxyLocaleMatch=1&--lang=fr');
  assert.equal(given.launch.args, ['--lang=fr']);
});

test('bypass rules', () => {
  const bypassed = bypassRules(
    'example.com; .below.example,*.star.example, <local>,https://port.example:8443,[::1],10.0.0.0/8',
  );
  for (const [host, port] of [
    ['example.com', 80],
    ['EXAMPLE.com', 443],
    ['a.below.example', 80],
    ['a.b.star.example', 80],
    ['intranet', 80],
    ['port.example', 8443],
    ['::1', 80],
  ] as const) {
    assert.ok(bypassed(host, port), host);
  }
  for (const [host, port] of [
    ['www.example.com', 80],
    ['below.example', 80],
    ['port.example', 443],
    ['10.1.2.3', 80],
  ] as const) {
    assert.not(bypassed(host, port), host);
  }
  assert.ok(bypassRules('*')('any.example', 1));
  assert.not(bypassRules(undefined)('any.example', 1));
});

test('URLs for /sessions contain no credentials', () => {
  const shown = (query: string) => {
    const url = new URL(`http://x/content?${query}`);
    return publicUrl('https://pub.example/base', url, take(query.replace(/&?token=\w+/, '')).launch);
  };
  assert.is(shown('token=secret'), 'https://pub.example/base/content');
  const launch = { args: ['--proxy-server=http://u:secret@h:1'] };
  for (const query of [
    'externalProxyServer=http://u:secret@h:1&token=secret',
    '--proxy-server=socks5://u:secret@h:1',
    `launch=${encodeURIComponent(JSON.stringify(launch))}`,
    `launch=${encodeURIComponent(btoa(JSON.stringify(launch)))}`,
  ]) {
    assert.not.match(decodeURIComponent(shown(query)), /secret|c2VjcmV0|u:/, query);
    assert.match(decodeURIComponent(shown(query)), '//h:1', query);
  }
});

test("a caller's label is stable, and is not its token", async () => {
  const first = await accountOf('token-one', ['token-one', 'token-two']);
  assert.match(first, /^[0-9a-f]{10}$/);
  assert.is(await accountOf('token-one', ['token-one']), first);
  assert.is.not(await accountOf('token-two', ['token-one', 'token-two']), first);
  assert.is(await accountOf(undefined, []), 'open');
});
